"""Disk faults in a running bot's database, and how the bot survives them."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.store import Fault, Store, StoreError
from bot.store.migrations import last_version, migrate_file, migration_steps
from tests.bot.unprivileged import permit, unprivileged

pytestmark = pytest.mark.sqlite


async def note(store: Store, key: str) -> None:
    async with store.write_transaction() as tx:
        await tx.set_meta(key, "x")


async def fill(store: Store, stored: list[int]) -> None:
    """Stores notes until the disk is full."""
    for number in range(1000):
        await note(store, f"{number} {'x' * 500}")
        stored.append(number)


async def pragma(store: Store, what: str) -> int:
    """Sends a statement to the writing connection."""
    ((number,),) = await store._write_connection.run_sql(f"PRAGMA {what}")
    return int(number)


async def make(path: Path) -> None:
    async with Store.open(path) as store:
        await note(store, "before")


async def test_a_database_that_another_program_locks_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    async with Store.open(path) as store:
        await pragma(store, "busy_timeout = 60000")  # the machine may be busy
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = asyncio.create_task(note(store, "late"))
            await asyncio.sleep(0.2)
            assert not waiting.done()
            assert await store.reader.get_meta("late") is None  # reading continues in the meantime
            other.execute("COMMIT")
            await waiting
        assert await store.reader.get_meta("late") == "x"


async def test_a_database_that_stays_locked_is_named_and_nothing_is_half_done(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    async with Store.open(path) as store:
        await pragma(store, "busy_timeout = 50")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError) as raised:
                await note(store, "never")
            assert raised.value.fault is Fault.NO_ACCESS
            assert "locked" in raised.value.detail
        await note(store, "the next")
        assert await store.reader.get_meta("never") is None


async def test_a_full_disk_is_over_when_there_is_room_again(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "roundtable.db") as store:
        pages = await pragma(store, "page_count")
        await pragma(store, f"max_page_count = {pages}")
        stored: list[int] = []
        with pytest.raises(StoreError) as raised:
            await fill(store, stored)
        assert raised.value.fault is Fault.NO_ACCESS
        assert "full" in raised.value.detail
        await pragma(store, "max_page_count = 1000000")
        await note(store, "there is room")
        kept = [await store.reader.get_meta(f"{number} {'x' * 500}") for number in range(len(stored) + 1)]
        assert kept == ["x"] * len(stored) + [None]


async def test_a_file_that_cannot_be_written_to_is_named_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    await make(path)
    path.chmod(0o444)
    content = path.read_bytes()
    with unprivileged(), pytest.raises(StoreError) as raised:
        await make(path)
    assert raised.value.fault is Fault.NO_ACCESS
    assert "readonly" in raised.value.detail
    assert path.read_bytes() == content
    permit(path.parent.glob("*"), 0o644)  # SQLite gives its journals the permissions of the database
    with unprivileged():
        await make(path)


async def test_a_folder_that_cannot_be_written_to_is_named_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    await make(path)
    path.with_name("roundtable.db.lock").unlink()
    permit([tmp_path], 0o555)
    try:
        with unprivileged(), pytest.raises(StoreError) as raised:
            await make(path)
    finally:
        permit([tmp_path], 0o755)
    assert raised.value.fault is Fault.NO_ACCESS


def test_a_migration_on_a_full_disk_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    filling = "PRAGMA max_page_count = 60; CREATE TABLE large (body BLOB) STRICT;" + (
        "INSERT INTO large VALUES (randomblob(100000));" * 20
    )
    with pytest.raises(StoreError) as raised:
        migrate_file(path, (*migration_steps(), filling))
    assert raised.value.fault is Fault.NO_ACCESS
    assert "full" in raised.value.detail
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA user_version").fetchone() == (last_version(),)
        assert base.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'large'").fetchone() == (0,)
    migrate_file(path, migration_steps())
