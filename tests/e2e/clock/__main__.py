"""The program in haste, at the clock of the house; see the package."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from bot import __main__ as program
from bot.match.match import Match
from bot.posting import ticker
from bot.service.upkeep import Upkeep
from tests.e2e.clock import FOLDER, Clock
from tests.e2e.hasty import hurry

EVERY = 0.1
"""Seconds between ticks."""


def rule(clock: Clock) -> None:
    """Puts that clock in the place of the machine's, and notes each tick on it.

    A clock that is moved while the program runs means that it has been there all the while.
    """
    ticked, noted = Upkeep.tick, Upkeep.note_presence

    async def note_presence(upkeep: Upkeep, now: int) -> None:
        if upkeep._there is not None:
            upkeep._there = now
        await noted(upkeep, now)

    async def tick(upkeep: Upkeep, now: int) -> list[Match]:
        clock.note_tick()
        return await ticked(upkeep, now)

    Upkeep.note_presence = note_presence  # type: ignore[method-assign, assignment]  # the one way to note it
    Upkeep.tick = tick  # type: ignore[method-assign, assignment]  # the one tick there is
    time.time = lambda: float(clock.now)


if __name__ == "__main__":
    hurry()
    ticker.EVERY = EVERY  # type: ignore[assignment]  # a float, where the program has whole seconds
    rule(Clock(Path(os.environ[FOLDER])))
    sys.exit(program.main())
