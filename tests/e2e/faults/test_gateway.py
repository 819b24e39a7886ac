"""The gateway on bad days: cut, resumed, forgotten, refused, late; and Discord away altogether."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from bot.__main__ import CLOSE_CODE_ADVICE
from bot.ops.sentences import NOT_LET_IN
from sandbox import Sandbox
from sandbox.faults import CONNECT, Effect, cut, late, status
from sandbox.gateway import STARTS, Gateway
from tests.e2e.bad_input import UNPARSED, UNREADABLE
from tests.e2e.faults.conftest import NOT_PARSED, unexpected
from tests.e2e.faults.moving import PACE, a_game
from tests.e2e.house import House, complaints
from tests.e2e.room import Room

pytestmark = pytest.mark.asyncio(loop_scope="session")


def _cut(house: House) -> None:
    house.server.gateway.cut()


def _ask(house: House) -> None:
    house.server.gateway.say_anything('{"op": 7, "d": null}')


def lost_and_back(house: House) -> tuple[int, int]:
    """Returns how often the log says that the connection is lost, and that it is back after some time."""
    found = [len(re.findall(f'event="connection to Discord {what}', house.bot.log)) for what in ("lost", "is back")]
    assert len(re.findall(r'connection to Discord is back" .*away_for=\d+', house.bot.log)) == found[1]
    return found[0], found[1]


@pytest.mark.parametrize("end", [_cut, _ask], ids=["cut", "asked to reconnect"])
async def test_what_was_asked_while_the_gateway_was_away_is_answered_after_resume(
    room: Room, end: Callable[[House], None]
) -> None:
    played, ada, _ = await a_game(room)
    ready, before = room.house.bot.log.count("event=ready"), lost_and_back(room.house)
    end(room.house)
    await asyncio.sleep(0)
    reply = await played.try_move("F7-F8")
    assert "You played" in reply.text, reply
    played.game = played.game.play("F7-F8")
    await played.told(ada)
    assert room.house.bot.log.count("event=ready") == ready  # resumed, not a new session
    assert lost_and_back(room.house) == (before[0] + 1, before[1] + 1)


async def test_after_an_invalid_session_a_new_one_carries_the_games_on(room: Room) -> None:
    played, _, _ = await a_game(room)
    ready, before = room.house.bot.log.count("event=ready"), lost_and_back(room.house)
    room.house.server.faults.invalid_sessions = 2  # the RESUME, and the first IDENTIFY as well
    room.house.server.gateway.forget_sessions()
    room.house.server.gateway.cut()
    await room.house.until(lambda: room.house.bot.log.count("event=ready") > ready, "ready again")
    assert lost_and_back(room.house) == (before[0] + 1, before[1] + 1)
    await played.move("F7-F8")
    await played.move("F10-F9")


@pytest_asyncio.fixture(loop_scope="session")
async def newcomer(tmp_path: Path) -> AsyncIterator[House]:
    """A house whose bot the test starts itself."""
    house = House(tmp_path, "tests.e2e.hasty_program", HASTY_PACE=str(PACE))
    await house.open(start=False)
    await house.furnish()
    yield house
    await house.close()
    print(house.bot.log)
    assert [
        line for line in unexpected(house.bot.log) if "event=refused" not in line and "no session" not in line
    ] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("requests", "effect", "times"),
    [(CONNECT, status(503), 3), (CONNECT, cut(done=False), 3), ("GET *", status(500), 12), ("GET *", status(503), 12)],
)
async def test_a_login_or_first_connection_that_is_refused_is_tried_again(
    newcomer: House, requests: str, effect: Effect, times: int
) -> None:
    rule = newcomer.server.faults.add(requests, effect, times=times)
    await newcomer.start_bot()
    assert rule.struck == times


async def test_sigterm_ends_it_also_while_a_lost_connection_is_made_again(newcomer: House) -> None:
    await newcomer.start_bot()
    rule = newcomer.server.faults.add(CONNECT, late(60))
    newcomer.server.gateway.cut()
    await newcomer.until(lambda: rule.struck == 1, "asks")
    assert lost_and_back(newcomer) == (1, 0)
    async with asyncio.timeout(45):
        assert await newcomer.bot.end(signal.SIGTERM) == 0
    assert lost_and_back(newcomer) == (1, 0)  # a stop is no loss


@pytest.mark.parametrize("code", [4004, *(pytest.param(code, marks=pytest.mark.long) for code in (4011, 4013, 4014))])
async def test_a_bot_the_gateway_refuses_says_what_to_do_and_stops(newcomer: House, code: int) -> None:
    newcomer.server.faults.identify_refused = code
    await newcomer.bot.start()
    await newcomer.until(lambda: "event=refused" in newcomer.bot.log, "refused")
    assert CLOSE_CODE_ADVICE.get(code, NOT_LET_IN.format(detail="")) in newcomer.bot.log
    left = newcomer.server.gateway.starts_left
    newcomer.server.faults.lift()
    await asyncio.sleep(20 / PACE)
    assert newcomer.bot.running
    assert not newcomer.server.gateway.online
    assert newcomer.server.gateway.starts_left == left
    assert await newcomer.bot.end(signal.SIGTERM) == 0


@pytest.mark.long
async def test_a_bot_that_outgrew_its_shards_opens_as_many_as_discord_asks(newcomer: House) -> None:
    await newcomer.start_bot()
    await newcomer.until(lambda: "event=ready" in newcomer.bot.log, "ready")
    newcomer.server.faults.identify_refused = 4011
    newcomer.server.gateway.forget_sessions()
    newcomer.server.gateway.cut()
    await newcomer.until(lambda: "asks for more shards" in newcomer.bot.log, "noticed")
    newcomer.server.gateway.shards = 2
    newcomer.server.faults.lift()
    await newcomer.until(lambda: newcomer.bot.log.count("event=ready") == 2, "ready again")


async def test_where_no_session_is_left_none_is_begun_until_there_are_more(
    newcomer: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    gateway = newcomer.server.gateway
    monkeypatch.setattr(Gateway, "starts_reset_after", 0.5)  # as it says; nobody waits for a day here
    gateway._starts = [time.time()] * (STARTS - 3)
    await newcomer.bot.start()
    await newcomer.until(lambda: "no session may be begun" in newcomer.bot.log, "waits")
    assert not gateway.online
    gateway._starts.clear()
    await newcomer.until(lambda: gateway.online, "online")


@pytest.mark.long
async def test_ready_comes_late_and_what_waits_is_told_then(newcomer: House) -> None:
    newcomer.server.faults.ready_after = 1.0
    await newcomer.start_bot()
    newcomer.server.faults.lift()
    await _play_a_little(newcomer)


@pytest.mark.long
async def test_the_bot_waits_for_discord_before_a_start_and_after_outages(newcomer: House) -> None:
    port = int(newcomer.url.rsplit(":", 1)[1])
    folder = newcomer.bot.folder / "world"
    await newcomer.server.close()
    await newcomer.bot.start()
    for _ in range(2):
        await asyncio.sleep(20 / PACE)  # refused connections, as where no machine answers
        assert newcomer.bot.running
        newcomer.server = await Sandbox.start(folder, port=port)
        await newcomer.until(lambda: newcomer.server.gateway.online, "online")
        await _play_a_little(newcomer)
        await newcomer.server.close()
    newcomer.server = await Sandbox.start(folder, port=port)


async def _play_a_little(house: House) -> None:
    async with Room.opened(house, f"room-{len(house.server.world.channels)}") as room:
        played, _, _ = await a_game(room)
        await played.move("F7-F8")


@pytest.mark.long
async def test_a_stop_between_the_connection_and_ready_leaves_no_trace(tmp_path: Path) -> None:
    pace = "1"  # READY's servers are waited for as in life
    async with House(tmp_path, "tests.e2e.hasty_program", HASTY_PACE=pace) as house:
        assert await house.stop_bot() == 0
        assert complaints(house.bot.log) == []
        assert "Traceback" not in house.bot.log


@pytest.mark.usefixtures("bad_events")
async def test_no_event_that_cannot_be_parsed_ends_the_bot(room: Room) -> None:
    played, _, _ = await a_game(room)
    house, pid, seen = room.house, room.house.bot.pid, len(room.house.bot.log)
    for event, data in UNPARSED:
        house.server.gateway.tell_anything(event, data.replace("GUILD", str(room.guild)))
    for frame in UNREADABLE:
        house.server.gateway.say_anything(frame)
    await played.move("F7-F8")
    await played.move("F10-F9")
    assert (house.bot.pid, house.bot.running) == (pid, True)
    contained = re.findall(rf'event="{NOT_PARSED}" .*type=(\S+)', house.bot.log[seen:], re.MULTILINE)
    assert {*contained} >= {"INTERACTION_CREATE", "CHANNEL_UPDATE", "unreadable"}


@pytest.mark.usefixtures("bad_events")
@pytest.mark.parametrize("lacks", ["shard", "user", "session_id", "guilds"])
async def test_a_ready_that_cannot_be_parsed_is_repeated(room: Room, lacks: str) -> None:
    played, _, _ = await a_game(room)
    seen = len(room.house.bot.log)
    room.house.server.faults.ready_lacks += [lacks]
    room.house.server.gateway.forget_sessions()
    room.house.server.gateway.cut()
    await room.house.until(lambda: "event=ready" in room.house.bot.log[seen:], "ready again")
    log = room.house.bot.log[seen:]
    assert NOT_PARSED in log
    await played.move("F7-F8")
