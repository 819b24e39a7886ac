"""Divisions: every number of sign-ups, zones, and that promotion loses and doubles nobody."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.leagues.groups import (
    FinalPlace,
    Movement,
    Standing,
    Zone,
    first_divisions,
    movements_of,
    next_divisions,
    split_groups,
    zones_of,
)

LIMITS = st.tuples(st.integers(3, 10), st.integers(3, 10)).map(lambda pair: (min(pair), max(pair)))


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(("least", "most"), [*combinations_with_replacement(range(3, 11), 2)])
def test_groups_are_as_equal_as_the_numbers_allow(least: int, most: int, players: int) -> None:
    for count in range(3, 61):
        sizes = split_groups(count, least, most, players)
        assert sum(sizes) == count
        assert max(sizes) - min(sizes) <= 1
        assert 3 <= min(sizes) <= max(sizes) <= 10
        fits = any(least <= count // groups and -(-count // groups) <= most for groups in range(1, count + 1))
        assert fits == (least <= min(sizes) and max(sizes) <= most)


def test_seven_people_in_groups_of_four_to_six_are_one_group() -> None:
    assert split_groups(7, 4, 6) == (7,)
    assert split_groups(2, 3, 6) == (2,)


def test_a_first_season_is_by_rating() -> None:
    assert first_divisions({1: 10.0, 2: 30.0, 3: 20.0, 4: 30.0}, (2, 2)) == ((2, 4), (3, 1))


@given(st.lists(st.integers(3, 10), min_size=1, max_size=15), st.integers(0, 5), LIMITS)
def test_somebody_always_stays_and_zones_do_not_meet(sizes: list[int], movers: int, limits: tuple[int, int]) -> None:
    wanted = split_groups(sum(sizes), *limits)
    zones = zones_of(sizes, movers, wanted)
    assert all(zone.up + zone.down < size for zone, size in zip(zones, sizes, strict=True))
    assert zones[0].up == 0
    assert (zones[-1].down == 0) == (len(wanted) <= len(sizes))
    assert all(above.down >= min(below.up, 1) for above, below in pairwise(zones))


def moved(table: list[Standing], zone: Zone, above: int = 5) -> list[str]:
    """What a table means below a division with so many people, none of whom goes down."""
    highest = [Standing(entry, entry + 1, 12) for entry in range(above)]
    return [one.value for one in movements_of([highest, table], [Zone(0, 0), zone])[1]]


def rows(*places: tuple[int | None, int]) -> list[Standing]:
    return [Standing(entry, place, points) for entry, (place, points) in enumerate(places)]


def test_who_shares_the_last_place_of_promotion_goes_up() -> None:
    table = rows((1, 36), (2, 24), (2, 24), (4, 12), (5, 6), (5, 6))
    assert moved(table, Zone(2, 1)) == ["up", "up", "up", "stays", "stays", "stays"]
    assert moved(table, Zone(1, 2)) == ["up", *["stays"] * 3, "down", "down"]


def test_nobody_goes_up_without_a_point() -> None:
    assert moved(rows((1, 0), (1, 0), (1, 0)), Zone(1, 0)) == ["stays"] * 3


def test_nobody_goes_up_with_few_games_and_the_next_best_does() -> None:
    (first, *others) = rows((1, 24), (2, 12), (3, 0))
    assert moved([replace(first, plays_enough=False), *others], Zone(1, 0)) == ["stays", "up", "stays"]


def test_no_more_go_up_than_the_division_above_can_take() -> None:
    table = rows((1, 24), (2, 12), (2, 12), (4, 0))
    assert moved(table, Zone(2, 0), above=7) == ["up", "up", "up", "stays"]
    assert moved(table, Zone(2, 0), above=8) == ["up", "stays", "stays", "stays"]


def test_who_was_taken_out_goes_down() -> None:
    table = [*rows((1, 24), (2, 12)), Standing(2, None, is_out=True)]
    assert moved(table, Zone(0, 1)) == ["stays", "down", "down"]


def test_who_has_no_game_yet_neither_goes_up_nor_down() -> None:
    assert moved(rows((1, 12), (2, 0), (None, 4), (None, 4)), Zone(1, 2)) == ["up", "stays", "stays", "stays"]


@st.composite
def seasons(draw: st.DrawFn) -> tuple[list[FinalPlace], set[int], int, int, int]:
    """A finished season with arbitrary ties, and who signs up for the next."""
    count, players = draw(st.integers(3, 60)), draw(st.integers(2, 3))
    least, most = draw(LIMITS)
    sizes = split_groups(count, least, most, players)
    divisions = first_divisions({user: float(-user) for user in range(count)}, sizes)
    tables = []
    for size in sizes:
        points = sorted(draw(st.lists(st.integers(0, 12), min_size=size, max_size=size)))[::-1]
        tables.append([Standing(entry, 1 + points.index(point), point) for entry, point in enumerate(points)])
    moved = movements_of(tables, zones_of(sizes, draw(st.integers(0, 4)), sizes))
    finals = [
        FinalPlace(user, number, movement)
        for number, (division, movements) in enumerate(zip(divisions, moved, strict=True))
        for user, movement in zip(division, movements, strict=True)
    ]
    signed_up = draw(st.sets(st.integers(0, 80), min_size=3))
    return finals, signed_up, least, most, players


@given(seasons())
def test_promotion_conserves_people(season: tuple[list[FinalPlace], set[int], int, int, int]) -> None:
    finals, signed_up, least, most, players = season
    divisions = next_divisions(finals, signed_up, {}, least=least, most=most, players_per_game=players)
    users = [user for division in divisions for user in division]
    assert sorted(users) == sorted(signed_up)
    assert all(3 <= len(division) <= 10 for division in divisions)


@given(seasons())
def test_newcomers_begin_below_everybody_who_played(season: tuple[list[FinalPlace], set[int], int, int, int]) -> None:
    finals, signed_up, least, most, players = season
    divisions = next_divisions(finals, signed_up, {}, least=least, most=most, players_per_game=players)
    users = [user for division in divisions for user in division]
    known = {final.user for final in finals}
    assert [user in known for user in users] == sorted((user in known for user in users), reverse=True)


def test_two_go_up_and_two_go_down() -> None:
    up, stay, down = Movement.UP, Movement.STAYS, Movement.DOWN
    finals = [FinalPlace(user, 0, movement) for user, movement in enumerate([stay] * 4 + [down] * 2)]
    finals += [FinalPlace(6 + user, 1, movement) for user, movement in enumerate([up] * 2 + [stay] * 4)]
    divisions = next_divisions(finals, range(12), {}, least=4, most=6, players_per_game=2)
    assert divisions == ((0, 1, 2, 3, 6, 7), (4, 5, 8, 9, 10, 11))


def test_three_who_share_a_promotion_all_go_up() -> None:
    up, stay, down = Movement.UP, Movement.STAYS, Movement.DOWN
    finals = [FinalPlace(user, 0, movement) for user, movement in enumerate([stay] * 3 + [down] * 2)]
    finals += [FinalPlace(5 + user, 1, movement) for user, movement in enumerate([up] * 3 + [stay] * 2)]
    divisions = next_divisions(finals, range(10), {}, least=4, most=6, players_per_game=2)
    assert divisions == ((0, 1, 2, 5, 6, 7), (3, 4, 8, 9))
    assert zones_of([len(division) for division in divisions], 2, (5, 5))[0] == Zone(0, 1 + 1)


def test_a_free_place_is_filled_from_below() -> None:
    stay, down = Movement.STAYS, Movement.DOWN
    finals = [FinalPlace(user, 0, movement) for user, movement in enumerate([stay] * 2 + [down])]
    finals += [FinalPlace(3 + user, 1) for user in range(3)]
    divisions = next_divisions(finals, [1, 2, 3, 4, 5, 9], {}, least=3, most=4, players_per_game=2)
    assert divisions == ((1, 2, 3), (4, 5, 9))


def test_who_goes_up_goes_up_though_others_have_left() -> None:
    finals = [FinalPlace(user, 0) for user in range(4)]
    finals += [FinalPlace(4, 1, Movement.UP), FinalPlace(5, 1)]  # two more have left
    divisions = next_divisions(finals, range(6), {}, least=3, most=4, players_per_game=2)
    assert divisions == ((0, 1, 2, 3, 4, 5),), "two groups of three would send one down, and one would not go up"


def test_a_group_that_is_too_large_is_divided_as_said() -> None:
    assert zones_of((6,), 1, split_groups(6, 3, 4)) == (Zone(0, 3),)
