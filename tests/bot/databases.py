"""Reads and writes databases directly, and names the dumps of old versions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bot.core.events import EventKind
from bot.store import Store
from bot.store.connection import Address
from bot.store.migrations import BASELINE, migration_steps
from bot.store.postgresql import migrate_database
from bot.store.postgresql_session import PostgresSession

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
            await migrate_database(session, migration_steps()[: version - BASELINE + 1])
            await session.run_sql("SET session_replication_role = replica")  # rows before those that they refer to
            for (table,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                if not table.startswith("sqlite_"):
                    await session.insert_rows(table, base.execute(f"SELECT * FROM {table}").fetchall())
            for table, number in base.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
                await session.set_last_number(table, number)
    finally:
        await session.close()


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    """Returns the rows of a statement on the SQLite file."""
    with closing(sqlite3.connect(path)) as base:
        return base.execute(sql).fetchall()


async def note(store: Store, key: str, value: str = "x") -> None:
    """Stores a value under that key of the table `meta`."""
    async with store.write_transaction() as tx:
        await tx.set_meta(key, value)


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
