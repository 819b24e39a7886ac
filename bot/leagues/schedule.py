"""The games of a group: everybody against everybody. Pure; an entry is the number of a place in the group, from 0.

Two players meet once, by the circle method. Three players meet as directed triples: in seat order each attacks the
next, and over all games everybody attacks everybody once (a Mendelsohn triple system, see `bot.leagues.triples`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.leagues.triples import TRIPLES

LEAST_GROUP, MOST_GROUP = 3, 10
"""The sizes of groups. Two people are a group as well, in a game of two, if nobody else has signed up."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game of a group before it is played."""

    seats: tuple[int, ...]
    """The entry of each seat, in seat order."""
    round: int
    """From 0. In one round nobody plays two games."""


def make_schedule(size: int, players_per_game: int, *, double: bool = False) -> tuple[Fixture, ...]:
    """All games of a group of `size` entries, round by round, and in a round by entry.

    In a double schedule the second half repeats the first with the seats in reverse order: the other colours for two,
    the reversed ring for three.
    """
    assert players_per_game in (2, 3), players_per_game
    assert players_per_game <= size <= MOST_GROUP, size
    single = _circle(size) if players_per_game == 2 else TRIPLES[size]
    rounds = [*single, *(_reversed_seats(pairings, size) for pairings in single)] if double else single
    return tuple(Fixture(seats, number) for number, pairings in enumerate(rounds) for seats in pairings)


def _circle(size: int) -> list[tuple[tuple[int, ...], ...]]:
    raise NotImplementedError


def _reversed_seats(pairings: Sequence[tuple[int, ...]], size: int) -> tuple[tuple[int, ...], ...]:
    raise NotImplementedError


def fixtures_to_begin(
    waiting: Iterable[Fixture], running: Iterable[Fixture], most: Mapping[int, int] | None = None
) -> tuple[Fixture, ...]:
    """The waiting games that can begin now, in the order of the schedule.

    `most` has the number of games at a time of each entry that set one (at least 1); the others begin all at once.
    While games are waiting and none is running, there is always one that can begin.
    """
    raise NotImplementedError


def games_per_entry(size: int, players_per_game: int, *, double: bool = False) -> int:
    """How many games everybody in a group of that size plays."""
    raise NotImplementedError


def attack_pairs(seats: Sequence[int]) -> Collection[tuple[int, int]]:
    """Who attacks whom in a game: each the next in seat order."""
    return tuple(zip(seats, (*seats[1:], seats[0]), strict=True))
