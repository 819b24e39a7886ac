"""The groups of a season: who plays in which, their schedule, tables and promotion. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import accumulate, islice, pairwise, repeat
from operator import add
from statistics import median
from typing import NamedTuple

from bot.leagues.league import MIN_GROUP, WIN, LeagueTerms, Points, Verdict

_TWELFTHS = {1: "1/12", 2: "⅙", 3: "¼", 4: "⅓", 5: "5/12", 6: "½", 7: "7/12", 8: "⅔", 9: "¾", 10: "⅚", 11: "11/12"}


def format_points(points: Points) -> str:
    """Points as people write them.

    >>> format_points(30), format_points(12), format_points(4), format_points(0), format_points(17)
    ('2½', '1', '⅓', '0', '1 5/12')
    """
    whole, rest = divmod(points, WIN)
    fraction = _TWELFTHS.get(rest, "")
    between = " " if whole and "/" in fraction else ""
    return f"{whole}{between}{fraction}" if whole or not fraction else fraction


_TRIPLES = {
    3: ("021 201", "012 210"),
    4: ("321 230 103 012", "123 032 301 210"),
    5: ("140 023 321 412 204 031", "104 203 312 421 240 130"),
    6: ("302 251 140 420,531 035 524 413", "032 152 104 240,513 305 425 314"),
    7: (
        "412,635 640,253 031,546 026,514 205,361 304,162 150,423",
        "421,365 046,523 301,645 206,154 250,163 034,612 510,432",
    ),
    8: (
        "725,463 620,471 504,231 016,752 037,156 513,642 305,174 240,367",
        "275,643 260,741 054,321 106,572 307,516 153,462 035,714 420,637",
    ),
    9: (
        "045,178,623 702,413,568 016,482,375 720,618,354 031,284,657 805,147,263 406,251,387 830,521,746",
        "540,187,632 072,314,658 106,428,573 270,816,453 301,824,567 085,741,362 460,215,837 038,125,764",
    ),
    10: (
        "510,832,769 750,913,468 154,967 701,492,385 827,635 204,931,586 089,126,374 640,871,295"
        " 098,216,347 603,148,572 023,459",
        "015,382,679 570,193,486 514,976 107,942,835 728,653 240,391,568 809,621,734 046,817,259"
        " 908,261,437 063,184,752 320,495",
    ),
}
"""By the number of entrants: the triples, then the same triples reversed, for the second half of a double schedule."""

Rounds = tuple[tuple[tuple[int, ...], ...], ...]


def _parse_rounds(text: str) -> Rounds:
    return tuple(tuple(tuple(map(int, triple)) for triple in games.split(",")) for games in text.split())


TRIPLES = {size: (_parse_rounds(single), _parse_rounds(second)) for size, (single, second) in _TRIPLES.items()}
"""By the number of entrants: per round, the entrants of each game in seat order; then the same with each ring reversed,
seated so that both halves together balance the seats."""

MAX_GROUP = 10
"""The most entrants of a group. The fewest are the number of players of a game."""


@dataclass(frozen=True, slots=True)
class LeagueGame:
    """A game of a season."""

    division: int
    number: int
    round: int
    """From 0. In one round nobody plays two games."""
    entrants: tuple[int, ...]
    """In seat order. An entrant is the number of a place in the group, from 0."""
    match: int | None = None
    points: tuple[Points, ...] | None = None
    """In seat order; None while it is not decided."""
    verdict: Verdict | None = None
    league: int = 0
    season: int = 0

    @property
    def is_unbegun(self) -> bool:
        """True if the game is decided although its players have not begun it."""
        return self.verdict is Verdict.NOT_BEGUN or (self.verdict is Verdict.LEFT and self.match is None)

    def points_of(self, entrant: int) -> Points:
        """Returns the points of that entrant, which must have a seat in the game; none while it is not decided."""
        return self.points[self.entrants.index(entrant)] if self.points else 0


def make_schedule(size: int, terms: LeagueTerms, division: int = 0) -> list[LeagueGame]:
    """Returns all games of a group of `size` entrants, round by round.

    The second half of a double schedule repeats the first: with swapped colours in two-player games, with each ring
    reversed in three-player games.
    """
    assert terms.players_per_game <= size <= MAX_GROUP, size
    if terms.players_per_game == 2:
        single = _circle_rounds(size)
        second: Rounds = tuple(tuple(entrants[::-1] for entrants in games) for games in single)
    else:
        single, second = TRIPLES[size]
    rounds = (*single, *second) if terms.double else single
    games = [(number, entrants) for number, entrants_by_game in enumerate(rounds) for entrants in entrants_by_game]
    return [LeagueGame(division, number, *game) for number, game in enumerate(games)]


def _circle_rounds(size: int) -> Rounds:
    """Returns the rounds in which everybody plays everybody once. First and second moves are equal in number, or differ
    by one.

    An odd number of entrants stands in a circle. In round r the entrants whose sum is r play each other. Each has the
    first move against the half of the circle after it. The entrant that would play itself rests; if the size is even,
    it plays the entrant outside of the circle.
    """
    around = size - 1 + size % 2
    return tuple(tuple(_circle_games(size, around, number)) for number in range(around))


def _circle_games(size: int, around: int, number: int) -> Iterable[tuple[int, int]]:
    for entrant in range(around):
        other = (number - entrant) % around
        if other == entrant and size > around:
            yield (entrant, around) if entrant % 2 else (around, entrant)
        elif 1 <= (other - entrant) % around <= around // 2:
            yield entrant, other


def attacks_in(entrants: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Returns who attacks whom in a game: each entrant attacks the next in seat order.

    >>> attacks_in((4, 0, 7)), attacks_in((1, 2))
    (((4, 0), (0, 7), (7, 4)), ((1, 2), (2, 1)))
    """
    return tuple(zip(entrants, (*entrants[1:], entrants[0]), strict=True))


