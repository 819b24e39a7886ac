"""A whole database copied into another one, of the same engine or the other, and compared with it row by row."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from typing import Any

from bot.store import Reader, Store
from bot.store.address import Database
from bot.store.connection import Row
from bot.store.dialect import whole

TABLES: dict[str, tuple[str, ...]] = {
    "matches": ("id",),
    "events": ("match", "seq"),
    "players": ("match", "user"),
    "meta": ("key",),
    "preferences": ("user", "key"),
    "user_settings": ("user",),
    "vacations": ("user", "start"),
    "guild_settings": ("guild",),
    "follows": ("match", "user"),
    "results": ("match",),
    "shares": ("match", "user"),
    "ratings": ("guild", "variant", "user"),
    "rating_changes": ("match", "user"),
    "ladder_entries": ("guild", "variant", "seq"),
    "ladders": ("guild", "variant"),
    "climbers": ("guild", "variant", "user"),
    "ladder_challenges": ("guild", "variant", "challenger"),
    "ladder_games": ("match",),
    "ladder_meetings": ("guild", "variant", "one", "two"),
    "ladder_steps": ("guild", "variant", "seq", "user"),
    "members": ("guild", "user"),
    "archive": ("id",),
    "absences": ("guild", "since"),
    "seekers": ("guild", "user"),
    "tables_called": ("match",),
    "plans": ("id",),
    "trees": ("id",),
    "tree_nodes": ("tree", "node"),
    "puzzles_made": ("guild", "id"),
    "daily_puzzles": ("guild", "day"),
    "puzzle_results": ("user", "guild", "day", "id"),
    "reviews": ("match",),
}
"""All tables with their keys, those first to which others refer."""

NUMBERED = ("matches", "archive", "plans", "trees")
"""The tables whose rows are numbered, no number being given twice."""

_PORTION = 2000
"""Rows that are read and written at a time."""

_TOLD = 50 * _PORTION
"""Rows after which it is told how far a table has come."""


class NotEmptyError(Exception):
    """There is something in the database into which another is to be copied."""


class DiffersError(Exception):
    """What was copied does not read back as it was: `table` says where."""

    def __init__(self, table: str) -> None:
        self.table = table
        super().__init__(table)


async def move(source: Database, target: Database, told: Callable[[str, int], None]) -> dict[str, int]:
    """Copies everything in one transaction, and says how many rows of each table. `told` hears of them on the way.

    Raises StoreError, NotEmptyError and DiffersError; nothing has been copied then, nor where it is cut short.
    """
    copied: dict[str, int] = {}
    async with Store.open(source, patient=True) as old, Store.open(target, patient=True) as new:
        async with new.writing() as tx:
            for table in TABLES:
                if await tx.run(f"SELECT 1 FROM {table} LIMIT 1"):
                    raise NotEmptyError
            for table in TABLES:
                read, count = sha256(), 0
                async for found in _portions(old.reader, table):
                    rows = [whole(row) for row in found]
                    await tx.fill(table, rows)
                    read.update(_written(rows))
                    count += len(rows)
                    if count % _TOLD == 0:
                        told(table, count)
                back = sha256()
                async for rows in _portions(tx, table):
                    back.update(_written(rows))
                if back.digest() != read.digest():
                    raise DiffersError(table)
                copied[table] = count
                told(table, count)
            for table in NUMBERED:
                if number := await old.reader.last_number(table):
                    await tx.set_last_number(table, number)
        await new.scrub()  # and finds out what is in the tables, by which questions are planned
    return copied


async def _portions(reader: Reader, table: str) -> AsyncIterator[list[Row]]:
    """The rows of a table, in order of their keys."""
    key = TABLES[table]
    columns, marks = ", ".join(key), ", ".join("?" * len(key))
    last: tuple[Any, ...] = ()
    while True:
        after = f" WHERE ({columns}) > ({marks})" if last else ""
        sql = f"SELECT {columns}, {table}.* FROM {table}{after} ORDER BY {columns} LIMIT {_PORTION}"
        rows = await reader.run(sql, last)
        if rows:
            yield [row[len(key) :] for row in rows]
        if len(rows) < _PORTION:
            return
        last = rows[-1][: len(key)]


def _written(rows: list[Row]) -> bytes:
    return "".join(f"{row!r}\n" for row in rows).encode()
