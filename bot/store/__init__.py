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
from bot.store.reading import MOST_SUMMARIES, Head, Posts, Reader
from bot.store.shards import NOTHING, Lease, Share
from bot.store.sqlite import SqliteConnection
from bot.store.writing import Writer

__all__ = [
    "MOST_SUMMARIES",
    "ConflictError",
    "Fault",
    "Head",
    "Lease",
    "Posts",
    "Reader",
    "Share",
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
        self._writing, self._reading = writing, reading
        self._lease = Lease()
        self._turn = asyncio.Lock()
        self._writes: asyncio.Task[object] | None = None
        self._refused: tuple[float, str] = 0.0, ""
        """When a transaction last waited in vain for the database, and why; those after it have waited as long."""

    @classmethod
    @asynccontextmanager
    async def open(cls, database: Database, *, patient: bool = False, beside: bool = False) -> AsyncIterator[Store]:
        """That database, created or brought up to date if need be, and closed afterwards.

        `patient`: nobody waits for an answer, so a server may take its time. `beside`: other workers may have it open,
        too, where the engine allows it, and it looks after nothing before it has a lease. Raises StoreError where it
        cannot be used; what was there is then as it was.
        """
        async with _opened(database, patient, beside) as (writing, reading):
            store = cls(database, writing, reading)
            if beside and isinstance(database, Address):
                store.share = NOTHING
            try:
                yield store
            finally:
                async with store._turn:  # after the transactions that are under way
                    pass

    @property
    def away(self) -> str | None:
        """Why nothing can be stored in a file of SQLite's, as far as that is known; None while all is well."""
        return self.guard.away if self.guard else None

    @property
    def share(self) -> Share:
        """The servers that are looked after here: all, unless there are other workers."""
        return self.reader.share

    @share.setter
    def share(self, share: Share) -> None:
        self.reader.share = share

    @contextmanager
    def serving(self, lease: Lease) -> Iterator[None]:
        """Meanwhile it is about the servers of that lease, and takes nothing while it is not sure of them."""
        before = self._lease, self.share
        self._lease, self.share = lease, lease.share
        try:
            yield
        finally:
            self._lease, self.share = before

    def call_out(self, said: str) -> None:
        """Tells the other workers; see `Lease.call_out`."""
        self._lease.call_out(said)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Writer]:
        """A transaction: all that is written within is on the disk once the block is left; if it raises, nothing is.

        They run one at a time, in the order in which they were asked for, so that what one has read holds until its
        end. So nothing else is waited for within, and no other transaction begins. Cancelled, it is whole or undone.
        """
        task, asked = asyncio.current_task(), asyncio.get_running_loop().time()
        assert self._writes is not task, "a transaction within a transaction would wait for itself"
        async with self._turn:
            refused, why = self._refused
            if asked < refused:
                raise StoreError(Fault.NO_ACCESS, self.database, why)
            self._writes, begun = task, False
            try:
                async with self._writing.transaction():
                    if not self._lease.sure:
                        why = self.away or "another worker may have taken over"
                        raise StoreError(Fault.NO_ACCESS, self.database, why)
                    begun = True
                    yield Writer(self._writing, self.share)
            except StoreError as error:
                if not begun or error.fault is Fault.UNKNOWN:
                    self._refused = asyncio.get_running_loop().time(), error.detail
                raise
            finally:
                self._writes = None

    async def look_after(self) -> None:
        """Compares the open files with their names, and tries to write where the disk has refused that before.

        Reads the file where it has been written to, by SQLite or by whoever has overwritten it.
        """
        if self.guard is None or self.guard.look():
            return
        assert isinstance(self._writing, SqliteConnection)
        assert isinstance(self._reading, SqliteConnection)
        if self.guard.is_failing:
            with suppress(StoreError):
                async with self._turn:
                    await self._writing.try_to_write()
        elif self.guard.is_to_be_read(begun := asyncio.get_running_loop().time()):
            await self._reading.compare_file()
            self.guard.note_read(begun, asyncio.get_running_loop().time())

    async def salvage(self, target: Path) -> None:
        """Copies what is stored in the open files, wherever their names lead, into an empty file. Raises StoreError."""
        assert isinstance(self._reading, SqliteConnection)
        await self._reading.salvage(target)

    def lapse(self, seconds: float) -> None:
        """Says that nothing could be stored for so long, and can again; see `Lease.lapsed`."""
        self._lease.lapsed(seconds)

    async def scrub(self) -> bool:
        """Leaves as little as can be of what has been deleted; whether that is done, else it is to be asked again."""
        return await self._writing.scrub(self._turn)


@asynccontextmanager
async def looked_into(database: Database) -> AsyncIterator[Reader]:
    """A reader beside a bot that may be running: nothing is locked, or brought up to date. Raises StoreError."""
    async with _seen(database) as connection:
        yield Reader(connection)


def _seen(database: Database) -> AbstractAsyncContextManager[Connection]:
    """A connection that reads."""
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        return postgresql.seen(database)
    return sqlite.connect(database)


def _opened(
    database: Database, patient: bool, beside: bool
) -> AbstractAsyncContextManager[tuple[Connection, Connection]]:
    """The connections that write and read."""
    if isinstance(database, Address):
        from bot.store import postgresql  # its driver is an extra

        return postgresql.opened(database, patient=patient, beside=beside)
    return sqlite.opened(database)
