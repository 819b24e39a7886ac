"""Work beside the answers: tasks in the background, pictures in threads, and parts of the tick that may fail alone."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self, TypeAlias, TypeVar

import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.fair_thread import FairThread
from bot.discordkit.metrics import LogLimiter
from bot.store import Reader, Writer
from render import View, render_in_steps, warm_caches
from rules import VARIANTS

log = structlog.get_logger()

TaskResultT = TypeVar("TaskResultT")
ValueT = TypeVar("ValueT")

_BESIDE = ThreadPoolExecutor(1, "compute")
"""One thread: more would finish nothing earlier, and would keep the interpreter from the event loop."""


async def compute_beside(work: Callable[..., ValueT], *values: object) -> ValueT:
    """Returns what the function makes of the values. It runs beside the event loop, one at a time."""
    return await asyncio.get_running_loop().run_in_executor(_BESIDE, work, *values)


async def compute_for(reader: Reader, work: Callable[..., ValueT], *values: object) -> ValueT:
    """Does what `compute_beside` does; but in a transaction the function runs at once, since others wait for that."""
    return work(*values) if isinstance(reader, Writer) else await compute_beside(work, *values)


class BackgroundTasks:
    """Work that continues in the background, such as posts in progress.

    Tasks are cancelled only by `finish_tasks`, when the bot stops. After that none are started, because the gateway
    still reports events while the database is about to be closed. At other times, cancelling a task while discord.py
    2.7.1 waits out a global rate limit would block all later requests, so a caller that stops waiting leaves its task
    running.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()
        self._is_stopped = False

    def start_task(self, work: Coroutine[Any, Any, TaskResultT]) -> asyncio.Task[TaskResultT]:
        """Starts the work and returns its task; after a stop, the task is cancelled before it does anything."""
        task = asyncio.create_task(work)
        if self._is_stopped:
            task.cancel()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @property
    def is_idle(self) -> bool:
        """True if nothing is left to do."""
        return not self._tasks

    async def finish_tasks(self, within: float) -> None:
        """Waits up to `within` seconds for work in progress, then cancels it and starts nothing more. Stored news is
        announced after the next start.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        while not self.is_idle and loop.time() < until:
            await asyncio.wait(self._tasks, timeout=0.05)
        self._is_stopped = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


FAILURES_TO_REPORT = 3
"""The failures in a row after which `/healthz` reports a part."""

MAX_PARTS_NAMED = 5
"""The most failing parts that are named. The others are only counted."""

FAILURE_LIFETIME_S = 15 * 60.0
"""Seconds after which a failure that has not recurred is forgotten: its server or game may be gone."""

AttemptKey: TypeAlias = tuple[str, tuple[tuple[str, object], ...]]
"""The name of a part, and its server or game if it concerns a single one."""


class Attempts:
    """Contains failures: counts them, logs each at most once an hour, and knows which ones persist."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seldom = LogLimiter(clock=clock)
        self._failing: Counter[AttemptKey] = Counter()
        self._failed_at: dict[AttemptKey, float] = {}
        self.on_failure: Callable[[str], None] = lambda _: None
        """Called with the name of a part that has failed."""

    @contextmanager
    def contain_failures(self, part: str, **where: object) -> Iterator[None]:
        """Contains any failure in the block. `where` names the server or game if the part concerns a single one.

        A nested part needs a name of its own, because otherwise the success of the outer part would hide its failures.
        """
        key = part, tuple(where.items())
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the other parts must continue
            self._note_failure(key, error)
        else:
            self._failing.pop(key, None)

    def _note_failure(self, key: AttemptKey, error: Exception) -> None:
        part, where = key
        self._failing[key] += 1
        self._failed_at[key] = self._clock()
        self.on_failure(part)
        if self._seldom.may_log_now((key, type(error))):
            log.error("part of the tick failed", part=part, **dict(where), in_a_row=self._failing[key], exc_info=error)

    def describe_failures(self, *, everywhere: bool) -> str | None:
        """Describes the parts that have failed `FAILURES_TO_REPORT` times in a row; None if there are none.

        `everywhere` selects the parts that concern all servers, instead of those of a single server or game.
        """
        since = self._clock() - FAILURE_LIFETIME_S
        for key in [key for key, at in self._failed_at.items() if at < since or key not in self._failing]:
            self._failing.pop(key, None)
            del self._failed_at[key]
        failing = [key for key, times in self._failing.items() if times >= FAILURES_TO_REPORT]
        named = [_part_text(part, where) for part, where in failing if bool(where) is not everywhere]
        more = [f"{len(named) - MAX_PARTS_NAMED} more"] if len(named) > MAX_PARTS_NAMED else []
        return f"failing: {', '.join(named[:MAX_PARTS_NAMED] + more)}" if named else None


def _part_text(part: str, where: tuple[tuple[str, object], ...]) -> str:
    named = " ".join(f"{name} {value}" for name, value in where)
    return f"{part} ({named})" if named else part


class Pictures:
    """Draws boards. Use it as a context manager: entering warms the caches, leaving ends the threads."""

    def __init__(self, timings: Timings = DEFAULT_TIMINGS) -> None:
        self.thread = FairThread(timings)
        self._public_thread = FairThread(timings)
        """Only for what everybody waits for, so that no question of one person can hold it back."""
        self._warming: asyncio.Task[None] | None = None

    def __enter__(self) -> Self:
        self._public_thread.__enter__()
        self.thread.__enter__()
        self._warming = asyncio.create_task(self.thread.run_steps(_warm_all_caches()))
        return self

    def __exit__(self, *_: object) -> None:
        if self._warming:
            self._warming.cancel()
        self.thread.__exit__()
        self._public_thread.__exit__()

    async def draw_board(self, view: View, *, public: bool = False) -> bytes:
        """Returns the view as a PNG. `public`: everybody waits for it."""
        thread = self._public_thread if public else self.thread
        async with thread.drawing:
            return await thread.run_steps(render_in_steps(view))


def _warm_all_caches() -> Generator[None, None, None]:
    for variant in VARIANTS.values():
        for seat in variant.seats:
            yield from warm_caches(variant, seat)
