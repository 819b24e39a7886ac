"""The store on PostgreSQL with lost connections and restarts of the server."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import asyncpg
import pytest

from bot.core.timings import DEFAULT_TIMINGS
from bot.store import ConflictError, Fault, Store, StoreError
from bot.store.connection import Address
from bot.store.postgresql import LOCK_ID, PostgresSession
from tests.bot.databases import fails, halves, pair
from tests.bot.playing import existing
from tests.examples import AtMost
from tests.postgresql import Cluster
from tests.proxy import Proxy, proxied

pytestmark = pytest.mark.long


@pytest.fixture
async def store(address: Address) -> AsyncIterator[Store]:
    async with Store.open(address) as opened:
        yield opened


# The server


async def test_the_server_may_be_restarted(store: Store, cluster: Cluster) -> None:
    await pair(store, "before")
    assert await halves(store, "before") == 2
    cluster.stop(at_once=True)
    with pytest.raises(StoreError):
        await pair(store, "while it is away")
    with pytest.raises(StoreError):
        await halves(store, "while it is away")
    cluster.start()
    await pair(store, "after")
    assert await halves(store, "before") == await halves(store, "after") == 2
    assert await halves(store, "while it is away") == 0


async def test_a_connection_that_is_lost_in_a_transaction_undoes_it(store: Store, cluster: Cluster) -> None:
    async def lose() -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("half", "done")
            [(pid,)] = await tx.run_sql("SELECT pg_backend_pid()")
            cluster.tell("postgres", f"SELECT pg_terminate_backend({pid})")
            with suppress(StoreError):
                await tx.set_meta("other half", "done")
            await tx.set_meta("third half", "done")

    with pytest.raises(StoreError):
        await lose()
    assert await store.reader.run_sql("SELECT * FROM meta") == []
    await pair(store, "the next one is not disturbed")


async def test_a_swallowed_error_undoes_its_transaction_and_is_told(store: Store) -> None:
    async def swallow() -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("half", "done")
            with suppress(ConflictError):
                await tx.add_row("meta", {"key": "half", "value": "again"})

    with pytest.raises(StoreError):
        await swallow()
    assert await store.reader.run_sql("SELECT * FROM meta") == []


async def test_a_lock_that_a_lost_connection_still_holds_is_waited_for(store: Store, address: Address) -> None:
    assert isinstance(store._write_connection, PostgresSession)
    holding = await asyncpg.connect(address.url)
    taking = asyncio.create_task(holding.execute("SELECT pg_advisory_lock($1, 0)", LOCK_ID))
    while not await store.reader.run_sql("SELECT 1 FROM pg_locks WHERE granted = false"):
        pass  # it must be the next to have the lock
    existing(store._write_connection._base).terminate()
    await taking
    freed = asyncio.get_running_loop().call_later(0.3, holding.terminate)
    await pair(store, "later")
    assert await halves(store, "later") == 2
    assert freed.when() < asyncio.get_running_loop().time()


@contextmanager
def next_commit_lost(stored: bool) -> Iterator[None]:
    """Loses the answer to the commit."""
    execute = asyncpg.Connection.execute

    async def lose(base: asyncpg.Connection, sql: str, *values: object, **options: object) -> object:
        if sql != "COMMIT":
            return await execute(base, sql, *values, **options)  # type: ignore[arg-type]  # handed on as it came
        changed.undo()
        if stored:
            await execute(base, sql)
        base.terminate()
        raise ConnectionResetError

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(asyncpg.Connection, "execute", lose)
        yield


@pytest.mark.parametrize("stored", [True, False])
async def test_a_commit_whose_answer_is_lost_is_not_told_as_undone(store: Store, stored: bool) -> None:
    with next_commit_lost(stored), fails(Fault.UNKNOWN):
        await pair(store, "lost")
    assert await halves(store, "lost") == (2 if stored else 0)
    await pair(store, "the next one is not disturbed")


@pytest.mark.timeout(600)
async def test_whatever_befalls_the_server_what_is_told_is_so(store: Store, cluster: Cluster, at_most: AtMost) -> None:
    """Runs transactions while the server is killed, stopped, or drops its sessions."""
    rng = random.Random()
    stored, refused, unknown = list[str](), list[str](), list[str]()
    over = False

    async def write() -> None:
        while not over:
            name = f"{len(stored) + len(refused) + len(unknown)}"
            try:
                await pair(store, name)
                stored.append(name)
            except StoreError as error:
                (unknown if error.fault is Fault.UNKNOWN else refused).append(name)
                await asyncio.sleep(0.01)

    writing = asyncio.create_task(write())
    for _ in range(at_most(60, 15)):
        await asyncio.sleep(rng.random() / 10)
        blow = rng.random()
        if blow < 0.7:
            await asyncio.to_thread(
                cluster.tell,
                "postgres",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'round-table'",
            )
        else:
            await asyncio.to_thread(cluster.stop, at_once=blow < 0.85)
            await asyncio.to_thread(cluster.start)
    over = True
    await writing
    assert stored
    assert [name for name in stored if await halves(store, name) != 2] == []
    assert [name for name in refused if await halves(store, name)] == []
    assert [name for name in unknown if await halves(store, name) == 1] == []


# The network freezes


class Line(NamedTuple):
    """The network path to the database."""

    proxy: Proxy
    address: Address

    def freeze(self) -> None:
        """Stops all data from now on, without a notice to either side."""
        self.proxy.flowing.clear()

    def thaw(self) -> None:
        """Delivers the delayed data, also of clients that have since disconnected."""
        self.proxy.mend()


@pytest.fixture
async def line(address: Address) -> AsyncIterator[Line]:
    async with proxied(address) as laid:
        yield Line(*laid)


async def told(act: Awaitable[object]) -> Fault:
    """Returns the errors that callers get; none waits through two failures in a row."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    with pytest.raises(StoreError) as raised:
        await act
    assert clock() - begun < 2 * DEFAULT_TIMINGS.database_answer_timeout_s
    return raised.value.fault


