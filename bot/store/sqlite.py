"""SQLite: one connection that writes and another that only reads, to a file that is this process's alone meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing, contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import aiosqlite

from bot.store import inspection
from bot.store.connection import ConflictError, Row, SqlValues, Statement, run_to_completion
from bot.store.guard import FileGuard, is_damage
from bot.store.migrations import Fault, StoreError, fault_of, lock_database, migrate_file, migration_steps
from bot.store.trace import leave_note

BUSY_TIMEOUT_MS = 1000
"""Milliseconds for which a statement waits while another program holds the database.

Many an interaction is answered only when what it asks for is stored, and Discord waits three seconds. A connection that
reads meets no lock but in rare moments, such as a recovery after a kill, and whoever reads has the same three seconds.
"""

SMALL_DATABASE_BYTES = 16_000_000
"""Bytes of a database that is scrubbed in a moment, whoever may write."""

SCRUB_QUIET_S, MAX_SCRUB_DELAY_S = 60, 6 * 3600
"""Seconds without a write after which a larger one is scrubbed, and for how long that is put off at most."""

_PRAGMAS = ("foreign_keys = ON", f"busy_timeout = {BUSY_TIMEOUT_MS}", "trusted_schema = OFF")
# FULL: a move once told of survives a power cut. What is deleted is overwritten at once; `Store.scrub_deleted` does the
# rest.
_WRITING_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
_COUNT = "SELECT count(*) FROM events"
_READING_PRAGMAS = ("query_only = ON",)


@asynccontextmanager
async def connect_read_write(path: Path) -> AsyncIterator[tuple[SqliteConnection, SqliteConnection]]:
    """The connections that write and read, to a file that is created or brought up to date if need be.

    Raises StoreError where it cannot be used; a file that was there is then as it was.
    """
    with await asyncio.to_thread(_lock_and_migrate, path):
        async with connect_sqlite(path, writing=True) as writing, connect_sqlite(path) as reading:
            # Only a connection that has read has the journals open, and can go on reading where their names are lost.
            await reading.run_sql("PRAGMA schema_version")
            writing.guard = reading.guard = guard = FileGuard(path)
            try:
                yield writing, reading
            finally:
                if guard.unavailable_reason:
                    await writing.leave_files_alone()
                else:
                    with suppress(StoreError):  # only a help for the next start
                        await writing.run_sql("PRAGMA optimize")


def _lock_and_migrate(path: Path) -> ExitStack:
    """The lock on the database, which is up to date then."""
    with ExitStack() as stack:
        stack.enter_context(lock_database(path))
        migrate_file(path, migration_steps())
        leave_note(path)
        return stack.pop_all()


class SqliteConnection:
    """One on a thread of its own: every statement is a trip there and back. For its methods see `Connection`."""

    def __init__(self, base: aiosqlite.Connection, path: Path) -> None:
        self.base = base
        self.guard: FileGuard | None = None
        self._path = path
        self._written, self._put_off = 0.0, 0.0  # when a transaction has ended last; since when scrubbing is put off

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """The rows that a statement returns."""
        with self._translating_errors():
            return [tuple(row) for row in await self.base.execute_fetchall(sql, values)]

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other; equal ones in a row share a trip to the thread."""
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
                raise  # a mistake in the program, not the disk's
            if self.guard and is_damage(fault_of(error)):
                self.guard.note_damage(str(error))
            raise StoreError(fault_of(error), self._path, str(error)) from error

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `Connection.transaction`. Raises StoreError where its files are not those that were opened."""
        before = self.base.total_changes
        try:
            await self.run_sql("BEGIN IMMEDIATE")
            yield
            if not self.base.in_transaction:  # a statement failed, and somebody hid it
                raise StoreError(Fault.NO_ACCESS, self._path, "the transaction is over already")
            if self.guard and (strange := self.guard.check_files()):
                raise StoreError(Fault.NO_ACCESS, self._path, strange)
            await run_to_completion(self.run_sql("COMMIT"))
            self._written = asyncio.get_running_loop().time()
        except BaseException as error:
            with suppress(sqlite3.Error):
                # What was cancelled may still be under way; this comes after it, and does nothing where all is over.
                await run_to_completion(self.base.rollback())
            if self.guard:
                self.guard.note_failure(error)
            raise
        if self.guard and self.base.total_changes != before:  # one that changes nothing asks nothing of the disk
            self.guard.note_stored()

    async def try_to_write(self) -> None:
        """Writes what is there already. Raises StoreError where that cannot be done."""
        async with self.transaction():
            ((version,),) = await self.run_sql("PRAGMA user_version")
            await self.run_sql(f"PRAGMA user_version = {version}")
        if self.guard:
            self.guard.note_stored()

    async def check_whole_file(self) -> None:
        """Reads the file whole, as somebody finds it who has not had it open, and notes damage and what is missing."""
        assert self.guard
        known = 0
        with suppress(sqlite3.Error, StoreError):  # which is told where somebody asks for more
            ((known,),) = await self.run_sql(_COUNT)
        try:
            ((found,),) = await asyncio.to_thread(inspection.ask, self._path, _COUNT)
        except StoreError as error:
            if error.fault is not Fault.NO_ACCESS:
                self.guard.note_damage(error.detail or error.fault.value)
        else:
            if found < known:  # a copy of an earlier day is sound as well
                self.guard.note_damage("it has been overwritten")

    async def copy_open_database(self, target: Path) -> None:
        """Copies what is stored in the open files, wherever their names lead, into an empty file. Raises StoreError."""
        try:
            with closing(sqlite3.connect(target, check_same_thread=False)) as copy:
                await self.base.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # else it would be two files
        except sqlite3.Error as error:
            raise StoreError(fault_of(error), self._path, str(error)) from error

    async def leave_files_alone(self) -> None:
        """Has the connection close without touching journals that may be those of another database by now.

        Python 3.11 has no means to say so.
        """
        if sys.version_info >= (3, 12):

            def configure() -> None:
                self.base._conn.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)

            await self.base._execute(configure)  # type: ignore[no-untyped-call]  # aiosqlite has no name for it

    def notify_workers(self) -> None:
        """See `Connection.notify_workers`; there is nobody else."""

    async def scrub_deleted(self, transaction_lock: asyncio.Lock) -> bool:
        """Leaves nothing in the files.

        Beside what is overwritten as it goes, the journal has pages as they were, and SQLite leaves copies of rows in
        pages from which it has moved them. All writing waits meanwhile, a second for some 20,000 games: where it is
        more than a moment, that is put off until nobody writes, but not for ever.
        """
        now = asyncio.get_running_loop().time()
        self._put_off = self._put_off or now
        busy_still = now - self._written < SCRUB_QUIET_S and now - self._put_off < MAX_SCRUB_DELAY_S
        if busy_still and await self._size() > SMALL_DATABASE_BYTES:
            return False
        self._put_off = 0.0
        async with transaction_lock:
            await self.run_sql("VACUUM")
            ((busy, *_),) = await self.run_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        return not busy

    async def _size(self) -> int:
        """Bytes of the database."""
        ((size,),) = await self.run_sql("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        return int(size)

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
async def connect_sqlite(path: Path, *, writing: bool = False) -> AsyncIterator[SqliteConnection]:
    """The connection; without `writing` it cannot change anything."""
    async with AsyncExitStack() as stack:
        opening = aiosqlite.connect(_file_uri(path, "rw" if writing else "ro"), uri=True, isolation_level=None)
        try:
            connection = SqliteConnection(await stack.enter_async_context(opening), path)
        except sqlite3.Error as error:
            raise StoreError(fault_of(error), path, str(error)) from error
        for pragma in (*_PRAGMAS, *(_WRITING_PRAGMAS if writing else _READING_PRAGMAS)):
            await connection.run_sql(f"PRAGMA {pragma}")
        yield connection


def _file_uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"
