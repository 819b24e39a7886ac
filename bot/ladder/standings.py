"""The displayed data of ladders, ratings and people: tables, profiles, the digest of a week. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from bot.core.match import Match
from bot.core.ratings import NEW_RATING, Rating, RatingChange
from bot.core.results import PlayerOutcome
from bot.ladder.digest import Charge, Climb, Upset
from bot.ladder.entries import LadderEntry
from bot.ladder.stairs import Challenge, Climber, LadderGame, Season
from rules import Cause

PAGE_ROWS = 20
"""Rows of a table."""

HISTORY_ROWS = 12
"""Rows of a user's history on a ladder: they are longer than a table's, and a page must fit into a message."""

StepChanges = Mapping[int, tuple[int | None, int]]
"""The rungs of the users whom an entry concerned: before it (None for a new climber) and after it."""


class LadderRow(NamedTuple):
    """A row of a ladder's table."""

    place: int
    climber: Climber
    rating: Rating


@dataclass(frozen=True, slots=True)
class LadderPage:
    """A page of a ladder's table: the climbers who are awake, best first."""

    rows: tuple[LadderRow, ...]
    page: int
    pages: int
    total: int
    season: Season | None
    """None before the first season, and while nobody is on the ladder."""
    own: int | None = None
    """The place of the user who asks; None if they have none."""


class LadderHistoryRow(NamedTuple):
    """An entry that concerned a user, and their rung before it (None if they were new) and after it."""

    entry: LadderEntry
    step_before: int | None
    step: int


@dataclass(frozen=True, slots=True)
class LadderNews:
    """An entry to announce."""

    guild: int
    variant: str
    entry: LadderEntry
    steps: StepChanges
    channel: int
    """The channel for news about single people."""
    announcements: int
    """The channel for news about seasons and weeks."""


class PendingChallenge(NamedTuple):
    """A challenge that waits for an answer, and whether declining it costs a rung."""

    challenge: Challenge
    costs: bool


class PlayerDeadline(NamedTuple):
    """When a player of a ladder game runs out of time."""

    match: int
    user: int
    time_runs_out_at: int


@dataclass(frozen=True, slots=True)
class LadderDigest:
    """The digest of a week on a ladder, and what comes next."""

    began: int
    ended: int
    climbs: tuple[Climb, ...] = ()
    upset: Upset | None = None
    charge: Charge | None = None
    charge_match: Match | None = None
    """The match in which the charge was made."""
    waiting: tuple[int, ...] = ()
    """The users who queue."""
    tables: tuple[int, ...] = ()
    """The numbers of open tables with a free seat."""
    deadlines: tuple[PlayerDeadline, ...] = ()
    """The next deadlines, soonest first."""
    games: int = 0
    """How many ladder games have ended."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing worth reporting."""
        return not (self.games or self.climbs or self.waiting or self.deadlines)


class UnratedReason(Enum):
    """Why a game is not rated. The values are catalogue keys."""

    NO_RESULT = "no-result"
    SHORT = "short"  # fewer than MIN_MOVES_PER_PLAYER per player
    CAPPED = "capped"  # the same people have used up their rated games


@dataclass(frozen=True, slots=True)
class ResultEffects:
    """The changes of ratings and rungs by a game; empty if it was not rated, or is not a ladder game."""

    ratings: Mapping[int, RatingChange] = field(default_factory=dict)
    steps: StepChanges = field(default_factory=dict)
    unrated: UnratedReason | None = None
    """None if the game was rated, or is not over."""
    triad: LadderGame | None = None
    """The triad after that game, with the scores so far; None if the game is not part of one."""

    @property
    def moves_rungs(self) -> bool:
        """Whether the game moved anybody to another rung."""
        return any(before != after for before, after in self.steps.values())


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


@dataclass(frozen=True, slots=True)
class HistoryGame:
    """A finished game in a user's history."""

    match: int
    variant: str
    ended_at: int
    players: tuple[int, ...]
    winners: tuple[int, ...]
    fate: PlayerOutcome
    cause: Cause
    ladder: bool
    points: int | None
    """The change of their shown rating; None if the game was not rated."""


def pages_of(total: int, size: int = PAGE_ROWS) -> int:
    """How many pages that many rows take; at least one."""
    return max(-(-total // size), 1)


def current_streak(fates: Iterator[PlayerOutcome]) -> int:
    """The length of the run of equal outcomes at the beginning; negative for losses. Skips games without a result."""
    counted = [fate for fate in fates if fate is not PlayerOutcome.NONE]
    if not counted or counted[0] is PlayerOutcome.DRAWN:
        return 0
    run_length = next((length for length, fate in enumerate(counted) if fate is not counted[0]), len(counted))
    return run_length if counted[0] is PlayerOutcome.WON else -run_length
