"""Processes on one PostgreSQL: one has the lease, and others wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import asyncpg
import pytest

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.store import Fault, Store, StoreError
from bot.store.connection import Address
from bot.store.postgresql import LOCK_ID, PostgresSession
from tests.bot.databases import halves, opening_refused, pair, session_of
from tests.postgresql import Cluster

pytestmark = pytest.mark.long

HASTE = replace(DEFAULT_TIMINGS, heartbeat_s=0.1, claim_retry_s=0.05)
OLD_LOCK_SQL = f"SELECT pg_try_advisory_lock_shared({LOCK_ID}, 0)"
"""How a worker of the version before shows that it runs."""


async def until(met: Callable[[], bool]) -> None:
    """Waits until the condition is met, at most a minute."""
    async with asyncio.timeout(60):
        while not met():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


@asynccontextmanager
async def frozen(address: Address) -> AsyncIterator[Store]:
    """Yields the store of a process that asks nothing by itself, as if it were stopped."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(PostgresSession, "keep_lease", lambda _: asyncio.sleep(0))
        opening = Store.open(address, timings=replace(HASTE, session_dropped_s=0.5))
        store = await opening.__aenter__()
    try:
        yield store
    finally:
        await opening.__aexit__(None, None, None)


def strike(cluster: Cluster) -> None:
    """Makes PostgreSQL end all our sessions."""
    ours = "FROM pg_stat_activity WHERE application_name = 'round-table'"
    cluster.tell("postgres", f"SELECT pg_terminate_backend(pid, 5000) {ours}")


@asynccontextmanager
async def waiting(address: Address, timings: Timings = HASTE) -> AsyncIterator[asyncio.Task[Store]]:
    """Yields the task of a standby, which returns its store once it has the lease."""
    told, done = asyncio.Event(), asyncio.Event()
    plays: asyncio.Future[Store] = asyncio.get_running_loop().create_future()

    async def stand_by() -> None:
        async with Store.open(address, on_standby=told.set, timings=timings) as store:
            plays.set_result(store)
            await done.wait()

    async def play() -> Store:
        return await asyncio.shield(plays)

    running, playing = asyncio.create_task(stand_by()), asyncio.create_task(play())
    try:
        await asyncio.wait({running, asyncio.create_task(told.wait())}, return_when=asyncio.FIRST_COMPLETED)
        yield playing
    finally:
        done.set()
        playing.cancel()
        if not plays.done():
            running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_one_process_plays_and_another_waits_until_it_has_ended(address: Address) -> None:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(Store.open(address, timings=HASTE))
        async with waiting(address) as standby:
            await pair(store, "first")
            await asyncio.sleep(0.5)
            assert not standby.done()
            await stack.aclose()
            await pair(await standby, "second")
            assert store.unavailable_reason


async def test_a_process_is_sure_for_four_seconds_after_it_last_asked(address: Address) -> None:
    passed = 0.0
    async with Store.open(address, timings=replace(HASTE, heartbeat_s=3600)) as store:
        session, clock = session_of(store), session_of(store)._clock
        session._clock = lambda: clock() + passed
        assert store.unavailable_reason is None
        passed = DEFAULT_TIMINGS.lock_valid_s
        assert store.unavailable_reason == "no answer"
        lapses = list[float]()
        store.call_after_outages(lapses.append)
        await pair(store, "after")
        assert store.unavailable_reason is None
        [lapse] = lapses
        assert lapse >= DEFAULT_TIMINGS.lock_valid_s
    assert DEFAULT_TIMINGS.lock_valid_s < DEFAULT_TIMINGS.session_dropped_s


async def test_who_is_frozen_loses_the_lease_and_writes_nothing_on_waking(address: Address) -> None:
    async with frozen(address) as store, waiting(address) as standby:
        await pair(await standby, "of the heir")
        with pytest.raises(StoreError):
            await pair(store, "late")
        assert store.taken_over.is_set()
        assert store.unavailable_reason == "another process has taken over"
        assert await halves(await standby, "late") == 0


async def test_a_process_frozen_within_a_transaction_loses_that_too(address: Address) -> None:
    async with Store.open(address) as store, waiting(address, replace(HASTE, claim_retry_s=0.5)) as standby:

        async def freeze() -> None:
            async with store.write_transaction() as tx:
                await tx.set_meta("left act", "x")
                await asyncio.wait({standby}, timeout=60)
                await tx.set_meta("right act", "x")

        with pytest.raises(StoreError):
            await freeze()
        assert await halves(await standby, "act") == 0


async def test_a_lost_session_is_begun_again_before_another_process_steps_in(
    address: Address, cluster: Cluster
) -> None:
    timings = replace(HASTE, claim_retry_s=1)
    async with Store.open(address, timings=HASTE) as store, waiting(address, timings) as standby:
        before = session_of(store)._base
        strike(cluster)
        await until(lambda: store.unavailable_reason is None and session_of(store)._base is not before)
        await pair(store, "after a blow")
        cluster.stop(at_once=True)
        await until(lambda: store.unavailable_reason is not None)
        cluster.start()
        await until(lambda: store.unavailable_reason is None)
        await pair(store, "after a restart")
        await asyncio.sleep(2)
        assert not standby.done()


@pytest.mark.parametrize("held", [True, False])
async def test_the_lease_is_lost_if_another_process_has_had_it(address: Address, cluster: Cluster, held: bool) -> None:
    async with frozen(address) as store:
        await until(lambda: bool(session_of(store)._base and session_of(store)._base.is_closed()))
        async with Store.open(address) as other:
            await pair(other, "in between")
            if held:
                with pytest.raises(StoreError):
                    await pair(store, "late")
        with pytest.raises(StoreError):
            await pair(store, "late")
        assert store.taken_over.is_set()


async def test_a_pooler_is_refused(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncpg.Connection, "get_server_pid", lambda _: 1)
    assert (await opening_refused(address)).fault is Fault.POOLED


# Workers of the version before, of which several could play: by the SQL that they used


async def test_a_worker_of_the_version_before_is_waited_for(address: Address) -> None:
    async with Store.open(address):
        pass
    worker = await asyncpg.connect(address.url)
    assert await worker.fetchval(OLD_LOCK_SQL)
    assert (await opening_refused(address)).fault is Fault.IN_USE
    async with waiting(address) as standby:
        await asyncio.sleep(0.5)
        assert not standby.done()
        await worker.close()
        await pair(await standby, "after")


async def test_a_worker_of_the_version_before_does_not_start_beside_this_one(address: Address) -> None:
    worker = await asyncpg.connect(address.url)
    async with Store.open(address):
        assert not await worker.fetchval(OLD_LOCK_SQL)
    assert await worker.fetchval(OLD_LOCK_SQL)
    await worker.close()


async def test_a_worker_of_the_version_before_in_between_costs_the_lease(address: Address, cluster: Cluster) -> None:
    async with Store.open(address, timings=HASTE) as store:
        cluster.tell(address.url.split("/")[3].split("?")[0], "INSERT INTO holders VALUES (3, 'a worker')")
        strike(cluster)
        await until(store.taken_over.is_set)
        with pytest.raises(StoreError):
            await pair(store, "late")
