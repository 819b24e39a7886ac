"""A house whose wall clock stands still until a test moves it: weeks pass in seconds, and deadlines are exact.

`python -m tests.e2e.clock` is the whole program at such a clock. Only what says the time of day is ruled by it; waits
and time-outs go by the monotonic clock, as ever.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Self

from tests.e2e.house import House

FOLDER = "CLOCK_FOLDER"
"""The setting that names the folder through which a test and the program share the time."""
TICK_PATIENCE = 1200.0
"""Seconds for a whole tick: at the end of a season the engine looks for a forced win in each unfinished game."""


class Clock:
    """The files that the two share: the test writes the time of day, the program writes when it ticked."""

    def __init__(self, folder: Path) -> None:
        self._hand, self._ticks = folder / "time-of-day", folder / "ticks"
        self._written: int | None = None

    @property
    def now(self) -> int:
        """The time of day, in unix seconds."""
        return int(self._hand.read_text()) if self._written is None else self._written

    @now.setter
    def now(self, instant: int) -> None:
        self._written = instant
        _write(self._hand, str(instant))

    @property
    def ticks(self) -> tuple[int, ...]:
        """The starts of the program's last two ticks, in ns of the monotonic clock, which all processes share."""
        return tuple(map(int, self._ticks.read_text().split())) if self._ticks.exists() else ()

    def note_tick(self) -> None:
        """Notes that a tick begins; the program calls it."""
        _write(self._ticks, " ".join(map(str, (*self.ticks[-1:], time.monotonic_ns()))))


class ClockHouse(House):
    """A house with that clock. A move of the clock takes effect at once, its consequences by the next tick."""

    module = "tests.e2e.clock"

    def __init__(self, folder: Path, start: datetime, *, pace: float = 20) -> None:
        super().__init__(folder, self.module, **{FOLDER: str(folder), "HASTY_PACE": str(pace)})
        self.clock = Clock(folder)
        self.clock.now = int(start.timestamp())

    @classmethod
    @asynccontextmanager
    async def at(cls, folder: Path, start: datetime) -> AsyncIterator[Self]:
        """Opens the house at that time, and closes it as `faultless` does."""
        async with cls(folder, start).faultless() as house:
            yield house

    async def start_bot(self) -> None:
        """Starts the bot and waits for its first ticks; from then on it is present. Discord has the same time."""
        self.server.faults.clock = lambda: float(self.clock.now)
        await super().start_bot()
        await self.tick()

    @property
    def now(self) -> int:
        """The time of day, in unix seconds."""
        return self.clock.now

    async def move_clock(self, seconds: int) -> None:
        """Moves the clock; waits until the bot, if it runs, has done everything that then is due."""
        self.clock.now += seconds
        if self.bot.running:
            await self.tick()

    async def set_clock(self, instant: int) -> None:
        """Sets the clock, then waits as `move_clock` does."""
        await self.move_clock(instant - self.now)

    async def tick(self) -> None:
        """Waits for a whole tick that began after this call; a tick is over once its last post is made."""
        called, begun = time.monotonic_ns(), time.monotonic()
        while len(ticks := self.clock.ticks) < 2 or ticks[0] < called:
            assert time.monotonic() - begun < TICK_PATIENCE, f"no tick:\n{self.bot.log[-3000:]}"
            assert self.bot.running, f"the bot has ended:\n{self.bot.log[-3000:]}"
            os.kill(self.bot.pid, signal.SIGUSR1)
            await asyncio.sleep(0.01)


def _write(file: Path, text: str) -> None:
    """Writes atomically, so that a concurrent reader finds either the old or the new text."""
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(text)
    draft.replace(file)
