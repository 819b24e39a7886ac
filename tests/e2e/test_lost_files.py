"""The database file disappears under the running bot: people are informed, and everything confirmed is rescued."""

from __future__ import annotations

import random
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from bot.ops.backup import list_rescued
from bot.texts.i18n import text
from sandbox.people import Person
from tests.e2e.database import is_there
from tests.e2e.judging import moves_of
from tests.e2e.room import Played, Room
from tests.e2e.watched import WatchedHouse, becomes_away, operate
from tests.examples import ordinarily

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.sqlite]

FIRST, SECOND = moves_of("camelot-castle")[:2]


class LooseHouse(WatchedHouse):
    """A watched house that starts quickly."""

    warm = True


def remove(database: Path) -> None:
    database.unlink()


def remove_everything(database: Path) -> None:
    for file in database.parent.glob(f"{database.name}*"):
        file.unlink()


def replace(database: Path) -> None:
    shutil.copyfile(database, draft := database.with_name("draft"))
    draft.replace(database)


def remove_journal(database: Path) -> None:
    database.with_name(f"{database.name}-wal").unlink()


def remove_lock(database: Path) -> None:
    database.with_name(f"{database.name}.lock").unlink()


def overwrite(database: Path) -> None:
    """The pages after the second one."""
    with database.open("r+b") as file:
        file.seek(8192)
        file.write(random.Random(1).randbytes(database.stat().st_size - 8192))


BLOWS = (remove, remove_everything, replace, remove_journal, remove_lock)


@pytest_asyncio.fixture(loop_scope="session")
async def watched(tmp_path: Path) -> AsyncIterator[WatchedHouse]:
    async with LooseHouse(tmp_path) as house:
        yield house
        print(house.bot.log)


async def begin(house: WatchedHouse, stack: AsyncExitStack) -> tuple[Played, Person]:
    """A game in which a move has been confirmed; returns who moves next."""
    room = await Room.found(house, "room", stack)
    ada, bo = await room.enter("Ada", "Bo")
    played = await room.start("camelot", ada, bo)
    await played.move(FIRST)
    return played, bo


@pytest.mark.parametrize("blow", ordinarily(BLOWS, remove))
async def test_a_database_that_is_taken_away_costs_no_move_and_is_told(
    watched: WatchedHouse, blow: Callable[[Path], None]
) -> None:
    database, folder = watched.bot.database, watched.bot.folder / "backups"
    assert isinstance(database, Path)
    async with AsyncExitStack() as stack:
        played, _ = await begin(watched, stack)
        before = watched.bot.events()
        blow(database)
        assert (await becomes_away(watched)).startswith("the database is away: roundtable.db")
        refused = await played.try_move(SECOND)
        assert refused.ephemeral
        assert refused.text == text("en", "storage.away")
        await watched.until(lambda: bool(list_rescued(folder, database)), "rescued")
        (copy,) = list_rescued(folder, database)
        assert "level=critical" in watched.bot.log
        code, said = await operate(watched, "doctor")
        assert str(copy) in said
        assert (code, "fault" in said) == ((0, False) if blow is remove_lock else (1, True)) or blow is remove_journal
        assert await watched.stop_bot() == 0
        code, said = await operate(watched, "restore", str(copy))
        assert code == 0, said
        await watched.start_bot()
        assert watched.bot.events() == before
        await played.move(SECOND)


@pytest.mark.long
async def test_overwritten_pages_are_told_and_the_start_asks_for_a_backup(watched: WatchedHouse) -> None:
    database = watched.bot.database
    assert isinstance(database, Path)
    async with AsyncExitStack() as stack:
        played, _ = await begin(watched, stack)
        assert await watched.stop_bot() == 0  # a clean stop leaves no journal with the lost pages
        await watched.start_bot()
        before = watched.bot.events()
        code, said = await operate(watched, "backup", str(database.with_name("before.db")))
        assert code == 0, said
        overwrite(database)
        assert (await becomes_away(watched)).startswith("the database is away: roundtable.db is damaged")
        assert (await played.try_move(SECOND)).text == text("en", "storage.away")
        assert await watched.stop_bot() == 0
        code, said = await operate(watched, "doctor")
        assert code == 1
        assert "`python -m bot restore FILE`" in said
        code, said = await operate(watched, "restore", str(database.with_name("before.db")))
        assert code == 0, said
        await watched.start_bot()
        assert watched.bot.events() == before
        await played.move(SECOND)


async def test_a_start_without_the_database_of_before_asks_for_a_word(watched: WatchedHouse) -> None:
    database = watched.bot.database
    assert isinstance(database, Path)
    await watched.stop_bot()
    remove(database)
    await watched.bot.start()
    await watched.until(lambda: not watched.bot.running, "ended")
    assert "`python -m bot begin`" in watched.bot.log
    assert not is_there(database)
    code, said = await operate(watched, "begin")
    assert code == 0, said
    await watched.start_bot()
