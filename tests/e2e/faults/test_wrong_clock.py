"""A machine's clock that is wrong, at the start or later, with Discord and without: nothing is decided by it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.core.clock import DAY
from bot.texts.i18n import text
from sandbox.faults import CONNECT, status
from tests.e2e.faults.moving import PACE, Clock, a_game, marked
from tests.e2e.house import House
from tests.e2e.machine_clocks import JUMPS, check_dates
from tests.e2e.room import Room
from tests.examples import ordinarily

pytestmark = pytest.mark.asyncio(loop_scope="session")

ABSENCES = "SELECT since, until FROM absences WHERE guild = 0 OR guild IN (SELECT guild FROM matches)"
"""The absences of the bot, and of the servers with games."""
TWO_TICKS = 64 / PACE
WRONG, RIGHT = "the clock cannot be trusted", "the clock is right again"
GONE = 999
"""A server that has removed the bot long ago, but for some days."""


@pytest_asyncio.fixture(loop_scope="session")
async def own(tmp_path: Path) -> AsyncIterator[House]:
    """A house of its own, whose clock is right at first."""
    Clock(tmp_path / "clock").jump(0)
    house = House(tmp_path, "tests.e2e.hasty_program", HASTY_PACE=str(PACE), HASTY_CLOCK=str(tmp_path / "clock"))
    async with house.faultless():
        yield house


@pytest.fixture
def clock(own: House) -> Clock:
    return Clock(own.bot.folder / "clock")


def count(house: House, line: str) -> int:
    return house.bot.log.count(line)


async def tick(house: House) -> None:
    """Some ticks pass."""
    await asyncio.sleep(2 * TWO_TICKS)


def check(house: House, begun: float) -> None:
    """Nothing is dated otherwise than when it has happened, and nothing has ended by itself."""
    check_dates(house.bot.query, begun, time.time())
    kinds = house.bot.query("SELECT phase FROM matches")
    assert {phase for (phase,) in kinds} <= {"open", "live"}


@pytest.mark.parametrize("jump", ordinarily(JUMPS, "+90 days", "-day"))
async def test_a_clock_set_wrong_while_the_bot_runs_decides_nothing(own: House, clock: Clock, jump: str) -> None:
    begun = time.time()
    async with Room.opened(own) as room:
        played, _, bo = await a_game(room, pace="fast")
        table = await room.set_table("chivalry", bo, await room.add_channel("attic"))
        await played.move("F7-F8")
        clock.be_wrong(JUMPS[jump])
        await own.until(lambda: count(own, WRONG) == 1, "noticed")
        moved = await played.move("F10-F9")
        assert text("en", "time.stood").split("{")[0] not in moved.text, "nobody was away"
        await tick(own)
        assert "Join" in (await table.now()).buttons
        refused = await played.press(bo, "claim")
        assert refused.text == text("en", "problem.clock-wrong")
        clock.be_wrong(0)
        await own.until(lambda: count(own, RIGHT) == 1, "right again")
        await played.move("F8xF10xF12")
        await tick(own)
        await marked(room)
    check(own, begun)
    assert own.bot.query(ABSENCES) == []
    assert count(own, WRONG) == 1, "it is said once"


@pytest.mark.parametrize("jump", ordinarily(JUMPS, "-90 days", "+3 years"))
async def test_a_bot_that_is_started_at_a_wrong_clock_goes_by_discords(own: House, clock: Clock, jump: str) -> None:
    begun = time.time()
    async with Room.opened(own) as room:
        played, _, _ = await a_game(room, pace="fast")
        await played.move("F7-F8")
        await own.stop_bot()
        clock.be_wrong(JUMPS[jump])
        await own.start_bot()
        await own.until(lambda: count(own, WRONG) == 1, "noticed")
        await played.move("F10-F9")
        await tick(own)
        await own.stop_bot()
        clock.be_wrong(0)
        await own.start_bot()
        await played.move("F8xF10xF12")
        await marked(room)
    check(own, begun)


@pytest.mark.parametrize("jump", ordinarily(JUMPS, "+day", "-3 years"))
async def test_a_clock_that_jumps_while_discord_is_away_makes_no_absence_longer(
    own: House, clock: Clock, jump: str
) -> None:
    begun = time.time()
    async with Room.opened(own) as room:
        played, _, _ = await a_game(room, pace="fast")
        await played.move("F7-F8")
        own.server.faults.add("* /*", status(503), times=None)
        own.server.faults.add(CONNECT, status(503), times=None)
        own.server.gateway.cut()
        await asyncio.sleep(TWO_TICKS)
        clock.be_wrong(JUMPS[jump])
        await asyncio.sleep(TWO_TICKS)
        own.server.faults.lift()
        await own.until(lambda: own.server.gateway.online, "online")
        await own.until(lambda: count(own, WRONG) >= 1, "noticed")
        await played.move("F10-F9")
        clock.be_wrong(0)
        await own.until(lambda: count(own, RIGHT) >= 1, "right again")
    check(own, begun - 180)  # the line may have been dead for two minutes when that is found out
    ((since, until),) = own.bot.query(ABSENCES)
    assert until - since <= time.time() - begun + 180


async def test_no_servers_data_goes_by_a_clock_that_is_wrong(own: House, clock: Clock) -> None:
    own.bot.query("INSERT INTO servers (guild, removed_at) VALUES (?, ?)", GONE, int(time.time()) - DAY)
    own.bot.query("INSERT INTO seekers VALUES (?, 1, 1)", GONE)
    kept = "SELECT count(*) FROM seekers"
    clock.be_wrong(400 * DAY)
    await own.until(lambda: count(own, WRONG) == 1, "noticed")
    await tick(own)
    assert own.bot.query(kept) == [(1,)]
    clock.be_wrong(0)
    clock.goes_on(30 * DAY)
    await own.until(lambda: own.bot.query(kept) == [(0,)], "deleted")
