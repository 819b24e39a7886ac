"""Workers on one PostgreSQL: which worker has which shards, for how long, and what it may do in that time."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from itertools import pairwise
from math import inf
from pathlib import Path

import asyncpg
import pytest

from bot.core.events import EventKind
from bot.core.steady_clock import steady_seconds
from bot.core.timings import DEFAULT_TIMINGS
from bot.features import make_service
from bot.store import Fault, ShardShare, Store, StoreError
from bot.store.address import Address
from bot.store.shards import EMPTY_SHARE, Lease
from bot.store.workers import ShardLocks
from tests.bot.playing import ADA, NOW, unshuffled
from tests.bot.sharding import FAR, begun_fast
from tests.bot.working import HASTE, kept, refused, six, until, worker
from tests.postgresql import Cluster

pytestmark = pytest.mark.long


NO_HEARTBEAT = replace(HASTE, heartbeat_s=3600)


async def strike(cluster: Cluster, locks: ShardLocks) -> None:
    """Makes PostgreSQL end the session of the locks."""
    assert locks._base is not None
    cluster.tell("postgres", f"SELECT pg_terminate_backend({locks._base.get_server_pid()})")


# Who has which


async def test_each_shard_has_one_worker_and_a_worker_without_one_waits(address: Address) -> None:
    async with AsyncExitStack() as stack:
        several = [await stack.enter_async_context(worker(address)) for _ in range(2)]
        third = AsyncExitStack()
        several.append(await third.enter_async_context(worker(address, wanted=None)))
        assert [sorted(locks.share.own_shards) for _, locks in several] == [[0, 1], [2, 3], [4, 5]]
        assert {locks.share.shard_count for _, locks in several} == {6}
        told = list[bool]()
        waiting = asyncio.create_task(stack.enter_async_context(worker(address, most=None, waits=told.append)))
        await until(lambda: told[-1:] == [True])
        assert not waiting.done()
        await third.aclose()
        _, heir = await waiting
        assert sorted(heir.share.own_shards) == [4, 5]
        assert all(locks.is_valid for _, locks in several[:2])
        assert not several[2][1].is_valid


async def test_a_worker_takes_all_shards_unless_it_is_told_otherwise(address: Address) -> None:
    async with worker(address, wanted=None, most=None) as (store, locks):
        assert locks.share.is_whole
        assert store.share == locks.share
    assert store.share == EMPTY_SHARE


async def test_another_number_of_shards_is_refused_while_others_run(address: Address) -> None:
    async with worker(address):
        with pytest.raises(StoreError) as raised:
            async with worker(address, wanted=7):
                pass
    assert (raised.value.fault, raised.value.detail) == (Fault.OTHER_SHARDS, "6")
    async with worker(address, wanted=7) as (_, locks):
        assert (locks.share.shard_count, locks.share.earlier_counts) == (7, (1, 6))


# For how long


async def test_a_worker_is_sure_for_four_seconds_after_it_last_asked(address: Address) -> None:
    passed = 0.0
    locks = ShardLocks(address, lambda: steady_seconds() + passed, NO_HEARTBEAT)
    async with Store.open(address, allow_other_workers=True) as store:
        await locks.start_session()
        sure = [locks.is_valid]
        assert await locks.claim_shards(store, 1, None, six)
        sure.append(locks.is_valid)
        passed = DEFAULT_TIMINGS.lease_valid_s  # the process was stopped, and wakes
        assert [*sure, locks.is_valid] == [False, True, False]
        with store.serve_lease(locks), pytest.raises(StoreError):
            async with store.write_transaction() as tx:
                await tx.set_meta("key", "value")
        assert await store.reader.get_meta("key") is None
        await locks.end_session()
    assert DEFAULT_TIMINGS.lease_valid_s < DEFAULT_TIMINGS.session_dropped_s


async def test_postgresql_drops_a_worker_that_asks_no_more(address: Address) -> None:
    async with worker(address, timings=replace(HASTE, session_dropped_s=0.5)) as (_, frozen):
        for task in frozen._pending_tasks:
            task.cancel()
        assert frozen._base is not None
        await until(frozen._base.is_closed)
        async with worker(address, most=None) as (_, heir):
            assert sorted(heir.share.own_shards) == [0, 1, 2, 3, 4, 5]


async def test_who_is_told_that_the_session_has_ended_waits_for_no_beat(address: Address, cluster: Cluster) -> None:
    async with worker(address, timings=NO_HEARTBEAT) as (_, locks):
        locks._clock = lambda: locks._answered_at  # no time passes
        lost = locks._base
        await strike(cluster, locks)
        await until(lambda: lost is not None and lost.is_closed())
        assert not locks.is_valid
        await until(lambda: locks.is_valid)


async def test_whose_session_is_lost_takes_the_same_locks_again(address: Address, cluster: Cluster) -> None:
    async with worker(address) as (_, locks):
        heard = list[object]()
        locks.on_lapsed, locks.on_message = heard.append, heard.append
        await strike(cluster, locks)
        await until(lambda: len(heard) == 2)
        assert locks.is_valid
        assert not locks.lost.is_set()
        async with worker(address) as (_, other):
            assert sorted(other.share.own_shards) == [2, 3]


async def test_it_is_lost_where_another_has_had_one_of_them(address: Address, cluster: Cluster) -> None:
    async with worker(address) as (_, locks):
        cluster.tell(address.url.split("/")[3].split("?")[0], "UPDATE holders SET name = 'another' WHERE shard = 1")
        await strike(cluster, locks)
        await until(locks.lost.is_set)
        assert not locks.is_valid


async def test_who_was_cut_off_while_the_number_of_shards_changed_has_none(
    address: Address, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(worker(address))
        async with worker(address) as (_, away):
            assert sorted(away.share.own_shards) == [2, 3]
            await stack.aclose()
            monkeypatch.setattr(away, "_open_session", refused)
            await strike(cluster, away)
            await until(lambda: not away.is_valid)
            async with worker(address, wanted=7) as (_, other):
                assert (other.share.shard_count, sorted(other.share.own_shards)) == (7, [0, 1])
                monkeypatch.undo()
                await until(away.lost.is_set)
                assert not away.is_valid


async def test_a_standby_that_is_cut_off_is_none(
    address: Address, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with worker(address, most=None):
        told = list[bool]()
        waiting = asyncio.create_task(worker(address, waits=told.append).__aenter__())
        await until(lambda: told[-1:] == [True])
        monkeypatch.setattr(ShardLocks, "_open_session", lambda _: refused())
        cluster.tell(
            "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ 'shards'"
        )
        await until(lambda: told[-1:] == [False])
        told.clear()
        await until(lambda: len(told) > 5)
        assert not any(told)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting


async def test_a_restart_of_postgresql_costs_nobody_a_shard(address: Address, cluster: Cluster) -> None:
    async with worker(address) as (store, one), worker(address) as (_, two), AsyncExitStack() as stack:
        standby = ShardLocks(address, timings=replace(HASTE, claim_after_loss_s=3600))
        await standby.start_session()
        stack.push_async_callback(standby.end_session)
        cluster.stop(at_once=True)
        await until(lambda: not one.is_valid and not two.is_valid)
        cluster.start()
        await until(lambda: one.is_valid and two.is_valid)
        assert [sorted(one.share.own_shards), sorted(two.share.own_shards)] == [[0, 1], [2, 3]]
        await until(lambda: 0 < standby._no_claims_before < inf)
        assert not await standby.claim_shards(store, 6, None, six), "those who had them come first"


async def test_a_worker_with_room_takes_what_nobody_takes(address: Address) -> None:
    timings = replace(HASTE, shards_free_s=0.5)
    async with worker(address, most=2) as (_, full), AsyncExitStack() as stack:
        await stack.enter_async_context(worker(address, most=2))
        async with worker(address, most=5, timings=timings) as (_, roomy):
            assert sorted(roomy.share.own_shards) == [4, 5]
            await stack.aclose()
            await until(roomy.lost.is_set)
            begun = roomy._answered_at
            await until(lambda: roomy._answered_at > begun)
            assert roomy.is_valid, "it finishes what it has begun, for as long as that takes"
        async with worker(address, most=5) as (_, second):
            assert sorted(second.share.own_shards) == [2, 3, 4, 5]
            assert not full.lost.is_set()


async def test_a_pooler_is_refused(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncpg.Connection, "get_server_pid", lambda _: 1)
    with pytest.raises(StoreError) as raised:
        async with worker(address):
            pass
    assert raised.value.fault is Fault.POOLED


# What they do beside each other


async def test_sessions_with_discord_are_begun_in_turn(address: Address) -> None:
    timings = replace(HASTE, identify_interval_s=1)
    begun = list[float]()

    async def begin(locks: ShardLocks, bucket: int) -> None:
        await locks.wait_for_bucket(bucket)
        begun.append(steady_seconds())

    async with worker(address, timings=timings) as (_, one), worker(address, timings=timings) as (_, two):
        await begin(one, 1)
        await asyncio.gather(*(begin(locks, 0) for locks in (one, two, two, one)))
    begun.sort()
    assert begun[1] - begun[0] < 0.9, "another bucket"
    assert all(later - earlier >= 1 for earlier, later in pairwise(begun[1:]))


async def test_an_act_on_another_workers_game_is_announced_there_at_once(address: Address) -> None:
    async with worker(address, 6, 1) as (near_store, near), worker(address, 6, 1) as (far_store, far):
        number = await begun_fast(far_store, FAR)
        heard = asyncio.Queue[str]()
        far.on_message = heard.put_nowait
        leading = make_service(near_store, unshuffled)
        await leading.people.start_vacation(ADA, NOW + 9 * 86400, NOW)
        async with asyncio.timeout(60):
            assert await heard.get() == ""
            near_store.notify_workers("deadline 7")
            assert await heard.get() == "deadline 7"
        assert near.share.own_shards == {0}
        assert await leading.unannounced_news(number) == ()
        assert (await make_service(far_store).unannounced_news(number))[-1].kind is EventKind.AWAY


def test_one_who_is_alone_is_always_sure() -> None:
    assert Lease().is_valid
    assert Lease().share == ShardShare(1, frozenset({0}))


@pytest.mark.parametrize("fault", [Fault.NO_ACCESS, Fault.UNKNOWN, Fault.IN_USE])
async def test_a_worker_restarting_while_the_database_is_unavailable_tries_again(
    address: Address, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fault: Fault
) -> None:
    tried = 0

    async def begin(_: ShardLocks) -> None:
        nonlocal tried
        tried += 1
        raise StoreError(fault, address, "shutting down")

    monkeypatch.setattr(ShardLocks, "start_session", begin)
    async with kept(address, tmp_path, replace(HASTE, connect_retry_s=0.01)) as keeping:
        await until(lambda: tried == 3 or keeping.done())
        assert not keeping.done()


async def test_a_worker_told_to_end_does_so_although_the_database_fails(
    address: Address, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun = asyncio.Event()

    async def begin(_: ShardLocks) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise StoreError(Fault.NO_ACCESS, address, "no answer") from None

    monkeypatch.setattr(ShardLocks, "start_session", begin)
    async with kept(address, tmp_path) as keeping:
        await begun.wait()
        keeping.cancel()
        await until(keeping.done)
