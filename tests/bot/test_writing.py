"""Transactions run one at a time, whole or undone, even if the disk fails or the caller is cancelled."""

from __future__ import annotations

import asyncio
import errno
import gc
import random
import shutil
import sqlite3
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bot.core.clock import DAY, Pace
from bot.core.fold import replay_match
from bot.core.timings import DEFAULT_TIMINGS
from bot.features import FEATURES
from bot.play.service import Service, upkeep
from bot.store import ConflictError, Fault, Store, StoreError
from tests.bot import acts
from tests.bot.databases import change, fails, halves, note, pair, query
from tests.bot.playing import ADA, BO, GUILD, NOW, random_move, started, table

GAMES = 20
"""Games in which people move, in turn."""


async def delay(store: Store, statement: str, seconds: float = 0.05) -> asyncio.Event:
    """Slows every later statement with this beginning, on the connection's thread; must be set first."""
    reached, loop = asyncio.Event(), asyncio.get_running_loop()

    def wait(sql: str) -> None:
        if sql.startswith(statement):
            loop.call_soon_threadsafe(reached.set)
            time.sleep(seconds)

    await store._write_connection.base.set_trace_callback(wait)
    return reached


async def test_a_failed_transaction_leaves_nothing_and_disturbs_no_other(either: Store) -> None:
    async def fail() -> None:
        async with either.write_transaction() as tx:
            await tx.set_meta("half", "done")
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert await either.reader.get_meta("half") is None
    await pair(either, "the next one is not disturbed")


async def test_a_transaction_reads_its_own_writes_and_others_only_committed_data(either: Store) -> None:
    async with either.write_transaction() as tx:
        await tx.set_meta("key", "value")
        assert await tx.get_meta("key") == "value"
        assert await either.reader.get_meta("key") is None
    assert await either.reader.get_meta("key") == "value"


async def test_events_come_back_as_they_went_in_and_only_once(either: Store) -> None:
    events = started("tri-camelot")
    async with either.write_transaction() as tx:
        match_id = await tx.add_match(replay_match(0, events), events)

    async def append_again() -> None:
        async with either.write_transaction() as tx:
            await tx.append_events(replay_match(match_id, events), events[-1:])

    with pytest.raises(ConflictError):
        await append_again()
    assert await either.reader.load_events(match_id) == tuple(events)
    assert [game.id for game in await either.reader.games_of(GUILD, ADA, live=True)] == [match_id]
    assert await either.reader.games_of(None, BO, live=False)


async def test_numbers_are_never_given_twice(either: Store) -> None:
    async def add() -> int:
        async with either.write_transaction() as tx:
            return await tx.add_match(replay_match(0, table()), table())

    assert [await add(), await add()] == [1, 2]
    async with either.write_transaction() as tx:
        await tx.run_batch([(f"DELETE FROM {name}", ()) for name in ("events", "players", "matches")])
    assert await add() == 3


async def test_an_answer_comes_after_the_commit(store: Store, path: Path) -> None:
    async def answered(number: int) -> object:
        await note(store, f"key {number}")
        return query(path, f"SELECT value FROM meta WHERE key = 'key {number}'")

    assert await asyncio.gather(*(answered(number) for number in range(50))) == [[("x",)]] * 50


async def test_the_reader_cannot_write(either: Store) -> None:
    with pytest.raises(StoreError):
        await either.reader.run_sql("DELETE FROM meta")


async def test_transactions_do_not_mix(store: Store) -> None:
    async def often() -> None:
        for _ in range(10):
            async with store.write_transaction() as tx:
                count = int(await tx.get_meta("count") or 0)
                await asyncio.sleep(0)
                await tx.set_meta("count", str(count + 1))

    await asyncio.gather(*(often() for _ in range(30)))
    assert await store.reader.get_meta("count") == "300"


async def test_they_run_in_the_order_in_which_they_were_asked_for(store: Store) -> None:
    done: list[int] = []

    async def one(number: int) -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("last", str(number))
            done.append(number)

    await asyncio.gather(*(one(number) for number in range(30)))
    assert done == list(range(30))


async def test_a_transaction_within_a_transaction_is_a_mistake_and_not_a_standstill(store: Store) -> None:
    async def begin_another() -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("half", "done")
            await note(store, "within")

    with pytest.raises(AssertionError, match="within a transaction"):
        await begin_another()
    assert await store.reader.get_meta("half") is None
    await note(store, "the next one is not disturbed")


