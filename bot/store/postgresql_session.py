"""A session with PostgreSQL, which survives the loss of a connection, and its transactions.

Each writing transaction begins by taking the one lock for all of them, in the same round trip. So transactions run one
at a time, as in SQLite, even if several programs write, and what a transaction has read stays true until it ends. That
is fast enough, because Discord takes 50 requests a second from one application, enough for 12 to 25 moves.

The holder of the lock knows that every earlier transaction is either committed or undone. So if the answer to a commit
was lost, its outcome can be looked up: each writing session has a row with the number of its last transaction.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from math import inf

import asyncpg

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.store.address import Address
from bot.store.connection import ConflictError, Row, SqlValues, Statement, run_to_completion
from bot.store.dialect import batch_statements, translate_statement
from bot.store.migrations import Fault, StoreError

OLDEST_POSTGRES = 15
"""The oldest supported version of PostgreSQL."""

LOCK_ID = 0x526E6454
"""The number of the advisory lock of writing transactions; it is the APPLICATION_ID. Together with a second number it
names the other advisory locks that a running program holds: see `bot.store.workers`."""

NOTIFY_CHANNEL = "round_table"
"""The NOTIFY channel for commits that concern another worker's servers."""

_BEGIN_SQL = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK_ID})"

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

_NOTE_COMMIT_SQL = (
    "INSERT INTO writers VALUES ('{}', {}, now()) ON CONFLICT (name) DO UPDATE SET number = excluded.number, at = now()"
)