class Movement(Enum):
    """What the end of a season means for a person. The values are stored and never change."""

    UP = "up"
    STAYS = "stays"
    DOWN = "down"


STEPS = {Movement.UP: -1, Movement.STAYS: 0, Movement.DOWN: 1}
"""By how many divisions a person moves."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the table of a group."""

    entrant: int
    rank: int | None
    """From 1. Entrants that no tie-break separates share a rank. None without a game that is over and counts."""
    points: Points = 0
    direct: Points = 0
    """The points in games against others with the same points."""
    neustadtl: int = 0
    """Neustadtl's score (Sonneborn-Berger), in twelfths of twelfths: each game's points times the opponents' points."""
    wins: int = 0
    played: int = 0
    games: int = 0
    """How many games the entrant plays in the season."""
    credit: Points = 0
    """The points, among its own, for games that others of the group play and the entrant does not."""
    plays_enough: bool = True
    """Whether at least half as many games count as entrants of the group were to play (the median)."""
    is_out: bool = False
    """Whether the entrant was taken out."""
    user: int = 0
    movement: Movement = Movement.STAYS
    """What the line means for its person in the next season."""

    @property
    def points_gained(self) -> Points:
        """The points from games."""
        return self.points - self.credit

    @property
    def ranking_key(self) -> tuple[int, int, int, int]:
        """The points, then the tie-breaks in the order in which they decide."""
        return self.points, self.direct, self.neustadtl, self.wins


def rank_entrants(size: int, games: Iterable[LeagueGame], taken_out: Collection[int] = ()) -> tuple[Standing, ...]:
    """Returns the table of a group, best first; then the entrants without a game that is decided; then those taken out.

    `games` are all games of the season. The games of an entrant that was taken out do not count for its opponents
    either. An entrant with fewer remaining games than others gets the points of an average game for each missing one: a
    win divided by the number of players.
    """
    games = [*games]
    counting = [game for game in games if not {*game.entrants} & {*taken_out}]
    planned, remaining = (Counter(entrant for game in some for entrant in game.entrants) for some in (games, counting))
    enough = median(planned[entrant] for entrant in range(size)) / 2
    average = WIN // len(counting[0].entrants) if counting else 0
    entrants = [entrant for entrant in range(size) if entrant not in taken_out]
    credit = {entrant: (max(remaining.values(), default=0) - remaining[entrant]) * average for entrant in entrants}
    points = dict(credit)
    for game in counting:
        for entrant in game.entrants:
            points[entrant] += game.points_of(entrant)
    rows = [_standing_of(one, points, [game for game in counting if one in game.entrants]) for one in entrants]
    rows = [replace(row, credit=credit[row.entrant], plays_enough=row.games >= enough) for row in rows]
    # Stable: equal lines stay in the order of entrants.
    ranked = sorted((row for row in rows if row.played), key=lambda row: row.ranking_key, reverse=True)
    placed = [replace(row, rank=1 + sum(other.ranking_key > row.ranking_key for other in ranked)) for row in ranked]
    waiting = (row for row in rows if not row.played)
    return (*placed, *waiting, *(Standing(entrant, None, is_out=True) for entrant in sorted(taken_out)))


