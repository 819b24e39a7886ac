"""SQLite: opens a connection that writes and one that reads, on a file locked by this process."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, cast

import aiosqlite
import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings, steady_seconds
from bot.store.connection import ConflictError, Row, SqlValues, Statement, run_to_completion
from bot.store.migrations import (
    Fault,
    StoreError,
    examine_file,
    fault_of,
    is_own_mistake,
    journals_of,
    last_version,
    lock_database,
    lock_file_of,
    migrate_file,
    migration_scripts,
)
from rules.terminal import require_plain_file

log = structlog.get_logger()

SMALL_DATABASE_BYTES = 16_000_000
"""The size in bytes up to which a database is scrubbed at once, even while others write."""

COMPARISON_LIFETIME_S = 0.05
"""Seconds for which a comparison of the files says that the database is there. Each commit compares them itself."""

_PRAGMAS = ("foreign_keys = ON", "trusted_schema = OFF")
# NORMAL: SQLite syncs only at checkpoints, and `flush_commits` what is to survive a power cut. Deleted data is
# overwritten at once; `Store.scrub_deleted` does the rest.
_WRITING_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON")
_BEGIN: Statement = ("BEGIN IMMEDIATE", ())


class FileGuard:
    """Compares the files that were opened with those that their names lead to now. SQLite keeps writing to a file that
    has been removed or replaced, and that is lost when the process ends."""

    def __init__(self, database: Path) -> None:
        files = (database.absolute(), *journals_of(database.resolve()), lock_file_of(database))
        self._opened = {file: os.stat(file) for file in files}
        self._logged: str | None = None
        self._compared_at = 0.0

    def find_difference(self, max_age_s: float = 0) -> str | None:
        """Returns which file is not the one that was opened; None if all are, or were so many seconds ago. Logs each
        change of the answer.
        """
        if self._logged is None and steady_seconds() - self._compared_at < max_age_s:
            return None
        self._compared_at = steady_seconds()
        difference = next(filter(None, map(self._compare, self._opened)), None)
        if difference != self._logged:
            self._logged = difference
            if difference:
                log.critical("the database is away", reason=difference, do="Put the file back, or stop and restore.")
            else:
                log.warning("the database is back")
        return difference

    def _compare(self, file: Path) -> str | None:
        try:
            is_same = os.path.samestat(os.stat(file), self._opened[file])
        except OSError as error:
            return f"{file.name}: {error.strerror}"
        return None if is_same else f"{file.name} has been replaced"


@asynccontextmanager
async def connect_read_write(path: Path, timings: Timings) -> AsyncIterator[tuple[SqliteConnection, SqliteConnection]]:
    """Opens the two connections, one that writes and one that reads. Creates or migrates the file if needed.

    Raises StoreError if the file cannot be used, and leaves an existing file unchanged.
    """
    with lock_database(path):
        await run_to_completion(asyncio.to_thread(migrate_file, path, migration_scripts()))
        connect = partial(connect_sqlite, path, timings=timings)
        async with connect(writing=True) as writing, connect() as reading:
            # A connection opens the journals at its first read. After that it can read even if they are removed.
            await reading.run_sql("PRAGMA schema_version")
            writing.guard = reading.guard = FileGuard(path)
            with await asyncio.to_thread(_open_journal, path) as writing.journal:
                try:
                    yield writing, reading
                finally:
                    writing.guard = reading.guard = None  # closing removes the journals


def _open_journal(path: Path) -> IO[bytes]:
    journal, _ = journals_of(path.resolve())
    try:
        return open(journal, "rb+", buffering=0)
    except OSError as error:
        raise StoreError(Fault.NO_ACCESS, path, f"{journal.name}: {error.strerror}") from error


class SqliteConnection:
    """A connection with a thread of its own. See `Connection` for its methods.

    Each trip to the thread takes longer than most statements, so those of a transaction that return nothing go there
    together with the next one that does, or with the commit.
    """

    def __init__(self, base: aiosqlite.Connection, path: Path, timings: Timings) -> None:
        self.base = base
        self.guard: FileGuard | None = None
        self.taken_over = asyncio.Event()
        self.on_lapsed: Callable[[float], None] = lambda _: None
        """See `Connection.on_lapsed`."""
        self.small_database_bytes = SMALL_DATABASE_BYTES
        self.journal: IO[bytes] | None = None
        """The write-ahead log, for `flush_commits`; None while nothing is written."""
        self.sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
        self._unsent: list[Statement] = []
        """The statements of the open transaction that have not been run yet."""
        self._committed, self._flushed = 0, 0
        """How many transactions have been committed, and how many of them are on disk."""
        self._path = path
        self._timings = timings
        self._written, self._put_off = 0.0, 0.0  # when the last write ended, and when the scrub was first put off

    @property
    def unavailable_reason(self) -> str | None:
        """See `Connection.unavailable_reason`."""
        return self.guard.find_difference(COMPARISON_LIFETIME_S) if self.guard else None

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """Runs a statement, after those that wait for it, and returns its rows."""
        return cast("list[Row]", await self._run_unsent(lambda: self.base._conn.execute(sql, values).fetchall()))

    async def _run_unsent(self, last: Callable[[], object]) -> object:
        """Runs the statements that wait, and then the function, in one trip to the thread. Returns its result."""
        unsent, self._unsent = self._unsent, []

        def run() -> object:
            for statement in unsent:
                self.base._conn.execute(*statement)
            return last()

        with self._translating_errors():
            return await self.base._execute(run)  # type: ignore[no-untyped-call]  # runs several at once

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Has statements of a transaction run before its next one, in this order. That one raises their errors."""
        self._unsent += statements

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise ConflictError(str(error)) from error
        except sqlite3.Error as error:
            if self.guard and (difference := self.guard.find_difference()):
                raise StoreError(Fault.NO_ACCESS, self._path, difference) from error
            if is_own_mistake(error):
                raise
            raise StoreError(fault_of(error), self._path, str(error)) from error

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `Connection.transaction`. Raises StoreError if the files have been replaced since they were opened."""
        try:
            self._unsent = [_BEGIN]
            yield
            if _BEGIN not in self._unsent and not self.base.in_transaction:  # a failed statement's error was swallowed
                raise StoreError(Fault.NO_ACCESS, self._path, "the transaction is over already")
            await self._run_unsent(self._commit)
            self._written = asyncio.get_running_loop().time()
        except BaseException:
            self._unsent = []
            with suppress(sqlite3.Error):
                # A cancelled statement or commit may still be running, and the rollback runs after it. Without an open
                # transaction the rollback does nothing.
                await run_to_completion(self.base.rollback())
            raise

    def _commit(self) -> None:
        if self.guard and (difference := self.guard.find_difference()):
            raise StoreError(Fault.NO_ACCESS, self._path, difference)
        self.base._conn.execute("COMMIT")
        self._committed += 1

    async def flush_commits(self, transaction_lock: asyncio.Lock) -> None:
        """See `Connection.flush_commits`. Those that wait for the lock are committed first, and share the sync."""
        asked = self._committed
        if self._flushed < asked and self.journal:
            async with transaction_lock:
                if self._flushed < asked:
                    await self._run_unsent(partial(self._sync, self.journal))

    def _sync(self, journal: IO[bytes]) -> None:
        try:
            self.sync(journal.fileno())
        except OSError as error:
            # Told, not repaired: the next checkpoint writes the same pages to the database and syncs them. Until
            # then only a power cut loses them, and one more attempt would ask the disk that has just failed.
            raise StoreError(Fault.UNKNOWN, self._path, error.strerror or str(error)) from error
        self._flushed = self._committed

    async def scrub_deleted(self, transaction_lock: asyncio.Lock) -> bool:
        """Removes all traces of deleted data from the files.

        `secure_delete` overwrites rows, but the journal contains old pages, and SQLite leaves copies of rows in pages
        from which it has moved them. Writes wait during the scrub, about a second per 20,000 games. So a large database
        is scrubbed only when nobody has written for a while, or when `max_scrub_delay_s` have passed.
        """
        now = asyncio.get_running_loop().time()
        self._put_off = self._put_off or now
        timings = self._timings
        busy_still = now - self._written < timings.scrub_quiet_s and now - self._put_off < timings.max_scrub_delay_s
        if busy_still and os.stat(self._path).st_size > self.small_database_bytes:
            return False
        self._put_off = 0.0
        async with transaction_lock:
            await self.run_sql("VACUUM")
            ((busy, *_),) = await self.run_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    async def last_number(self, table: str) -> int:
        """See `Connection.last_number`."""
        rows = await self.run_sql("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        return int(rows[0][0]) if rows else 0

    async def set_last_number(self, table: str, number: int) -> None:
        """See `Connection.set_last_number`."""
        await self.run_batch(
            [
                ("DELETE FROM sqlite_sequence WHERE name = ?", (table,)),
                ("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number)),
            ]
        )


@asynccontextmanager
async def connect_sqlite(
    path: Path, *, writing: bool = False, timings: Timings = DEFAULT_TIMINGS
) -> AsyncIterator[SqliteConnection]:
    """Opens a connection, which only reads unless `writing` is set."""
    async with AsyncExitStack() as stack:
        opening = aiosqlite.connect(_file_uri(path, "rw" if writing else "ro"), uri=True, isolation_level=None)
        try:
            connection = SqliteConnection(await stack.enter_async_context(opening), path, timings)
        except sqlite3.Error as error:
            opening._thread.join()  # it ends at once; later it might answer a loop that is closed
            raise StoreError(fault_of(error), path, str(error)) from error
        patience = f"busy_timeout = {round(1000 * timings.busy_timeout_s)}"  # milliseconds
        for pragma in (*_PRAGMAS, patience, *(_WRITING_PRAGMAS if writing else ("query_only = ON",))):
            await connection.run_sql(f"PRAGMA {pragma}")
        yield connection


@asynccontextmanager
async def connect_read_only(path: Path) -> AsyncIterator[SqliteConnection]:
    """Opens a connection that reads, even beside a running bot. Raises StoreError, also if the version differs."""
    async with connect_sqlite(path) as reading:
        if await reading.run_sql("PRAGMA user_version") != [(last_version(),)]:
            raise StoreError(Fault.NO_ACCESS, path, "of another version")
        yield reading


def _file_uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"


@contextmanager
def _connect_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a connection that cannot write to the file. Turns errors in the block into StoreError."""
    try:
        require_plain_file(path)
        with closing(sqlite3.connect(_file_uri(path, "ro"), uri=True, isolation_level=None)) as base:
            base.execute("PRAGMA trusted_schema = OFF")  # a file to be restored may come from anywhere
            yield base
    except (sqlite3.Error, OSError) as error:
        raise StoreError(fault_of(error), path, str(error)) from error


def check_database(path: Path) -> int:
    """Reads every page of a database. Returns its version.

    Raises StoreError, with the reason, if the database is not sound or not ours.
    """
    with _connect_read_only(path) as base:
        past, _ = examine_file(base, path, whole=True)
        if not past:
            raise StoreError(Fault.NOT_A_DATABASE, path, "empty")
    return last_version(past)


def copy_database(path: Path, target: Path) -> None:
    """Copies the state of a database at one moment over an empty file, even while the bot writes.

    Raises StoreError, which names the target if the source can be opened.
    """
    with _connect_read_only(path) as base:
        try:
            base.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.OperationalError as error:
            raise StoreError(fault_of(error), target, str(error)) from error


def empty_journal(path: Path) -> None:
    """Moves the content of the journal into the file, as far as possible."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
