"""What statements are made of, and what the store asks of a connection to either engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias

SqlValues: TypeAlias = Sequence[Any] | Mapping[str, Any]
Statement: TypeAlias = tuple[str, SqlValues]
Row: TypeAlias = tuple[Any, ...]


def insert_statement(table: str, values: Mapping[str, Any]) -> Statement:
    """Adds a row of those values, by column."""
    columns, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})", values


def upsert_statement(table: str, key: Mapping[str, Any], values: Mapping[str, Any], **otherwise: str) -> Statement:
    """Sets those values in the row with that key, or adds it; `otherwise`: what a column that is there gets instead."""
    sql, both = insert_statement(table, {**key, **values})
    changed = ", ".join(f"{name} = {otherwise.get(name, f'excluded.{name}')}" for name in values)
    return f"{sql} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}", both


def insert_once_statement(table: str, key: Mapping[str, Any]) -> Statement:
    """Adds a row that is nothing but its key, unless it is there."""
    sql, values = insert_statement(table, key)
    return f"{sql} ON CONFLICT DO NOTHING", values


def and_column_in(column: str, values: Iterable[int] | None) -> tuple[str, tuple[str, ...]]:
    """What a statement says so that it finds those alone, and the value that belongs to it; nothing for None."""
    if values is None:
        return "", ()
    return f" AND {column} IN (SELECT value FROM json_each(?))", (json.dumps(sorted(values)),)


class ConflictError(Exception):
    """What is to be written contradicts what is stored, such as a second event of the same number: our own mistake."""


class Connection(Protocol):
    """A connection that begins no transaction by itself. Raises StoreError where the database cannot be used."""

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """The rows that a statement returns."""

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other, in as few trips as they can share."""

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Adds whole rows to a table, many at a time."""

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """All that is written within is on the disk once the block is left; if it raises, nothing of it is.

        Cancelled within, it is undone; cancelled while it goes to the disk, it gets there. Either way it is over, and
        the next one may begin. Nobody else may use the connection meanwhile.
        """

    def notify_workers(self) -> None:
        """Has the other workers told, once the transaction is committed, that it concerns servers of theirs."""

    async def scrub_deleted(self, transaction_lock: asyncio.Lock) -> bool:
        """Leaves as little as can be of what has been deleted; whether that is done, else it is to be asked again.

        Takes the turn where no transaction may be under way meanwhile.
        """

    async def last_number(self, table: str) -> int:
        """The highest number that a row of that table has ever been given."""

    async def set_last_number(self, table: str, number: int) -> None:
        """Has the numbers after that one given next."""


def is_cancelled() -> bool:
    """Whether the present task is to end, whatever has been raised instead: an error may have come at that instant."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def run_to_completion(work: Coroutine[Any, Any, object]) -> None:
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
