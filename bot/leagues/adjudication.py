"""The fixed end of a season, and what else a league demands of time. Pure.

The same rules are written for players in `leagues-rules.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from bot.core.clock import DAY, Pace, Span
from bot.leagues.points import Points
from rules import Seat

PROPER_BEGINNING = 2
"""A game in which every player has made fewer moves has not properly begun."""
SLOW_FACTOR = 2
"""Who has used more than this many times the mean of the others' time gets half of a draw's share."""
MOVES_A_SIDE = 60
"""The length of a game that a season should have time for."""
DEFAULT_VACATION_S = 7 * DAY
"""How much vacation stops the clocks of a person's league games in a season."""


@dataclass(frozen=True, slots=True)
class UnfinishedGame:
    """What decides a game that is not over when its season ends. Each tuple has a value per seat."""

    moves: tuple[int, ...]
    """How many moves the player of each seat has made."""
    still_in: tuple[bool, ...]
    """Whether the player of each seat has pieces and has not left; at least one has."""
    seconds_used: tuple[int, ...]
    """The thinking time that each seat has used, the present turn included."""
    proved_winner: Seat | None = None
    """The seat for which the house proves a win within its bounds."""


class Verdict(Enum):
    """Why a game was decided so at the end of its season. The values are stored and never change."""

    NOT_BEGUN = "not-begun"
    PROVED = "proved"
    SHARED = "shared"
    SHARED_SLOW = "shared-slow"


@dataclass(frozen=True, slots=True)
class Adjudication:
    """How an unfinished game counts."""

    verdict: Verdict
    points: tuple[Points, ...]
    """Per seat."""
    slow: Seat | None = None
    """The seat that gets less for having used most of the time."""


def adjudicate(game: UnfinishedGame) -> Adjudication:
    """Decides an unfinished game at the end of its season."""
    raise NotImplementedError


def shortest_season(pace: Pace, players_per_game: int, vacation: int = DEFAULT_VACATION_S) -> int | None:
    """The weeks in which everybody can finish a game of 60 moves a side, whatever they think; None without a clock."""
    raise NotImplementedError


def games_to_finish(lost_on_time: int, finished: int) -> int:
    """How many more games a person must finish in the server before they may join the next season.

    Who has lost league games on time in a season must have finished more games than that since it began. `finished`
    leaves out the games that they lost on time themselves.
    """
    return max(lost_on_time - finished + 1, 0) if lost_on_time else 0


def counted_vacations(vacations: tuple[Span, ...], season: Span, most: int = DEFAULT_VACATION_S) -> tuple[Span, ...]:
    """The parts of vacations that stop the clocks of league games: in a season the first `most` seconds."""
    raise NotImplementedError
