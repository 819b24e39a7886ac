"""A session with PostgreSQL, which goes on where a connection is lost; and its transactions.

Each transaction that writes takes one lock, the same for all, in the trip in which it begins. So transactions are as
alone as SQLite's, however many programs write: what one has counted or read holds until its end. One at a time is
enough: Discord takes 50 requests a second from one application, which are 12 to 25 moves.

Who has the lock knows that any transaction before is over, done or undone. So what became of a commit whose answer did
not come can be looked up: each session that writes has a row, with the number of its last transaction.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from math import inf

import asyncpg

from bot.store.address import Address
from bot.store.connection import ConflictError, Row, Statement, Values, to_its_end
from bot.store.dialect import put, trips
from bot.store.migrations import Fault, StoreError

OLDEST = 15
"""The first version of PostgreSQL that is tried."""

LOCK = 0x526E6454
"""What is locked, in each database, by a transaction that writes; see `APPLICATION_ID`. With a second number beside it,
what a program has for itself while it runs."""

CHANNEL = "round_table"
"""What is called out with a commit that concerns another worker's servers."""

_BEGIN = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK})"

PATIENCE = 2.5
"""Seconds for which the server is waited for while people wait: Discord gives them three for an answer."""

_TRIES = 10
"""How often the lock of the program that runs is asked for before somebody else has it; a tenth of a second apart."""

_SETTINGS = {
    "application_name": "round-table",
    "synchronous_commit": "on",  # a move once told of survives a power cut
    "lock_timeout": "2s",  # the transactions of others are waited for; Discord waits three seconds
    "max_parallel_workers_per_gather": "0",  # for rows in their order, and short questions
    "jit": "off",
    # Half a minute after a machine is gone, its lock is free.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "25s",
}
_READING = {"default_transaction_read_only": "on"}
_IN_A_HURRY = {"idle_in_transaction_session_timeout": "5s"}  # a program that is stopped holds nobody up for longer

_NOTE = (
    "INSERT INTO writers VALUES ('{}', {}, now()) ON CONFLICT (name) DO UPDATE SET number = excluded.number, at = now()"
)

_TABLES = "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables WHERE schemaname = current_schema()"

_GONE = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InternalClientError,  # the driver has lost track of what the server says
    OSError,
)
ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, *_GONE)
_MISTAKES = (
    asyncpg.SyntaxOrAccessError,
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.DataError,
    asyncpg.FeatureNotSupportedError,
)


def is_mistake(error: Exception) -> bool:
    """Whether a statement is wrong. Any other error is what the server or the network does to it."""
    return isinstance(error, _MISTAKES) and not isinstance(error, asyncpg.InsufficientPrivilegeError)


