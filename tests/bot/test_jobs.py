"""Jobs: what is done when, how often and in which order, and what a crash leaves of it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.core.timings import DEFAULT_TIMINGS
from bot.play.announcing import ticker as jobs_module
from bot.play.announcing.ticker import Jobs
from bot.play.context import Done, GiveUp, JobKind, Later, Outcome
from bot.play.service import Service
from bot.store import Job, Writer
from tests.bot.contexts import make_context, run_jobs
from tests.bot.databases import write
from tests.bot.playing import GUILD, NOW

GONE: Any = SimpleNamespace(status=404, reason="")


class Bench:
    """A bot with one kind of job and one kind of edit. Jobs whose keys end in 0 last until something frees them."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.service, self.now, self.done, self.free = service, NOW, list[str](), asyncio.Event()
        self.outcomes: dict[str, Outcome | Exception] = {}
        monkeypatch.setattr(jobs_module, "now", lambda: self.now)
        self.context = make_context(service, reaches_server={GUILD}.__contains__)
        self.context.timings = replace(DEFAULT_TIMINGS, old_edit_pause_s=0)
        edit, work = JobKind("edit", self.run, is_edit=True), JobKind("work", self.run)
        self.jobs = Jobs(self.context, (edit, work))

    async def run(self, _: object, job: Job) -> Outcome:
        self.done.append(job.key)
        if job.key.endswith("0"):
            await self.free.wait()
        outcome = self.outcomes.get(job.key, Done())
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def ask(self, kind: str, *keys: str, guild: int = GUILD) -> None:
        await write(self.service.store, Writer.add_jobs, *(Job(kind, key, guild, due_at=self.now) for key in keys))

    async def work(self) -> dict[str, tuple[int | None, int]]:
        """Does what is due. Returns when each job that is left is due, and its tries."""
        self.free.set()
        await run_jobs(self.jobs, self.context)
        return {job.key: (job.due_at, job.tries) for job in await self.service.reader.find_jobs("1 = 1")}


@pytest.fixture
def bench(service: Service, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(service, monkeypatch)


async def test_edits_in_a_channel_follow_each_other_and_are_done_once(bench: Bench) -> None:
    for _ in range(3):
        await bench.ask("edit", "1:10", "1:21", "2:11")
    await bench.jobs.start_due()
    while "2:11" not in bench.done:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)
    assert sorted(bench.done) == ["1:10", "2:11"]
    await bench.ask("edit", "1:10")  # while it runs
    for _ in range(2):
        assert await bench.work() == {}
        assert sorted(bench.done) == ["1:10", "1:10", "1:21", "2:11"]


@pytest.mark.parametrize(
    ("edited", "pause"),
    [(0, 60), (discord.utils.time_snowflake(datetime.fromtimestamp(NOW, UTC)), 60), (1 << 22, 0.05)],
)
async def test_only_an_edit_of_an_old_message_is_followed_by_a_pause(bench: Bench, edited: int, pause: float) -> None:
    bench.context.timings, began = replace(DEFAULT_TIMINGS, old_edit_pause_s=pause), time.monotonic()
    bench.outcomes = {"1:21": Done(edited=edited)}  # the key of a match's board ends in the match's number
    await bench.ask("edit", "1:21")
    await asyncio.wait_for(bench.work(), 30)
    assert time.monotonic() - began >= pause % 60


async def test_a_job_that_ends_while_it_is_read_is_not_repeated(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    await bench.ask("work", "10")
    await bench.jobs.start_due()
    read = bench.service.reader.due_jobs

    async def read_slowly(now: int, more: str = "", **values: object) -> list[Job]:
        found = await read(now, more, **values)
        if not more:
            bench.free.set()
            while not bench.context.background.is_idle:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0)
        return found

    monkeypatch.setattr(bench.service.reader, "due_jobs", read_slowly)
    await bench.work()
    assert bench.done == ["10"]


async def test_a_job_that_is_due_again_waits_for_no_tick(bench: Bench) -> None:
    for bench.outcomes in ({"late": Done(again_at=NOW + 3600)}, {"soon": Done(again_at=NOW)}):
        assert not bench.context.jobs_due.is_set()
        await bench.ask("work", *bench.outcomes)
        await bench.work()
    await asyncio.wait_for(bench.context.jobs_due.wait(), 1)


async def test_what_fails_is_tried_later_or_given_up(bench: Bench) -> None:
    async def tell(tx: Any) -> None:
        await tx.set_meta("told", "yes")

    refused, soon = discord.NotFound(GONE, ""), Later(NOW + 5)
    bench.outcomes = {"bug": KeyError(), "gone": refused, "no": GiveUp(tell), "away": OSError(), "soon": soon}
    await bench.ask("work", *bench.outcomes)
    await bench.ask("work", "out of reach", guild=77)
    await bench.ask("of a later version", "new")
    waiting = {"out of reach": (NOW, 0), "new": (NOW, 0)}
    assert await bench.work() == waiting | {"bug": (NOW + 60, 1), "away": (NOW + 60, 1), "soon": (NOW + 5, 1)}
    assert await bench.service.reader.get_meta("told") == "yes"
    bench.outcomes = {"bug": KeyError()}
    bench.now += 60
    assert await bench.work() == waiting | {"bug": (NOW + 180, 2)}
    bench.now += 120
    bench.outcomes = {}
    assert await bench.work() == waiting
    bench.outcomes = {"1:21": KeyError()}
    await bench.ask("edit", "1:21")
    for _ in range(jobs_module.MAX_EDIT_TRIES):
        left = await bench.work()
        bench.now += 3600
    assert left == waiting
