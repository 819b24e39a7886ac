"""The database: one connection that writes, in one transaction at a time, and a second one that only reads.

async with Store.open(database) as store:
    async with store.write_transaction() as tx:
        match_id = await tx.add_match(match, events)
    events = await store.reader.load_events(match_id)

The SQL about the rows of a feature is in the feature's folder, in modules named `…rows.py`. All other SQL is here.
Callers see nothing of SQLite or PostgreSQL. May import `bot.core`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.store import sqlite
from bot.store.connection import Address, ConflictError, Connection, Database
from bot.store.matches import MAX_SUMMARIES, Job, MatchPosts, Reader, Writer
from bot.store.migrations import Fault, StoreError

__all__ = ["MAX_SUMMARIES", "ConflictError", "Fault", "Job", "MatchPosts", "Reader", "Store", "StoreError", "Writer"]


class Store:
    """The open database. Until it is closed, no other process writes in it."""

    def __init__(self, database: Database, writing: Connection, reading: Connection) -> None:
        self.database = database
        self.reader = Reader(reading)
        self._write_connection = writing
        self.taken_over = writing.taken_over
        """Set when another process has the database, because this one could not be reached. It is never cleared."""
        self._transaction_lock = asyncio.Lock()
        self._writing_task: asyncio.Task[object] | None = None
        self._last_refusal: tuple[float, str] = 0.0, ""
        """The time at which the database last failed a transaction, and the reason. Transactions that queued before
        then fail, too."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: Database,
        *,
        no_timeouts: bool = False,
        on_standby: Callable[[], None] | None = None,
        timings: Timings = DEFAULT_TIMINGS,
    ) -> AsyncIterator[Store]:
        """Opens the database, creates or migrates it if needed, and closes it afterwards.

        `no_timeouts`: a database server may take its time, because no user waits for an answer. `on_standby`: called if
        another process has a PostgreSQL database; then this one waits for it. Raises StoreError if the database cannot
        be used, and leaves it unchanged.
        """
        opening = _connect_read_write(database, timings, no_timeouts=no_timeouts, on_standby=on_standby)
        async with opening as (writing, reading):
            store = cls(database, writing, reading)
            try:
                yield store
            finally:
                async with store._transaction_lock:  # waits for running transactions
                    pass

    @property
    def unavailable_reason(self) -> str | None:
        """Why nothing can be stored, or why another process may have the database; None while all is well.

        While there is a reason, this process does nothing, neither here nor in Discord.
        """
        return self._write_connection.unavailable_reason

    def call_after_outages(self, act: Callable[[float], None]) -> None:
        """Has the function called when things can be stored again, with the seconds for which they could not."""
        self._write_connection.on_lapsed = act

    @asynccontextmanager
    async def write_transaction(self, *, durable: bool = True) -> AsyncIterator[Writer]:
        """Runs the block as a transaction. When it ends, everything written in it is on disk; if it raises, nothing is.

        `durable=False`: it is on disk with the next transaction that does not say so. After a power cut, what it wrote
        may be missing, but nothing that came before.

        Transactions run one at a time, in the order of the calls, so what a transaction has read stays true until
        it ends. Therefore await only the store in the block, and begin no other transaction. A cancelled transaction is
        either committed as a whole or undone.
        """
        task, asked_at = asyncio.current_task(), asyncio.get_running_loop().time()
        assert self._writing_task is not task, "a transaction within a transaction would wait for itself"
        async with self._transaction_lock:
            refused, reason = self._last_refusal
            if asked_at < refused:
                raise StoreError(Fault.NO_ACCESS, self.database, reason)
            self._writing_task = task
            try:
                async with self._write_connection.transaction():
                    yield Writer(self._write_connection)
            except StoreError as error:
                if error.is_temporary:  # also a table that another program locks, for which each would wait
                    self._last_refusal = asyncio.get_running_loop().time(), error.detail
                raise
            finally:
                self._writing_task = None
        if durable:
            await self.flush_commits()

    async def flush_commits(self) -> None:
        """Returns once everything that has been written is on disk. Raises StoreError if that is not certain."""
        await self._write_connection.flush_commits(self._transaction_lock)

    async def scrub_deleted(self) -> bool:
        """Removes as many traces of deleted data as possible. Returns False if it has to be called again."""
        return await self._write_connection.scrub_deleted(self._transaction_lock)


@asynccontextmanager
async def open_read_only(database: Database) -> AsyncIterator[Reader]:
    """Opens a reader that may be used beside a running bot: it locks and migrates nothing. Raises StoreError, also
    if the database is of another version."""
    connecting: AbstractAsyncContextManager[Connection]
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        connecting = postgresql.connect_read_only(database)
    else:
        connecting = sqlite.connect_read_only(database)
    async with connecting as connection:
        yield Reader(connection)


def _connect_read_write(
    database: Database, timings: Timings, *, no_timeouts: bool, on_standby: Callable[[], None] | None
) -> AbstractAsyncContextManager[tuple[Connection, Connection]]:
    """Opens the connection that writes and the one that only reads."""
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        return postgresql.connect_read_write(database, timings, no_timeouts=no_timeouts, on_standby=on_standby)
    return sqlite.connect_read_write(database, timings)
