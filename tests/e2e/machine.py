"""The clocks of a machine, as a file that a test writes says; the bot's process and its sandbox both read it.

"3600": it is an hour later, and the machine has slept for it. "3600 there": the hour has passed while it was awake.
"0 wrong 3600": it is no later, but somebody has set the machine's clock an hour ahead, and Discord's is right.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bot.kit import wall_clock

_wall, _steady = time.time, wall_clock.steady


class Said(NamedTuple):
    """What the file says."""

    later: float = 0
    there: bool = False
    wrong: float = 0


class Machine:
    """Its clocks. `moved` is called where time has passed while it was awake."""

    def __init__(self, file: Path, moved: Callable[[bool], None] = lambda _: None) -> None:
        self._file = file
        self._moved = moved
        self._said = self._read() or Said()
        self._awake = 0.0

    def wall(self) -> float:
        """What it takes for the time of day."""
        said = self._follow()
        return _wall() + said.later + said.wrong

    def steady(self) -> float:
        """The clock that stands still while it sleeps."""
        self._follow()
        return _steady() + self._awake

    def right(self) -> float:
        """The time of day in the world, which Discord tells."""
        return _wall() + self._follow().later

    def _follow(self) -> Said:
        said = self._read()
        if said and said != self._said:
            self._said, before = said, self._said
            self._awake += said.later - before.later if said.there else 0
            if said.later != before.later:
                self._moved(said.there)
        return self._said

    def _read(self) -> Said | None:
        """None while a test writes."""
        words = self._file.read_text().split() if self._file.exists() else []
        if not words:
            return None
        wrong = float(words[words.index("wrong") + 1]) if "wrong" in words[:-1] else 0
        return Said(float(words[0]), "there" in words, wrong)
