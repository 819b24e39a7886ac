"""Reads and writes database files directly, and names a dump of an old version."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bot.core.events import EventKind
from bot.store import Store

OLD = Path(__file__).parent / "old/2026-11-25.dump"


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
