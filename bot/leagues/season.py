"""A season of a league: its groups and games, and how unfinished games count. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from bot.core.clock import Pace
from bot.leagues.groups import (
    GameScore,
    Movement,
    Points,
    Standing,
    lost_points,
    movements_of,
    rank_entries,
    shared_points,
    split_groups,
    zones_of,
)
from bot.leagues.league import WEEK_S, LeagueTerms
from rules import VARIANTS, Seat

PROPER_BEGINNING = 2
"""A game has properly begun once a player has made this many moves."""
SLOW_FACTOR = 2
"""A player gets half a draw's share after using more than this many times the mean of the others' thinking time."""
MOVES_A_SIDE = 60
"""Moves of each player in the longest game for which a season should have time."""


@dataclass(frozen=True, slots=True)
class UnfinishedGame:
    """The facts that decide a game which is not over when its season ends. Each tuple has a value per seat."""

    moves: tuple[int, ...]
    """How many moves the player of each seat has made."""
    still_in: tuple[bool, ...]
    """Whether the player of each seat has pieces and has not left; at least one has."""
    seconds_used: tuple[int, ...]
    """The thinking time that each seat has used, the current turn included."""
    turn: Seat
    """The seat to move."""
    is_overdue: bool = False
    """Whether the player to move has used up the time and the grace, so that an opponent might claim the game."""
    proved_winner: Seat | None = None
    """The seat for which the engine proves a win within its bounds, also out of turn; None if it proves none."""
    substituted: frozenset[Seat] = frozenset()
    """Seats that a substitute plays. Their points count for nobody."""


class Verdict(Enum):
    """Why a game's points do not follow from its result on the board. The values are stored and never change."""

    NOT_BEGUN = "not-begun"
    PROVED = "proved"
    OVERDUE = "overdue"
    SHARED = "shared"
    SHARED_SLOW = "shared-slow"
    LEFT = "left"  # lost by a person who has left the league
    RULED = "ruled"  # a referee has decided so


@dataclass(frozen=True, slots=True)
class Adjudication:
    """How an unfinished game counts."""

    verdict: Verdict
    points: tuple[Points, ...]
    """Per seat."""
    slow: Seat | None = None
    """The seat that gets less because it used most of the time; None if no seat does."""


def decide_unfinished(game: UnfinishedGame) -> Adjudication:
    """Decides an unfinished game at the end of its season.

    1. If nobody has made two moves, and somebody none, the player to move loses.
    2. If the engine proves a win, it counts as a win, unless the winner is to move and has no time left.
    3. If the player to move has no time left, they lose.
    4. Otherwise the game is a draw, shared by the players who are still in. A player who has used more than twice the
       mean time of the others gets half of their share; nobody else gets the rest.

    The points of a substitute count for nobody.
    """
    decided = _decide_for_seats(game)
    points = tuple(0 if seat in game.substituted else share for seat, share in enumerate(decided.points))
    return replace(decided, points=points)


