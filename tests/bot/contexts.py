"""A stand-in for the bot's context, and its jobs."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from bot.core.timings import DEFAULT_TIMINGS
from bot.play.announcing.ticker import Jobs
from bot.play.background import BackgroundTasks


def make_context(service: object, **more: object) -> Any:
    """Returns a context of a bot that reaches every server and knows none; `more` adds to it, or replaces."""
    parts = {
        "service": service,
        "client": SimpleNamespace(get_guild=lambda _: None),
        "server_language": lambda _: "en",
        "timings": DEFAULT_TIMINGS,
        "background": BackgroundTasks(),
        "announcements_due": asyncio.Event(),
        "jobs_due": asyncio.Event(),
        "outbox_locks": {},
        "reaches_server": lambda _: True,
        "is_connected": lambda: True,
    }
    return SimpleNamespace(**parts | more)


async def finish_tasks(context: Any) -> None:
    """Waits until nothing runs in the background any more."""
    while not context.background.is_idle:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)


async def run_jobs(jobs: Jobs, context: Any) -> None:
    """Does the jobs that are due."""
    await jobs.start_due()
    await finish_tasks(context)
