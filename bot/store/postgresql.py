"""PostgreSQL: one session that writes and another that only reads, to a database that is brought up to date before."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

import asyncpg

from bot.store.address import Address
from bot.store.dialect import TAUGHT, step
from bot.store.migrations import Fault, StoreError, steps
from bot.store.session import LOCK, Session, is_mistake, lock

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
CREATE TABLE IF NOT EXISTS holders (shard bigint PRIMARY KEY, name text NOT NULL); -- the worker that had it last
CREATE TABLE IF NOT EXISTS hard_steps (version bigint PRIMARY KEY); -- who knows fewer steps cannot use this
DELETE FROM writers WHERE at < now() - interval '30 days'; -- nobody asks about those any more
"""

GENTLE = "-- Workers of the version before may go on meanwhile."
"""A line of steps that change nothing on which the version before depends: such as another table, or an index."""

_OTHERS = """
SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND locktype = 'advisory' AND granted = true
        AND classid = $1::bigint::oid AND objid = 0 AND objsubid = 2 AND pid <> pg_backend_pid())
"""
"""Whether another program has the database open that has taken its steps."""

_LOOK = """
SELECT current_setting('server_version'), pg_database_size(current_database()),
    EXISTS (SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
        WHERE datname = current_database() AND locktype = 'advisory' AND granted = true
            AND classid = $1::bigint::oid AND objsubid = 2),
    current_setting('fsync')::boolean AND current_setting('full_page_writes')::boolean
"""


@asynccontextmanager
async def opened(
    address: Address, *, patient: bool = False, beside: bool = False
) -> AsyncIterator[tuple[Session, Session]]:
    """The sessions that write and read, in a database that is made or brought up to date if need be.

    `patient`: nobody waits for an answer. `beside`: others may have it open so. Raises StoreError where it cannot be
    used; the database is then as it was.
    """
    writing = Session(address, writing=True, patient=patient, beside=beside)
    reading = Session(address, patient=patient)
    try:
        await prepare(writing, steps())
        yield writing, reading
    finally:
        await writing.close()
        await reading.close()


async def prepare(session: Session, scripts: Sequence[str]) -> None:
    """Takes all steps that are due, or none of them. Raises StoreError."""
    with session.faults():
        base = await session.connected()
        async with base.transaction():
            await base.execute("SET LOCAL lock_timeout = '30s'")  # others may be making the database just now
            await base.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
            version = await _version(base, session.address)
            due = scripts[version:]
            if version > len(scripts):
                raise StoreError(Fault.NEWER, session.address, f"{version} > {len(scripts)}")
            gentle = all(GENTLE in script.splitlines() for script in due)
            if not gentle and await base.fetchval(_OTHERS, LOCK):
                raise StoreError(Fault.OLDER_RUN, session.address)
            if not version:
                await base.execute(TAUGHT + _OURS)
            for number, script in enumerate(due, version + 1):
                try:
                    await base.execute(step(script))
                except asyncpg.PostgresError as error:
                    if not is_mistake(error):
                        raise
                    raise StoreError(Fault.STEP_FAILED, session.address, f"step {number}: {error}") from error
            await base.execute("UPDATE round_table SET version = $1", len(scripts))
            await base.execute(_WRITERS)
            if not gentle:
                await base.execute("INSERT INTO hard_steps VALUES ($1)", len(scripts))
            if session.beside:  # who is alone has locked it already
                await lock(base, session.address, beside=True)
    session.version = len(scripts)


@asynccontextmanager
async def seen(address: Address) -> AsyncIterator[Session]:
    """A session that reads, beside whatever runs. Raises StoreError, also where the database is of another version."""
    reading = Session(address)
    try:
        if (await _look(reading)).version != len(steps()):
            raise StoreError(Fault.NO_ACCESS, address, "of another version")
        yield reading
    finally:
        await reading.close()


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


async def inspect(address: Address) -> Look:
    """What a database looks like from outside. Raises StoreError."""
    session = Session(address)
    try:
        return await _look(session)
    finally:
        await session.close()


async def _look(session: Session) -> Look:
    async with session.answered():
        base = await session.connected()
        version = await _version(base, session.address)
        [(server, size, used, safe)] = await base.fetch(_LOOK, LOCK)
    if version > len(steps()):
        raise StoreError(Fault.NEWER, session.address, f"{version} > {len(steps())}")
    return Look(server, version, size, used, safe)


async def _version(base: asyncpg.Connection, address: Address) -> int:
    """How many steps the database has had; 0 for an empty one. Raises for one that must not be touched."""
    if await base.fetchval("SELECT to_regclass('round_table') IS NOT NULL"):
        return int(await base.fetchval("SELECT version FROM round_table"))
    if await base.fetchval("SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema())"):
        raise StoreError(Fault.OTHER_PROGRAM, address)
    return 0
