"""The program at the clock of the house, with short waits; see the package."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from bot.core import timings
from bot.play.announcing import ticker
from bot.play.service.presence import Presence
from bot.store import postgresql
from tests.e2e.clock import FOLDER, Clock
from tests.e2e.hasty_program import hasty_timings, run_program

EVERY = 0.5
"""Seconds between ticks for which no test has asked."""


def rule(clock: Clock) -> None:
    """Replaces the machine's clock with that one and notes each tick on it; a tick waits for the posts of the last one.

    The signal USR1 asks for a tick now. A move of the clock while the program runs counts as time in which the bot was
    present.
    """
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # until the loop takes it
    asked = asyncio.Event()
    ticked, posted, noted = ticker.Ticker.tick, ticker.Ticker.open_lanes, Presence.note_present
    posting: list[ticker.Ticker] = []

    async def note(presence: Presence, now: int) -> None:
        if presence._last_seen_at is not None and not presence._away_since:
            presence._last_seen_at = now
        await noted(presence, now)

    def busy(cog: ticker.Ticker) -> bool:
        waking = cog._context.announcements_due, cog._context.jobs_due
        return bool(posting or cog._lanes or any(one.is_set() for one in waking) or not cog._context.background.is_idle)

    async def tick(cog: ticker.Ticker) -> None:
        while busy(cog):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, asked.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(asked.wait(), EVERY)
        asked.clear()
        clock.note_tick()
        await ticked(cog)

    async def post(cog: ticker.Ticker) -> None:
        posting.append(cog)
        await posted(cog)
        posting.remove(cog)

    Presence.note_present = note  # type: ignore[method-assign, assignment]  # the one way to note it
    ticker.Ticker.tick, ticker.Ticker.open_lanes = tick, post  # type: ignore[method-assign, assignment]  # the one ticker there is
    assert postgresql, "imported before, so that a lease goes by the machine's own clock"
    time.time = timings.steady_seconds = lambda: float(clock.now)


def run() -> int:
    """Runs the program with such a ticker; returns its exit status."""
    return run_program(replace(hasty_timings(), tick_interval_s=0))


if __name__ == "__main__":
    rule(Clock(Path(os.environ[FOLDER])))
    sys.exit(run())
