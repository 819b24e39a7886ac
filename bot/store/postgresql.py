"""PostgreSQL: one session that writes and another that only reads.

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
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import asyncpg

from bot.store.address import Address
from bot.store.connection import ConflictError, Row, Statement, Values, to_its_end
from bot.store.dialect import TAUGHT, put, step
from bot.store.migrations import Fault, StoreError, steps

OLDEST = 15
"""The first version of PostgreSQL that is tried."""

LOCK = 0x526E6454
"""What is locked, in each database, by a transaction that writes; see `APPLICATION_ID`. With a second number beside it,
what a program has for itself while it runs."""

_BEGIN = f"BEGIN; SELECT pg_advisory_xact_lock({LOCK})"

_PATIENCE = 3.0
"""Seconds for which a connection is waited for: as long as Discord waits for an answer."""

_TRIES = 10
"""How often the lock of the program that runs is asked for before somebody else has it; a tenth of a second apart."""

_LONGEST = 60.0
"""Seconds for which a statement is waited for; nothing that the program asks takes as long."""

_LOOKING = 2.0
"""Seconds within which what became of a commit is looked up, before whoever waits is told that it is not known."""

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
}
_READING = {"default_transaction_read_only": "on"}

_OURS = """
CREATE TABLE round_table (version bigint NOT NULL); -- how many steps the database has had
INSERT INTO round_table VALUES (0);
"""
_WRITERS = """
CREATE TABLE IF NOT EXISTS writers (
    name text PRIMARY KEY, -- of a session that writes
    number bigint NOT NULL, -- of its last transaction
    at timestamptz NOT NULL
);
DELETE FROM writers WHERE at < now() - interval '30 days'; -- nobody asks about those any more
"""

_NOTE = (
    "INSERT INTO writers VALUES ('{}', {}, now()) ON CONFLICT (name) DO UPDATE SET number = excluded.number, at = now()"
)

_LOOK = """
SELECT current_setting('server_version'), pg_database_size(current_database()),
    EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND granted = true
            AND classid = $1::bigint::oid AND objsubid = 2),
    current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean
