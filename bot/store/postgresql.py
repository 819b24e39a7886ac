"""PostgreSQL: a session that survives the loss of a connection, its transactions, and how a database is opened.

The session that writes holds a lock for as long as it lasts: the lease. So one process writes at a time, whatever
becomes of the others: PostgreSQL ends the session of a frozen or cut-off process before another one takes the lock. A
process whose session was lost takes the lock again, unless another one has had it in between.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from functools import partial
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import NamedTuple

import asyncpg
import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings, steady_seconds
from bot.store.connection import Address, ConflictError, Row, SqlValues, Statement, run_to_completion
from bot.store.dialect import SQLITE_FUNCTIONS, translate_statement, translate_step
from bot.store.migrations import BASELINE, Fault, StoreError, last_version, migration_scripts, split_scripts

log = structlog.get_logger()

OLDEST_POSTGRES = 15
"""The oldest supported version of PostgreSQL."""

LOCK_ID = 0x526E6454
"""The first number of the advisory lock of the process that plays; it is the APPLICATION_ID. The second one is 0.

In earlier versions each of several workers shared this lock. So a process of such a version and one of today
exclude each other.
"""

_TAKEN_OVER = "another process has taken over"

_LOCK_TRIES = 10
"""The number of attempts to get the program's lock, a tenth of a second apart."""

_SESSION_SETTINGS = {
    "application_name": "round-table",
    "synchronous_commit": "on",  # an announced move survives a power cut
    "lock_timeout": "2s",  # the wait for transactions of others; Discord itself waits three seconds
    "max_parallel_workers_per_gather": "0",  # parallel plans lose the order of rows, and queries are short
    "jit": "off",
    # The locks of a machine that is gone are free after half a minute.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "25s",
}
_READING_SETTINGS = {"default_transaction_read_only": "on"}
_SERVING_SETTINGS = {
    "idle_in_transaction_session_timeout": "5s",  # so that a stopped program delays nobody for longer
    "statement_timeout": "5s",  # so that the server stops a statement for which nobody waits any more
    # Statements are written to follow indexes, as SQLite does. With statistics from when the database was small, the
    # server would read whole tables instead.
    **dict.fromkeys(("enable_seqscan", "enable_hashjoin", "enable_mergejoin"), "off"),
}

_LOCK_HELD_SQL = f"""
SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND locktype = 'advisory' AND granted = true
        AND classid = {LOCK_ID}::bigint::oid AND objid = 0 AND objsubid = 2)
"""
"""True if a process has the lock."""

_TRY_LOCK_SQL = f"SELECT pg_try_advisory_lock({LOCK_ID}, 0)"

_TABLES_SQL = "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = current_schema()"

_CONNECTION_ERRORS = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InternalClientError,  # the driver has lost track of what the server says
    OSError,
)
POSTGRES_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, *_CONNECTION_ERRORS)
_STATEMENT_ERRORS = (
    asyncpg.SyntaxOrAccessError,
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.DataError,
    asyncpg.FeatureNotSupportedError,
)


def is_statement_error(error: Exception) -> bool:
    """True if the statement itself is wrong. All other errors come from the server or the network."""
    return isinstance(error, _STATEMENT_ERRORS) and not isinstance(error, asyncpg.InsufficientPrivilegeError)


