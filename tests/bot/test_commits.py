"""Transactions: those that wait at the same time share a commit."""

from __future__ import annotations

import asyncio
import gc
import random
import sqlite3
import time
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.store import Fault, Store, StoreError, Writer
from tests.bot.test_store import note, query

T = TypeVar("T")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "roundtable.db"


def alone(work: Callable[[Writer], T]) -> Callable[[Writer], Coroutine[Any, Any, T]]:
    """Work that has nothing to await."""

    async def run(writer: Writer) -> T:
        return work(writer)

    return run


async def test_what_fails_leaves_nothing_behind(path: Path) -> None:
    async def work(writer: Writer) -> None:
        await writer.set_meta("half", "done")
        raise LookupError

    async with Store.open(path) as store:
        with pytest.raises(LookupError):
            await store.transaction(work)
        assert await store.reader.meta("half") is None
        await note(store, "the next one is not disturbed")


async def test_of_those_that_share_a_commit_one_that_fails_is_undone_alone(path: Path) -> None:
    async def pair(number: int, writer: Writer) -> None:
        await writer.set_meta(f"left {number}", "x")
        if number % 3 == 0:
            raise LookupError(number)
        await writer.set_meta(f"right {number}", "x")

    async with Store.open(path) as store:
        commits = await count_commits(store)
        results = await asyncio.gather(
            *(store.transaction(partial(pair, number)) for number in range(30)),
            return_exceptions=True,
        )
        assert len(commits) == 1
        assert [str(error) for error in results if error] == [str(number) for number in range(0, 30, 3)]
        kept = {number for number in range(30) if number % 3}
        for side in ("left", "right"):
            assert {number for number in range(30) if await store.reader.meta(f"{side} {number}")} == kept


async def test_a_hundred_that_wait_take_a_few_commits_and_one_alone_takes_one(path: Path) -> None:
    async with Store.open(path) as store:
        commits = await count_commits(store)
        for number in range(3):
            await note(store, f"alone {number}")
        assert len(commits) == 3

        async def write(task: int) -> None:
            for number in range(10):
                await note(store, f"{task}:{number}")

        await asyncio.gather(*(write(task) for task in range(100)))
        assert len(commits) <= 3 + 2 * 10
    assert query(path, "SELECT count(*) FROM meta") == [(1003,)]


async def count_commits(store: Store) -> list[str]:
    """Every COMMIT that the store sends from now on."""
    sent: list[str] = []
    await store._writing.set_trace_callback(lambda sql: sent.append(sql) if sql == "COMMIT" else None)
    return sent


async def test_an_answer_comes_after_the_commit(path: Path) -> None:
    async def answered(number: int) -> object:
        await note(store, f"key {number}")
        return query(path, f"SELECT value FROM meta WHERE key = 'key {number}'")

    async with Store.open(path) as store:
        assert await asyncio.gather(*(answered(number) for number in range(50))) == [[("x",)]] * 50


async def test_a_transaction_reads_what_it_has_written_and_others_only_what_is_committed(path: Path) -> None:
    async def work(writer: Writer) -> tuple[str | None, object]:
        await writer.set_meta("key", "value")
        return await writer.meta("key"), query(path, "SELECT * FROM meta")

    async with Store.open(path) as store:
        assert await store.transaction(work) == ("value", [])
        assert await store.reader.meta("key") == "value"


async def test_the_reader_cannot_write(path: Path) -> None:
    async with Store.open(path) as store:
        with pytest.raises(StoreError):
            await store.reader.run("DELETE FROM meta")


async def test_work_that_waits_for_anything_else_is_refused_and_undone(path: Path) -> None:
    async def work(writer: Writer) -> None:
        await writer.set_meta("half", "done")
        await asyncio.sleep(0)

    async with Store.open(path) as store:
        with pytest.raises(RuntimeError, match="waits for nothing but the writer"):
            await store.transaction(work)
        assert await store.reader.meta("half") is None
        await note(store, "the next one is not disturbed")


async def test_work_runs_in_the_context_of_who_wants_it(path: Path) -> None:
    marks: ContextVar[int] = ContextVar("marks")

    async def marked(number: int) -> int:
        marks.set(number)
        return await store.transaction(alone(lambda _: marks.get()))

    async with Store.open(path) as store:
        assert await asyncio.gather(*(marked(number) for number in range(5))) == list(range(5))


# The disk fails


async def test_a_full_disk_is_named_and_undoes_the_whole_transaction(path: Path) -> None:
    async with Store.open(path) as store:
        await limit_size(store)
        with pytest.raises(StoreError) as raised:
            await store.transaction(too_large)
        assert raised.value.fault is Fault.NO_ACCESS
        assert await store.reader.meta("small") is None
        await note(store, "what still fits")


async def test_a_disk_that_is_full_for_one_of_a_group_leaves_the_others_alone_or_tells_them_all(path: Path) -> None:
    async with Store.open(path) as store:
        await limit_size(store)
        work = [note(store, f"key {number}") for number in range(10)]
        results = await asyncio.gather(*work[:5], store.transaction(too_large), *work[5:], return_exceptions=True)
        assert isinstance(results.pop(5), StoreError)
        await all_told(store, results)