@pytest.mark.sqlite
async def test_on_a_slow_disk_a_mover_waits_for_one_due_game(store: Store) -> None:
    """People move in some games, one after the other, ten times a second, while many others are ticked."""
    begun, due, fsync = started(pace=Pace.FAST), 70, 0.03
    async with store.write_transaction() as tx:
        for _ in range(due):
            await tx.add_match(replay_match(0, begun), begun)
        moved_in = [await tx.add_match(replay_match(0, begun), begun) for _ in range(GAMES)]
    service = Service(store, FEATURES)
    await upkeep.tick_matches(service, NOW)
    await change(store, "UPDATE matches SET deadline = NULL WHERE id >= ?", moved_in[0])  # games with moves are not due
    await delay(store, "COMMIT", fsync)
    waited, begun_at = list[float](), time.perf_counter()
    ticking = asyncio.create_task(upkeep.tick_matches(service, NOW + 30 * DAY))
    while not ticking.done():
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(ticking), 0.1)
            break
        asked = time.perf_counter()
        match = await service.current_match(moved_in[len(waited) % GAMES], GUILD)
        await acts.move(service, match.id, GUILD, match.to_move or 0, random_move(match, random.Random(1)), NOW + 2)
        waited.append(time.perf_counter() - asked)
    assert len(await ticking) == due
    assert time.perf_counter() - begun_at > due * fsync, "each game has a transaction of its own"
    assert len(waited) > 5
    assert max(waited) < 1.2, "half of the tick; mostly it is two commits"


# The disk fails


@pytest.mark.sqlite
async def test_a_full_disk_is_named_and_undoes_the_whole_transaction(store: Store) -> None:
    async def fill() -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("small", "x")
            await tx.set_meta("large", "x" * 10_000_000)

    await store._write_connection.run_sql("PRAGMA max_page_count = 100")
    with fails(Fault.NO_ACCESS):
        await fill()
    assert await store.reader.get_meta("small") is None
    await note(store, "what still fits")


@pytest.mark.sqlite
async def test_a_commit_that_fails_is_told_and_nothing_of_it_is_there(store: Store) -> None:
    # No small limit makes the commit itself fail: here it is refused as by a failing disk.
    await store._write_connection.base.set_authorizer(
        lambda action, what, *_: sqlite3.SQLITE_DENY if what == "COMMIT" else sqlite3.SQLITE_OK
    )
    with pytest.raises(StoreError):
        await pair(store, "refused")
    await store._write_connection.base.set_authorizer(None)
    assert await halves(store, "refused") == 0
    await note(store, "the next one is not disturbed")


async def test_a_transaction_that_is_undone_already_is_not_taken_for_done(either: Store) -> None:
    async def undo() -> None:
        async with either.write_transaction() as tx:
            await tx.set_meta("half", "done")
            await tx.run_sql("ROLLBACK")  # as SQLite does by itself after some disk errors

    with pytest.raises(StoreError):
        await undo()
    assert await either.reader.get_meta("half") is None
    await note(either, "the next one is not disturbed")


# The caller goes


@pytest.mark.sqlite
@pytest.mark.parametrize("statement", ["BEGIN", "SELECT", "COMMIT"])
async def test_a_cancelled_writer_leaves_all_or_nothing_and_the_next_one_undisturbed(
    store: Store, statement: str
) -> None:
    async def read_and_pair() -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("left first", "x")
            await tx.get_meta("left first")
            await tx.set_meta("right first", "x")

    reached = await delay(store, statement)
    caller, later = asyncio.create_task(read_and_pair()), asyncio.create_task(pair(store, "second"))
    await reached.wait()
    caller.cancel()
    await asyncio.sleep(0)
    caller.cancel()  # twice, as by an impatient caller
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await halves(store, "first") == (2 if statement == "COMMIT" else 0)
    await later
    assert await halves(store, "second") == 2


async def test_who_is_cancelled_while_another_writes_does_not_write(store: Store) -> None:
    async with store.write_transaction() as tx:
        waiting = asyncio.create_task(pair(store, "waiting"))
        await asyncio.sleep(0)
        waiting.cancel()
        await tx.set_meta("goes on", "x")
    with suppress(asyncio.CancelledError):
        await waiting
    assert waiting.cancelled()
    assert await halves(store, "waiting") == 0