class PostgresSession:
    """A connection that reconnects when it is lost. For its methods see `bot.store.connection.Connection`.

    `writing`: it holds the lease. `no_timeouts`: no user waits for an answer, so queries may take any time.
    """

    def __init__(
        self, address: Address, *, writing: bool = False, no_timeouts: bool = False, timings: Timings = DEFAULT_TIMINGS
    ) -> None:
        self.address = address
        self.taken_over = asyncio.Event()
        """See `Store.taken_over`."""
        self.on_lapsed: Callable[[float], None] = lambda _: None
        """See `Connection.on_lapsed`."""
        self._timings, self._clock = timings, steady_seconds
        self._dropped_after = "0" if no_timeouts or not writing else f"{round(1000 * timings.session_dropped_s)}ms"
        self._settings = {
            **_SESSION_SETTINGS,
            **({} if writing else _READING_SETTINGS),
            **({} if no_timeouts else _SERVING_SETTINGS),
            "idle_session_timeout": self._dropped_after,
        }
        self._writing, self._timeout_s = writing, None if no_timeouts else self._timings.database_answer_timeout_s
        self._unanswered_at = -inf
        """The time at which a query last timed out. Queries that were issued before it have waited long enough, and
        fail at once."""
        self._base: asyncpg.Connection | None = None
        self._statement_lock = asyncio.Lock()
        self._name = secrets.token_hex(8)
        self._in_transaction = False
        """True during a transaction, which cannot continue on another connection."""
        self._stands_by = self._is_holder = False
        """Whether it waits for the lock, and whether it has noted that it holds it."""
        self._answered_at = self._clock()
        """When the last question was asked that the server has answered."""
        self._session_ended = asyncio.Event()
        """Set when the driver notices that the session has ended."""

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """Returns the rows that a statement returns."""
        translated, arguments = translate_statement(sql, values)
        asked_at = self._clock()
        async with self.asking():
            if asked_at < self._unanswered_at:
                raise TimeoutError
            return await self._fetch_rows(translated, arguments)

    async def _fetch_rows(self, sql: str, arguments: Sequence[object] = (), *, again: bool = False) -> list[Row]:
        """Returns the rows of a statement. Runs it `again` if the connection was lost, as when the server restarts."""
        try:
            base, asked_at = await self.ensure_connected(), self._clock()
            rows = await base.fetch(sql, *arguments)
        except POSTGRES_ERRORS as error:
            if again or self._in_transaction or not self._is_connection_lost(error):
                raise
            return await self._fetch_rows(sql, arguments, again=True)
        self._note_answer(asked_at)
        return [tuple(row) for row in rows]

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other. Equal statements in a row share a round trip."""
        async with self.asking():
            base = await self.ensure_connected()
            for sql, group in groupby((translate_statement(*one) for one in statements), key=itemgetter(0)):
                asked_at = self._clock()
                await base.executemany(sql, [values for _, values in group])
                self._note_answer(asked_at)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `Connection.transaction`."""
        try:
            async with self.asking():
                await self._fetch_rows("BEGIN")
                self._in_transaction = True
            yield
            await run_to_completion(self._commit_transaction())
        except asyncio.CancelledError:
            self._drop_connection()  # an abandoned statement may still be running
            raise
        except BaseException:
            await run_to_completion(self._roll_back())
            raise
        finally:
            self._in_transaction = False

    async def flush_commits(self, _: asyncio.Lock) -> None:
        """Does nothing: every commit is synced."""

    async def _commit_transaction(self) -> None:
        async with self.asking(Fault.UNKNOWN):
            base = await self.ensure_connected()
            is_open = base.is_in_transaction()
            try:
                answer = await base.execute("COMMIT")
            except POSTGRES_ERRORS as error:
                if not self._is_connection_lost(error):
                    raise
                raise StoreError(Fault.UNKNOWN, self.address, str(error)) from error  # its answer is lost
            if not is_open or answer != "COMMIT":  # a statement failed, and its error was swallowed
                raise StoreError(Fault.NO_ACCESS, self.address, "the transaction is over already")

    async def _roll_back(self) -> None:
        async with self._statement_lock:
            if self._base is None:
                return
            try:
                async with asyncio.timeout(self._timings.database_answer_timeout_s):
                    await self._base.execute("ROLLBACK")  # without effect if the transaction is over
            except POSTGRES_ERRORS:
                self._drop_connection()

    # The lease

    @property
    def unavailable_reason(self) -> str | None:
        """See `Connection.unavailable_reason`. Needs only a clock and no query."""
        if self.taken_over.is_set():
            return _TAKEN_OVER
        alive = self._base is not None and not self._base.is_closed()
        is_sure = alive and self._clock() - self._answered_at < self._timings.lock_valid_s
        return None if is_sure else "no answer"

    async def stand_by(self, on_standby: Callable[[], None]) -> None:
        """Waits until no other process has the lock, and takes it. `on_standby` is called if another one has it.

        A lock that becomes free is taken a little later: a process whose session was lost comes first.
        """
        self._stands_by, was_free, has_waited = True, True, False
        while True:
            try:
                is_free = not (await self.run_sql(_LOCK_HELD_SQL))[0][0]
                if is_free and was_free and (await self.run_sql(_TRY_LOCK_SQL))[0][0]:
                    self._stands_by = False
                    return
                was_free = is_free
            except StoreError as error:
                if not (has_waited and error.is_temporary):
                    raise
                log.warning("the database cannot be asked", error=error.detail)
                was_free = False
            if not has_waited:
                log.info("standby")
                on_standby()
            has_waited = True
            await asyncio.sleep(self._timings.claim_retry_s)

    async def note_holder(self, base: asyncpg.Connection) -> None:
        """Notes in the open transaction that this session holds the lock."""
        await base.execute("DELETE FROM holders")
        await base.execute("INSERT INTO holders (shard, name) VALUES (0, $1)", self._name)
        self._is_holder = True

    async def keep_lease(self) -> None:
        """Keeps the session while nothing is written, and begins another one if it is lost. Ends if another process has
        taken over."""
        while not self.taken_over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._session_ended.wait(), self._timings.heartbeat_s)
            self._session_ended.clear()
            while not self._in_transaction and not self.taken_over.is_set():
                try:
                    await self.run_sql("SELECT 1")
                    break
                except StoreError as error:
                    log.warning("the database session is lost", error=error.detail or error.fault.value)
                    await asyncio.sleep(self._timings.claim_retry_s / 2)

    def _note_answer(self, asked_at: float) -> None:
        passed, self._answered_at = asked_at - self._answered_at, asked_at
        if passed >= self._timings.lock_valid_s:
            self.on_lapsed(passed)

    async def _take_lock(self, base: asyncpg.Connection) -> None:
        """Takes the lock that keeps other programs out. Retries, because a program that was just killed, or the lost
        session, may hold it for a moment."""
        for _ in range(_LOCK_TRIES):
            is_taken = await base.fetchval(_TRY_LOCK_SQL)
            if self._is_holder and await base.fetchval("SELECT string_agg(name, ' ') FROM holders") != self._name:
                self.taken_over.set()
                raise StoreError(Fault.NO_ACCESS, self.address, _TAKEN_OVER)
            if is_taken:
                return
            await asyncio.sleep(0.1)
        raise StoreError(Fault.IN_USE, self.address)

    # The connection

    async def scrub_deleted(self, _: asyncio.Lock) -> bool:
        """Vacuums the tables. PostgreSQL does not overwrite deleted rows: see docs/hosting.md.

        With millions of games this takes minutes, during which games continue.
        """
        async with aclosing(PostgresSession(self.address, no_timeouts=True, timings=self._timings)) as aside:
            [(tables,)] = await aside.run_sql(_TABLES_SQL)
            # Without table names VACUUM would also try the server's own tables and warn about each.
            await aside.run_sql(f"VACUUM (ANALYZE) {tables}")
        return True

    async def last_number(self, table: str) -> int:
        """See `Connection.last_number`."""
        rows = await self.run_sql(
            "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, 'id')::regclass), 0)", (table,)
        )
        return int(rows[0][0])

    async def set_last_number(self, table: str, number: int) -> None:
        """See `Connection.set_last_number`."""
        await self.run_sql("SELECT setval(pg_get_serial_sequence(?, 'id')::regclass, ?)", (table, number))

    async def aclose(self) -> None:
        """Closes the connection."""
        if self._base:
            with suppress(*POSTGRES_ERRORS):
                await self._base.close(timeout=self._timings.database_answer_timeout_s)
            self._drop_connection()

    async def ensure_connected(self) -> asyncpg.Connection:
        """Returns the connection, after reconnecting if it was lost. Raises ConnectionResetError if a transaction was
        running on the lost one."""
        if self._base is None or self._base.is_closed():
            if self._in_transaction:
                raise ConnectionResetError("lost in a transaction, which is undone")
            if self.taken_over.is_set():
                raise StoreError(Fault.NO_ACCESS, self.address, _TAKEN_OVER)
            self._base = await self._open_connection()
        return self._base

    async def _open_connection(self) -> asyncpg.Connection:
        base = await asyncpg.connect(
            self.address.url,
            timeout=self._timings.database_answer_timeout_s,
            statement_cache_size=500,
            server_settings=self._settings,
        )
        try:
            if base.get_server_version().major < OLDEST_POSTGRES:
                raise StoreError(Fault.NO_ACCESS, self.address, f"PostgreSQL {OLDEST_POSTGRES} or later is needed")
            if self._writing:
                [(pid, dropped)] = await base.fetch("SELECT pg_backend_pid(), current_setting('idle_session_timeout')")
                if pid != base.get_server_pid() or (dropped == "0") != (self._dropped_after == "0"):
                    raise StoreError(Fault.POOLED, self.address)
                base.add_termination_listener(lambda _: self._session_ended.set())
                if not self._stands_by:
                    await self._take_lock(base)
        except BaseException:
            base.terminate()
            raise
        return base

    def _drop_connection(self) -> None:
        if self._base:
            self._base.terminate()
        self._base = None

    def _is_connection_lost(self, error: BaseException) -> bool:
        """True if the error means that the connection is lost. If so, drops the connection."""
        is_lost = isinstance(error, _CONNECTION_ERRORS) or self._base is None or self._base.is_closed()
        if is_lost:
            self._drop_connection()
        return is_lost

    @asynccontextmanager
    async def asking(self, fault: Fault = Fault.NO_ACCESS) -> AsyncIterator[None]:
        """Has the connection alone in the block, whose duration is limited. At the timeout, drops the connection.

        Raises StoreError: with `fault` on a timeout, with the actual fault on other errors.
        """
        async with self._statement_lock:
            with self.translating_errors():
                try:
                    async with asyncio.timeout(self._timeout_s):
                        yield
                except TimeoutError as error:
                    self._unanswered_at = self._clock()
                    self._drop_connection()
                    raise StoreError(fault, self.address, "no answer") from error

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """Turns errors of the driver into StoreError or ConflictError. Errors of a wrong statement pass unchanged."""
        try:
            yield
        except POSTGRES_ERRORS as error:
            _hide_values(error)
            if isinstance(error, asyncpg.IntegrityConstraintViolationError):
                raise ConflictError(str(error)) from error
            if is_statement_error(error):
                raise
            self._is_connection_lost(error)
            raise StoreError(_fault_of(error), self.address, str(error) or type(error).__name__) from error


