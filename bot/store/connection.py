"""Where a database is, how SQL statements are built, and the protocol of a connection to either engine."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from bot.store.rows import values_to_store

POSTGRES_SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a PostgreSQL database. Its string shows neither the password nor the options of the URL."""

    url: str = field(repr=False)

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        where = parts.netloc.rpartition("@")[2]
        user = f"{parts.username}@" if parts.username else ""
        return f"postgresql://{user}{where}{parts.path}"

    @classmethod
    def from_url(cls, url: str) -> Address:
        """Returns the address of a URL. Raises ValueError if the URL cannot be one."""
        parts = urlsplit(url)
        # A password in the wrong place, or one with a sign in it that ends the name of the server.
        has_colon = re.search(":|%3a", f"{parts.username or ''}{parts.path}", re.IGNORECASE)
        is_split = "@" in parts.path + parts.query + parts.fragment
        has_target = parts.port != 0 and parts.path.strip("/")  # `port` itself raises if it is not a number
        if not url.startswith(POSTGRES_SCHEMES) or has_colon or is_split or not has_target:
            raise ValueError("no address of a database on PostgreSQL")
        return cls(url)


Database: TypeAlias = Path | Address
"""The path of an SQLite file, or the address of a PostgreSQL database."""


SqlValues: TypeAlias = Sequence[object] | Mapping[str, object]
Statement: TypeAlias = tuple[str, SqlValues]
Row: TypeAlias = tuple[Any, ...]


def insert_statement(table: str, values: Mapping[str, object]) -> Statement:
    """Returns the statement that adds a row with these values, by column."""
    columns, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})", values_to_store(values)


def upsert_statement(
    table: str, key: Mapping[str, object], values: Mapping[str, object], **otherwise: str
) -> Statement:
    """Returns the statement that sets the values in the row with that key, or adds the row. Without values, an existing
    row stays as it is. `otherwise`: by column, an SQL expression to use instead of the value if the row exists."""
    sql, both = insert_statement(table, {**key, **values})
    changed = ", ".join(f"{name} = {otherwise.get(name, f'excluded.{name}')}" for name in values)
    return f"{sql} ON CONFLICT ({', '.join(key)}) DO {f'UPDATE SET {changed}' if changed else 'NOTHING'}", both


def update_statement(table: str, key: Mapping[str, object], values: Mapping[str, object]) -> Statement:
    """Returns the statement that sets the values in the rows that have those of the key."""
    changes = ", ".join(f"{column} = :{column}" for column in values)
    condition = " AND ".join(f"{column} = :{column}" for column in key)
    return f"UPDATE {table} SET {changes} WHERE {condition}", values_to_store({**values, **key})


class ConflictError(Exception):
    """A write that contradicts what is stored, such as a second event with the same number: a bug in this program."""


class Connection(Protocol):
    """A connection that begins no transaction by itself. Raises StoreError if the database cannot be used."""

    taken_over: asyncio.Event
    """See `Store.taken_over`."""
    on_lapsed: Callable[[float], None]
    """Called when things can be stored again, with the seconds for which they could not."""

    @property
    def unavailable_reason(self) -> str | None:
        """Why nothing can be stored; None while all is well."""

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """Runs a statement and returns its rows."""

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements of a transaction that return nothing, one after the other, at the latest before its next
        statement, which then raises their errors."""

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Runs the block as a transaction. When it ends, everything written in it is stored, and after `flush_commits`
        on disk. If it raises, nothing is stored.

        If the task is cancelled in the block, the transaction is undone; if it is cancelled during the commit, the
        commit completes. Either way the transaction is over and the next one may begin. No other task may use the
        connection in the block.
        """

    async def flush_commits(self, transaction_lock: asyncio.Lock) -> None:
        """Returns once every transaction that has ended is on disk; takes the lock as `scrub_deleted` does."""

    async def scrub_deleted(self, transaction_lock: asyncio.Lock) -> bool:
        """Removes as many traces of deleted data as possible. Returns False if it has to be called again.

        Takes the lock if no transaction may run at the same time.
        """

    async def last_number(self, table: str) -> int:
        """Returns the highest number ever given to a row of the table."""

    async def set_last_number(self, table: str, number: int) -> None:
        """Makes the table's numbering continue after `number`."""


async def run_to_completion(work: Coroutine[Any, Any, object]) -> None:
    """Waits until the work is done, even if this task is cancelled. Then raises the cancellation, or an error of the
    work."""
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
