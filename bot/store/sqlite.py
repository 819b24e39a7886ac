"""SQLite: opens a connection that writes and one that reads, on a file locked by this process."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing, contextmanager, suppress
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import aiosqlite

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.store import inspection
from bot.store.connection import ConflictError, Row, SqlValues, Statement, run_to_completion
from bot.store.database_note import leave_note
from bot.store.guard import FileGuard, is_damage
from bot.store.migrations import Fault, StoreError, fault_of, lock_database, migrate_file, migration_steps

SMALL_DATABASE_BYTES = 16_000_000
"""The size in bytes up to which a database is scrubbed at once, even while others write."""

_PRAGMAS = ("foreign_keys = ON", "trusted_schema = OFF")
# FULL: an announced move survives a power cut. Deleted data is overwritten at once; `Store.scrub_deleted` does
# the rest.
_WRITING_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
_COUNT = "SELECT count(*) FROM events"
_READING_PRAGMAS = ("query_only = ON",)


@asynccontextmanager
async def connect_read_write(path: Path, timings: Timings) -> AsyncIterator[tuple[SqliteConnection, SqliteConnection]]:
    """Opens the two connections, one that writes and one that reads. Creates or migrates the file if needed.

    Raises StoreError if the file cannot be used, and leaves an existing file unchanged.
    """
    with await asyncio.to_thread(_lock_and_migrate, path):
        connect = partial(connect_sqlite, path, timings=timings)
        async with connect(writing=True) as writing, connect() as reading:
            # A connection opens the journals at its first read. After that it can read even if they are removed.
            await reading.run_sql("PRAGMA schema_version")
            writing.guard = reading.guard = guard = FileGuard(path)
            try:
                yield writing, reading
            finally:
                if guard.unavailable_reason:
                    await writing.leave_files_alone()


def _lock_and_migrate(path: Path) -> ExitStack:
    """Locks and migrates the database. Returns the stack that holds the lock."""
    with ExitStack() as stack:
        stack.enter_context(lock_database(path))
        migrate_file(path, migration_steps())
        leave_note(path)
        return stack.pop_all()


class SqliteConnection:
    """A connection with a thread of its own, so every statement is a round trip. See `Connection` for its methods."""

    def __init__(self, base: aiosqlite.Connection, path: Path, timings: Timings) -> None:
        self.base = base
        self.guard: FileGuard | None = None
        self.small_database_bytes = SMALL_DATABASE_BYTES
        self._path = path
        self._timings = timings
        self._written, self._put_off = 0.0, 0.0  # when the last write ended, and when the scrub was first put off

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """Runs a statement and returns its rows."""
        with self._translating_errors():
            return [tuple(row) for row in await self.base.execute_fetchall(sql, values)]

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other. Equal statements in a row share a round trip."""
        for sql, group in groupby(statements, key=itemgetter(0)):
            rows = [values for _, values in group]
            if len(rows) == 1:
                await self.run_sql(sql, rows[0])
            else:
                with self._translating_errors():
                    async with self.base.executemany(sql, rows):
                        pass

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Adds whole rows to a table, many at a time."""
        sql = f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})"
        await self.run_batch([(sql, row) for row in rows])

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise ConflictError(str(error)) from error
        except sqlite3.Error as error:
            if self.guard and (strange := self.guard.check_files()):
                raise StoreError(Fault.NO_ACCESS, self._path, strange) from error
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF == sqlite3.SQLITE_ERROR:
                raise  # a bug of this program, not the disk's fault
            if self.guard and is_damage(fault_of(error)):
                self.guard.note_damage(str(error))
            raise StoreError(fault_of(error), self._path, str(error)) from error

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `Connection.transaction`. Raises StoreError if the files have been replaced since they were opened."""
        before = self.base.total_changes
        try:
            await self.run_sql("BEGIN IMMEDIATE")
            yield
            if not self.base.in_transaction:  # a statement failed, and its error was swallowed
                raise StoreError(Fault.NO_ACCESS, self._path, "the transaction is over already")
            if self.guard and (strange := self.guard.check_files()):
                raise StoreError(Fault.NO_ACCESS, self._path, strange)
            await run_to_completion(self.run_sql("COMMIT"))
            self._written = asyncio.get_running_loop().time()
        except BaseException as error:
            with suppress(sqlite3.Error):
                # A cancelled statement may still be running, and the rollback runs after it. Without an open
                # transaction the rollback does nothing.
                await run_to_completion(self.base.rollback())
            if self.guard:
                self.guard.note_failure(error)
            raise
        if self.guard and self.base.total_changes != before:  # only changes prove that the disk can be written
            self.guard.note_stored()

    async def try_to_write(self) -> None:
        """Writes a value that is stored already. Raises StoreError if the file cannot be written."""
        async with self.transaction():
            ((version,),) = await self.run_sql("PRAGMA user_version")
            await self.run_sql(f"PRAGMA user_version = {version}")
        if self.guard:
            self.guard.note_stored()

    async def check_whole_file(self, transaction_lock: asyncio.Lock) -> None:
        """Opens the file again and reads all of it. Tells the guard of damage and of missing events."""
        assert self.guard
        try:
            if await self._lacks_events():
                async with transaction_lock:  # events may have been deleted between the two counts
                    if await self._lacks_events():  # an older copy put in the file's place would have no damage
                        self.guard.note_damage("it has been overwritten")
        except StoreError as error:
            if error.fault is not Fault.NO_ACCESS:
                self.guard.note_damage(error.detail or error.fault.value)

    async def _lacks_events(self) -> bool:
        """Returns True if the file on the disk has fewer events than the open one. Raises StoreError."""
        known = 0
        with suppress(sqlite3.Error, StoreError):  # the next query reports the error
            ((known,),) = await self.run_sql(_COUNT)
        ((stored,),) = await asyncio.to_thread(inspection.ask, self._path, _COUNT)
        return bool(stored < known)

    async def copy_open_database(self, target: Path) -> None:
        """Copies the open database into an empty file, even if the database's path now leads to another file. Raises
        StoreError.
        """
        try:
            with closing(sqlite3.connect(target, check_same_thread=False)) as copy:
                await self.base.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # otherwise the copy would be two files
        except sqlite3.Error as error:
            raise StoreError(fault_of(error), self._path, str(error)) from error

    async def leave_files_alone(self) -> None:
        """Makes the connection close without touching the journals, which may belong to another database by now."""
        if sys.version_info >= (3, 12):

            def configure() -> None:
                self.base._conn.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)

            await self.base._execute(configure)  # type: ignore[no-untyped-call]  # aiosqlite has no name for it

    def notify_workers(self) -> None:
        """Does nothing: SQLite has a single worker."""

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
        if busy_still and await self._size() > self.small_database_bytes:
            return False
        self._put_off = 0.0
        async with transaction_lock:
            await self.run_sql("VACUUM")
            ((busy, *_),) = await self.run_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    async def _size(self) -> int:
        """Returns the size of the database in bytes."""
        ((size,),) = await self.run_sql("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        return int(size)

    async def renew_statistics(self) -> None:
        """Does nothing: statements name the index where SQLite could choose a wrong one."""

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
            raise StoreError(fault_of(error), path, str(error)) from error
        patience = f"busy_timeout = {round(1000 * timings.busy_timeout_s)}"  # milliseconds
        for pragma in (*_PRAGMAS, patience, *(_WRITING_PRAGMAS if writing else _READING_PRAGMAS)):
            await connection.run_sql(f"PRAGMA {pragma}")
        yield connection


def _file_uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"