async def test_during_a_frozen_network_actors_are_told_in_time_and_work_resumes(line: Line) -> None:
    async with Store.open(line.address) as store:
        await pair(store, "before")
        line.freeze()
        for names in ("one", "two", "three"), ("later",):
            acts = (act(store, name) for name in names for act in (pair, halves))
            # A transaction that waits for another one waits no longer than that one.
            assert {*await asyncio.gather(*map(told, acts))} == {Fault.NO_ACCESS}
        line.thaw()
        await pair(store, "after")
        assert [await halves(store, name) for name in ("before", "one", "later", "after")] == [2, 0, 0, 2]


@pytest.mark.parametrize(("within", "fault", "kept"), [(True, Fault.NO_ACCESS, 0), (False, Fault.UNKNOWN, 2)])
async def test_a_network_freeze_undoes_a_transaction_or_leaves_its_commit_unknown(
    line: Line, within: bool, fault: Fault, kept: int
) -> None:
    async def act(store: Store) -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("left act", "x")
            if within:
                line.freeze()
            await tx.set_meta("right act", "x")
            line.freeze()

    async with Store.open(line.address) as store:
        assert await told(act(store)) is fault
        line.thaw()
        await pair(store, "after")
        assert [await halves(store, name) for name in ("act", "after")] == [kept, 2]


async def test_a_call_cancelled_on_a_frozen_network_holds_nobody_up(line: Line) -> None:
    async with Store.open(line.address) as store:
        await pair(store, "before")
        line.freeze()
        begun = asyncio.create_task(pair(store, "cancelled"))
        await asyncio.sleep(0.1)
        begun.cancel()
        assert await told(pair(store, "next")) is Fault.NO_ACCESS
        line.thaw()
        await pair(store, "after")
        assert [await halves(store, name) for name in ("cancelled", "next", "after")] == [0, 0, 2]


async def test_maintenance_is_patient(line: Line) -> None:
    async with Store.open(line.address, no_timeouts=True) as store:
        line.freeze()
        thawed = asyncio.get_running_loop().call_later(3, line.thaw)
        await pair(store, "late")
        assert thawed.when() <= asyncio.get_running_loop().time()
        assert await halves(store, "late") == 2
