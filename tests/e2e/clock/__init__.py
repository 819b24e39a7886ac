"""A house whose wall clock stands still until a test moves it: weeks pass in seconds, and deadlines are exact.

`python -m tests.e2e.clock` is the whole program at such a clock. Only what says the time of day is ruled by it; waits
and time-outs go by the monotonic clock, as ever.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Self

from tests.e2e.house import PATIENCE, House

FOLDER = "CLOCK_FOLDER"
"""The setting that names the folder in which a test and the program tell each other the time."""


class Clock:
    """What the two tell each other: the test the time of day, the program when it ticked."""

    def __init__(self, folder: Path) -> None:
        self._hand, self._ticks = folder / "time-of-day", folder / "ticks"

    @property
    def now(self) -> int:
        """The time of day, in unix seconds."""
        return int(self._hand.read_text())

    @now.setter
    def now(self, instant: int) -> None:
        _write(self._hand, str(instant))

    @property
    def ticks(self) -> tuple[int, ...]:
        """When the program's last two ticks began, by the monotonic clock, which all processes share; in ns."""
        return tuple(map(int, self._ticks.read_text().split())) if self._ticks.exists() else ()

    def note_tick(self) -> None:
        """Called by the program as a tick begins."""
        _write(self._ticks, " ".join(map(str, (*self.ticks[-1:], time.monotonic_ns()))))


class ClockHouse(House):
    """A house with that clock. Moving it takes effect at once; what follows from it, by the next tick.

    Here, too, people wait for a busy machine.
    """

    answer_within = 20.0

    def __init__(self, folder: Path, start: datetime, *, pace: float = 20) -> None:
        super().__init__(folder, "tests.e2e.clock", **{FOLDER: str(folder), "HASTY_PACE": str(pace)})
        self.clock = Clock(folder)
        self.clock.now = int(start.timestamp())

    @classmethod
    @asynccontextmanager
    async def at(cls, folder: Path, start: datetime) -> AsyncIterator[Self]:
        """The house, open at that time, and `faultless`."""
        async with cls(folder, start).faultless() as house:
            yield house

    async def start_bot(self) -> None:
        """Starts the bot and waits for its first ticks: it has been there from now on. Discord has the same time."""
        self.server.faults.clock = lambda: float(self.clock.now)
        await super().start_bot()
        await self.tick()

    @property
    def now(self) -> int:
        """The time of day, in unix seconds."""
        return self.clock.now

    async def move_clock(self, seconds: int) -> None:
        """So much later, or earlier; waits until the bot, if it runs, has done all that this brings about."""
        self.clock.now += seconds
        if self.bot.running:
            await self.tick()

    async def set_clock(self, instant: int) -> None:
        """That time, then as `move_clock`."""
        await self.move_clock(instant - self.now)

    async def tick(self) -> None:
        """Waits for a whole tick that began later than this call: the next one may begin only after its last post."""
        called, begun = time.monotonic_ns(), time.monotonic()
        while len(ticks := self.clock.ticks) < 2 or ticks[0] < called:
            assert time.monotonic() - begun < PATIENCE, f"no tick:\n{self.bot.log[-3000:]}"
            assert self.bot.running, f"the bot has ended:\n{self.bot.log[-3000:]}"
            await asyncio.sleep(0.01)


def _write(file: Path, text: str) -> None:
    """Writes so that whoever reads meanwhile finds the old text or the new one."""
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_text(text)
    draft.replace(file)
