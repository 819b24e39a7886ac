"""The database: one writer, whose waiting transactions share a commit, and a second connection that only reads.

async with Store.open(path) as store:
    match_id = await store.transaction(lambda writer: writer.add(match, events))
    events = await store.reader.events(match_id)

All SQL stands here and in `bot.migrations`, but for what looks at a file from outside, in `bot.operations`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from bot.store.commits import Commits
from bot.store.connection import Connection, connect
from bot.store.lock import secure
from bot.store.migrations import Fault, StoreError, migrate, steps
from bot.store.reading import MOST_SUMMARIES, Head, Posts, Reader
from bot.store.writing import Writer

__all__ = ["MOST_SUMMARIES", "Fault", "Head", "Posts", "Reader", "Store", "StoreError", "Writer"]

T = TypeVar("T")


class Store:
    """The open database. It is this process's alone until it is closed."""

    def __init__(self, path: Path, writing: Connection, reading: Connection) -> None:
        self.path = path
        self.reader = Reader(reading)
        self._writing = writing
        self._commits = Commits(writing)

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[Store]:
        """The database in that file, created or brought up to date if need be, and closed behind.

        Raises StoreError where it cannot be used; a file that was there is then as it was.
        """
        with await asyncio.to_thread(_prepare, path):
            async with connect(path, writing=True) as writing, connect(path) as reading:
                store = cls(path, writing, reading)
                try:
                    yield store
                finally:
                    await store._finish()

    async def transaction(self, work: Callable[[Writer], Awaitable[T]]) -> T:
        """What `work` returns, once all that it wrote is on the disk. If it raises, nothing of it is.

        Transactions that wait at the same time share a commit. A caller that is cancelled leaves his to run to its
        end: all or nothing. `work` runs on the thread of the connection, so it waits for nothing but the writer, has no
        effect but on the database, begins no other transaction, and does not catch StoreError.
        """
        return await self._commits.run(work)

    async def _finish(self) -> None:
        """Waits for the transactions that are under way, and tidies up."""
        await self._commits.finish()
        with suppress(StoreError):  # only a help for the next start
            await self._writing.run(("PRAGMA optimize", ()))


def _prepare(path: Path) -> BinaryIO:
    """The lock on the database, which is up to date then."""
    lock = secure(path)
    try:
        migrate(path, steps())
    except BaseException:
        lock.close()
        raise
    return lock
