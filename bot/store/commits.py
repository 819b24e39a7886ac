"""Group commit: transactions that wait at the same time go to the disk together.

A commit waits for the disk, and a statement travels to the thread of the connection and back; that is nearly all that
a transaction costs. So whole transactions make the journey, all that wait in one go: they run one behind the other in
one transaction of SQLite's, each below a savepoint, so that one that fails is undone alone. None of them is answered
before the commit.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from bot.store.connection import Connection, run
from bot.store.migrations import Fault, StoreError
from bot.store.writing import Writer

T = TypeVar("T")
Work = Callable[[Writer], Awaitable[T]]

MOST = 100
"""How many transactions share a commit at most, lest the first of them wait for ever."""


@dataclass(eq=False, slots=True)
class _Unit:
    """A transaction that somebody wants, and how it went."""

    work: Work[Any]
    answered: asyncio.Future[Any]
    context: Context = field(default_factory=copy_context)
    """The caller's, so that what the work logs is put down to him."""
    result: Any = None
    error: Exception | None = None

    def answer(self) -> None:
        """Wakes the caller."""
        if self.answered.done():  # the loop is ending
            return
        if self.error is None:
            self.answered.set_result(self.result)
        else:
            self.answered.set_exception(self.error)
            self.answered.exception()  # a caller who has gone will not ask for it, which asyncio would complain of


class Commits:
    """Runs transactions on a connection that nobody else writes to, in the order in which they come."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._waiting: deque[_Unit] = deque()
        self._scribe: asyncio.Task[None] | None = None

    async def run(self, work: Work[T]) -> T:
        """What `work` returns, once it is on the disk; what it raises, or StoreError, when nothing of it is."""
        unit = _Unit(work, asyncio.get_running_loop().create_future())
        self._waiting.append(unit)
        if self._scribe is None or self._scribe.done():
            self._scribe = asyncio.create_task(self._write())
        # A caller's end is not the end of his work, which may be half done by then.
        result: T = await asyncio.shield(unit.answered)
        return result

    async def finish(self) -> None:
        """Waits until nothing is under way."""
        while self._scribe is not None and not self._scribe.done():
            await asyncio.wait([self._scribe])

    async def _write(self) -> None:
        """Runs while anything waits."""
        while self._waiting:
            group = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST))]
            try:
                await self._connection.call(partial(_write_down, path=self._connection.path, group=group))
            except Exception as fault:  # noqa: BLE001 - whatever it was, nobody may be left waiting
                _fail(group, fault)
            except BaseException:  # the loop is ending, and the callers with it
                for unit in (*group, *self._waiting):
                    unit.answered.cancel()
                self._waiting.clear()
                raise
            for unit in group:
                unit.answer()


def _write_down(connection: sqlite3.Connection, path: Path, group: Sequence[_Unit]) -> None:
    """Runs a group in one transaction of SQLite's. Raises what has undone the whole of it."""
    writer = Writer(connection, path)
    try:
        run(connection, path, [("BEGIN IMMEDIATE", ())])
        for unit in group:
            _do(unit, writer, connection, path)
        run(connection, path, [("COMMIT", ())])
    finally:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")


def _do(unit: _Unit, writer: Writer, connection: sqlite3.Connection, path: Path) -> None:
    run(connection, path, [("SAVEPOINT unit", ())])
    try:
        unit.result = unit.context.run(_done, unit.work, writer)
    except Exception as error:  # noqa: BLE001 - it is the caller's, who will get it
        unit.error = error
    if not connection.in_transaction:  # SQLite undoes everything at once when, for example, the disk is full
        raise unit.error or StoreError(Fault.NO_ACCESS, path, "the transaction is gone")
    if unit.error is not None:
        run(connection, path, [("ROLLBACK TO unit", ())])
    run(connection, path, [("RELEASE unit", ())])


def _done(work: Work[T], writer: Writer) -> T:
    """What the work returns. It is written like everything that talks to the store, but here nothing has to wait."""
    steps = work(writer).__await__()
    try:
        next(steps)
    except StopIteration as end:
        result: T = end.value
        return result
    steps.close()
    raise RuntimeError("the work of a transaction waits for nothing but the writer")


def _fail(group: Sequence[_Unit], fault: Exception) -> None:
    """Notes that nothing of the whole group has been done."""
    for unit in group:
        if unit.error is None:
            # One of his own for each: an error that is raised in several places gathers all their tracebacks.
            unit.error = StoreError(fault.fault, fault.path, fault.detail) if isinstance(fault, StoreError) else fault