"""

_GONE = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InternalClientError,  # the driver has lost track of what the server says
    OSError,
)
_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, *_GONE)
_MISTAKES = (
    asyncpg.SyntaxOrAccessError,
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.DataError,
    asyncpg.FeatureNotSupportedError,
)
"""What is wrong with a statement. Any other error is what the server or the network does to it."""


@asynccontextmanager
async def opened(address: Address) -> AsyncIterator[tuple[Session, Session]]:
    """The sessions that write and read, in a database that is made or brought up to date if need be.

    Raises StoreError where it cannot be used; the database is then as it was.
    """
    writing, reading = Session(address, writing=True), Session(address)
    try:
        await writing.prepare(steps())
        yield writing, reading
    finally:
        await writing.close()
        await reading.close()


@asynccontextmanager
async def seen(address: Address) -> AsyncIterator[Session]:
    """A session that reads, beside whatever runs. Raises StoreError, also where the database is of another version."""
    reading = Session(address)
    try:
        if (await reading.look()).version != len(steps()):
            raise StoreError(Fault.NO_ACCESS, address, "of another version")
        yield reading
    finally:
        await reading.close()


async def inspect(address: Address) -> Look:
    """What a database looks like from outside. Raises StoreError."""
    session = Session(address)
    try:
        return await session.look()
    finally:
        await session.close()


class Look(NamedTuple):
    """What a database looks like from outside."""

    server: str
    """The version of PostgreSQL."""
    version: int
    """How many steps the database has had; 0 before the first start."""
    size: int
    """Bytes."""
    used: bool
    """Whether a bot runs on it."""
    safe: bool
    """Whether the server survives a power cut."""


class Session:
    """One connection, made anew where it is lost. For its methods see `bot.store.connection.Connection`."""

    def __init__(self, address: Address, *, writing: bool = False) -> None:
        self._address = address
        self._writing = writing
        self._base: asyncpg.Connection | None = None
        self._turn = asyncio.Lock()
        self._name, self._count = secrets.token_hex(8), 0
        """Who writes, and how many transactions it has begun to commit."""
        self._within = False
        """Whether a transaction is under way, which goes on on no other connection."""
        self._changed = False
        """Whether it has anything to commit."""

    async def run(self, sql: str, values: Values = ()) -> list[Row]:
        """The rows that a statement returns."""
        told, given = put(sql, values)
        self._changed = self._changed or not sql.startswith(("SELECT", "WITH"))
        async with self._turn:
            with self._faults():
                try:
                    return await self._fetch(told, given)
                except _ERRORS as error:
                    if self._within or not self._is_gone(error):
                        raise
                return await self._fetch(told, given)  # the server was started again meanwhile

    async def _fetch(self, told: str, given: Sequence[object]) -> list[Row]:
        base = await self._connected()
        return [tuple(row) for row in await base.fetch(told, *given, timeout=_LONGEST)]

    async def write(self, statements: Sequence[Statement]) -> None:
        """Runs statements that return nothing, one after the other; equal ones in a row share a trip."""
        self._changed = True
        with self._faults():
            base = await self._connected()
            for told, group in groupby((put(*statement) for statement in statements), key=itemgetter(0)):
                await base.executemany(told, [given for _, given in group], timeout=_LONGEST)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `Connection.transaction`."""
        try:
            await self._begin()
            yield
            await to_its_end(self._commit())
        except BaseException:
            await to_its_end(self._undo())
            raise
        finally:
            self._within = False

    async def _begin(self) -> None:
        self._changed = False
        with self._faults():
            try:
                await (await self._connected()).execute(_BEGIN, timeout=_PATIENCE)
            except _ERRORS as error:
                if not self._is_gone(error):
                    raise
                await (await self._connected()).execute(_BEGIN, timeout=_PATIENCE)
        self._within = True

    async def _commit(self) -> None:
        with self._faults():
            base = await self._connected()
            if not base.is_in_transaction():
                raise StoreError(Fault.NO_ACCESS, self._address, "the transaction is over already")
            if not self._changed:
                await base.execute("COMMIT", timeout=_LONGEST)
                return
            self._count += 1
            try:
                await base.execute(f"{_NOTE.format(self._name, self._count)}; COMMIT", timeout=_LONGEST)
            except _ERRORS as error:
                if not self._is_gone(error) or not await self._is_stored():
                    raise

    async def _is_stored(self) -> bool:
        """Whether the last transaction has been committed, although nobody was there to be told.

        Raises StoreError where that is not known, because the server stays away.
        """
        self._within = False
        until = asyncio.get_running_loop().time() + _LOOKING
        while True:
            try:
                base = await self._connected()
                async with base.transaction():
                    await base.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
                    number = await base.fetchval("SELECT number FROM writers WHERE name = $1", self._name)
                return bool(number == self._count)
            except (*_ERRORS, StoreError) as error:
                if asyncio.get_running_loop().time() > until:
                    raise StoreError(Fault.UNKNOWN, self._address, str(error) or type(error).__name__) from error
                await asyncio.sleep(0.1)

    async def _undo(self) -> None:
        if self._base is None:
            return
        try:
            await self._base.execute("ROLLBACK", timeout=_PATIENCE)  # does nothing where all is over
        except _ERRORS:
            self._drop()

    async def scrub(self) -> bool:
        """Takes deleted rows out of the tables. PostgreSQL does not overwrite them: see docs/hosting.md."""
        with self._faults():
            await (await self._connected()).execute("VACUUM (ANALYZE)")
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

    async def prepare(self, scripts: Sequence[str]) -> None:
        """Takes all steps that are due, or none of them. Raises StoreError."""
        with self._faults():
            base = await self._connected()
            async with base.transaction():
                await base.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
                version = await self._version(base)
                if version > len(scripts):
                    raise StoreError(Fault.NEWER, self._address, f"{version} > {len(scripts)}")
                if not version:
                    await base.execute(TAUGHT + _OURS)
                for number, script in enumerate(scripts[version:], version + 1):
                    try:
                        await base.execute(step(script))
                    except _MISTAKES as error:
                        if isinstance(error, asyncpg.InsufficientPrivilegeError):
                            raise
                        raise StoreError(Fault.STEP_FAILED, self._address, f"step {number}: {error}") from error
                await base.execute("UPDATE round_table SET version = $1", len(scripts))
                await base.execute(_WRITERS)

    async def look(self) -> Look:
        """See `inspect`."""
        with self._faults():
            base = await self._connected()
            async with base.transaction(readonly=True):
                version = await self._version(base)
                [(server, size, used, safe)] = await base.fetch(_LOOK, LOCK)
        if version > len(steps()):
            raise StoreError(Fault.NEWER, self._address, f"{version} > {len(steps())}")
        return Look(server, version, size, used, safe)

    async def _version(self, base: asyncpg.Connection) -> int:
        """How many steps the database has had; 0 for an empty one. Raises for one that must not be touched."""
        if await base.fetchval("SELECT to_regclass('round_table') IS NOT NULL"):
            return int(await base.fetchval("SELECT version FROM round_table"))
        if await base.fetchval("SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema())"):
            raise StoreError(Fault.OTHER_PROGRAM, self._address)
        return 0

    async def close(self) -> None:
        """Leaves nothing open."""
        if self._base:
            with suppress(*_ERRORS):
                await self._base.close(timeout=_PATIENCE)
            self._drop()

    async def _connected(self) -> asyncpg.Connection:
        """The connection; a new one where it is lost, unless a transaction was under way on it."""
        if self._base is None or self._base.is_closed():
            if self._within:
                raise ConnectionResetError("lost in a transaction, which is undone")
            self._base = await self._connect()
        return self._base

    async def _connect(self) -> asyncpg.Connection:
        base = await asyncpg.connect(
            self._address.url,
            timeout=_PATIENCE,
            statement_cache_size=500,
            server_settings=_SETTINGS | ({} if self._writing else _READING),
        )
        try:
            if base.get_server_version().major < OLDEST:
                raise StoreError(Fault.NO_ACCESS, self._address, f"PostgreSQL {OLDEST} or later is needed")
            if self._writing:
                await self._lock(base)
        except BaseException:
            base.terminate()
            raise
        return base

    async def _lock(self, base: asyncpg.Connection) -> None:
        """Keeps a second bot out. A program just killed, or a connection just lost, may hold the lock for a moment."""
        for _ in range(_TRIES):
            if await base.fetchval("SELECT pg_try_advisory_lock($1, 0)", LOCK):
                return
            await asyncio.sleep(0.1)
        raise StoreError(Fault.IN_USE, self._address)

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

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except asyncpg.IntegrityConstraintViolationError as error:
            raise ConflictError(str(error)) from error
        except _ERRORS as error:
            if isinstance(error, _MISTAKES) and not isinstance(error, asyncpg.InsufficientPrivilegeError):
                raise  # a mistake in the program, not the server's
            self._is_gone(error)
            raise StoreError(_fault_of(error), self._address, str(error) or type(error).__name__) from error


def _fault_of(error: Exception) -> Fault:
    damaged = (asyncpg.DataCorruptedError, asyncpg.IndexCorruptedError)
    return Fault.DAMAGED if isinstance(error, damaged) else Fault.NO_ACCESS
