"""A season of a league: its groups, their games and their tables. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from bot.leagues.groups import Movement, movements_of, split_groups, zones_of
from bot.leagues.league import LeagueTerms
from bot.leagues.points import GameScore, Points
from bot.leagues.standings import Standing, rank_entries
from rules import VARIANTS


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
