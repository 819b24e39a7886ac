"""A connection to the database, on a thread of its own: every statement is a trip there and back."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

import aiosqlite

from bot.store.migrations import StoreError, fault_of

Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
Statement: TypeAlias = tuple[str, Values]
Row: TypeAlias = tuple[Any, ...]

BUSY = 1000
"""Milliseconds for which a statement waits while another program holds the database.

Many an interaction is answered only when what it asks for is stored, and Discord waits three seconds. A connection that
reads meets no lock but in rare moments, such as a recovery after a kill, and whoever reads has the same three seconds.
"""

_PRAGMAS = ("foreign_keys = ON", f"busy_timeout = {BUSY}", "trusted_schema = OFF")
# FULL: a move once told of survives a power cut. What is deleted is overwritten at once; `Store.scrub` does the rest.
_FOR_WRITING = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
_FOR_READING = ("query_only = ON",)


def insert(table: str, values: Mapping[str, Any]) -> Statement:
    """Adds a row of those values, by column."""
    columns, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})", values  # noqa: S608 - names of ours


def upsert(table: str, key: Mapping[str, Any], values: Mapping[str, Any], **otherwise: str) -> Statement:
    """Sets those values in the row with that key, or adds it; `otherwise`: what a column that is there gets instead."""
    sql, both = insert(table, {**key, **values})
    changed = ", ".join(f"{name} = {otherwise.get(name, f'excluded.{name}')}" for name in values)
    return f"{sql} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}", both


def add_once(table: str, key: Mapping[str, Any]) -> Statement:
    """Adds a row that is nothing but its key, unless it is there."""
    sql, values = insert(table, key)
    return f"{sql} ON CONFLICT DO NOTHING", values


def among(column: str, values: Iterable[int] | None) -> tuple[str, tuple[str, ...]]:
    """What a statement says so that it finds those alone, and the value that belongs to it; nothing for None."""
    if values is None:
        return "", ()
    return f" AND {column} IN (SELECT value FROM json_each(?))", (json.dumps(sorted(values)),)  # noqa: S608 - as above


class ConflictError(Exception):
    """What is to be written contradicts what is stored, such as a second event of the same number: our own mistake."""


class Connection:
    """A connection that begins no transaction by itself. Raises StoreError where the disk fails."""

    def __init__(self, base: aiosqlite.Connection, path: Path) -> None:
        self.base = base
        self._path = path

    async def run(self, sql: str, values: Values = ()) -> list[Row]:
        """The rows that a statement returns."""
        with self._faults():
            return [tuple(row) for row in await self.base.execute_fetchall(sql, values)]

    async def write(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other; equal ones in a row share a trip."""
        for sql, group in groupby(statements, key=itemgetter(0)):
            rows = [values for _, values in group]
            if len(rows) == 1:
                await self.run(sql, rows[0])
            else:
                with self._faults():
                    async with self.base.executemany(sql, rows):
                        pass

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise ConflictError(str(error)) from error
        except sqlite3.ProgrammingError:
            raise  # a mistake in the program, not the disk's
        except sqlite3.Error as error:
            raise StoreError(fault_of(error), self._path, str(error)) from error

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """All that is written within is on the disk once the block is left; if it raises, nothing of it is.

        Cancelled within, it is undone; cancelled while it goes to the disk, it gets there. Either way it is over, and
        the next one may begin. Nobody else may use the connection meanwhile.
        """
        try:
            await self.run("BEGIN IMMEDIATE")
            yield
            await _to_its_end(self.run("COMMIT"))
        except BaseException:
            with suppress(sqlite3.Error):
                # What was cancelled may still be under way; this comes after it, and does nothing where all is over.
                await _to_its_end(self.base.rollback())
            raise


async def _to_its_end(work: Coroutine[Any, Any, object]) -> None:
    """Waits for the work even if cancelled meanwhile; that is raised afterwards, or else what the work raises."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    failed = None if task.cancelled() else task.exception()
    if task.cancelled() or cancelled:
        raise cancelled or asyncio.CancelledError
    if failed:
        raise failed


@asynccontextmanager
async def connect(path: Path, *, writing: bool = False) -> AsyncIterator[Connection]:
    """The connection; without `writing` it cannot change anything."""
    async with aiosqlite.connect(_address(path, "rw" if writing else "ro"), uri=True, isolation_level=None) as base:
        connection = Connection(base, path)
        for pragma in (*_PRAGMAS, *(_FOR_WRITING if writing else _FOR_READING)):
            await connection.run(f"PRAGMA {pragma}")
        yield connection


def _address(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"
