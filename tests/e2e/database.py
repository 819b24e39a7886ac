"""Reads and changes the bot's database beside the running program, on either engine."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import asyncpg

from bot.store.connection import Address, Database, Statement
from bot.store.dialect import translate_statement
from bot.store.postgresql import _TABLES_SQL

Rows = list[tuple[Any, ...]]

T = TypeVar("T")

_ASIDE, _LOOP = ThreadPoolExecutor(1), asyncio.Runner()
"""A thread and its own event loop, so that synchronous code can wait for PostgreSQL."""


def ask(database: Database, sql: str, *values: object) -> Rows:
    """Runs a statement, commits, and returns its rows."""
    if isinstance(database, Address):
        return _aside(_ask(database, [translate_statement(sql, values)]))[0]
    # Who can write brings the journal of a killed program to its end, which is for the next one to do.
    mode = "ro" if sql.startswith(("SELECT", "PRAGMA")) else "rw"
    with closing(sqlite3.connect(f"{database.as_uri()}?mode={mode}", uri=True)) as base, base:
        return base.execute(sql, values).fetchall()


def ask_all(database: Database, statements: Iterable[str]) -> list[Rows]:
    """Returns the rows of each of those questions. Opening a database costs more than many questions to it."""
    if isinstance(database, Address):
        return _aside(_ask(database, [translate_statement(sql, ()) for sql in statements]))
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as base:
        return [base.execute(sql).fetchall() for sql in statements]


def _aside(work: Coroutine[Any, Any, T]) -> T:
    return _ASIDE.submit(_LOOP.run, work).result()


async def _ask(address: Address, questions: Iterable[Statement]) -> list[Rows]:
    base = await asyncpg.connect(address.url)
    try:
        return [[tuple(row) for row in await base.fetch(sql, *values)] for sql, values in questions]
    finally:
        await base.close()


class Other:
    """Another program, which stops everybody else from writing while it holds the database's lock."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._base: sqlite3.Connection | asyncpg.Connection | None = None

    def lock(self) -> None:
        """Takes the lock: nobody else can write from now on."""
        if isinstance(self._database, Address):
            self._base = _aside(asyncpg.connect(self._database.url))
            tables = _aside(self._base.fetchval(_TABLES_SQL))
            _aside(self._base.execute(f"BEGIN; LOCK TABLE {tables} IN SHARE MODE"))
        else:
            self._base = sqlite3.connect(self._database, isolation_level=None)
            self._base.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        """Releases the lock: everybody can write again."""
        base, self._base = self._base, None
        if isinstance(base, sqlite3.Connection):
            base.close()
        elif base:
            _aside(base.close())

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the lock for the length of the block."""
        self.lock()
        try:
            yield
        finally:
            self.release()


def is_there(database: Database) -> bool:
    """Returns True if the file exists, or if the PostgreSQL database has tables."""
    if isinstance(database, Path):
        return database.exists()
    return ask(database, "SELECT to_regclass('matches') IS NULL") == [(False,)]


def check(database: Database) -> None:
    """Raises AssertionError if the SQLite file is damaged. PostgreSQL checks its own files."""
    if isinstance(database, Path):
        assert ask(database, "PRAGMA integrity_check") == [("ok",)]
        assert ask(database, "PRAGMA foreign_key_check") == []