async def test_a_disk_that_is_full_at_the_commit_is_told_to_all_of_the_group(path: Path) -> None:
    async with Store.open(path) as store:
        # The commit itself cannot be made to fail by a small limit: here it is refused as a failing disk would.
        await store._writing.set_authorizer(
            lambda action, what, *_: sqlite3.SQLITE_DENY if what == "COMMIT" else sqlite3.SQLITE_OK
        )
        results = await asyncio.gather(*(note(store, f"key {number}") for number in range(10)), return_exceptions=True)
        assert [type(result) for result in results] == [StoreError] * 10
        assert len({id(result) for result in results}) == 10
        await all_told(store, results)
        await store._writing.set_authorizer(None)
        await note(store, "the next one is not disturbed")


async def test_a_transaction_that_sqlite_undoes_takes_its_group_with_it_and_all_are_told(path: Path) -> None:
    async def undone(writer: Writer) -> None:
        await writer.run("ROLLBACK")  # as SQLite does by itself after some failures of the disk

    async with Store.open(path) as store:
        notes = [note(store, f"key {number}") for number in range(3)]
        results = await asyncio.gather(*notes, store.transaction(undone), return_exceptions=True)
        assert [type(result) for result in results] == [StoreError] * 4
        await all_told(store, results[:3])


async def limit_size(store: Store) -> None:
    await store._writing.run(("PRAGMA max_page_count = 100", ()))


async def too_large(writer: Writer) -> None:
    await writer.set_meta("small", "x")
    await writer.set_meta("large", "x" * 10_000_000)


async def all_told(store: Store, results: list[BaseException | None]) -> None:
    """Asserts that of the transactions that set `key 0` and so on, those that were not told of a failure are there."""
    for number, result in enumerate(results):
        assert await store.reader.meta(f"key {number}") == (None if result else "x")
    assert await store.reader.meta("small") is None


# Many at once, and callers who go


async def test_transactions_do_not_mix(path: Path) -> None:
    async def increment(writer: Writer) -> None:
        count = int(await writer.meta("count") or 0)
        await writer.set_meta("count", str(count + 1))

    async with Store.open(path) as store:

        async def often() -> None:
            for _ in range(10):
                await store.transaction(increment)

        await asyncio.gather(*(often() for _ in range(30)))
        assert await store.reader.meta("count") == "300"


async def test_a_storm_of_cancellations_leaves_all_or_nothing(path: Path) -> None:
    async def pair(store: Store, number: int) -> None:
        async def work(writer: Writer) -> None:
            await writer.set_meta(f"left {number}", "x")
            if number % 5 == 0:
                raise LookupError
            await writer.set_meta(f"right {number}", "x")

        await store.transaction(work)

    rng = random.Random(3)
    async with Store.open(path) as store:
        for wave in range(10):
            tasks = [asyncio.create_task(pair(store, 20 * wave + number)) for number in range(20)]
            await asyncio.sleep(rng.random() / 200)
            for task in tasks:
                if rng.random() < 0.7:
                    task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(result is None or isinstance(result, asyncio.CancelledError | LookupError) for result in results)
            told = [20 * wave + number for number, result in enumerate(results) if result is None]
            assert all([await store.reader.meta(f"left {number}") for number in told])
            await note(store, f"after wave {wave}")
        done = {number for number in range(200) if await store.reader.meta(f"left {number}")}
        assert done == {number for number in range(200) if await store.reader.meta(f"right {number}")}


async def test_closing_waits_for_transactions_whose_callers_have_gone(path: Path) -> None:
    async def slow(writer: Writer) -> None:
        time.sleep(0.05)  # noqa: ASYNC251 - on the thread of the connection
        await writer.set_meta("slow", "done")

    async with Store.open(path) as store:
        callers = [asyncio.create_task(store.transaction(slow)), asyncio.create_task(note(store, "behind it"))]
        await asyncio.sleep(0.01)
        for caller in callers:
            caller.cancel()
    assert sorted(query(path, "SELECT key FROM meta")) == [("behind it",), ("slow",)]


def test_a_transaction_under_way_when_the_loop_ends_is_done_or_not_and_nothing_is_left_open(path: Path) -> None:
    async def slow(writer: Writer) -> None:
        await writer.set_meta("left", "done")
        time.sleep(0.05)  # noqa: ASYNC251 - on the thread of the connection
        await writer.set_meta("right", "done")

    async def main() -> None:
        async with Store.open(path) as store:
            callers = [asyncio.create_task(store.transaction(slow)), asyncio.create_task(note(store, "behind it"))]
            await asyncio.sleep(0.01)
            everything = asyncio.all_tasks() - {asyncio.current_task()}
            for task in everything:
                task.cancel()
            await asyncio.wait(everything)
            assert all(caller.cancelled() for caller in callers)
            await note(store, "the next one is not disturbed")

    asyncio.run(main())
    assert len(query(path, "SELECT key FROM meta WHERE key IN ('left', 'right')")) in (0, 2)


async def test_the_failure_of_work_whose_caller_has_gone_is_no_complaint(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def failing(writer: Writer) -> None:
        time.sleep(0.02)  # noqa: ASYNC251 - on the thread of the connection
        raise LookupError

    async with Store.open(path) as store:
        caller = asyncio.create_task(store.transaction(failing))
        await asyncio.sleep(0.01)
        caller.cancel()
        await asyncio.wait([caller])
    gc.collect()
    assert caplog.records == []
