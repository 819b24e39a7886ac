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
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.store import sqlite
from bot.store.address import Address, Database
from bot.store.connection import ConflictError, Connection
from bot.store.migrations import Fault, StoreError
from bot.store.reading import MAX_SUMMARIES, MatchHead, MatchPosts, Reader
from bot.store.shards import EMPTY_SHARE, Lease, ShardShare
from bot.store.sqlite import SqliteConnection
from bot.store.writing import Writer

__all__ = [
    "MAX_SUMMARIES",
    "ConflictError",
    "Fault",
    "Lease",
    "MatchHead",
    "MatchPosts",
    "Reader",
    "ShardShare",
    "Store",
    "StoreError",
    "Writer",
]


class Store:
    """The open database. Until it is closed, this process owns it alone or shares it with other workers."""

    def __init__(self, database: Database, writing: Connection, reading: Connection) -> None:
        self.database = database
        self.reader = Reader(reading)
        self.guard = writing.guard if isinstance(writing, SqliteConnection) else None
        self._write_connection, self._reading = writing, reading
        self._lease = Lease()
        self._transaction_lock = asyncio.Lock()
        self._writing_task: asyncio.Task[object] | None = None
        self._last_refusal: tuple[float, str] = 0.0, ""
        """The time at which a transaction last gave up waiting for the database, and the reason. Transactions that
        queued before that time fail, too."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        database: Database,
        *,
        no_timeouts: bool = False,
        allow_other_workers: bool = False,
        timings: Timings = DEFAULT_TIMINGS,
    ) -> AsyncIterator[Store]:
        """Opens the database, creates or migrates it if needed, and closes it afterwards.

        `no_timeouts`: a database server may take its time, because no user waits for an answer. `allow_other_workers`:
        other workers may have the database open, too, if the engine allows it; the store then serves no server before
        it has a lease. Raises StoreError if the database cannot be used, and leaves it unchanged.
        """
        async with _connect_read_write(database, no_timeouts, allow_other_workers, timings) as (writing, reading):
            store = cls(database, writing, reading)
            if allow_other_workers and isinstance(database, Address):
                store.share = EMPTY_SHARE
            try:
                yield store
            finally:
                async with store._transaction_lock:  # waits for running transactions
                    pass

    @property
    def unavailable_reason(self) -> str | None:
        """Why nothing can be stored in the SQLite file; None while its name leads to the open file."""
        return self.guard.find_difference() if self.guard else None

    @property
    def share(self) -> ShardShare:
        """The servers that this process serves: all of them, unless there are other workers."""
        return self.reader.share

    @share.setter
    def share(self, share: ShardShare) -> None:
        self.reader.share = share

    @contextmanager
    def serve_lease(self, lease: Lease) -> Iterator[None]:
        """Within the block, the store serves the lease's servers, and refuses transactions while the lease is invalid.
        Afterwards it has its former lease again."""
        previous = self._lease, self.share
        self._lease, self.share = lease, lease.share
        try:
            yield
        finally:
            self._lease, self.share = previous

    def notify_workers(self, message: str) -> None:
        """Sends a message to the other workers; see `Lease.notify_workers`."""
        self._lease.notify_workers(message)

    @asynccontextmanager
    async def write_transaction(self) -> AsyncIterator[Writer]:
        """Runs the block as a transaction. When it ends, everything written in it is on disk; if it raises, nothing is.

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
            self._writing_task, has_begun = task, False
            try:
                async with self._write_connection.transaction():
                    if not self._lease.is_valid:
                        reason = self.unavailable_reason or "another worker may have taken over"
                        raise StoreError(Fault.NO_ACCESS, self.database, reason)
                    has_begun = True
                    yield Writer(self._write_connection, self.share)
            except StoreError as error:
                if not has_begun or error.fault is Fault.UNKNOWN:
                    self._last_refusal = asyncio.get_running_loop().time(), error.detail
                raise
            finally:
                self._writing_task = None

    async def scrub_deleted(self) -> bool:
        """Removes as many traces of deleted data as possible. Returns False if it has to be called again."""
        return await self._write_connection.scrub_deleted(self._transaction_lock)

    async def renew_statistics(self) -> None:
        """Renews outdated statistics for query plans, outside any transaction. Raises StoreError if it is refused."""
        await self._reading.renew_statistics()


@asynccontextmanager
async def open_read_only(database: Database) -> AsyncIterator[Reader]:
    """Opens a reader that may be used beside a running bot: it locks and migrates nothing. Raises StoreError."""
    async with _connect_read_only(database) as connection:
        yield Reader(connection)


def _connect_read_only(database: Database) -> AbstractAsyncContextManager[Connection]:
    """Opens a connection that only reads."""
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        return postgresql.connect_read_only(database)
    return sqlite.connect_sqlite(database)


def _connect_read_write(
    database: Database, no_timeouts: bool, allow_other_workers: bool, timings: Timings
) -> AbstractAsyncContextManager[tuple[Connection, Connection]]:
    """Opens the two connections: one that writes and one that reads."""
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        return postgresql.connect_read_write(
            database, timings, no_timeouts=no_timeouts, allow_other_workers=allow_other_workers
        )
    return sqlite.connect_read_write(database, timings)
