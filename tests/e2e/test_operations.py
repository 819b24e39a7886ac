"""The work of the bot's host: backups, restores, health and metrics, and a full disk."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shlex
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.ops.backup import dated_path, list_backups
from bot.texts.i18n import text
from sandbox.faults import CONNECT, cut, status
from tests.e2e.faults.moving import ANSWER
from tests.e2e.game_checks import moves_of, run
from tests.e2e.house import ROOT, Bot, House, complaints
from tests.e2e.room import Room
from tests.e2e.watched_house import WatchedHouse, operate
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


@contextmanager
def no_room(bot: Bot) -> Iterator[None]:
    """Limits the bot's files to the present size of the journal, which has the effect of a full disk."""
    journal = bot.database.with_name(bot.database.name + "-wal")
    assert len(bot.log) < journal.stat().st_size
    before = resource.prlimit(bot.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, (journal.stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.prlimit(bot.pid, resource.RLIMIT_FSIZE, before)


@pytest.mark.whole
@pytest.mark.sqlite
async def test_a_running_bots_backup_is_restored_and_the_game_goes_on(own_room: Room) -> None:
    played, *_ = await own_room.start_two()
    first, second, third = moves_of("camelot-castle")[:3]
    await played.move(first)

    folder = own_room.house.bot.folder / "backups"
    await own_room.house.until(lambda: bool(list_backups(folder, own_room.house.bot.database)), "backed up")
    for day in (1, 2, 3):
        dated_path(folder, own_room.house.bot.database, datetime(2020, 1, day, tzinfo=UTC)).touch()
    before = {copy.path for copy in list_backups(folder, own_room.house.bot.database)}

    # Moves continue during the copy.
    copying = asyncio.create_task(operate(own_room.house, "backup", "--keep", "2"))
    await played.move(second)
    code, printed = await copying
    assert code == 0, printed
    copies = [copy.path for copy in list_backups(folder, own_room.house.bot.database)]
    assert len(copies) == 2
    assert copies == sorted({*before, copies[0]}, reverse=True)[:2]
    made, *removed = printed.splitlines()
    assert made.startswith(f"{copies[0]}: ")
    assert sorted(removed) == [f"Removed as older than the latest 2: {path}" for path in sorted(before - {*copies})]
    chosen = own_room.house.bot.folder / "chosen.db"
    code, printed = await operate(own_room.house, "backup", str(chosen))
    assert code == 0, printed
    at_backup = played.game
    code, printed = await operate(own_room.house, "backup", str(chosen))
    assert code == 1
    assert "left alone" in printed
    await played.move(third)

    code, printed = await operate(own_room.house, "restore", str(chosen))
    assert code == 1
    assert "in use" in printed
    await own_room.house.stop_bot()
    code, printed = await operate(own_room.house, "restore", str(chosen))
    assert code == 0, printed
    await own_room.house.start_bot()
    assert own_room.house.bot.events()[-1][4].split()[0] == second
    played.game = at_backup
    assert "You played" in (await played.try_move(third)).text


async def test_health_says_whether_the_bot_can_play(watched: WatchedHouse) -> None:
    assert await watched.get("/healthz") == (200, "ok\n")
    watched.server.faults.add(CONNECT, status(503), times=None)  # otherwise it would be back at once
    watched.server.gateway.cut()
    while (said := await watched.get("/healthz")) == (200, "ok\n"):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.02)
    assert said == (503, "not connected to Discord\n")
    watched.server.faults.lift()
    await watched.well()


@pytest.mark.long
async def test_the_images_health_check_asks_the_running_bot(watched: WatchedHouse) -> None:
    found = re.search(r"HEALTHCHECK .*\\\n +CMD (?P<command>.*)", (ROOT / "Dockerfile").read_text("utf-8"))
    assert found
    command = found["command"].replace("python ", shlex.quote(sys.executable) + " ", 1)

    async def check() -> int:
        port = watched.health.rsplit(":", 1)[1]
        asked = await asyncio.create_subprocess_shell(
            command, env={"ROUNDTABLE_METRICS_PORT": port}, stderr=asyncio.subprocess.DEVNULL
        )
        return await asked.wait()

    assert await check() == 0
    await watched.stop_bot()
    assert await check() == 1


async def test_metrics_count_what_happens(watched: WatchedHouse) -> None:
    async with Room.opened(watched) as room:
        played, *_ = await room.start_two()
        await played.move("F7-F8")
        assert "You played" not in (await played.try_move("A1-A2")).text
        watched.server.faults.add(ANSWER, cut(done=True))  # sent again, it is counted once
        await played.move("F10-F9")
        counted = await watched.metrics()
        while (counted["roundtable_moves_total"], counted["roundtable_unannounced_games"]) != (2, 0):
            await asyncio.sleep(0.05)  # a move counts once its post is marked, which follows the post
            counted = await watched.metrics()
    assert counted["roundtable_connected"] == 1
    assert counted["roundtable_live_games"] == 1
    assert counted["roundtable_errors_total"] == 0
    assert counted['roundtable_interactions_total{name="/move",outcome="answered"}'] == 2
    assert counted['roundtable_interactions_total{name="/move",outcome="refused"}'] == 1
    assert counted['roundtable_interactions_total{name="rt:join",outcome="answered"}'] == 1
    assert counted["roundtable_answer_seconds_count"] == 5
    assert 0 < counted["roundtable_answer_seconds_sum"] < 5
    assert counted["roundtable_loop_lag_seconds_count"] > 0
    if isinstance(watched.bot.database, Path):  # on PostgreSQL we make no backups
        assert 0 <= counted["roundtable_backup_age_seconds"] < 60


@pytest.mark.long
async def test_without_the_extra_there_are_no_metrics_and_all_else_is_well(tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    absent.mkdir()
    (absent / "sitecustomize.py").write_text("import sys\nsys.modules['prometheus_client'] = None\n")
    house = WatchedHouse(tmp_path, PYTHONPATH=f"{absent}{os.pathsep}{ROOT}")
    house.warm = False  # a new interpreter, which reads that path
    async with house, Room.opened(house) as room:
        played = await room.start("camelot", *await room.enter("Ada", "Bo"))
        await played.move("F7-F8")
        status, page = await house.get("/metrics")
        assert status == 404
        assert "pip install 'round-table[metrics]'" in page
        assert await house.get("/healthz") == (200, "ok\n")
        assert complaints(house.bot.log) == []


@pytest.mark.long
async def test_log_lines_within_an_interaction_name_it_and_its_game(watched: WatchedHouse) -> None:
    async with Room.opened(watched) as room:
        played, *_ = await room.start_two()

        def lose(method: str, template: str, payload: object) -> None:
            if (method, template) == ("POST", "/channels/{channel_id}/messages"):
                raise ValueError("not this time")

        watched.meddle = lose
        await played.try_move("F7-F8")
        watched.meddle = None
    line = next(line for line in watched.bot.log.splitlines() if 'event="not announced"' in line)
    for wanted in (r"interaction=\d+", "command=/move", rf"guild={room.guild}", rf"match={played.number}"):
        assert re.search(wanted, line), line


@pytest.mark.sqlite
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the files of a process that runs")
async def test_a_full_disk_is_reported_privately_loses_nothing_and_passes(tmp_path: Path) -> None:
    async with House(tmp_path) as house, AsyncExitStack() as stack:
        stack.callback(lambda: print(house.bot.log))  # pytest shows it where the test has failed
        room = await Room.found(house, "room", stack)
        first, second = moves_of("camelot-castle")[:2]
        played, ada, _ = await room.start_two()
        await played.move(first)
        before = house.bot.events()
        with no_room(house.bot):
            for _ in range(2):
                refused = await played.try_move(second)
                assert refused.ephemeral
                assert part("storage.failing") in refused.text
            shown = await ada.command(room.channel, "board")  # after many failures nothing is asked any more
            assert shown.attachments or shown.text == text("en", "storage.away")
        assert house.bot.events() == before
        log = house.bot.log
        await house.until(lambda: log.count("database is away") <= house.bot.log.count("database is back"), "back")
        await played.quiet()
        await played.move(second)
        assert re.search("StoreError: no-access: .*(disk|full)", house.bot.log)
        assert await house.stop_bot() == 0


@pytest.mark.long
async def test_a_port_for_metrics_that_is_taken_is_named_in_a_sentence(watched: WatchedHouse, tmp_path: Path) -> None:
    port = watched.health.rsplit(":", 1)[1]
    code, printed = await run(
        "bot",
        ROUNDTABLE_DB=str(tmp_path / "another.db"),
        ROUNDTABLE_SANDBOX_URL=watched.url,
        ROUNDTABLE_METRICS_PORT=port,
    )
    assert code == 2
    assert "ROUNDTABLE_METRICS_PORT" in printed
    assert port in printed
    assert "Traceback" not in printed
