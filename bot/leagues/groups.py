"""The divisions of a league: who plays in which group, who goes up and who goes down. Pure.

A division is one group. Divisions are numbered from 0, the highest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, pairwise
from typing import NamedTuple

from bot.leagues.schedule import MAX_GROUP
from bot.leagues.standings import Standing

MIN_GROUP = 3
"""The smallest group. The only exception: a league of a two-player game with just two people has a group of two."""
COMPLETE_SIZES = (3, 4, 7, 9, 10)
"""Sizes of groups, for three-player games, in which everybody can attack everybody once."""

Divisions = tuple[tuple[int, ...], ...]
"""The users of each division, the highest division first."""


def split_groups(count: int, least: int, most: int, players_per_game: int = 2) -> tuple[int, ...]:
    """Returns the sizes of the groups for that many people, as equal as possible, larger groups first.

    Sizes lie between `least` and `most` if the number of people allows it, otherwise as close to them as possible.
    They are always from 3 to 10; two people alone in a league of a two-player game have a group of 2. If that leaves a
    choice, as many people as possible get a group with complete triples (three-player games only), and then there are
    as few groups as possible.

    >>> split_groups(7, 4, 6), split_groups(13, 4, 6), split_groups(12, 4, 7, 3)
    ((7,), (5, 4, 4), (4, 4, 4))
    """
    assert count >= players_per_game, count
    assert MIN_GROUP <= least <= most <= MAX_GROUP, (least, most)

    def rate_sizes(sizes: tuple[int, ...]) -> tuple[int, int, int]:
        outside = max(sizes[0] - most, 0) + max(least - sizes[-1], 0)
        incomplete = sum(size for size in sizes if players_per_game == 3 and size not in COMPLETE_SIZES)
        return outside, incomplete, len(sizes)

    choices = range(-(-count // MAX_GROUP), max(count // MIN_GROUP, 1) + 1)
    return min((_equal_sizes(count, groups) for groups in choices), key=rate_sizes)


def _equal_sizes(count: int, groups: int) -> tuple[int, ...]:
    size, larger = divmod(count, groups)
    return (size + 1,) * larger + (size,) * (groups - larger)


class Zone(NamedTuple):
    """How many people of a division go up and down at the end of the season."""

    up: int
    down: int


def zones_of(sizes: Sequence[int], movers: int) -> tuple[Zone, ...]:
    """Returns the zone of each division: `movers` up and as many down. Small divisions have fewer, so somebody stays.

    If ties for promotion have made the upper divisions larger than their share, the surplus also goes down.

    >>> zones_of((6, 6, 5), 2), zones_of((3, 3), 2)
    ((Zone(up=0, down=2), Zone(up=2, down=2), Zone(up=2, down=0)), (Zone(up=0, down=1), Zone(up=1, down=0)))
    """
    if not sizes:
        return ()
    most = [(size - 1) // 2 for size in sizes]
    up = [0, *(min(movers, here, above) for above, here in pairwise(most))]
    shares = accumulate(_equal_sizes(sum(sizes), len(sizes)))
    surplus = [max(held - share, 0) for held, share in zip(accumulate(sizes), shares, strict=True)]
    down = [
        min(below + more, size - 1 - own)
        for below, more, size, own in zip(up[1:], surplus, sizes[:-1], up[:-1], strict=False)
    ]
    return tuple(Zone(*numbers) for numbers in zip(up, [*down, 0], strict=True))


class Movement(Enum):
    """What the end of a season means for a person. The values are stored and never change."""

    UP = "up"
    STAYS = "stays"
    DOWN = "down"


def movements_of(rows: Sequence[Standing], zone: Zone) -> tuple[Movement, ...]:
    """Returns what each line of a division's table means for its person.

    Everybody who shares the last place of promotion goes up, but nobody without a point. A person who shares a place
    with somebody who stays does not go down. People whose games were taken out go down in addition to the others, if
    anybody goes down.
    """
    last_to_stay = sum(row.place is not None for row in rows) - zone.down

    def movement_of(row: Standing) -> Movement:
        if row.place is None:
            return Movement.DOWN if zone.down else Movement.STAYS
        if row.place <= zone.up and row.points_gained:
            return Movement.UP
        return Movement.DOWN if row.place > last_to_stay else Movement.STAYS

    return tuple(map(movement_of, rows))


@dataclass(frozen=True, slots=True)
class FinalPlace:
    """A person at the end of a season."""

    user: int
    division: int
    movement: Movement = Movement.STAYS

    @property
    def next_division(self) -> int:
        """The division of the person in the next season, if the numbers of people stay the same."""
        return self.division + {Movement.UP: -1, Movement.STAYS: 0, Movement.DOWN: 1}[self.movement]


def first_divisions(ratings: Mapping[int, float], sizes: Iterable[int]) -> Divisions:
    """Returns the divisions of a first season: the best ratings in the highest, equal ratings in the order given."""
    return _cut(sorted(ratings, key=lambda user: -ratings[user]), sizes)


def _cut(users: Sequence[int], sizes: Iterable[int]) -> Divisions:
    ends = list(accumulate(sizes, initial=0))
    assert ends[-1] == len(users), (ends, len(users))
    return tuple(tuple(users[start:end]) for start, end in pairwise(ends))


def next_divisions(
    last: Sequence[FinalPlace],
    signed_up: Collection[int],
    ratings: Mapping[int, float],
    *,
    least: int,
    most: int,
    players_per_game: int,
) -> Divisions:
    """Returns the divisions of the next season, with everybody who signed up exactly once.

    `last` are the people of the last season in the order of its tables, the highest division first. Newcomers begin at
    the bottom, by rating. Free places are filled from below: first by the people who would go down, best first. A
    division may exceed its share so that nobody who has gone up is sent back.
    """
    wanted = set(signed_up)
    back = [final for final in last if final.user in wanted]
    back.sort(key=lambda final: (final.next_division, _ORDER[final.movement]))
    risen = {final.user: final.next_division for final in back if final.movement is Movement.UP}
    newcomers = sorted(wanted - {final.user for final in back}, key=lambda user: (-ratings.get(user, 0.0), user))
    rest = [*(final.user for final in back), *newcomers]
    groups = len(split_groups(len(rest), least, most, players_per_game))
    divisions: list[tuple[int, ...]] = []
    while rest:
        size = _equal_sizes(len(rest), groups)[0]
        while size < min(len(rest), MAX_GROUP) and rest[size] in risen and risen[rest[size]] <= len(divisions):
            size += 1
        if 0 < len(rest) - size < MIN_GROUP:  # too few for a group of their own
            size = len(rest) if len(rest) <= MAX_GROUP else len(rest) - MIN_GROUP
        groups = max(min(groups - 1, (len(rest) - size) // MIN_GROUP), 1)
        divisions.append(tuple(rest[:size]))
        rest = rest[size:]
    return tuple(divisions)


_ORDER = {Movement.DOWN: 0, Movement.STAYS: 1, Movement.UP: 2}
"""The order in the next division. A person who comes down from above is the first to stay up if a place is free."""
