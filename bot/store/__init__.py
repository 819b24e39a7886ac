"""The database: one connection that writes, in one transaction at a time, and a second one that only reads.

async with Store.open(path) as store:
    async with store.writing() as tx:
        match_id = await tx.add(match, events)
    events = await store.reader.events(match_id)

May import `bot.ladder` and what stands before it. All SQL stands here, but for what looks at a file from outside, in
`bot.ops`; nothing of SQLite's is to be seen from above.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

from bot.store.connection import ConflictError, Connection, connect
from bot.store.migrations import Fault, StoreError, migrate, secure, steps
from bot.store.reading import MOST_SUMMARIES, Head, Posts, Reader
from bot.store.writing import Writer

__all__ = ["MOST_SUMMARIES", "ConflictError", "Fault", "Head", "Posts", "Reader", "Store", "StoreError", "Writer"]


class Store:
    """The open database. It is this process's alone until it is closed."""

    def __init__(self, path: Path, writing: Connection, reading: Connection) -> None:
        self.path = path
        self.reader = Reader(reading)
        self._writing = writing
        self._turn = asyncio.Lock()
        self._writes: asyncio.Task[object] | None = None
        self._refused: tuple[float, str] = 0.0, ""
        """When a transaction last waited in vain for another program, and why; those after it have waited as long."""

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[Store]:
        """The database in that file, created or brought up to date if need be, and closed afterwards.

        Raises StoreError where it cannot be used; a file that was there is then as it was.
        """
        with await asyncio.to_thread(_prepare, path):
            async with connect(path, writing=True) as writing, connect(path) as reading:
                store = cls(path, writing, reading)
                try:
                    yield store
                finally:
                    async with store._turn:  # after the transactions that are under way
                        with suppress(StoreError):  # only a help for the next start
                            await writing.run("PRAGMA optimize")

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
                raise StoreError(Fault.NO_ACCESS, self.path, why)
            self._writes, begun = task, False
            try:
                async with self._writing.transaction():
                    begun = True
                    yield Writer(self._writing)
            except StoreError as error:
                if not begun:
                    self._refused = asyncio.get_running_loop().time(), error.detail
                raise
            finally:
                self._writes = None

    async def scrub(self) -> bool:
        """Leaves nothing in the files of what has been deleted; whether that is done, else it is to be asked again.

        Beside what is overwritten as it goes, the journal has pages as they were, and SQLite leaves copies of rows in
        pages from which it has moved them. All writing waits meanwhile: a second for some 20,000 games.
        """
        async with self._turn:
            await self._writing.run("VACUUM")
            ((busy, *_),) = await self._writing.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy


def _prepare(path: Path) -> ExitStack:
    """The lock on the database, which is up to date then."""
    with ExitStack() as held:
        held.enter_context(secure(path))
        migrate(path, steps())
        return held.pop_all()
