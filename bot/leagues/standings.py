"""The table of a group from its results, in whatever order they came. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from bot.leagues.points import GameScore, Points


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table of a group."""

    entry: int
    place: int | None
    """From 1; shared by those whom no tie-break separates. None for an entry that was taken out."""
    points: Points
    direct: Points
    """The points in games among those with the same points."""
    neustadtl: int
    """Neustadtl's score (Sonneborn-Berger), in twelfths of twelfths."""
    wins: int
    played: int
    games: int
    """How many games the entry plays in the season."""


def standings(
    size: int, fixtures: Iterable[Sequence[int]], scores: Iterable[GameScore], taken_out: Collection[int] = ()
) -> tuple[Standing, ...]:
    """The table of a group, best first; entries that were taken out come last, without a place.

    `fixtures` are the seats of all games of the season, `scores` those that are over. Every game of an entry that was
    taken out is left out for its opponents too.
    """
    raise NotImplementedError


def takes_games_out(over: int, games: int) -> bool:
    """Whether a person who withdraws after so many of their games is taken out of the table: before half of them.

    Later, the games that are not over are lost.
    """
    return 2 * over < games


@dataclass(frozen=True, slots=True)
class CrosstableCell:
    """The results of one entry against another: in games of two those of their games, in games of three those of the
    games in which the first attacks the second."""

    points: tuple[Points | None, ...]
    """In the order of the schedule; None for a game that is not over. Empty if there is no such game."""


def crosstable(
    rows: Sequence[Standing], fixtures: Iterable[Sequence[int]], scores: Iterable[GameScore]
) -> tuple[tuple[CrosstableCell | None, ...], ...]:
    """The cells of a crosstable: a row and a column for each row of the table; None on the diagonal."""
    raise NotImplementedError


def crosstable_csv(
    rows: Sequence[Standing],
    names: Sequence[str],
    fixtures: Iterable[Sequence[int]],
    scores: Iterable[GameScore],
    headings: Sequence[str],
) -> str:
    """The table and the crosstable as CSV text (RFC 4180). `names` by entry; `headings`: place, name, points, direct
    encounter, Neustadtl, wins, games."""
    raise NotImplementedError