_OUTDATED_TABLES_SQL = (
    "SELECT quote_ident(relname) FROM pg_stat_user_tables WHERE schemaname = current_schema()"
    " AND n_mod_since_analyze > 100 + n_live_tup / 10 ORDER BY n_live_tup"
)
"""The tables of which a tenth has changed since the last statistics, the smallest first."""

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

    `no_timeouts`: no user waits for an answer, so queries may take any time. `allow_other_workers`: other programs that
    also set it may write at the same time.
    """

    def __init__(
        self,
        address: Address,
        *,
        writing: bool = False,
        no_timeouts: bool = False,
        allow_other_workers: bool = False,
        timings: Timings = DEFAULT_TIMINGS,
    ) -> None:
        self.address = address
        self._timings = timings
        self.allow_other_workers = allow_other_workers
        self.version = 0
        """The number of this program's migrations, once the database has had them; 0 before."""
        self._settings = {
            **_SESSION_SETTINGS,
            **({} if writing else _READING_SETTINGS),
            **({} if no_timeouts else _SERVING_SETTINGS),
        }
        self._writing, self._timeout_s = writing, None if no_timeouts else self._timings.database_answer_timeout_s
        self._unanswered_at = -inf
        """The time at which a query last timed out. Queries that were issued before it have waited long enough, and
        fail at once."""
        self._base: asyncpg.Connection | None = None
        self._statement_lock = asyncio.Lock()
        self._name, self._commit_count = secrets.token_hex(8), 0
        """The session's name, and how many commits it has begun."""
        self._in_transaction = False
        """True during a transaction, which cannot continue on another connection."""
        self._has_changes = self._must_notify = False
        """Whether the transaction has anything to commit, and whether it must notify other workers."""

    async def run_sql(self, sql: str, values: SqlValues = ()) -> list[Row]:
        """Returns the rows that a statement returns."""
        translated, arguments = translate_statement(sql, values)
        self._has_changes = self._has_changes or not sql.startswith(("SELECT", "WITH"))
        asked_at = _loop_time()
        async with self._statement_lock, self.within_timeout():
            if asked_at < self._unanswered_at:
                raise TimeoutError
            try:
                return await self._fetch_rows(translated, arguments)
            except POSTGRES_ERRORS as error:
                if self._in_transaction or not self._is_connection_lost(error):
                    raise
            return await self._fetch_rows(translated, arguments)  # the server had restarted

    async def _fetch_rows(self, sql: str, arguments: Sequence[object]) -> list[Row]:
        base = await self.ensure_connected()
        return [tuple(row) for row in await base.fetch(sql, *arguments)]

    async def run_batch(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other, in as few round trips as possible."""
        self._has_changes = True
        async with self.within_timeout():
            base = await self.ensure_connected()
            for sql, rows in batch_statements(translate_statement(*statement) for statement in statements):
                await base.executemany(sql, rows)

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Adds whole rows to a table, many at a time."""
        self._has_changes = True
        async with self.within_timeout():
            await (await self.ensure_connected()).copy_records_to_table(table, records=rows)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `Connection.transaction`."""
        try:
            await self._begin_transaction()
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

    async def _begin_transaction(self) -> None:
        self._has_changes = self._must_notify = False
        async with self.within_timeout():
            try:
                await (await self.ensure_connected()).execute(_BEGIN_SQL)
            except POSTGRES_ERRORS as error:
                if not self._is_connection_lost(error):
                    raise
                await (await self.ensure_connected()).execute(_BEGIN_SQL)
        self._in_transaction = True

    async def _commit_transaction(self) -> None:
        async with self.within_timeout(fault=Fault.UNKNOWN if self._has_changes else Fault.NO_ACCESS):
            base = await self.ensure_connected()
            if not base.is_in_transaction():
                raise StoreError(Fault.NO_ACCESS, self.address, "the transaction is over already")
            if not self._has_changes:
                await base.execute("COMMIT")
                return
            self._commit_count += 1
            try:
                note = _NOTE_COMMIT_SQL.format(self._name, self._commit_count) + (
                    f"; NOTIFY {NOTIFY_CHANNEL}" if self._must_notify else ""
                )
                await base.execute(f"{note}; COMMIT")
            except POSTGRES_ERRORS as error:
                if not self._is_connection_lost(error) or not await self._was_committed():
                    raise

    async def _was_committed(self) -> bool:
        """True if the last transaction was committed although its answer was lost.

        Retries until the answer is known; the caller sets the timeout.
        """
        self._in_transaction = False
        while True:
            try:
                base = await self.ensure_connected()
                await base.execute(_BEGIN_SQL)
                number = await base.fetchval("SELECT number FROM writers WHERE name = $1", self._name)
                await base.execute("ROLLBACK")
                return bool(number == self._commit_count)
            except (*POSTGRES_ERRORS, StoreError) as error:
                if isinstance(error, StoreError) and error.fault is Fault.NEWER:
                    raise  # another attempt would fail, too
                self._drop_connection()
                await asyncio.sleep(0.1)

    async def _roll_back(self) -> None:
        if self._base is None:
            return
        try:
            async with asyncio.timeout(self._timings.database_answer_timeout_s):
                await self._base.execute("ROLLBACK")  # without effect if the transaction is over
        except POSTGRES_ERRORS:
            self._drop_connection()

    def notify_workers(self) -> None:
        """See `Connection.notify_workers`."""
        self._must_notify = True

    async def scrub_deleted(self, _: asyncio.Lock) -> bool:
        """Vacuums the tables. PostgreSQL does not overwrite deleted rows: see docs/hosting.md.

        With millions of games this takes minutes, during which games continue.
        """
        async with self._connect_aside(no_timeouts=True) as base:
            # Without table names VACUUM would also try the server's own tables and warn about each.
            await base.execute(f"VACUUM (ANALYZE) {await base.fetchval(_TABLES_SQL)}")
        return True

    async def renew_statistics(self) -> None:
        """See `Connection.renew_statistics`. Usually the server has already done it itself."""
        async with self._connect_aside() as base:
            for [table] in await base.fetch(_OUTDATED_TABLES_SQL):
                await base.execute(f"ANALYZE {table}")

    @asynccontextmanager
    async def _connect_aside(self, *, no_timeouts: bool = False) -> AsyncIterator[asyncpg.Connection]:
        other_session = PostgresSession(self.address, no_timeouts=no_timeouts, timings=self._timings)
        try:
            with other_session.translating_errors():
                yield await other_session.ensure_connected()
        finally:
            await other_session.close()

    async def last_number(self, table: str) -> int:
        """See `Connection.last_number`."""
        rows = await self.run_sql(
            "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, 'id')::regclass), 0)", (table,)
        )
        return int(rows[0][0])

    async def set_last_number(self, table: str, number: int) -> None:
        """See `Connection.set_last_number`."""
        await self.run_sql("SELECT setval(pg_get_serial_sequence(?, 'id')::regclass, ?)", (table, number))

    async def close(self) -> None:
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
            if self.version:
                await register_program(base, self.address, self.version, allow_other_workers=self.allow_other_workers)
            elif self._writing and not self.allow_other_workers:
                await take_program_lock(base, self.address)
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
    async def within_timeout(self, fault: Fault = Fault.NO_ACCESS) -> AsyncIterator[None]:
        """Limits the duration of the block. At the timeout, drops the connection.

        Raises StoreError: with `fault` on a timeout, with the actual fault on other errors.
        """
        with self.translating_errors():
            try:
                async with asyncio.timeout(self._timeout_s):
                    yield
            except TimeoutError as error:
                self._unanswered_at = _loop_time()
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


async def register_program(
    base: asyncpg.Connection, address: Address, version: int, *, allow_other_workers: bool
) -> None:
    """Registers a program that knows migrations up to `version`.

    Raises StoreError: IN_USE, or NEWER if the database has had a later migration that is incompatible.
    """
    await take_program_lock(base, address, allow_other_workers=allow_other_workers)
    await base.execute(
        f"SELECT pg_advisory_xact_lock({LOCK_ID})"
    )  # waits for a running migration; a later migration sees our lock
    hard_step = await base.fetchval("SELECT max(version) FROM hard_steps")
    if hard_step is not None and hard_step > version:
        raise StoreError(Fault.NEWER, address, f"{hard_step} > {version}")


async def take_program_lock(base: asyncpg.Connection, address: Address, *, allow_other_workers: bool = False) -> None:
    """Takes the lock that keeps other programs out. Retries, because a program that was just killed may hold it for a
    moment."""
    lock_suffix = "_shared" if allow_other_workers else ""
    for _ in range(_LOCK_TRIES):
        if await base.fetchval(f"SELECT pg_try_advisory_lock{lock_suffix}($1, 0)", LOCK_ID):
            return
        await asyncio.sleep(0.1)
    raise StoreError(Fault.IN_USE, address)


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


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
