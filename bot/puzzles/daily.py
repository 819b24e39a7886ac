"""The puzzle of the day: when it is due, who has found it, and how many days in a row. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from bot.core.zones import zone_named


class Attempt(NamedTuple):
    """What somebody has made of a puzzle so far."""

    tries: int = 0
    """Moves that were tried, the right one included."""
    hinted: bool = False
    solved: bool = False
    shown: bool = False
    """Whether they have had the solution shown instead of finding it."""
    at: int = 0

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to find."""
        return self.solved or self.shown


class Solver(NamedTuple):
    """A line of a table."""

    user: int
    solved: int
    """Puzzles that they have found."""
    tries: int
    """For all of those together."""
    hinted: int


def day_at(now: int, zone: str) -> int:
    """The day at that instant in that zone; 1 is the first of January of the year 1."""
    return datetime.fromtimestamp(now, zone_named(zone)).toordinal()


def due_day(now: int, zone: str, hour: int) -> int | None:
    """The day whose puzzle is due by then: the present one from that hour on; None before."""
    local_time = datetime.fromtimestamp(now, zone_named(zone))
    return local_time.toordinal() if local_time.hour >= hour else None


def month_of(day: int) -> range:
    """The days of the month in which that day lies."""
    first = date.fromordinal(day).replace(day=1)
    following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    return range(first.toordinal(), following.toordinal())


def rank_solvers(solved: Iterable[tuple[int, Attempt]]) -> list[Solver]:
    """Who has found how many of those, each named by its user: the most first, and of equals who has tried least."""
    solvers: dict[int, Solver] = {}
    for user, attempt in solved:
        solver = solvers.get(user, Solver(user, 0, 0, 0))
        solvers[user] = Solver(user, solver.solved + 1, solver.tries + attempt.tries, solver.hinted + attempt.hinted)
    return sorted(solvers.values(), key=lambda line: (-line.solved, line.tries, line.hinted, line.user))


def solved_streak(days: Sequence[int], solved: Iterable[int]) -> int:
    """The puzzles in a row, up to the last one, that somebody has found, where those were of these days.

    The last one does not break the row: it can still be found.
    """
    solved_days, count = set(solved), 0
    for place, day in enumerate(sorted(days, reverse=True)):
        if day in solved_days:
            count += 1
        elif place:
            break
    return count
