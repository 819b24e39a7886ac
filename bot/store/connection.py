"""Connections to the database: each has a thread of its own, to which a trip costs more than most statements do."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

import aiosqlite

from bot.store.migrations import StoreError, fault_of

T = TypeVar("T")
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
Statement: TypeAlias = tuple[str, Values]

BUSY = 1000
"""Milliseconds for which a statement waits while another program holds the database.

Many a press is answered only when what it asks for is stored, and Discord waits three seconds. While not more than
`bot.store.commits.MOST` wait at once, a caller waits for two groups at most, the one under way and his own, so for two
of these. A connection that reads meets no lock but in rare moments, such as a recovery behind a kill, and whoever reads
has the same three seconds.
"""

_PRAGMAS = ("foreign_keys = ON", f"busy_timeout = {BUSY}", "trusted_schema = OFF")
_FOR_WRITING = ("journal_mode = WAL", "synchronous = FULL")  # FULL: a move once told of survives a power cut
_FOR_READING = ("query_only = ON",)


class Connection(aiosqlite.Connection):
    """aiosqlite's connection, which also takes a whole errand to its thread: several statements to a trip."""

    def __init__(self, path: Path, mode: str) -> None:
        address = f"{path.absolute().as_uri()}?mode={mode}"
        super().__init__(partial(sqlite3.connect, address, uri=True, isolation_level=None), iter_chunk_size=64)
        self.path = path

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        return self

    async def call(self, errand: Callable[[sqlite3.Connection], T]) -> T:
        """What the errand returns, which is run on the connection's thread."""
        result: T = await self._execute(errand, self._conn)  # type: ignore[no-untyped-call]  # aiosqlite's has no types
        return result

    async def run(self, *statements: Statement) -> list[list[sqlite3.Row]]:
        """The rows of each statement. Those behind one that fails are not run."""
        return await self.call(lambda base: run(base, self.path, statements))


@asynccontextmanager
async def connect(path: Path, *, writing: bool = False) -> AsyncIterator[Connection]:
    """A connection that begins no transaction by itself, and without `writing` cannot change anything."""
    async with Connection(path, "rw" if writing else "ro") as connection:
        pragmas = (*_PRAGMAS, *(_FOR_WRITING if writing else _FOR_READING))
        await connection.run(*((f"PRAGMA {pragma}", ()) for pragma in pragmas))
        yield connection


def run(base: sqlite3.Connection, path: Path, statements: Iterable[Statement]) -> list[list[sqlite3.Row]]:
    """The rows of each statement. Raises StoreError where the disk fails."""
    try:
        return [base.execute(sql, values).fetchall() for sql, values in statements]
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # our own mistakes, not the disk's
    except sqlite3.Error as error:
        raise StoreError(fault_of(error), path, str(error)) from error
