"""Every size of group: each pair once, colours and seats balanced, everybody attacks everybody."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest

from bot.leagues.groups import LeagueGame, attacks_in, make_schedule
from bot.leagues.league import LeagueTerms

SIZES = range(3, 11)
TERMS = {2: LeagueTerms("camette"), 3: LeagueTerms("tri-camelot")}
COMPLETE = (3, 4, 7, 9, 10)
"""The sizes for which triples exist in which everybody attacks everybody once."""


def seat_counts(games: list[LeagueGame], size: int) -> list[list[int]]:
    """How often each entrant has each seat."""
    seats = Counter((entrant, seat) for game in games for seat, entrant in enumerate(game.entrants))
    return [[seats[entrant, seat] for seat in range(len(games[0].entrants))] for entrant in range(size)]


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_nobody_plays_twice_in_a_round(size: int, double: bool, players: int) -> None:
    games = make_schedule(size, TERMS[players]._replace(double=double))
    playing = Counter((game.round, entrant) for game in games for entrant in game.entrants)
    assert set(playing.values()) == {1}
    assert [game.round for game in games] == sorted(game.round for game in games)
    assert len({game.entrants for game in games}) == len(games)


@pytest.mark.parametrize("size", [2, *SIZES])
def test_two_players_meet_once_with_balanced_colours(size: int) -> None:
    games = make_schedule(size, TERMS[2])
    assert sorted(tuple(sorted(game.entrants)) for game in games) == list(combinations(range(size), 2))
    assert all(abs(first - second) <= 1 for first, second in seat_counts(games, size))
    assert max(game.round for game in games) + 1 == size - 1 + size % 2


@pytest.mark.parametrize("size", [2, *SIZES])
def test_two_players_of_a_double_schedule_have_both_colours(size: int) -> None:
    games = make_schedule(size, TERMS[2]._replace(double=True))
    assert sorted(game.entrants for game in games) == list(permutations(range(size), 2))


@pytest.mark.parametrize("size", SIZES)
def test_three_players_attack_each_other_once(size: int) -> None:
    games = make_schedule(size, TERMS[3])
    made = Counter(attack for game in games for attack in attacks_in(game.entrants))
    assert set(made.values()) == {1}
    missing = {*permutations(range(size), 2)} - made.keys()
    if size in COMPLETE:
        assert not missing
        assert len(games) == size * (size - 1) // 3
    elif size == 5:  # two entrants never meet; no five triples would give everybody as many games
        assert missing == {(3, 4), (4, 3)}
    else:
        assert Counter(one for one, _ in missing) == Counter(other for _, other in missing) == Counter(range(size))
        assert not any((other, one) in missing for one, other in missing)


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_three_players_have_each_seat_equally_often(size: int, double: bool) -> None:
    games = make_schedule(size, TERMS[3]._replace(double=double))
    spread = [max(counts) - min(counts) for counts in seat_counts(games, size)]
    if size == 3:  # two seat orders with opposite rings always have one player in the same seat
        assert sorted(spread) == [1, 1, 2]
    elif size in (4, 7, 10):
        assert set(spread) == {0}
    else:
        assert max(spread) <= 1


@pytest.mark.parametrize("size", SIZES)
def test_the_second_half_of_three_reverses_every_ring(size: int) -> None:
    games = make_schedule(size, TERMS[3]._replace(double=True))
    half = len(games) // 2
    made = [{frozenset(attacks_in(game.entrants)) for game in part} for part in (games[:half], games[half:])]
    assert made[1] == {frozenset((other, one) for one, other in ring) for ring in made[0]}
