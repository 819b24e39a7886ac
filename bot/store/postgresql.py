"""PostgreSQL: opens a session that writes and one that reads, after migrating the database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import NamedTuple

import asyncpg

from bot.core.timings import Timings
from bot.store.connection import Address
from bot.store.dialect import SQLITE_FUNCTIONS, translate_step
from bot.store.migrations import BASELINE, Fault, StoreError, last_version, migration_steps, split_steps
from bot.store.postgresql_session import LOCK_ID, PostgresSession, is_statement_error

_PROGRAM_TABLES_SQL = """
CREATE TABLE round_table (version bigint NOT NULL); -- the number of the last step
INSERT INTO round_table VALUES (0);
CREATE TABLE writers (
    name text PRIMARY KEY, -- of a session that writes
    number bigint NOT NULL, -- of its last transaction
    at timestamptz NOT NULL
);
CREATE TABLE holders (shard bigint PRIMARY KEY, name text NOT NULL); -- of the last session with the lock; shard is 0
CREATE TABLE hard_steps (version bigint PRIMARY KEY); -- keeps workers of an earlier version from going on
"""
"""The tables about the programs that use the database. SQLite needs no such tables."""

_FORGET_WRITERS_SQL = "DELETE FROM writers WHERE at < now() - interval '30 days'"
"""Deletes sessions whose last transaction is of no interest any more."""

_INSPECTION_SQL = """
SELECT current_setting('server_version'), pg_database_size(current_database()),
    EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND granted = true
            AND classid = $1::bigint::oid AND objsubid = 2),
    current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean
"""


@asynccontextmanager
async def connect_read_write(
    address: Address,
    timings: Timings,
    taken_over: asyncio.Event,
    *,
    no_timeouts: bool = False,
    on_standby: Callable[[], None] | None = None,
) -> AsyncIterator[tuple[PostgresSession, PostgresSession]]:
    """Opens the two sessions, one that writes and one that reads. Creates or migrates the database if needed.

    `no_timeouts`: no user waits for an answer. `taken_over`: see `Store.taken_over`. `on_standby`: see `Store.open`.
    Raises StoreError if the database cannot be used, and leaves it unchanged.
    """
    make_session = partial(PostgresSession, address, no_timeouts=no_timeouts, timings=timings)
    writing, reading = make_session(writing=True, taken_over=taken_over), make_session()
    keeping: asyncio.Task[None] | None = None
    try:
        if on_standby:
            await writing.stand_by(on_standby)
        await migrate_database(writing, migration_steps())
        keeping = None if no_timeouts else asyncio.create_task(writing.keep_lease())
        yield writing, reading
    finally:
        if keeping:
            keeping.cancel()
            await asyncio.wait({keeping})
        await writing.close()
        await reading.close()


async def migrate_database(session: PostgresSession, scripts: Sequence[str]) -> None:
    """Runs all due migrations, or none. Raises StoreError."""
    with session.translating_errors():
        base = await session.ensure_connected()
        async with base.transaction():
            # A step may take minutes, and a worker of an earlier version may be migrating, too.
            await base.execute("SET LOCAL lock_timeout = '30s'; SET LOCAL statement_timeout = 0")
            await base.execute(f"SELECT pg_advisory_xact_lock({LOCK_ID})")
            version = await _read_version(base, session.address)
            past, steps_due = split_steps(version, session.address, scripts)
            if not version:
                await base.execute(SQLITE_FUNCTIONS + _PROGRAM_TABLES_SQL)
            for number, script in enumerate(steps_due, BASELINE + len(past)):
                try:
                    await base.execute(translate_step(script))
                except asyncpg.PostgresError as error:
                    if not is_statement_error(error):
                        raise
                    raise StoreError(Fault.STEP_FAILED, session.address, f"step {number}: {error}") from error
            await base.execute("UPDATE round_table SET version = $1", last_version(scripts))
            await base.execute(_FORGET_WRITERS_SQL)
            if steps_due:
                await base.execute("INSERT INTO hard_steps VALUES ($1)", last_version(scripts))
            await session.note_holder(base)


@asynccontextmanager
async def connect_read_only(address: Address) -> AsyncIterator[PostgresSession]:
    """Opens a session that reads, even beside a running bot. Raises StoreError, also if the version differs."""
    reading = PostgresSession(address)
    try:
        if (await _inspect_with(reading)).version != last_version():
            raise StoreError(Fault.NO_ACCESS, address, "of another version")
        yield reading
    finally:
        await reading.close()


class DatabaseInspection(NamedTuple):
    """The state of a database, as seen without running the bot on it."""

    server: str
    """The version of PostgreSQL."""
    version: int
    """The number of its last migration; 0 before the first start."""
    size: int
    """The size in bytes."""
    in_use: bool
    """Whether a bot runs on it."""
    is_durable: bool
    """Whether the server survives a power cut."""


async def inspect_database(address: Address) -> DatabaseInspection:
    """Inspects a database without migrating or locking it. Raises StoreError."""
    session = PostgresSession(address)
    try:
        return await _inspect_with(session)
    finally:
        await session.close()


async def _inspect_with(session: PostgresSession) -> DatabaseInspection:
    async with session.within_timeout():
        base = await session.ensure_connected()
        version = await _read_version(base, session.address)
        [(server, size, used, safe)] = await base.fetch(_INSPECTION_SQL, LOCK_ID)
    split_steps(version, session.address)
    return DatabaseInspection(server, version, size, used, safe)


async def _read_version(base: asyncpg.Connection, address: Address) -> int:
    """Returns the number of the last migration; 0 for an empty database. Raises StoreError if it must not be used."""
    if await base.fetchval("SELECT to_regclass('round_table') IS NOT NULL"):
        return int(await base.fetchval("SELECT version FROM round_table"))
    if await base.fetchval("SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema())"):
        raise StoreError(Fault.OTHER_PROGRAM, address)
    return 0
