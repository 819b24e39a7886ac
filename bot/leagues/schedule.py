"""The games of a group: everybody against everybody. Pure; an entry is the number of a place in the group, from 0.

Two players meet once, by the circle method. Three players meet as directed triples: in seat order each attacks the
next, and over all games everybody attacks everybody once (a Mendelsohn triple system, see `bot.leagues.triples`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.leagues.triples import REVERSED_TRIPLES, TRIPLES, Rounds

MAX_GROUP = 10
"""The most entries of a group. The fewest are the number of players of a game."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game of a group before it is played."""

    seats: tuple[int, ...]
    """The entry of each seat, in seat order."""
    round: int
    """From 0. In one round nobody plays two games."""


def make_schedule(size: int, players_per_game: int, *, double: bool = False) -> tuple[Fixture, ...]:
    """Returns all games of a group of `size` entries, round by round.

    The second half of a double schedule repeats the first: with swapped colours in two-player games, with each ring
    reversed in three-player games.
    """
    assert players_per_game in (2, 3), players_per_game
    assert players_per_game <= size <= MAX_GROUP, size
    if players_per_game == 2:
        single = _circle_rounds(size)
        second: Rounds = tuple(tuple(seats[::-1] for seats in games) for games in single)
    else:
        single, second = TRIPLES[size], REVERSED_TRIPLES[size]
    rounds = (*single, *second) if double else single
    return tuple(Fixture(seats, number) for number, games in enumerate(rounds) for seats in games)


def _circle_rounds(size: int) -> Rounds:
    """Returns the rounds in which everybody plays everybody once. First and second moves are equal in number, or differ
    by one.

    An odd number of entries stands in a circle. In round r the entries whose numbers add up to r play each other. Each
    has the first move against the half of the circle after it. The entry that would play itself rests; if the size is
    even, it plays the entry outside of the circle.
    """
    around = size - 1 + size % 2
    return tuple(tuple(_circle_games(size, around, number)) for number in range(around))


def _circle_games(size: int, around: int, number: int) -> Iterable[tuple[int, int]]:
    for entry in range(around):
        other = (number - entry) % around
        if other == entry and size > around:
            yield (entry, around) if entry % 2 else (around, entry)
        elif 1 <= (other - entry) % around <= around // 2:
            yield entry, other


def attacks_in(seats: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Returns who attacks whom in a game: each entry attacks the next in seat order.

    >>> attacks_in((4, 0, 7)), attacks_in((1, 2))
    (((4, 0), (0, 7), (7, 4)), ((1, 2), (2, 1)))
    """
    return tuple(zip(seats, (*seats[1:], seats[0]), strict=True))
