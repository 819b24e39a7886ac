"""Work beside the answers: tasks in the background, pictures in threads, and parts of the tick that may fail alone."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

import discord
import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.fair_thread import FairThread, Priority
from bot.discordkit.log_limiter import LogLimiter
from bot.discordkit.reply import now
from render import View, render_in_steps, warm_caches
from rules import VARIANTS

log = structlog.get_logger()

TaskResultT = TypeVar("TaskResultT")
EditAction = Callable[[], Awaitable[None]]

OLD_MESSAGE_AGE_S = 3600
"""Age in seconds at which a message counts as old: Discord accepts fewer edits of it."""

MAX_QUEUED_EDITS = 50
"""Edits that may wait in a channel. Further ones are dropped: leftover buttons do no harm."""


class BackgroundTasks:
    """Work that continues in the background: posts in progress, and edits of earlier posts.

    Tasks are cancelled only by `finish_tasks`, when the bot stops. After that none are started, because the gateway
    still reports events while the database is about to be closed. At other times, cancelling a task while discord.py
    2.7.1 waits out a global rate limit would block all later requests, so a caller that stops waiting leaves its task
    running.
    """

    def __init__(self, timings: Timings = DEFAULT_TIMINGS) -> None:
        self._timings = timings
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_stopped = False
        self._edits: dict[int, deque[tuple[EditAction, int | None]]] = {}

    def start_task(self, work: Coroutine[Any, Any, TaskResultT]) -> asyncio.Task[TaskResultT]:
        """Starts the work and returns its task; after a stop, the task is cancelled before it does anything."""
        task = asyncio.create_task(work)
        if self._is_stopped:
            task.cancel()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def queue_edit(self, channel: int, edit: EditAction, message: int | None = None) -> None:
        """Queues a best-effort edit in that channel, after the edits that wait there already.

        `message` is the number of the edited message, if known by now.
        """
        if channel not in self._edits:
            self._edits[channel] = deque()
            self.start_task(self._run_edits(channel))
        if len(self._edits[channel]) < MAX_QUEUED_EDITS:
            self._edits[channel].append((edit, message))
        else:
            log.info("left untidied", channel=channel, message=message, waiting=MAX_QUEUED_EDITS)

    async def _run_edits(self, channel: int) -> None:
        edits = self._edits[channel]
        await asyncio.sleep(self._timings.first_edit_delay_s)
        while edits:
            edit, message = edits[0]
            try:
                await edit()
            except Exception:  # nothing waits for an edit, and the next one does not need it
                log.exception("not tidied", channel=channel)
            edits.popleft()
            if message is None or now() - discord.utils.snowflake_time(message).timestamp() >= OLD_MESSAGE_AGE_S:
                await asyncio.sleep(self._timings.old_edit_pause_s)
        del self._edits[channel]

    @property
    def is_idle(self) -> bool:
        """True if nothing is left to do."""
        return len(self._tasks) == len(self._edits) and not any(self._edits.values())

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
        self.failed = False
        """True if a part without a server or game has failed since this was last set to False."""

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
        self.failed |= not where
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
    """Draws boards. Use it as a context manager: entering starts its threads and warms the caches, leaving ends the
    threads.
    """

    def __init__(self, timings: Timings = DEFAULT_TIMINGS) -> None:
        self.thread = FairThread(timings)
        self._public_thread = FairThread(timings)
        """Only for what everybody waits for, so that no question of one person can hold it back."""

    def __enter__(self) -> Pictures:
        self._public_thread.__enter__()
        self.thread.__enter__()
        for variant in VARIANTS.values():
            for seat in variant.seats:
                self.thread.submit_steps(Priority.LATER, warm_caches(variant, seat))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.thread.__exit__(kind, error, trace)
        self._public_thread.__exit__(kind, error, trace)

    async def draw_board(self, view: View, priority: Priority = Priority.PERSON) -> bytes:
        """Returns the view as a PNG."""
        thread = self._public_thread if priority is Priority.PUBLIC else self.thread
        return await thread.run_steps(priority, render_in_steps(view))