def _decide_for_seats(game: UnfinishedGame) -> Adjudication:
    seats = range(len(game.moves))
    if not all(game.moves) and max(game.moves) < PROPER_BEGINNING:
        left = [seat for seat in seats if not game.still_in[seat]]
        return Adjudication(Verdict.NOT_BEGUN, lost_points(len(seats), {game.turn, *left}))
    late = [game.turn] if game.is_overdue else []
    sharing = [seat for seat in seats if game.still_in[seat] and seat not in late]
    if game.proved_winner in sharing:
        return Adjudication(Verdict.PROVED, shared_points(len(seats), [game.proved_winner]))
    points = shared_points(len(seats), sharing)
    if late:
        return Adjudication(Verdict.OVERDUE, points)
    slow = next((seat for seat in sharing if _is_slow(game, seat, sharing)), None)
    if slow is None:
        return Adjudication(Verdict.SHARED, points)
    less = tuple(share // 2 if seat == slow else share for seat, share in enumerate(points))
    return Adjudication(Verdict.SHARED_SLOW, less, slow)


def decide_unbegun(at_limit: Sequence[bool]) -> Adjudication:
    """Decides a game that was never set up. `at_limit`: per seat, whether its person had as many games as they wanted.

    These people lose the game. If there are none, the bot is at fault, and everybody shares the game.
    """
    return Adjudication(
        Verdict.NOT_BEGUN, lost_points(len(at_limit), [seat for seat, is_at in enumerate(at_limit) if is_at])
    )


def _is_slow(game: UnfinishedGame, seat: Seat, sharing: list[Seat]) -> bool:
    """Whether that seat has used more than twice the mean time of the others; at most one seat has."""
    others = [game.seconds_used[other] for other in sharing if other != seat]
    return bool(others) and game.seconds_used[seat] * len(others) > SLOW_FACTOR * sum(others)


def shortest_season(pace: Pace, players_per_game: int) -> int | None:
    """Returns how many weeks a game of 60 moves a side takes if all use up their clocks; None without a clock.

    Nights, free days, vacations and the grace are not included.
    """
    terms = pace.clock_terms
    if terms is None:
        return None
    return -(-players_per_game * (terms.bank + (MOVES_A_SIDE - 1) * terms.increment) // WEEK_S)


def games_to_finish(lost_on_time: int, finished: int) -> int:
    """Returns how many more games a person must finish in the server before they may join the next season.

    A person who lost N league games on time in a season must finish more than N games from its beginning on.
    `finished` does not include the games that the person lost on time.
    """
    return max(lost_on_time - finished + 1, 0) if lost_on_time else 0


class SeatState(Enum):
    """Whether a person still takes part. The values are stored and never change."""

    IN = "in"
    LEFT = "left"  # withdrew after at least half of their games: the unfinished ones are lost
    OUT = "out"  # withdrew earlier: none of their games count


@dataclass(frozen=True, slots=True)
class LeagueSeat:
    """A person's place in a group."""

    division: int
    entry: int
    user: int
    state: SeatState = SeatState.IN
    at_once: int | None = None
    """The most games at a time that the person wants; None: all of them."""
    former: int | None = None
    """The previous person of the seat, until all their games have been handed over; then None."""
    place: int | None = None
    """In the end of the season; None before, for a person who was taken out, and without a point."""
    movement: Movement | None = None


@dataclass(frozen=True, slots=True)
class LeagueGame:
    """A game of a season."""

    division: int
    number: int
    round: int
    entries: tuple[int, ...]
    """In seat order."""
    match: int | None = None
    points: tuple[Points, ...] | None = None
    """In seat order; None while it is not decided."""
    verdict: str | None = None
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """A division with its people by entry, and its games."""

    division: int
    seats: tuple[LeagueSeat, ...]
    games: tuple[LeagueGame, ...]
    standings: tuple[Standing, ...]
    """The table."""
    movements: tuple[Movement, ...]
    """What each line of the table means for its person in the next season."""

    @property
    def users(self) -> tuple[int, ...]:
        """The user of each entry."""
        return tuple(seat.user for seat in self.seats)

    @property
    def fixtures(self) -> tuple[tuple[int, ...], ...]:
        """The entries of each game."""
        return tuple(game.entries for game in self.games)

    @property
    def scores(self) -> tuple[GameScore, ...]:
        """The games that are decided."""
        return tuple(GameScore(game.entries, game.points) for game in self.games if game.points is not None)

    @property
    def games_that_count(self) -> tuple[LeagueGame, ...]:
        """The games without a person who was taken out."""
        taken_out = {seat.entry for seat in self.seats if seat.state is SeatState.OUT}
        return tuple(game for game in self.games if not taken_out & {*game.entries})

    @property
    def unfinished_games(self) -> tuple[LeagueGame, ...]:
        """The games that are not decided and count."""
        return tuple(game for game in self.games_that_count if game.points is None)

    def users_of(self, game: LeagueGame) -> tuple[int, ...]:
        """Returns the people of a game, in seat order."""
        return tuple(self.seats[entry].user for entry in game.entries)


def make_groups(seats: Sequence[LeagueSeat], games: Sequence[LeagueGame], terms: LeagueTerms) -> tuple[Group, ...]:
    """Returns the groups of a season, the highest first; none without seats."""
    if not seats:
        return ()
    numbers = range(max(seat.division for seat in seats) + 1)
    members = [tuple(sorted((s for s in seats if s.division == n), key=lambda s: s.entry)) for n in numbers]
    played = [tuple(game for game in games if game.division == n) for n in numbers]
    tables = [_rank_group(*of_group) for of_group in zip(members, played, strict=True)]
    wanted = split_groups(len(seats), terms.least, terms.most, len(VARIANTS[terms.variant].seats))
    moved = movements_of(tables, zones_of([len(group) for group in members], terms.movers, wanted))
    return tuple(map(Group, numbers, members, played, tables, moved))


def _rank_group(seats: Sequence[LeagueSeat], games: Sequence[LeagueGame]) -> tuple[Standing, ...]:
    scores = [GameScore(game.entries, game.points) for game in games if game.points is not None]
    taken_out = [seat.entry for seat in seats if seat.state is SeatState.OUT]
    return rank_entries(len(seats), [game.entries for game in games], scores, taken_out)
