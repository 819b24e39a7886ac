"""The program in haste, at the clock of the house; see the package."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from bot import __main__ as program
from bot.match.match import Match
from bot.posting import ticker
from bot.service.service import Service
from tests.e2e.clock import FOLDER, Clock
from tests.e2e.hasty import hurry

EVERY = 0.1
"""Seconds between ticks."""


def rule(clock: Clock) -> None:
    """Puts that clock in the place of the machine's, and notes each tick on it.

    A clock that is moved while the program runs means that it has been there all the while.
    """
    ticked, noted = Service.tick, Service.note_presence

    async def note_presence(service: Service, now: int) -> None:
        if service._there is not None:
            service._there = now
        await noted(service, now)

    async def tick(service: Service, now: int) -> list[Match]:
        clock.note_tick()
        return await ticked(service, now)

    Service.note_presence = note_presence  # type: ignore[method-assign, assignment]  # the one way to note it
    Service.tick = tick  # type: ignore[method-assign, assignment]  # the one tick there is
    time.time = lambda: float(clock.now)


if __name__ == "__main__":
    hurry()
    ticker.EVERY = EVERY  # type: ignore[assignment]  # a float, where the program has whole seconds
    rule(Clock(Path(os.environ[FOLDER])))
    sys.exit(program.main())
