"""Workers on one PostgreSQL, and programs that must run alone because their migration is incompatible with workers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from bot.store import Fault, Store, StoreError
from bot.store.address import Address
from bot.store.migrations import migration_steps
from bot.store.postgresql import GENTLE_STEP_MARK, migrate_database
from bot.store.postgresql_session import LOCK_ID, PostgresSession
from bot.store.workers import ShardLocks
from tests.bot.working import kept, refused, six, until, worker
from tests.postgresql import Cluster

pytestmark = pytest.mark.long

HARD = "CREATE TABLE hard (id INTEGER) STRICT;"
EASY = f"{GENTLE_STEP_MARK}\nCREATE TABLE gentle (id INTEGER) STRICT;"


async def update(address: Address, *scripts: str) -> None:
    """Starts and stops a worker of a new version."""
    new = PostgresSession(address, writing=True, allow_other_workers=True)
    try:
        await migrate_database(new, (*migration_steps(), *scripts))
    finally:
        await new.close()


def strike_all(cluster: Cluster) -> None:
    """Makes PostgreSQL end all our sessions."""
    ours = "FROM pg_stat_activity WHERE application_name LIKE 'round-table%'"
    cluster.tell("postgres", f"SELECT pg_terminate_backend(pid, 5000) {ours}")


@asynccontextmanager
async def holding(address: Address, shards: int | None) -> AsyncIterator[ShardLocks]:
    """A worker with that number of shards, or a standby, that writes nothing."""
    async with Store.open(address, allow_other_workers=True) as store:
        locks = ShardLocks(address)
        try:
            await locks.start_session()
            assert not shards or await locks.claim_shards(store, shards, None, six)
            yield locks
        finally:
            await locks.end_session()


async def test_who_wants_the_database_alone_waits_for_no_worker(address: Address) -> None:
    async with worker(address):
        with pytest.raises(StoreError) as raised:
            async with Store.open(address):
                pass
        assert raised.value.fault is Fault.IN_USE
    async with Store.open(address):
        with pytest.raises(StoreError) as raised:
            async with worker(address):
                pass
        assert raised.value.fault is Fault.IN_USE


async def test_a_step_waits_for_older_workers_unless_they_tolerate_it(address: Address) -> None:
    async with worker(address) as (store, _):
        with pytest.raises(StoreError) as raised:
            await update(address, EASY, HARD)
        assert raised.value.fault is Fault.OLDER_RUN
        await update(address, EASY)
        async with store.write_transaction() as tx:
            await tx.set_meta("key", "value")
    await update(address, EASY, HARD)


async def test_workers_of_a_new_version_may_be_started_all_at_once(address: Address) -> None:
    async with AsyncExitStack() as stack:
        await asyncio.gather(
            *(stack.enter_async_context(Store.open(address, allow_other_workers=True)) for _ in range(4))
        )


@pytest.mark.parametrize("shards", [6, None])
async def test_a_worker_that_writes_nothing_notices_its_lost_sessions_soon(
    address: Address, cluster: Cluster, shards: int | None
) -> None:
    async with holding(address, shards) as locks:
        lost = locks._base
        strike_all(cluster)
        await until(lambda: locks._base not in (None, lost))
        with pytest.raises(StoreError) as raised:
            await update(address, HARD)
        assert raised.value.fault is Fault.OLDER_RUN
        with pytest.raises(StoreError) as raised:
            async with Store.open(address):
                pass
        assert raised.value.fault is Fault.IN_USE


async def test_a_cut_off_worker_resumes_once_the_lone_program_is_gone(
    address: Address, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with worker(address) as (store, locks):
        monkeypatch.setattr(locks, "_open_session", refused)
        strike_all(cluster)
        async with Store.open(address):
            monkeypatch.undo()
            with pytest.raises(StoreError) as raised:
                async with store.write_transaction() as tx:
                    await tx.set_meta("key", "value")
            assert raised.value.fault is Fault.IN_USE
            assert not locks.is_valid
        await until(lambda: locks.is_valid)
        async with store.write_transaction() as tx:
            await tx.set_meta("key", "value")


async def test_a_worker_cut_off_during_a_step_writes_only_if_compatible(address: Address, cluster: Cluster) -> None:
    async with Store.open(address, allow_other_workers=True) as store:
        strike_all(cluster)
        await update(address, EASY)
        async with store.write_transaction() as tx:
            await tx.set_meta("key", "before")
        strike_all(cluster)
        await update(address, EASY, HARD)
        for _ in range(2):
            with pytest.raises(StoreError) as raised:
                async with store.write_transaction() as tx:
                    await tx.set_meta("key", "after")
            assert raised.value.fault is Fault.NEWER
        assert await store.reader.get_meta("key") == "before"


async def test_a_worker_cut_off_during_a_step_gives_its_shards_up(
    address: Address, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with holding(address, 6) as locks:
        monkeypatch.setattr(locks, "_open_session", refused)
        strike_all(cluster)
        await update(address, HARD)
        monkeypatch.undo()
        await until(locks.lost.is_set)
        assert not locks.is_valid


async def test_a_standby_cut_off_during_a_step_ends_and_says_why(
    address: Address, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with kept(address, tmp_path) as keeping:
        other = await asyncpg.connect(address.url)
        await other.execute("SELECT pg_advisory_lock($1, 1)", LOCK_ID)  # has the only shard
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'round-table-shards'"
        await until(lambda: cluster.tell("postgres", waiting) == "1")
        monkeypatch.setattr(ShardLocks, "_open_session", lambda _: refused())
        strike_all(cluster)
        await update(address, HARD)
        monkeypatch.undo()
        with pytest.raises(StoreError) as raised:
            await keeping
        assert raised.value.fault is Fault.NEWER
        await other.close()
