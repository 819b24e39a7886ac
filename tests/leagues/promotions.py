"""A plain model of promotion: who goes up and down after a season, and whether the next one keeps what was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

FEWEST, MOST = 3, 10
"""People in a group."""


@dataclass(frozen=True)
class Line:
    """A person in the final table of a group."""

    user: int
    place: int | None
    """None without a game that counts."""
    has_gained: bool
    """Whether they have a part of a point from games."""
    games: int
    """Their games that count."""
    is_out: bool


def movements(
    tables: Sequence[Sequence[Line]], planned: Sequence[float], movers: int, wanted: Sequence[int]
) -> dict[int, int]:
    """Returns -1 for everybody who goes up, 1 for everybody who goes down, 0 for those who stay.

    `planned`: per group the median of the games that people were to play; `wanted`: the sizes for as many people.
    """
    moved = {line.user: 0 for table in tables for line in table}
    exchanged = [min(movers, (len(a) - 1) // 2, (len(b) - 1) // 2) for a, b in pairwise(tables)]
    for number, table in enumerate(tables):
        up = exchanged[number - 1] if number else 0
        higher = sum(map(len, tables[:number]))
        leave_higher = sum(moved[line.user] == 1 for line in tables[number - 1]) if number else 0
        able = [line for line in table if line.place and line.has_gained and 2 * line.games >= planned[number]]
        for line in able:
            better = sum((other.place or 0) < (line.place or 0) for other in able)
            as_good = sum(other.place == line.place for other in able)
            if better < up and higher - leave_higher + better + as_good <= MOST * number:
                moved[line.user] = -1
        too_many = max(higher + len(table) - sum(wanted[: number + 1]), 0)
        down = min((*exchanged, 0)[number] + too_many, len(table) - 1 - up)
        last_to_stay = sum(not line.is_out for line in table) - down
        for line in table:
            falls = down > 0 if line.is_out else line.place is not None and line.place > last_to_stay
            if falls and not moved[line.user]:
                moved[line.user] = 1
    return moved


def broken_promises(before: Mapping[int, int], moved: Mapping[int, int], after: Sequence[Sequence[int]]) -> list[int]:
    """Returns those who play lower than the end of the season has said. `before`: everybody's group then."""
    return [
        user
        for number, group in enumerate(after)
        for user in group
        if user in before and number > before[user] + moved[user]
    ]


def can_keep_all(due: Sequence[int], count: int) -> bool:
    """Whether `count` people can form groups so that nobody plays lower than they are due; `due` are sorted numbers of
    groups, of those who have one.
    """
    reached, number = {0}, 0
    while reached and count not in reached:
        must = sum(at <= number for at in due)
        reached = {n + size for n in reached for size in range(FEWEST, MOST + 1) if must <= n + size <= count}
        number += 1
    return bool(reached)
