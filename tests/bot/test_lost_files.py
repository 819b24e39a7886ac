"""Damage to the files of a running bot's database by people and programs, and that no write is lost."""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from bot.core.match import Match
from bot.core.timings import DEFAULT_TIMINGS
from bot.discordkit.wall_clock import WallClock
from bot.ops.backup import back_up, back_up_nightly, list_rescued
from bot.ops.file_rescue import rescue_database, watch_database
from bot.store import Store, StoreError, inspection
from bot.store.database_tables import CORE_TABLES, statements_to_delete_match
from bot.store.guard import MAX_FAILURES
from bot.store.inspection import check_database
from tests.bot.playing import started

pytestmark = pytest.mark.sqlite

ENDINGS = ("", "-wal", "-shm", ".lock")
"""The suffixes of the database's files."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "roundtable.db"


async def note(store: Store, key: str) -> None:
    async with store.write_transaction() as tx:
        await tx.set_meta(key, "x")


async def add_events(store: Store) -> None:
    """Starts a game whose events the database has."""
    async with store.write_transaction() as tx:
        await tx.add_match(Match.replay(0, events := started()), events)


async def is_refused(store: Store) -> str:
    """Returns why nothing can be stored."""
    with pytest.raises(StoreError) as raised:
        await note(store, "into nowhere")
    return raised.value.detail


def remove(file: Path) -> str:
    file.unlink()
    return f"{file.name} has been removed"


def replace(file: Path) -> str:
    shutil.copy2(file, file.with_name("other"))
    file.with_name("other").replace(file)
    return f"{file.name} has been replaced"


def empty(file: Path) -> None:
    file.write_bytes(b"")


def move(file: Path, to: Path) -> None:
    file.rename(to)


def spoil(file: Path) -> None:
    """Overwrites everything after the second page."""
    with file.open("r+b") as opened:
        opened.seek(8192)
        opened.write(random.Random(1).randbytes(file.stat().st_size - 8192))


Blow = Callable[[Path], str]


@pytest.mark.parametrize("blow", [remove, replace])
@pytest.mark.parametrize("ending", ENDINGS)
async def test_nothing_is_stored_once_a_file_is_gone_or_another(path: Path, ending: str, blow: Blow) -> None:
    async with Store.open(path) as store:
        await note(store, "early")
        wanted = blow(path.with_name(path.name + ending))
        assert await is_refused(store) == wanted
        assert store.unavailable_reason == wanted
        assert await store.reader.get_meta("early") == "x"
        assert await store.reader.get_meta("into nowhere") is None


async def test_a_database_that_is_emptied_takes_nothing_any_more(path: Path) -> None:
    async with Store.open(path) as store:
        empty(path)
        assert await is_refused(store) == "roundtable.db has been emptied"


async def test_a_file_that_is_moved_away_and_back_is_trusted_again(path: Path) -> None:
    async with Store.open(path) as store:
        move(path, path.with_name("elsewhere.db"))
        await store.check_files()
        assert store.unavailable_reason == "roundtable.db has been removed"
        move(path.with_name("elsewhere.db"), path)
        await store.check_files()
        assert store.unavailable_reason is None
        await note(store, "late")


async def test_a_link_may_lead_to_the_database_and_not_to_another(path: Path) -> None:
    link = path.with_name("link.db")
    link.parent.mkdir()
    link.symlink_to(path)
    async with Store.open(link) as store:
        await note(store, "early")
        link.unlink()
        shutil.copy2(path, path.with_name("other.db"))
        link.symlink_to(path.with_name("other.db"))
        assert await is_refused(store) == "link.db has been replaced"


async def test_what_is_stored_in_files_without_a_name_is_rescued(path: Path) -> None:
    backups = path.with_name("backups")
    async with Store.open(path) as store:
        await note(store, "early")
        for ending in ENDINGS:
            path.with_name(path.name + ending).unlink()
        assert await rescue_database(store, path, backups) == list_rescued(backups, path)[0]
    (copy,) = backups.iterdir()
    check_database(copy)
    with closing(sqlite3.connect(copy)) as base:
        assert base.execute("SELECT value FROM meta WHERE key = 'early'").fetchall() == [("x",)]


async def test_a_program_that_stops_at_that_moment_rescues_what_it_has(path: Path) -> None:
    backups = path.with_name("backups")
    async with Store.open(path) as store:
        assert store.guard
        watching = asyncio.create_task(watch_database(store, store.guard, path, backups, DEFAULT_TIMINGS))
        await asyncio.sleep(0)
        await note(store, "early")
        remove(path)
        watching.cancel()
        await asyncio.wait([watching])
        assert len(list_rescued(backups, path)) == 1


async def test_a_sound_database_is_not_rescued(path: Path) -> None:
    backups = path.with_name("backups")
    async with Store.open(path) as store:
        assert store.guard
        watching = asyncio.create_task(watch_database(store, store.guard, path, backups, DEFAULT_TIMINGS))
        await asyncio.sleep(0)
        watching.cancel()
        await asyncio.wait([watching])
    assert not backups.exists()


async def test_three_failures_in_a_row_end_storing_until_one_succeeds(path: Path) -> None:
    async with Store.open(path) as store:
        await store._write_connection.run_sql("PRAGMA busy_timeout = 1")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for _ in range(MAX_FAILURES):
                assert store.unavailable_reason is None
                await is_refused(store)
            assert store.unavailable_reason == "roundtable.db: database is locked"
            await store.check_files()
            assert store.unavailable_reason
            assert store.guard is not None
            assert store.guard.is_whole, "nothing is to be rescued that is where it should be"
        await store.check_files()
        assert store.unavailable_reason is None
        await note(store, "late")


async def test_a_transaction_that_changes_nothing_does_not_count_as_stored(path: Path) -> None:
    async with Store.open(path) as store:
        pages = (await store._write_connection.run_sql("PRAGMA page_count"))[0][0]
        await store._write_connection.run_sql(f"PRAGMA max_page_count = {pages}")
        for _ in range(MAX_FAILURES):
            with pytest.raises(StoreError):
                async with store.write_transaction() as tx:
                    await tx.set_meta("large", "x" * 100_000)
            async with store.write_transaction() as tx:
                await tx.run_sql("SELECT 1")
        assert store.unavailable_reason
        assert "full" in store.unavailable_reason


async def test_a_damaged_page_ends_all_storing(path: Path) -> None:
    async with Store.open(path) as store:
        for number in range(300):
            await note(store, f"{number} {'x' * 300}")
    async with Store.open(path) as store:
        spoil(path)
        with pytest.raises(StoreError):
            await store.reader.run_sql("SELECT sum(length(key)) FROM meta")
        assert store.unavailable_reason
        assert store.unavailable_reason.startswith("roundtable.db is damaged: ")
        await store.check_files()
        assert store.unavailable_reason, "that does not pass"


async def test_overwritten_pages_are_rescued_while_sqlite_has_them_in_memory(path: Path) -> None:
    backups = path.with_name("backups")
    async with Store.open(path) as store:
        for number in range(100):
            await note(store, f"{number} {'x' * 300}")
        await store.reader.run_sql("SELECT count(value) FROM meta")
    async with Store.open(path) as store:
        before = await store.reader.run_sql("SELECT * FROM meta ORDER BY key")
        spoil(path)
        await store.check_files()
        assert store.unavailable_reason
        assert store.unavailable_reason.startswith("roundtable.db is damaged: ")
        copy = await rescue_database(store, path, backups)
        assert copy
        with closing(sqlite3.connect(copy)) as base:
            assert base.execute("SELECT * FROM meta ORDER BY key").fetchall() == before


async def test_an_earlier_copy_over_the_open_file_is_noticed(path: Path) -> None:
    async with Store.open(path) as store:
        back_up(path, copy := path.with_name("copy.db"))
        await add_events(store)
        await store.scrub_deleted()  # the journal is empty, so that the copy stands alone
        await store.check_files()
        assert store.unavailable_reason is None
        assert store.guard
        store.guard.note_read(0, 0)  # long ago
        shutil.copyfile(copy, path)
        await store.check_files()
        assert store.unavailable_reason in (
            "roundtable.db is damaged: it has been overwritten",
            "roundtable.db is damaged: damaged",
        )


async def test_another_programs_database_over_the_open_file_is_noticed(path: Path) -> None:
    async with Store.open(path) as store:
        await add_events(store)
        await store.scrub_deleted()
        assert store.guard
        await store.check_files()
        store.guard.note_read(0, 0)  # long ago
        with closing(sqlite3.connect(recipes := path.with_name("recipes.db"))) as base:
            base.execute("CREATE TABLE recipes (name TEXT)")
        shutil.copyfile(recipes, path)
        await store.check_files()
        assert store.unavailable_reason


async def test_damage_that_the_nightly_backup_finds_in_a_large_database_is_believed(path: Path) -> None:
    async with Store.open(path) as store:
        for number in range(100):
            await note(store, f"{number} {'x' * 300}")
    async with Store.open(path) as store:
        assert store.guard
        store.guard.quick_check_max_bytes = 0
        spoil(path)
        await store.check_files()
        assert store.unavailable_reason is None
        clock = WallClock()
        clock.note_date(formatdate(usegmt=True), clock.read_clocks())
        nightly = asyncio.create_task(back_up_nightly(path, path.with_name("backups"), 7, store.guard, clock))
        while not store.unavailable_reason:
            await asyncio.sleep(0.02)
            await store.check_files()
        nightly.cancel()
        assert store.unavailable_reason.startswith("roundtable.db is damaged: ")


async def test_another_program_may_copy_the_database_at_the_same_time(path: Path) -> None:
    async with Store.open(path) as store:
        for number in range(3):
            await note(store, str(number))
            back_up(path, path.with_name(f"{number}.db"))
            await store.scrub_deleted()
            await store.check_files()
            assert store.unavailable_reason is None


async def test_events_that_are_deleted_during_a_full_read_are_no_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Store.open(path) as store:
        for _ in range(2):
            await add_events(store)
        loop, read_whole = asyncio.get_running_loop(), inspection.ask

        async def delete_one() -> None:
            async with store.write_transaction() as tx:
                await tx.run_batch(statements_to_delete_match(CORE_TABLES, 1))

        def read_after_deletion(database: Path, sql: str) -> list[Any]:
            monkeypatch.setattr(inspection, "ask", read_whole)
            asyncio.run_coroutine_threadsafe(delete_one(), loop).result()
            return read_whole(database, sql)

        monkeypatch.setattr(inspection, "ask", read_after_deletion)
        assert store.guard is not None
        store.guard.request_full_read()
        await store.check_files()
        assert inspection.ask is read_whole, "the file was read"
        assert store.unavailable_reason is None
        await note(store, "goes on")
