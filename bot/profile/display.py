"""The displayed data of people: leaderboards, profiles, comparisons. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bot.core.ratings import NEW_RATING, Rating
from bot.core.results import PlayerOutcome


class LeaderboardRow(NamedTuple):
    """A row of a leaderboard."""

    place: int
    user: int
    rating: Rating


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a leaderboard: by rating, certain ratings first."""

    rows: tuple[LeaderboardRow, ...]
    page: int
    pages: int
    total: int
    own: int | None = None
    """The place of the user who asks; None if they have none, or hide."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A user's record at one variant in one server."""

    variant: str
    rating: Rating = NEW_RATING
    step: int | None = None
    """The rung on the ladder; None for a user who is not on it."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    streak: int = 0
    """The latest run of games won; negative for games lost, 0 after a draw."""
    first_moves: tuple[tuple[str, int], ...] = ()
    """Their favourite first moves, with how often they made them."""
    thinking: int | None = None
    """The seconds of an average move; None if they have made none."""
    late: int = 0
    """How often they ran out of time."""
    against_house: tuple[int, int, int] | None = None
    """The games won, drawn and lost among those that began with house players, which count nowhere else. None if
    there are none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two people side by side."""

    profiles: tuple[tuple[Profile, ...], tuple[Profile, ...]]
    together: Mapping[str, tuple[int, int, int]]
    """By variant, their games together: won by the first, drawn (or won by a third), won by the second."""
    hidden: frozenset[int] = frozenset()
    """Those of the two who do not want to be shown; their profile is empty."""


def current_streak(outcomes: Iterator[PlayerOutcome]) -> int:
    """The length of the run of equal outcomes at the beginning; negative for losses. Skips games without a result."""
    counted = [outcome for outcome in outcomes if outcome is not PlayerOutcome.NONE]
    if not counted or counted[0] is PlayerOutcome.DRAWN:
        return 0
    run_length = next((length for length, outcome in enumerate(counted) if outcome is not counted[0]), len(counted))
    return run_length if counted[0] is PlayerOutcome.WON else -run_length