class Session:
    """One connection, made anew where it is lost. For its methods see `bot.store.connection.Connection`.

    `patient`: nobody waits for an answer, and what it is asked may take as long as it takes. `beside`: others may write
    as well, who are so, too.
    """

    def __init__(self, address: Address, *, writing: bool = False, patient: bool = False, beside: bool = False) -> None:
        self.address = address
        self.beside = beside
        self.version = 0
        """How many steps the program knows, once the database has had them."""
        self._settings = {**_SETTINGS, **({} if writing else _READING), **({} if patient else _IN_A_HURRY)}
        self._writing, self._patience = writing, None if patient else PATIENCE
        self._silent = -inf
        """When the server was last waited for in vain: whoever has asked before has waited as long."""
        self._base: asyncpg.Connection | None = None
        self._turn = asyncio.Lock()
        self._name, self._count = secrets.token_hex(8), 0
        """Who writes, and how many transactions it has begun to commit."""
        self._within = False
        """Whether a transaction is under way, which goes on on no other connection."""
        self._changed = self._calls = False
        """Whether it has anything to commit, and to call out."""

    async def run(self, sql: str, values: Values = ()) -> list[Row]:
        """The rows that a statement returns."""
        told, given = put(sql, values)
        self._changed = self._changed or not sql.startswith(("SELECT", "WITH"))
        asked = _now()
        async with self._turn, self.answered():
            if asked < self._silent:
                raise TimeoutError
            try:
                return await self._fetch(told, given)
            except ERRORS as error:
                if self._within or not self._is_gone(error):
                    raise
            return await self._fetch(told, given)  # the server was started again meanwhile

    async def _fetch(self, told: str, given: Sequence[object]) -> list[Row]:
        base = await self.connected()
        return [tuple(row) for row in await base.fetch(told, *given)]

    async def write(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other, in as few trips as they can share."""
        self._changed = True
        async with self.answered():
            base = await self.connected()
            for told, rows in trips(put(*statement) for statement in statements):
                await base.executemany(told, rows)

    async def fill(self, table: str, rows: Sequence[Row]) -> None:
        """Adds whole rows to a table, many at a time."""
        self._changed = True
        async with self.answered():
            await (await self.connected()).copy_records_to_table(table, records=rows)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `Connection.transaction`."""
        try:
            await self._begin()
            yield
            await to_its_end(self._commit())
        except asyncio.CancelledError:
            self._drop()  # a statement may be under way, for which nobody waits any more
            raise
        except BaseException:
            await to_its_end(self._undo())
            raise
        finally:
            self._within = False

    async def _begin(self) -> None:
        self._changed = self._calls = False
        async with self.answered():
            try:
                await (await self.connected()).execute(_BEGIN)
            except ERRORS as error:
                if not self._is_gone(error):
                    raise
                await (await self.connected()).execute(_BEGIN)
        self._within = True

    async def _commit(self) -> None:
        async with self.answered(within=Fault.UNKNOWN if self._changed else Fault.NO_ACCESS):
            base = await self.connected()
            if not base.is_in_transaction():
                raise StoreError(Fault.NO_ACCESS, self.address, "the transaction is over already")
            if not self._changed:
                await base.execute("COMMIT")
                return
            self._count += 1
            try:
                note = _NOTE.format(self._name, self._count) + (f"; NOTIFY {CHANNEL}" if self._calls else "")
                await base.execute(f"{note}; COMMIT")
            except ERRORS as error:
                if not self._is_gone(error) or not await self._is_stored():
                    raise

    async def _is_stored(self) -> bool:
        """Whether the last transaction has been committed, although nobody was there to be told.

        Goes on until that is known; whoever waits for it says for how long.
        """
        self._within = False
        while True:
            try:
                base = await self.connected()
                await base.execute(_BEGIN)
                number = await base.fetchval("SELECT number FROM writers WHERE name = $1", self._name)
                await base.execute("ROLLBACK")
                return bool(number == self._count)
            except (*ERRORS, StoreError) as error:
                if isinstance(error, StoreError) and error.fault is Fault.NEWER:
                    raise  # for good
                self._drop()
                await asyncio.sleep(0.1)

    async def _undo(self) -> None:
        if self._base is None:
            return
        try:
            async with asyncio.timeout(PATIENCE):
                await self._base.execute("ROLLBACK")  # does nothing where all is over
        except ERRORS:
            self._drop()

    def call_out(self) -> None:
        """See `Connection.call_out`."""
        self._calls = True

    async def scrub(self, _: asyncio.Lock) -> bool:
        """Takes deleted rows out of the tables. PostgreSQL does not overwrite them: see docs/hosting.md.

        Games go on meanwhile: it takes minutes where there are millions of them.
        """
        aside = Session(self.address, patient=True)
        try:
            with aside.faults():
                base = await aside.connected()
                # Without names it would try the server's own tables as well, and say of each that it may not.
                await base.execute(f"VACUUM (ANALYZE) {await base.fetchval(_TABLES)}")
        finally:
            await aside.close()
        return True

    async def last_number(self, table: str) -> int:
        """See `Connection.last_number`."""
        rows = await self.run(
            "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, 'id')::regclass), 0)", (table,)
        )
        return int(rows[0][0])

    async def set_last_number(self, table: str, number: int) -> None:
        """See `Connection.set_last_number`."""
        await self.run("SELECT setval(pg_get_serial_sequence(?, 'id')::regclass, ?)", (table, number))

    async def close(self) -> None:
        """Leaves nothing open."""
        if self._base:
            with suppress(*ERRORS):
                await self._base.close(timeout=PATIENCE)
            self._drop()

    async def connected(self) -> asyncpg.Connection:
        """The connection; a new one where it is lost, unless a transaction was under way on it."""
        if self._base is None or self._base.is_closed():
            if self._within:
                raise ConnectionResetError("lost in a transaction, which is undone")
            self._base = await self._connect()
        return self._base

    async def _connect(self) -> asyncpg.Connection:
        base = await asyncpg.connect(
            self.address.url,
            timeout=PATIENCE,
            statement_cache_size=500,
            server_settings=self._settings,
        )
        try:
            if base.get_server_version().major < OLDEST:
                raise StoreError(Fault.NO_ACCESS, self.address, f"PostgreSQL {OLDEST} or later is needed")
            if self.version:
                await enter(base, self.address, self.version, beside=self.beside)
            elif self._writing and not self.beside:
                await lock(base, self.address)
        except BaseException:
            base.terminate()
            raise
        return base

    def _drop(self) -> None:
        if self._base:
            self._base.terminate()
        self._base = None

    def _is_gone(self, error: BaseException) -> bool:
        """Whether the connection is lost with that error, which is dropped then."""
        gone = isinstance(error, _GONE) or self._base is None or self._base.is_closed()
        if gone:
            self._drop()
        return gone

    @asynccontextmanager
    async def answered(self, within: Fault = Fault.NO_ACCESS) -> AsyncIterator[None]:
        """What the server is asked within is answered while people wait, or is taken for lost.

        Raises StoreError with that fault then, or what else is wrong.
        """
        with self.faults():
            try:
                async with asyncio.timeout(self._patience):
                    yield
            except TimeoutError as error:
                self._silent = _now()
                self._drop()
                raise StoreError(within, self.address, "no answer") from error

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Whatever goes wrong within raises StoreError, but for a mistake in a statement."""
        try:
            yield
        except asyncpg.IntegrityConstraintViolationError as error:
            raise ConflictError(str(error)) from error
        except ERRORS as error:
            if is_mistake(error):
                raise
            self._is_gone(error)
            raise StoreError(_fault_of(error), self.address, str(error) or type(error).__name__) from error


async def enter(base: asyncpg.Connection, address: Address, version: int, *, beside: bool) -> None:
    """Says that a program is here that knows so many steps.

    Raises StoreError: IN_USE, or NEWER where a step has been taken meanwhile with which it cannot live.
    """
    await lock(base, address, beside=beside)
    await base.execute(f"SELECT pg_advisory_xact_lock({LOCK})")  # of whoever takes steps now; who does later sees ours
    hard = await base.fetchval("SELECT max(version) FROM hard_steps")
    if hard is not None and hard > version:
        raise StoreError(Fault.NEWER, address, f"{hard} > {version}")


async def lock(base: asyncpg.Connection, address: Address, *, beside: bool = False) -> None:
    """Keeps others out. A program just killed, or a connection just lost, may hold the lock for a moment."""
    shared = "_shared" if beside else ""
    for _ in range(_TRIES):
        if await base.fetchval(f"SELECT pg_try_advisory_lock{shared}($1, 0)", LOCK):
            return
        await asyncio.sleep(0.1)
    raise StoreError(Fault.IN_USE, address)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _fault_of(error: Exception) -> Fault:
    if isinstance(error, asyncpg.ProtocolViolationError) and "startup parameter" in str(error):
        return Fault.POOLED  # as PgBouncer says
    damaged = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
    return Fault.DAMAGED if isinstance(error, damaged) else Fault.NO_ACCESS