def _hide_values(error: BaseException) -> None:
    """Removes the values of a statement from an error, which is logged: they may be what somebody has written."""
    setattr(error, "detail", None)  # noqa: B010 - "Failing row contains (…)"; the stubs do not know it
    if isinstance(error, asyncpg.DataError):  # 'invalid input for query argument $1: "…"'
        error.args = (type(error).__name__,)


def _fault_of(error: Exception) -> Fault:
    if isinstance(error, asyncpg.ProtocolViolationError) and "startup parameter" in str(error):
        return Fault.POOLED  # PgBouncer's error
    damaged = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
    return Fault.DAMAGED if isinstance(error, damaged) else Fault.NO_ACCESS


# Opening a database

_PROGRAM_TABLES_SQL = """
CREATE TABLE round_table (version bigint NOT NULL); -- the number of the last step
INSERT INTO round_table (version) VALUES (0);
CREATE TABLE holders (shard bigint PRIMARY KEY, name text NOT NULL); -- of the last session with the lock; shard is 0
"""
"""The tables about the programs that use the database. SQLite needs no such tables."""

_INSPECTION_SQL = f"SELECT current_setting('server_version'), pg_database_size(current_database()), ({_LOCK_HELD_SQL})"


@asynccontextmanager
async def connect_read_write(
    address: Address, timings: Timings, *, no_timeouts: bool = False, on_standby: Callable[[], None] | None = None
) -> AsyncIterator[tuple[PostgresSession, PostgresSession]]:
    """Opens the two sessions, one that writes and one that reads. Creates or migrates the database if needed.

    `no_timeouts`: no user waits for an answer. `on_standby`: see `Store.open`. Raises StoreError if the database cannot
    be used, and leaves it unchanged.
    """
    connect = partial(PostgresSession, address, no_timeouts=no_timeouts, timings=timings)
    async with aclosing(connect()) as reading, aclosing(connect(writing=True)) as writing:
        if on_standby:
            await writing.stand_by(on_standby)
        await migrate_database(writing, migration_scripts())
        keeping = None if no_timeouts else asyncio.create_task(writing.keep_lease())
        try:
            yield writing, reading
        finally:
            if keeping:
                keeping.cancel()
                await asyncio.wait({keeping})