def _standing_of(entrant: int, points: Mapping[int, Points], own: Sequence[LeagueGame]) -> Standing:
    """Returns a line from the points of all entrants and the entrant's own games that count."""
    equals = {other for other in points if other != entrant and points[other] == points[entrant]}
    shares = [(game.points_of(entrant), {*game.entrants} - {entrant}) for game in own]
    direct = sum(share for share, others in shares if equals & others)
    neustadtl = sum(share * points[other] for share, others in shares for other in others)
    wins, played = sum(share == WIN for share, _ in shares), sum(game.points is not None for game in own)
    return Standing(entrant, None, points[entrant], direct, neustadtl, wins, played, len(own))


def make_crosstable(rows: Sequence[Standing], games: Iterable[LeagueGame]) -> list[list[list[LeagueGame]]]:
    """Returns the games by row and column, which both are in the order of the table. Two-player games: all games of the
    two. Three-player games: those in which the row attacks the column. So each game stands once in the row of each of
    its players; those of an entrant that was taken out are left out.
    """
    counting = {row.entrant for row in rows if not row.is_out}
    cells = defaultdict[tuple[int, int], list[LeagueGame]](list)
    for game in games:
        if counting.issuperset(game.entrants):
            for attack in attacks_in(game.entrants):
                cells[attack].append(game)
    return [[cells[row.entrant, column.entrant] for column in rows] for row in rows]


COMPLETE_SIZES = (3, 4, 7, 9, 10)
"""Sizes of groups, for three-player games, in which everybody can attack everybody once."""

Divisions = tuple[tuple[int, ...], ...]
"""The users of each division, the highest division first."""


def split_groups(count: int, terms: LeagueTerms) -> tuple[int, ...]:
    """Returns the sizes of the groups for that many people, as equal as possible, larger groups first.

    Sizes lie between the least and the most of the terms if the number of people allows it, otherwise as close to them
    as possible. They are always from 3 to 10; two people alone in a league of a two-player game have a group of 2. If
    that leaves a choice, as many people as possible get a group with complete triples (three-player games only), and
    then there are as few groups as possible.

    >>> split_groups(7, LeagueTerms("camelot")), split_groups(12, LeagueTerms("tri-camelot", most=7))
    ((7,), (4, 4, 4))
    >>> split_groups(2, LeagueTerms("camelot"))
    (2,)
    """
    assert count >= terms.players_per_game, count
    assert MIN_GROUP <= terms.least <= terms.most <= MAX_GROUP, terms

    def rate_sizes(sizes: tuple[int, ...]) -> tuple[int, int, int]:
        outside = max(sizes[0] - terms.most, 0) + max(terms.least - sizes[-1], 0)
        incomplete = sum(size for size in sizes if terms.players_per_game == 3 and size not in COMPLETE_SIZES)
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


def move_lines(rankings: Sequence[Sequence[Standing]], zones: Sequence[Zone]) -> list[tuple[Standing, ...]]:
    """Returns the divisions' tables with what each line means for its person.

    Nobody goes up without a point, or with fewer than half as many games as people of their division were to play. Of
    the others the best go up, with everybody who shares the last place of promotion, as long as the divisions above
    have room. A person who shares a place with somebody who stays, or has no place yet, does not go down. People whose
    games were taken out go down in addition to the others, if anybody goes down.
    """
    moved, free, falling = list[tuple[Standing, ...]](), 0, 0
    for ranking, zone in zip(rankings, zones, strict=True):
        rising = _rising_entrants(ranking, zone.up, free + falling)
        last_to_stay = sum(not row.is_out for row in ranking) - zone.down
        moved.append(tuple(replace(row, movement=_movement_of(row, rising, last_to_stay, zone)) for row in ranking))
        free += MAX_GROUP - len(ranking)
        falling = sum(row.movement is Movement.DOWN for row in moved[-1])
    return moved


