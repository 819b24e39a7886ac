"""Divisions: every number of sign-ups, zones, and that promotion loses and doubles nobody."""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.leagues.groups import LeagueSeat, Movement, Zone, next_divisions, split_groups, zones_of
from bot.leagues.league import QUESTIONS, LeagueTerms

TERMS = LeagueTerms("camette", least=4, most=6)
LIMITS = st.tuples(st.integers(3, 10), st.integers(3, 10)).map(lambda pair: (min(pair), max(pair)))


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(("least", "most"), [*combinations_with_replacement(range(3, 11), 2)])
def test_groups_are_as_equal_as_the_numbers_allow(least: int, most: int, players: int) -> None:
    terms = LeagueTerms("tri-camelot" if players == 3 else "camette", least=least, most=most)
    for count in range(3, 61):
        sizes = split_groups(count, terms)
        assert sum(sizes) == count
        assert max(sizes) - min(sizes) <= 1
        assert 3 <= min(sizes) <= max(sizes) <= 10
        fits = any(least <= count // groups and -(-count // groups) <= most for groups in range(1, count + 1))
        assert fits == (least <= min(sizes) and max(sizes) <= most)


def test_a_first_season_is_by_rating_and_then_by_sign_up() -> None:
    ratings, terms = {1: 10.0, 4: 30.0, 2: 30.0, 3: 20.0, 6: 1.0, 5: 1.0}, TERMS._replace(least=3, most=4)
    assert next_divisions([], [*ratings], ratings, terms) == ((4, 2, 3), (1, 6, 5))


@pytest.mark.parametrize("variant", ["camette", "tri-camelot"])
@pytest.mark.parametrize("size", QUESTIONS["size"])
def test_the_groups_of_a_first_season_are_as_equal_as_possible(variant: str, size: str) -> None:
    terms = LeagueTerms(variant, **QUESTIONS["size"][size])
    for count in range(terms.players_per_game, 61):
        assert [*map(len, next_divisions([], range(count), {}, terms))] == [*split_groups(count, terms)]


@given(st.lists(st.integers(3, 10), min_size=1, max_size=15), st.integers(0, 5), LIMITS)
def test_somebody_always_stays_and_zones_do_not_meet(sizes: list[int], movers: int, limits: tuple[int, int]) -> None:
    least, most = limits
    wanted = split_groups(sum(sizes), TERMS._replace(least=least, most=most))
    zones = zones_of(sizes, movers, wanted)
    assert all(zone.up + zone.down < size for zone, size in zip(zones, sizes, strict=True))
    assert zones[0].up == 0
    assert (zones[-1].down == 0) == (len(wanted) <= len(sizes))
    assert all(above.down >= min(below.up, 1) for above, below in pairwise(zones))


def test_three_who_share_a_promotion_all_go_up() -> None:
    up, stay, down = Movement.UP, Movement.STAYS, Movement.DOWN
    finals = [LeagueSeat(0, 0, user, movement=movement) for user, movement in enumerate([stay] * 3 + [down] * 2)]
    finals += [LeagueSeat(1, 0, 5 + user, movement=movement) for user, movement in enumerate([up] * 3 + [stay] * 2)]
    divisions = next_divisions(finals, range(10), {}, TERMS)
    assert divisions == ((0, 1, 2, 5, 6, 7), (3, 4, 8, 9))
    assert zones_of([len(division) for division in divisions], 2, (5, 5))[0] == Zone(0, 1 + 1)


def test_a_free_place_is_filled_from_below() -> None:
    stay, down = Movement.STAYS, Movement.DOWN
    finals = [LeagueSeat(0, 0, user, movement=movement) for user, movement in enumerate([stay] * 2 + [down])]
    finals += [LeagueSeat(1, 0, 3 + user) for user in range(3)]
    divisions = next_divisions(finals, [1, 2, 3, 4, 5, 9], {}, TERMS._replace(least=3, most=4))
    assert divisions == ((1, 2, 3), (4, 5, 9))


def test_a_group_that_is_too_large_is_divided_as_said() -> None:
    assert zones_of((6,), 1, split_groups(6, TERMS._replace(least=3, most=4))) == (Zone(0, 3),)
