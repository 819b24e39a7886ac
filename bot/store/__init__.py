"""The database: one connection that writes, in one transaction at a time, and a second one that only reads.

async with Store.open(database) as store:
    async with store.writing() as tx:
        match_id = await tx.add(match, events)
    events = await store.reader.events(match_id)

May import `bot.ladder` and what stands before it. All SQL stands here; nothing of SQLite's or PostgreSQL's is to be
seen from above.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path

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
    """The open database. It is this process's alone until it is closed, or shared with other workers."""

    def __init__(self, database: Database, writing: Connection, reading: Connection) -> None:
        self.database = database
        self.reader = Reader(reading)
        self.guard = writing.guard if isinstance(writing, SqliteConnection) else None
        self._write_connection, self._reading = writing, reading
        self._lease = Lease()
        self._transaction_lock = asyncio.Lock()
        self._writing_task: asyncio.Task[object] | None = None
        self._last_refusal: tuple[float, str] = 0.0, ""
        """When a transaction last waited in vain for the database, and why; those after it have waited as long."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls, database: Database, *, no_timeouts: bool = False, allow_other_workers: bool = False
    ) -> AsyncIterator[Store]:
        """That database, created or brought up to date if need be, and closed afterwards.

        `no_timeouts`: nobody waits for an answer, so a server may take its time. `allow_other_workers`: other workers
        may have it open, too, where the engine allows it, and it looks after nothing before it has a lease. Raises
        StoreError where it cannot be used; what was there is then as it was.
        """
        async with _connect_read_write(database, no_timeouts, allow_other_workers) as (writing, reading):
            store = cls(database, writing, reading)
            if allow_other_workers and isinstance(database, Address):
                store.share = EMPTY_SHARE
            try:
                yield store
            finally:
                async with store._transaction_lock:  # after the transactions that are under way
                    pass

    @property
    def unavailable_reason(self) -> str | None:
        """Why nothing can be stored in a file of SQLite's, as far as that is known; None while all is well."""
        return self.guard.unavailable_reason if self.guard else None

    @property
    def share(self) -> ShardShare:
        """The servers that are looked after here: all, unless there are other workers."""
        return self.reader.share

    @share.setter
    def share(self, share: ShardShare) -> None:
        self.reader.share = share

    @contextmanager
    def serve_lease(self, lease: Lease) -> Iterator[None]:
        """Meanwhile it is about the servers of that lease, and takes nothing while it is not sure of them."""
        previous = self._lease, self.share
        self._lease, self.share = lease, lease.share
        try:
            yield
        finally:
            self._lease, self.share = previous

    def notify_workers(self, message: str) -> None:
        """Tells the other workers; see `Lease.notify_workers`."""
        self._lease.notify_workers(message)

    @asynccontextmanager
    async def write_transaction(self) -> AsyncIterator[Writer]:
        """A transaction: all that is written within is on the disk once the block is left; if it raises, nothing is.

        They run one at a time, in the order in which they were asked for, so that what one has read holds until its
        end. So nothing else is waited for within, and no other transaction begins. Cancelled, it is whole or undone.
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

    async def check_files(self) -> None:
        """Compares the open files with their names, and tries to write where the disk has refused that before.

        Reads the file where it has been written to, by SQLite or by whoever has overwritten it.
        """
        if self.guard is None or self.guard.check_files():
            return
        assert isinstance(self._write_connection, SqliteConnection)
        assert isinstance(self._reading, SqliteConnection)
        if self.guard.is_failing:
            with suppress(StoreError):
                async with self._transaction_lock:
                    await self._write_connection.try_to_write()
        elif self.guard.take_read_request(begun := asyncio.get_running_loop().time()):
            await self._reading.check_whole_file()
            self.guard.note_read(begun, asyncio.get_running_loop().time())

    async def copy_open_database(self, target: Path) -> None:
        """Copies what is stored in the open files, wherever their names lead, into an empty file. Raises StoreError."""
        assert isinstance(self._reading, SqliteConnection)
        await self._reading.copy_open_database(target)

    def report_outage(self, seconds: float) -> None:
        """Says that nothing could be stored for so long, and can again; see `Lease.on_lapsed`."""
        self._lease.on_lapsed(seconds)

    async def scrub_deleted(self) -> bool:
        """Leaves as little as can be of what has been deleted; whether that is done, else it is to be asked again."""
        return await self._write_connection.scrub_deleted(self._transaction_lock)


@asynccontextmanager
async def open_read_only(database: Database) -> AsyncIterator[Reader]:
    """A reader beside a bot that may be running: nothing is locked, or brought up to date. Raises StoreError."""
    async with _connect_read_only(database) as connection:
        yield Reader(connection)


def _connect_read_only(database: Database) -> AbstractAsyncContextManager[Connection]:
    """A connection that reads."""
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        return postgresql.connect_read_only(database)
    return sqlite.connect_sqlite(database)


def _connect_read_write(
    database: Database, no_timeouts: bool, allow_other_workers: bool
) -> AbstractAsyncContextManager[tuple[Connection, Connection]]:
    """The connections that write and read."""
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        return postgresql.connect_read_write(database, no_timeouts=no_timeouts, allow_other_workers=allow_other_workers)
    return sqlite.connect_read_write(database)
