"""Reads and writes databases directly, and names the dumps of old versions."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.core.events import EventKind
from bot.store import Fault, Store, StoreError, Writer
from bot.store.connection import Address
from bot.store.migrations import BASELINE, last_version, migration_scripts
from bot.store.postgresql import PostgresSession, migrate_database

T = TypeVar("T")

OLD = Path(__file__).parent / "old/2026-11-25.dump"
LATER_OLD = OLD.with_name("2026-11-28.dump")


def load_dump(dump: Path, path: Path) -> Path:
    """Makes an SQLite file of a dump, and returns its path."""
    with closing(sqlite3.connect(path)) as base:
        base.executescript(dump.read_text("utf-8"))
    return path


async def copy_old_file(path: Path, address: Address) -> None:
    """Makes a database on PostgreSQL as the version that wrote the SQLite file would have left it there."""
    session = PostgresSession(address, writing=True)
    try:
        with closing(sqlite3.connect(path)) as base:
            (version,) = base.execute("PRAGMA user_version").fetchone()
            await migrate_database(session, migration_scripts()[: version - BASELINE + 1])
            await session.run_sql("SET session_replication_role = replica")  # rows before those that they refer to
            for (table,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                rows = base.execute(f"SELECT * FROM {table}").fetchall()
                if rows and not table.startswith("sqlite_"):
                    await Writer(session).insert_rows(table, rows)
            for table, number in base.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
                await session.set_last_number(table, number)
    finally:
        await session.aclose()


def run_sql(path: Path, sql: str) -> None:
    """Runs a statement on the SQLite file."""
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(sql)


def damage(path: Path) -> None:
    """Overwrites everything after the first page."""
    content = bytearray(path.read_bytes())
    content[4096:] = random.Random(1).randbytes(len(content) - 4096)
    path.write_bytes(content)


def make_recipes(path: Path) -> None:
    """Makes the file another program's database."""
    path.write_bytes(b"")
    run_sql(path, "CREATE TABLE recipes (name TEXT)")


SPOILT: dict[str, tuple[Fault, Callable[[Path], object]]] = {
    "damaged": (Fault.DAMAGED, damage),
    "newer": (Fault.NEWER, lambda path: run_sql(path, f"PRAGMA user_version = {last_version() + 1}")),
    "too old": (Fault.TOO_OLD, lambda path: run_sql(path, f"PRAGMA user_version = {BASELINE - 1}")),
    "recipes": (Fault.OTHER_PROGRAM, make_recipes),
    "a poem": (Fault.NOT_A_DATABASE, lambda path: path.write_text("Camelot, located no one knows where\n" * 100)),
}
"""What can be wrong with a database, and how it comes about."""


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Returns the rows of a statement on the SQLite file."""
    with closing(sqlite3.connect(path)) as base:
        return base.execute(sql).fetchall()


async def pair(store: Store, name: str) -> None:
    """Stores two values in one transaction."""
    async with store.write_transaction() as tx:
        await tx.set_meta(f"left {name}", "x")
        await tx.set_meta(f"right {name}", "x")


async def halves(store: Store, name: str) -> int:
    """Returns how many of the two values are stored."""
    return sum([await store.reader.get_meta(f"{side} {name}") is not None for side in ("left", "right")])


@contextmanager
def fails(fault: Fault, words: str = "") -> Iterator[pytest.ExceptionInfo[StoreError]]:
    """Expects a StoreError with that fault and these words in its detail."""
    with pytest.raises(StoreError) as raised:
        yield raised
    assert raised.value.fault is fault
    assert words in raised.value.detail


@contextmanager
def plug_pulled(path: Path, failing: int) -> Iterator[None]:
    """Has the database fail once within the block, when events of a match are stored for that time."""
    done, append = 0, Writer.append_events

    async def fail_once(writer: Writer, *told: Any, **more: Any) -> None:
        nonlocal done
        done += 1
        if done == failing:
            raise StoreError(Fault.NO_ACCESS, path, "the plug was pulled")
        await append(writer, *told, **more)

    with pytest.MonkeyPatch.context() as broken, fails(Fault.NO_ACCESS, "the plug was pulled"):
        broken.setattr(Writer, "append_events", fail_once)
        yield


async def write(store: Store, act: Callable[..., Awaitable[T]], *values: Any, **named: Any) -> T:
    """Makes a change in a transaction, `act(tx, *values)`, and returns what it returns."""
    async with store.write_transaction() as tx:
        return await act(tx, *values, **named)


async def change(store: Store, sql: str, *values: object) -> None:
    """Runs a statement in a transaction."""
    await write(store, Writer.run_sql, sql, values)


async def note(store: Store, key: str, value: str = "x") -> None:
    """Stores a value under that key of the table `meta`."""
    await write(store, Writer.set_meta, key, value)


async def opening_refused(database: Path | Address) -> StoreError:
    """Returns the error with which the store fails to open."""
    with pytest.raises(StoreError) as raised:
        async with Store.open(database):
            pass
    return raised.value


def session_of(store: Store) -> PostgresSession:
    """Returns the session that writes to PostgreSQL."""
    assert isinstance(store._write_connection, PostgresSession)
    return store._write_connection


def bytes_per_move(path: Path) -> float:
    """Returns the bytes that the file shrinks by for each move if all moves are deleted."""
    sizes: list[int] = []
    with closing(sqlite3.connect(path)) as base:
        for statement in ("SELECT 1", f"DELETE FROM events WHERE kind = {EventKind.MOVED.value}"):
            base.execute(statement)
            base.commit()
            base.execute("VACUUM")
            sizes.append(
                base.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
            )
        moves: int = base.execute("SELECT sum(ply) FROM matches").fetchone()[0]
    return float(sizes[0] - sizes[1]) / moves
