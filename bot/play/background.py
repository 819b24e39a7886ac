"""Work that continues in the background, with a limit and an end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import discord
import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.reply import now

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