async def migrate_database(session: PostgresSession, scripts: Sequence[str]) -> None:
    """Runs all due migrations, or none. Raises StoreError."""
    with session.translating_errors():
        base = await session.ensure_connected()
        async with base.transaction():
            # A migration may take minutes, and a worker of an earlier version may be migrating, too.
            await base.execute("SET LOCAL lock_timeout = '30s'; SET LOCAL statement_timeout = 0")
            await base.execute(f"SELECT pg_advisory_xact_lock({LOCK_ID})")
            version = await _read_version(base, session.address)
            past, due_scripts = split_scripts(version, session.address, scripts)
            if not version:
                await base.execute(SQLITE_FUNCTIONS + _PROGRAM_TABLES_SQL)
            for number, script in enumerate(due_scripts, BASELINE + len(past)):
                try:
                    await base.execute(translate_step(script))
                except asyncpg.PostgresError as error:
                    if not is_statement_error(error):
                        raise
                    raise StoreError(Fault.MIGRATION_FAILED, session.address, f"step {number}: {error}") from error
            await base.execute("UPDATE round_table SET version = $1", last_version(scripts))
            await session.note_holder(base)


@asynccontextmanager
async def connect_read_only(address: Address) -> AsyncIterator[PostgresSession]:
    """Opens a session that reads, even beside a running bot. Raises StoreError, also if the version differs."""
    if (await inspect_database(address)).version != last_version():
        raise StoreError(Fault.NO_ACCESS, address, "of another version")
    async with aclosing(PostgresSession(address)) as reading:
        yield reading


class DatabaseInspection(NamedTuple):
    """The state of a database, as seen without running the bot on it."""

    version: int
    """The number of its last migration; 0 before the first start."""
    server: str
    """The version of PostgreSQL."""
    size: int
    """The size in bytes."""
    in_use: bool
    """Whether a bot runs on it."""


async def inspect_database(address: Address) -> DatabaseInspection:
    """Inspects a database without migrating or locking it. Raises StoreError."""
    async with aclosing(PostgresSession(address)) as session, session.asking():
        base = await session.ensure_connected()
        version = await _read_version(base, address)
        split_scripts(version, address)
        [row] = await base.fetch(_INSPECTION_SQL)
        return DatabaseInspection(version, *row)


async def _read_version(base: asyncpg.Connection, address: Address) -> int:
    """Returns the number of the last migration; 0 for an empty database. Raises StoreError if it must not be used."""
    if await base.fetchval("SELECT to_regclass('round_table') IS NOT NULL"):
        return int(await base.fetchval("SELECT version FROM round_table"))
    if await base.fetchval("SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema())"):
        raise StoreError(Fault.OTHER_PROGRAM, address)
    return 0
