"""What is shown of ladders, ratings and people: tables, profiles, what a week was like. Pure."""

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
"""Lines of somebody's story on a ladder: they are longer, and a page must fit into a message."""

StepChanges = Mapping[int, tuple[int | None, int]]
"""Where those whom an entry concerned stood before it (None for who was new), and stand after it."""


class LadderRow(NamedTuple):
    """A line of a ladder's table."""

    place: int
    climber: Climber
    rating: Rating


@dataclass(frozen=True, slots=True)
class LadderPage:
    """A page of a ladder's table: those who are awake, best first."""

    rows: tuple[LadderRow, ...]
    page: int
    pages: int
    total: int
    season: Season | None
    """None before the first one, and while nobody climbs."""
    own: int | None = None
    """The place of whoever asks; None if they have none."""


class LadderHistoryRow(NamedTuple):
    """An entry of a ladder that concerned somebody, and their rung before it (None if they were new) and after it."""

    entry: LadderEntry
    step_before: int | None
    step: int


@dataclass(frozen=True, slots=True)
class LadderNews:
    """An entry of which people are to be told."""

    guild: int
    variant: str
    entry: LadderEntry
    steps: StepChanges
    channel: int
    """Where what concerns single people is told."""
    announcements: int
    """Where seasons and weeks are told of."""


class PendingChallenge(NamedTuple):
    """A challenge that waits for an answer, and whether turning it down costs a rung."""

    challenge: Challenge
    costs: bool


class PlayerDeadline(NamedTuple):
    """When a player of a ladder game runs out of time."""

    match: int
    user: int
    time_runs_out_at: int


@dataclass(frozen=True, slots=True)
class LadderDigest:
    """What a week on a ladder was like, and what comes next."""

    began: int
    ended: int
    climbs: tuple[Climb, ...] = ()
    upset: Upset | None = None
    charge: Charge | None = None
    charge_match: Match | None = None
    """The match with the charge in it."""
    waiting: tuple[int, ...] = ()
    """Those who queue."""
    tables: tuple[int, ...] = ()
    """The numbers of open tables with a free seat."""
    deadlines: tuple[PlayerDeadline, ...] = ()
    """The next ones, soonest first."""
    games: int = 0
    """How many ladder games have ended."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing worth telling."""
        return not (self.games or self.climbs or self.waiting or self.deadlines)


class UnratedReason(Enum):
    """Why a game is not rated. The values are catalogue keys."""

    NO_RESULT = "no-result"
    SHORT = "short"  # fewer than FEWEST_MOVES per player
    CAPPED = "capped"  # the same people have had their rated games


@dataclass(frozen=True, slots=True)
class ResultEffects:
    """What a game made of the ratings and rungs of people; empty where it was not rated, or no ladder game."""

    ratings: Mapping[int, RatingChange] = field(default_factory=dict)
    steps: StepChanges = field(default_factory=dict)
    unrated: UnratedReason | None = None
    """None where it was rated, or is not over."""
    triad: LadderGame | None = None
    """As it stood after that game, with the scores so far; None where it was none of a triad."""

    @property
    def moves_rungs(self) -> bool:
        """Whether it moved anybody to another rung."""
        return any(before != after for before, after in self.steps.values())


class LeaderboardRow(NamedTuple):
    """A line of a leaderboard."""

    place: int
    user: int
    rating: Rating


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A page of a leaderboard: by rating, those who are certain first."""

    rows: tuple[LeaderboardRow, ...]
    page: int
    pages: int
    total: int
    own: int | None = None
    """The place of whoever asks; None if they have none, or hide."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What somebody has done at one variant in one server."""

    variant: str
    rating: Rating = NEW_RATING
    step: int | None = None
    """On the ladder; None for who is not on it."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    streak: int = 0
    """The games won in a row until now; negative for lost ones, 0 after a draw."""
    first_moves: tuple[tuple[str, int], ...] = ()
    """Their favourite first moves, with how often they have made them."""
    thinking: int | None = None
    """The seconds that a move takes them on average; None if they have made none."""
    late: int = 0
    """How often they have run out of time."""
    against_house: tuple[int, int, int] | None = None
    """Of the games that began with house players, those won, drawn and lost; they count nowhere else. None: none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two people side by side."""

    profiles: tuple[tuple[Profile, ...], tuple[Profile, ...]]
    together: Mapping[str, tuple[int, int, int]]
    """By variant, the games in which both were: won by the first, drawn (or won by a third), won by the second."""
    hidden: frozenset[int] = frozenset()
    """Those of the two who do not want to be shown; their profile is empty."""


@dataclass(frozen=True, slots=True)
class HistoryGame:
    """A finished game in somebody's history."""

    match: int
    variant: str
    ended_at: int
    players: tuple[int, ...]
    winners: tuple[int, ...]
    fate: PlayerOutcome
    cause: Cause
    ladder: bool
    points: int | None
    """What it made of their rating, as people see it; None if it was not rated."""


def pages_of(total: int, size: int = PAGE_ROWS) -> int:
    """How many pages that many rows take; one at least."""
    return max(-(-total // size), 1)


def current_streak(fates: Iterator[PlayerOutcome]) -> int:
    """The length of the run with which those fates, the latest first, begin: games without a result do not count."""
    counted = [fate for fate in fates if fate is not PlayerOutcome.NONE]
    if not counted or counted[0] is PlayerOutcome.DRAWN:
        return 0
    run_length = next((length for length, fate in enumerate(counted) if fate is not counted[0]), len(counted))
    return run_length if counted[0] is PlayerOutcome.WON else -run_length
