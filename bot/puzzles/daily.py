"""The puzzle of the day: when it is due, who has solved it, and how many days in a row. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import NamedTuple

from bot.core.zones import zone_named

DAILY_HOUR = 9
"""The hour of a server's day at which its puzzle is due."""


class Attempt(NamedTuple):
    """One person's progress on a puzzle."""

    tries: int = 0
    """The moves tried, including the right one."""
    hinted: bool = False
    solved: bool = False
    shown: bool = False
    """Whether they asked to be shown the solution instead of finding it."""
    at: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find."""
        return self.solved or self.shown


class Solver(NamedTuple):
    """A row of the table of solvers."""

    user: int
    solved: int
    """The number of puzzles that they solved."""
    tries: int
    """The tries on all of those puzzles together."""
    hinted: int


def day_at(now: int, zone: str) -> int:
    """The day at that instant in that zone; 1 is the first of January of the year 1."""
    return datetime.fromtimestamp(now, zone_named(zone)).toordinal()


def due_day(now: int, zone: str) -> int | None:
    """Returns the day whose puzzle is due: the current day from DAILY_HOUR on; None before."""
    local_time = datetime.fromtimestamp(now, zone_named(zone))
    return local_time.toordinal() if local_time.hour >= DAILY_HOUR else None


def month_of(day: int) -> range:
    """The days of the month that contains that day."""
    first = date.fromordinal(day).replace(day=1)
    following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    return range(first.toordinal(), following.toordinal())


def rank_solvers(solved: Iterable[tuple[int, Attempt]]) -> list[Solver]:
    """The solvers, most puzzles first, then fewest tries. `solved` has one pair per user and puzzle."""
    solvers: dict[int, Solver] = {}
    for user, attempt in solved:
        solver = solvers.get(user, Solver(user, 0, 0, 0))
        solvers[user] = Solver(user, solver.solved + 1, solver.tries + attempt.tries, solver.hinted + attempt.hinted)
    return sorted(solvers.values(), key=lambda line: (-line.solved, line.tries, line.hinted, line.user))


def solved_streak(days: Sequence[int], solved: Iterable[int]) -> int:
    """How many puzzles in a row somebody has solved, up to the latest; `days` are those that had a puzzle.

    The latest puzzle does not break the row: it can still be solved.
    """
    solved_days, count = set(solved), 0
    for place, day in enumerate(sorted(days, reverse=True)):
        if day in solved_days:
            count += 1
        elif place:
            break
    return count