async def test_a_storm_of_cancellations_leaves_all_or_nothing(either: Store) -> None:
    rng = random.Random(3)
    for wave in range(8):
        tasks = [asyncio.create_task(pair(either, f"{wave}:{number}")) for number in range(20)]
        await asyncio.sleep(rng.random() / 50)
        for task in tasks:
            if rng.random() < 0.7:
                task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for number, result in enumerate(results):
            done = await halves(either, f"{wave}:{number}")
            assert done == 2 if result is None else done in (0, 2)
        await pair(either, f"after wave {wave}")


async def test_a_call_waits_only_once_for_a_database_held_elsewhere(store: Store, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begun = asyncio.get_running_loop().time()
        told = await asyncio.gather(*(note(store, str(number)) for number in range(8)), return_exceptions=True)
        waited = asyncio.get_running_loop().time() - begun
        other.execute("ROLLBACK")
    assert {type(error) for error in told} == {StoreError}
    assert waited < 4 * DEFAULT_TIMINGS.busy_timeout_s  # eight of them one after the other take twice that
    await note(store, "the next one is not disturbed")


@pytest.mark.sqlite
async def test_writers_at_the_same_time_share_a_sync_and_wait_for_it(store: Store) -> None:
    synced, on_disk = list[int](), threading.Event()

    def sync(handle: int) -> None:
        synced.append(handle)
        on_disk.wait(30)

    store._write_connection.sync = sync
    writers = [asyncio.create_task(note(store, str(number))) for number in range(10)]
    await asyncio.wait(writers, timeout=0.5)
    assert not [writer for writer in writers if writer.done()]
    on_disk.set()
    await asyncio.gather(*writers)
    assert len(synced) == 1


@pytest.mark.sqlite
async def test_what_need_not_be_durable_is_after_a_flush(store: Store, path: Path, tmp_path: Path) -> None:
    left = tmp_path / "after a power cut.db"

    def sync(_: int) -> None:
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{left}{ending}")

    store._write_connection.sync = sync
    async with store.write_transaction(durable=False) as tx:
        await tx.set_meta("mark", "")
    assert not left.exists()
    await store.flush_commits()
    assert len(query(left, "SELECT key FROM meta WHERE key = 'mark'")) == 1


@pytest.mark.sqlite
async def test_a_failed_sync_is_raised(store: Store) -> None:
    def sync(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    store._write_connection.sync = sync
    with fails(Fault.UNKNOWN, "Input/output error"):
        await note(store, "mark")


@pytest.mark.sqlite
async def test_closing_waits_for_a_transaction_that_goes_to_the_disk(path: Path) -> None:
    async with Store.open(path) as store:
        reached = await delay(store, "COMMIT")
        caller = asyncio.create_task(pair(store, "last"))
        await reached.wait()
        caller.cancel()
    assert len(query(path, "SELECT key FROM meta")) == 2


@pytest.mark.sqlite
def test_a_transaction_at_the_loops_end_is_whole_or_absent_and_closed(path: Path) -> None:
    async def main() -> None:
        async with Store.open(path) as store:
            reached = await delay(store, "COMMIT")
            callers = [asyncio.create_task(pair(store, name)) for name in ("one", "two")]
            await reached.wait()
            everything = asyncio.all_tasks() - {asyncio.current_task()}
            for task in everything:
                task.cancel()
            await asyncio.wait(everything)
            assert all(caller.cancelled() for caller in callers)
            await note(store, "the next one is not disturbed")

    asyncio.run(main())
    assert len(query(path, "SELECT key FROM meta WHERE key LIKE '% one'")) in (0, 2)
    assert not query(path, "SELECT key FROM meta WHERE key LIKE '% two'")


@pytest.mark.sqlite
async def test_the_failure_of_a_commit_whose_caller_has_gone_is_no_complaint(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    reached = await delay(store, "INSERT")
    await store._write_connection.base.set_authorizer(
        lambda action, what, *_: sqlite3.SQLITE_DENY if what == "COMMIT" else sqlite3.SQLITE_OK
    )
    caller = asyncio.create_task(pair(store, "refused"))
    await reached.wait()
    caller.cancel()
    await asyncio.wait([caller])
    gc.collect()
    assert caplog.records == []