def _rising_entrants(ranking: Sequence[Standing], up: int, room: int) -> set[int]:
    able = {row.entrant: row.rank for row in ranking if row.rank and row.points_gained and row.plays_enough}
    ranks = sorted(able.values())
    return {
        entrant for entrant, rank in able.items() if bisect_left(ranks, rank) < up and bisect_right(ranks, rank) <= room
    }


def _movement_of(row: Standing, rising: Collection[int], last_to_stay: int, zone: Zone) -> Movement:
    if row.entrant in rising:
        return Movement.UP
    falls = zone.down if row.is_out else row.rank is not None and row.rank > last_to_stay
    return Movement.DOWN if falls else Movement.STAYS


class SeatState(Enum):
    """Whether a person still takes part. The values are stored and never change."""

    IN = "in"
    LEFT = "left"  # withdrew after at least half of their games: the unfinished ones are lost
    OUT = "out"  # withdrew earlier: none of their games count


@dataclass(frozen=True, slots=True)
class LeagueSeat:
    """A person's place in a group."""

    division: int
    entrant: int
    user: int
    state: SeatState = SeatState.IN
    at_once: int | None = None
    """The most games at a time that the person wants; None: all of them."""
    place: int | None = None
    """In the end of the season; None before, for a person who was taken out, and without a point."""
    movement: Movement | None = None
    """What the end of the season means for the person; None before."""
    league: int = 0
    season: int = 0

    @property
    def next_division(self) -> int:
        """The division of the person in the next season, if the numbers of people stay the same."""
        return self.division + STEPS[self.movement or Movement.STAYS]


@dataclass(frozen=True, slots=True)
class Group:
    """A division with its people by entrant, and its games."""

    division: int
    seats: tuple[LeagueSeat, ...]
    games: tuple[LeagueGame, ...]
    standings: tuple[Standing, ...]
    """The table."""

    @property
    def users_by_entrant(self) -> tuple[int, ...]:
        """The user of each entrant."""
        return tuple(seat.user for seat in self.seats)

    @property
    def users_in(self) -> tuple[int, ...]:
        """The people who still play in it."""
        return tuple(seat.user for seat in self.seats if seat.state is SeatState.IN)

    @property
    def games_that_count(self) -> tuple[LeagueGame, ...]:
        """The games without a person who was taken out."""
        taken_out = {seat.entrant for seat in self.seats if seat.state is SeatState.OUT}
        return tuple(game for game in self.games if not taken_out & {*game.entrants})

    @property
    def unfinished_games(self) -> tuple[LeagueGame, ...]:
        """The games that are not decided and count."""
        return tuple(game for game in self.games_that_count if game.points is None)

    @property
    def games_going_on(self) -> Counter[int]:
        """How many games that count each entrant has at the moment."""
        return Counter(entrant for game in self.unfinished_games if game.match is not None for entrant in game.entrants)

    def entrants_at_limit(self) -> set[int]:
        """Returns the entrants whose people have as many games that count as they want at a time."""
        held = self.games_going_on
        return {seat.entrant for seat in self.seats if seat.at_once is not None and held[seat.entrant] >= seat.at_once}

    def games_to_begin(self) -> list[LeagueGame]:
        """Returns the games that can be set up now, in the order of the schedule: nobody gets more games than they
        want at a time.
        """
        chosen, held = list[LeagueGame](), self.games_going_on
        limits = {seat.entrant: seat.at_once for seat in self.seats if seat.at_once is not None}
        for game in sorted(self.games, key=lambda game: (game.round, game.number)):
            is_waiting = game.match is None and game.points is None
            if is_waiting and all(held[entrant] < limits.get(entrant, len(self.games)) for entrant in game.entrants):
                chosen.append(game)
                held.update(game.entrants)
        return chosen

    def users_of(self, game: LeagueGame) -> tuple[int, ...]:
        """Returns the people of a game, in seat order."""
        return tuple(self.seats[entrant].user for entrant in game.entrants)


