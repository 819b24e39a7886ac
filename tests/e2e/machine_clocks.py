"""The clocks of a machine as files say that a test writes; the bot's process and its sandbox both read them.

One tells how late it is in the world. "3600": an hour later, and the machine has slept for it. "3600 there": the hour
has passed while it was awake. The other, WRONG in the folder of the process, tells by how many seconds somebody has set
the machine's own clock ahead; Discord's is right.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from bot.core import timings

WRONG = "wrong-by"

_HOUR, _DAY = 3600, 24 * 3600
JUMPS = {
    f"{sign}{name}": factor * seconds
    for name, seconds in (("hour", _HOUR), ("day", _DAY), ("90 days", 90 * _DAY), ("3 years", 3 * 365 * _DAY))
    for sign, factor in (("+", 1), ("-", -1))
}
"""The seconds by which clocks are wrong."""

_wall, _steady = time.time, timings.steady_seconds


class WorldTime(NamedTuple):
    """The content of the files."""

    later: float = 0
    there: bool = False


class Machine:
    """The clocks of a machine. `moved` is called when the time jumps, with True if the machine was awake."""

    def __init__(self, file: Path, folder: Path | None = None, moved: Callable[[bool], None] = lambda _: None) -> None:
        self._file = file
        self._wrong = folder / WRONG if folder else None
        self._moved = moved
        self._last = self._read()
        self._awake = 0.0
        self._ahead = 0.0

    def wall_time(self) -> float:
        """Returns the time of day as the machine has it, which may be wrong."""
        if self._wrong and (words := _words(self._wrong)):
            self._ahead = float(words[0])
        return self.true_time() + self._ahead

    def steady_time(self) -> float:
        """Returns the clock that stops while the machine sleeps."""
        self._follow()
        return _steady() + self._awake

    def true_time(self) -> float:
        """Returns the true time of day, which Discord has."""
        return _wall() + self._follow().later

    def _follow(self) -> WorldTime:
        said = self._read()
        if said != self._last:
            self._last, before = said, self._last
            self._awake += said.later - before.later if said.there else 0
            if said.later != before.later:
                self._moved(said.there)
        return self._last

    def _read(self) -> WorldTime:
        words = _words(self._file)
        return WorldTime(float(words[0]), "there" in words) if words else getattr(self, "_last", WorldTime())


def set_clock_wrong(folder: Path, seconds: int) -> None:
    """Sets the clock of the process in that folder ahead by so many seconds from now on."""
    (folder / WRONG).write_text(str(seconds))


async def set_clock_to_and_fro(folder: Path, chance: random.Random) -> None:
    """Sets the clock of the process in that folder wrong and right again, until it is cancelled."""
    while True:
        await asyncio.sleep(chance.uniform(0.5, 6))
        set_clock_wrong(folder, chance.choice((0, 0, *JUMPS.values())))


DATES = (
    *(("events", "at"), ("ladder_entries", "at"), ("matches", "moved_at"), ("matches", "updated")),
    *(("absences", "since"), ("absences", "until"), ("results", "ended_at"), ("climbers", "moved_at")),
)
"""The columns with the time of something that happened."""
CLOSE = 300
"""The seconds by which a date may be wrong: the bot believes a clock that is up to two minutes off."""


def check_dates(query: Callable[[str], list[tuple[Any, ...]]], first: float, last: float) -> None:
    """Asserts that every date is between those instants and that no match's events go back in time."""
    for table, column in DATES:
        dates = [at for (at,) in query(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL")]
        assert [at for at in dates if not first - CLOSE <= at <= last + CLOSE] == [], (table, column)
    stories = groupby(query("SELECT match, at FROM events ORDER BY match, seq"), key=itemgetter(0))
    for match, story in stories:
        assert all(one <= two + CLOSE for (_, one), (_, two) in pairwise(story)), f"game #{match}"


def _words(file: Path) -> list[str]:
    """Returns the words of the file; none while a test writes it."""
    return file.read_text().split() if file.exists() else []
