"""Points of league games, exactly: whole twelfths of a win, so that halves, thirds and sixths add up."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rules import Seat

Points = int
"""Twelfths of a win."""

WIN: Points = 12


@dataclass(frozen=True, slots=True)
class GameScore:
    """The points of one league game that is over or adjudicated."""

    seats: tuple[int, ...]
    """The entry of each seat, in seat order. An entry is the number of a place in the group, from 0."""
    points: tuple[Points, ...]
    """Per seat."""

    def points_of(self, entry: int) -> Points:
        """Returns the points of that entry, which must have a seat in the game."""
        return self.points[self.seats.index(entry)]


def shared_points(players: int, sharing: Collection[Seat]) -> tuple[Points, ...]:
    """Returns one win shared by those seats: a win for one seat, a draw for several. Without seats nobody gets points.

    >>> shared_points(2, [1]), shared_points(3, [0, 1, 2]), shared_points(3, [])
    ((0, 12), (4, 4, 4), (0, 0, 0))
    """
    return tuple(WIN // len(sharing) if seat in sharing else 0 for seat in range(players))


def lost_points(players: int, losing: Collection[Seat]) -> tuple[Points, ...]:
    """Returns the points of a game that those seats have lost: the others share the win."""
    return shared_points(players, [seat for seat in range(players) if seat not in losing])


_TWELFTHS = {1: "1/12", 2: "⅙", 3: "¼", 4: "⅓", 5: "5/12", 6: "½", 7: "7/12", 8: "⅔", 9: "¾", 10: "⅚", 11: "11/12"}


def format_points(points: Points) -> str:
    """Points as people write them.

    >>> format_points(30), format_points(4), format_points(0), format_points(17)
    ('2½', '⅓', '0', '1 5/12')
    """
    whole, rest = divmod(points, WIN)
    fraction = _TWELFTHS.get(rest, "")
    between = " " if whole and "/" in fraction else ""
    return f"{whole}{between}{fraction}" if whole or not fraction else fraction
