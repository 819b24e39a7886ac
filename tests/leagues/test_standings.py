"""Tables: points sum up, whatever the order of the results; tie-breaks, people taken out, crosstables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bot.leagues.groups import LeagueGame, Standing, make_crosstable, make_schedule, rank_entrants
from bot.leagues.league import WIN, LeagueTerms, Points, score_game

TWO, THREE = LeagueTerms("camette"), LeagueTerms("tri-camelot")
Season = tuple[int, list[LeagueGame], set[int]]


def games_of(results: Mapping[tuple[int, ...], tuple[Points, ...]]) -> list[LeagueGame]:
    """Returns games with these results, by their entrants."""
    return [LeagueGame(0, 0, 0, entrants, None, points) for entrants, points in results.items()]


@st.composite
def groups(draw: st.DrawFn) -> Season:
    """A group of any size in the middle of its season, some of whose members may have been taken out."""
    size, terms = draw(st.integers(3, 10)), draw(st.sampled_from([TWO, THREE]))._replace(double=draw(st.booleans()))
    results = st.none() | st.sets(st.integers(0, terms.players_per_game - 1)).map(lambda won: score_game(terms, won))
    games = [replace(game, points=draw(results)) for game in make_schedule(size, terms)]
    return size, games, draw(st.sets(st.integers(0, size - 1), max_size=2))


@given(groups(), st.randoms())
def test_the_table_does_not_depend_on_the_order_of_results(group: Season, random: Random) -> None:
    size, games, out = group
    shuffled = random.sample(games, len(games))
    assert rank_entrants(size, games, out) == rank_entrants(size, shuffled, out)


@given(groups())
def test_points_places_and_games_agree(group: Season) -> None:
    _, games, out = group
    table = rank_entrants(*group)
    counting = [game for game in games if not out & {*game.entrants}]
    decided = [game for game in counting if game.points is not None]
    players, most = len(games[0].entrants), max((row.games for row in table), default=0)
    spare = sum(most - row.games for row in table if not row.is_out) * (WIN // players)
    assert sum(row.points for row in table) == sum(sum(game.points or ()) for game in decided) + spare
    assert sum(row.games for row in table) == players * len(counting)
    assert sum(row.played for row in table) == players * len(decided)
    assert {row.entrant for row in table if row.is_out} == out
    placed = [row for row in table if row.played]
    for row in placed:
        assert row.rank == 1 + sum(other.ranking_key > row.ranking_key for other in placed)
    assert [row.rank for row in table[: len(placed)]] == sorted(row.rank or 0 for row in placed)
    assert {row.rank for row in table[len(placed) :]} <= {None}


@given(groups())
def test_each_game_stands_once_in_the_row_of_each_player(group: Season) -> None:
    table = rank_entrants(*group)
    for row, cells in zip(table, make_crosstable(table, group[1]), strict=True):
        games = [game for cell in cells for game in cell]
        assert len(games) == row.games
        assert sum(game.points is not None for game in games) == row.played
        assert sum(game.points_of(row.entrant) for game in games) == row.points_gained
        assert not cells[table.index(row)]


def test_neustadtl_prefers_points_against_strong_opponents() -> None:
    table = rank_entrants(4, games_of({(0, 2): (12, 0), (1, 3): (12, 0), (2, 3): (12, 0), (0, 1): (6, 6)}))
    assert [(row.entrant, row.rank) for row in table] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert table[0].direct == table[1].direct
    assert table[0].neustadtl > table[1].neustadtl


def test_a_circle_of_wins_shares_the_first_place() -> None:
    games = games_of(dict.fromkeys(((0, 1), (1, 2), (2, 0)), (12, 0)))
    assert [row.rank for row in rank_entrants(3, games)] == [1, 1, 1]


def test_the_games_of_who_was_taken_out_count_for_nobody() -> None:
    table = rank_entrants(4, [replace(game, points=(12, 0)) for game in make_schedule(4, TWO)], {3})
    assert table[-1] == Standing(3, None, is_out=True)
    assert {row.games for row in table[:3]} == {2}
    assert sum(row.points for row in table) == 3 * WIN


def test_with_five_in_games_of_three_a_missing_game_counts_as_average() -> None:
    table = {row.entrant: (row.games, row.points) for row in rank_entrants(5, make_schedule(5, THREE))}
    assert table == {**dict.fromkeys(range(3), (4, 0)), **dict.fromkeys((3, 4), (3, 4))}