def make_groups(seats: Sequence[LeagueSeat], games: Sequence[LeagueGame], terms: LeagueTerms) -> tuple[Group, ...]:
    """Returns the groups of a season, the highest first; none without seats."""
    if not seats:
        return ()
    divisions = range(max(seat.division for seat in seats) + 1)
    members = [tuple(sorted((s for s in seats if s.division == n), key=lambda s: s.entrant)) for n in divisions]
    played = [tuple(game for game in games if game.division == n) for n in divisions]
    rankings = [_rank_group(*of_group) for of_group in zip(members, played, strict=True)]
    zones = zones_of([len(group) for group in members], terms.movers, split_groups(len(seats), terms))
    return tuple(map(Group, divisions, members, played, move_lines(rankings, zones)))


def _rank_group(seats: Sequence[LeagueSeat], games: Sequence[LeagueGame]) -> list[Standing]:
    ranking = rank_entrants(len(seats), games, [seat.entrant for seat in seats if seat.state is SeatState.OUT])
    return [replace(row, user=seats[row.entrant].user) for row in ranking]


def move_people(divisions: Divisions, chosen: Mapping[int, int | None]) -> Divisions:
    """Returns divisions of the same sizes with people in those chosen for them; the others fill these in their order.

    >>> move_people(((1, 2), (3, 4)), {4: 0}), move_people(((1, 2), (3, 4)), {1: 1})
    (((1, 4), (2, 3)), ((2, 3), (1, 4)))
    """
    users, placed = [user for users in divisions for user in users], [list[int]() for _ in divisions]
    for user in users:
        if (division := chosen.get(user)) is not None:
            number = min(division, len(divisions) - 1)
            placed[number] += [user] if len(placed[number]) < len(divisions[number]) else []
    others = iter([user for user in users if not any(user in own for own in placed)])
    whole = [[*own, *islice(others, len(old) - len(own))] for old, own in zip(divisions, placed, strict=True)]
    return tuple(tuple(sorted(own, key=users.index)) for own in whole)


def next_divisions(
    last: Sequence[LeagueSeat], signed_up: Collection[int], ratings: Mapping[int, float], terms: LeagueTerms
) -> Divisions:
    """Returns the divisions of the next season, with everybody who signed up exactly once.

    `last` are the seats of the last season in the order of its tables, the highest division first; none before the
    first season. Newcomers begin at the bottom, by rating, equal ratings in the order in which they signed up. Free
    places are filled from below: first by the people who would go down, best first. Nobody who has gone up or stays
    plays lower than that, unless groups of 3 to 10 leave no other way.
    """
    back = [seat for seat in last if seat.user in signed_up]
    # A person who comes down from above is the first to stay up if a place is free.
    back.sort(key=lambda seat: (seat.next_division, -STEPS[seat.movement or Movement.STAYS]))
    users = [seat.user for seat in back]
    users += sorted((user for user in signed_up if user not in users), key=lambda user: -ratings.get(user, 0.0))
    ends = accumulate(_sizes_as_promised(back, len(users), terms), initial=0)
    return tuple(tuple(users[start:end]) for start, end in pairwise(ends))


def _sizes_as_promised(back: Sequence[LeagueSeat], count: int, terms: LeagueTerms) -> tuple[int, ...]:
    """Returns the sizes of the next divisions for `count` people, of whom `back` come first, in the order of their next
    divisions.

    As few as possible play lower than they should. If that leaves a choice, the sizes lie between the least and most of
    the terms as far as possible, then as few as possible are spared from going down, then there are nearly as many
    groups as for people who are all new, nearly equal, larger groups first.
    """
    if count < MIN_GROUP:
        return (count,)
    groups = len(split_groups(count, terms))
    due = [seat.next_division for seat in back]
    falling = [start for start, seat in enumerate(back) if seat.movement is Movement.DOWN]

    def rate_group(division: int, start: int, size: int) -> tuple[int, ...]:
        too_low = min(max(bisect_left(due, division) - start, 0), size)
        outside = max(size - terms.most, terms.least - size, 0)
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
