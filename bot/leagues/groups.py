"""The divisions of a league: who plays in which group, who goes up and who goes down. Pure.

A division is one group. Divisions are numbered from 0, the highest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, pairwise, repeat
from operator import add
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


def zones_of(sizes: Sequence[int], movers: int, wanted: Sequence[int]) -> tuple[Zone, ...]:
    """Returns the zone of each division: `movers` up and as many down. Small divisions have fewer, so somebody stays.

    `wanted` are the sizes that as many people should have. If the upper divisions are larger than that, after ties for
    promotion or because people have left, the surplus also goes down.

    >>> zones_of((6, 6, 5), 2, (6, 6, 5)), zones_of((3, 3), 2, (3, 3)), zones_of((6,), 2, (3, 3))
    ((Zone(up=0, down=2), Zone(up=2, down=2), Zone(up=2, down=0)), (Zone(up=0, down=1), Zone(up=1, down=0)), \
(Zone(up=0, down=3),))
    """
    most = [(size - 1) // 2 for size in sizes]
    up = [0, *(min(movers, here, above) for above, here in pairwise(most)), 0]
    shares = [*accumulate(wanted), *repeat(sum(sizes), len(sizes))]
    surplus = [max(held - share, 0) for held, share in zip(accumulate(sizes), shares, strict=False)]
    down = [
        min(below + more, size - 1 - own)
        for below, more, size, own in zip(up[1:], surplus, sizes, up[:-1], strict=True)
    ]
    return tuple(Zone(*numbers) for numbers in zip(up[:-1], down, strict=True))


class Movement(Enum):
    """What the end of a season means for a person. The values are stored and never change."""

    UP = "up"
    STAYS = "stays"
    DOWN = "down"


def movements_of(tables: Sequence[Sequence[Standing]], zones: Sequence[Zone]) -> tuple[tuple[Movement, ...], ...]:
    """Returns what each line of the divisions' tables means for its person.

    Nobody goes up without a point, or with fewer than half as many games as people of their division were to play. Of
    the others the best go up, with everybody who shares the last place of promotion, as long as the divisions above
    have room. A person who shares a place with somebody who stays, or has no place yet, does not go down. People whose
    games were taken out go down in addition to the others, if anybody goes down.
    """
    movements, free, falling = list[tuple[Movement, ...]](), 0, 0
    for table, zone in zip(tables, zones, strict=True):
        rising = _rising_entries(table, zone.up, free + falling)
        last_to_stay = sum(not row.is_out for row in table) - zone.down
        movements.append(tuple(_movement_of(row, rising, last_to_stay, zone) for row in table))
        free += MAX_GROUP - len(table)
        falling = movements[-1].count(Movement.DOWN)
    return tuple(movements)


def _rising_entries(table: Sequence[Standing], up: int, room: int) -> set[int]:
    able = {row.entry: row.place for row in table if row.place and row.points_gained and row.plays_enough}
    places = sorted(able.values())
    return {
        entry
        for entry, place in able.items()
        if bisect_left(places, place) < up and bisect_right(places, place) <= room
    }


def _movement_of(row: Standing, rising: Collection[int], last_to_stay: int, zone: Zone) -> Movement:
    if row.entry in rising:
        return Movement.UP
    falls = zone.down if row.is_out else row.place is not None and row.place > last_to_stay
    return Movement.DOWN if falls else Movement.STAYS


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
    the bottom, by rating. Free places are filled from below: first by the people who would go down, best first. Nobody
    who has gone up or stays plays lower than that, unless groups of 3 to 10 leave no other way.
    """
    wanted = set(signed_up)
    back = [final for final in last if final.user in wanted]
    back.sort(key=lambda final: (final.next_division, _ORDER[final.movement]))
    newcomers = sorted(wanted - {final.user for final in back}, key=lambda user: (-ratings.get(user, 0.0), user))
    groups = len(split_groups(len(wanted), least, most, players_per_game))
    sizes = _sizes_as_promised(back, len(wanted), groups, least, most)
    return _cut([*(final.user for final in back), *newcomers], sizes)


def _sizes_as_promised(back: Sequence[FinalPlace], count: int, groups: int, least: int, most: int) -> tuple[int, ...]:
    """Returns the sizes of the next divisions for `count` people, of whom `back` come first, in the order of their next
    divisions.

    As few as possible play lower than they should. If that leaves a choice, the sizes lie between `least` and `most` as
    far as possible, then as few as possible are spared from going down, then there are nearly `groups` groups, nearly
    equal, larger groups first.
    """
    if count < MIN_GROUP:
        return (count,)
    due = [final.next_division for final in back]
    falling = [start for start, final in enumerate(back) if final.movement is Movement.DOWN]

    def rate_group(division: int, start: int, size: int) -> tuple[int, ...]:
        too_low = min(max(bisect_left(due, division) - start, 0), size)
        outside = max(size - most, least - size, 0)
        spared = sum(start <= at < start + size and due[at] > division for at in falling)
        return too_low, outside, spared, size * size

    # By the number of people seated: the best rating, and the sizes as negative numbers.
    partial: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {0: ((0, 0, 0, 0), ())}
    whole = []
    for division in range(count // MIN_GROUP):
        longer: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        for start, (rating, sizes) in partial.items():
            for size in range(MIN_GROUP, min(MAX_GROUP, count - start) + 1):
                rated = tuple(map(add, rating, rate_group(division, start, size))), (*sizes, -size)
                longer[start + size] = min(longer.get(start + size, rated), rated)
        partial = longer
        if count in partial:
            (*promises, squares), sizes = partial.pop(count)
            whole.append((promises, abs(division + 1 - groups), squares, sizes))
    return tuple(-size for size in min(whole)[-1])


_ORDER = {Movement.DOWN: 0, Movement.STAYS: 1, Movement.UP: 2}
"""The order in the next division. A person who comes down from above is the first to stay up if a place is free."""
