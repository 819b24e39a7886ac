"""The fixed end of a season, and what else a league demands of time. Pure.

The same rules are written for players in `leagues.toml`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from bot.core.clock import DAY, Pace
from bot.leagues.points import Points, lost_points, shared_points
from rules import Seat

WEEK_S = 7 * DAY

PROPER_BEGINNING = 2
"""A game in which every player has made fewer moves has not properly begun."""
SLOW_FACTOR = 2
"""A player who has used more than this many times the mean of the others' time gets half of a draw's share."""
MOVES_A_SIDE = 60
"""The length of a game that a season should have time for."""


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
    substituted: frozenset[Seat] = frozenset()
    """Seats that a substitute plays: what they gain counts for nobody."""


class Verdict(Enum):
    """Why a game's points do not follow from its result on the board. The values are stored and never change."""

    NOT_BEGUN = "not-begun"
    PROVED = "proved"
    SHARED = "shared"
    SHARED_SLOW = "shared-slow"
    LEFT = "left"  # somebody has left the league, and lost it
    RULED = "ruled"  # a referee has decided so


@dataclass(frozen=True, slots=True)
class Adjudication:
    """How an unfinished game counts."""

    verdict: Verdict
    points: tuple[Points, ...]
    """Per seat."""
    slow: Seat | None = None
    """The seat that gets less for having used most of the time."""


def decide_unfinished(game: UnfinishedGame) -> Adjudication:
    """Decides an unfinished game at the end of its season.

    1. If nobody has made two moves, those who have made none have lost; all have, if nobody moved.
    2. A win that the house proves is a win.
    3. Else those still in share the game: a draw. A player who has used more than twice the others' mean time gets
       half of their share; nobody else gains by that.

    What a substitute gains counts for nobody.
    """
    decided = _decide_for_seats(game)
    points = tuple(0 if seat in game.substituted else share for seat, share in enumerate(decided.points))
    return replace(decided, points=points)


def _decide_for_seats(game: UnfinishedGame) -> Adjudication:
    seats = range(len(game.moves))
    unmoved = [seat for seat in seats if not game.moves[seat]]
    if unmoved and max(game.moves) < PROPER_BEGINNING:
        left = [seat for seat in seats if not game.still_in[seat]]
        return Adjudication(Verdict.NOT_BEGUN, lost_points(len(seats), {*unmoved, *left}))
    if game.proved_winner is not None and game.still_in[game.proved_winner]:
        return Adjudication(Verdict.PROVED, shared_points(len(seats), [game.proved_winner]))
    sharing = [seat for seat in seats if game.still_in[seat]]
    points = shared_points(len(seats), sharing)
    slow = next((seat for seat in sharing if _is_slow(game, seat, sharing)), None)
    if slow is None:
        return Adjudication(Verdict.SHARED, points)
    less = tuple(share // 2 if seat == slow else share for seat, share in enumerate(points))
    return Adjudication(Verdict.SHARED_SLOW, less, slow)


def decide_unbegun(at_limit: Sequence[bool]) -> Adjudication:
    """Decides a game that was never set up. `at_limit`: per seat, whether its person had as many games as they wanted.

    They have lost it. Without them the bot is at fault, and everybody shares the game.
    """
    return Adjudication(
        Verdict.NOT_BEGUN, lost_points(len(at_limit), [seat for seat, is_at in enumerate(at_limit) if is_at])
    )


def _is_slow(game: UnfinishedGame, seat: Seat, sharing: list[Seat]) -> bool:
    """Whether that seat has used more than twice the mean time of the others; at most one seat has."""
    others = [game.seconds_used[other] for other in sharing if other != seat]
    return bool(others) and game.seconds_used[seat] * len(others) > SLOW_FACTOR * sum(others)


def shortest_season(pace: Pace, players_per_game: int) -> int | None:
    """The weeks in which a game of 60 moves a side ends, even if all use up their clocks. None without a clock.

    Nights, free days and vacations are not counted in, nor is a clock's grace.
    """
    terms = pace.clock_terms
    if terms is None:
        return None
    return -(-players_per_game * (terms.bank + (MOVES_A_SIDE - 1) * terms.increment) // WEEK_S)


def games_to_finish(lost_on_time: int, finished: int) -> int:
    """How many more games a person must finish in the server before they may join the next season.

    People who lost league games on time in a season must have finished more games than that since it began. `finished`
    leaves out the games that they lost on time themselves.
    """
    return max(lost_on_time - finished + 1, 0) if lost_on_time else 0
