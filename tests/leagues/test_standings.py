"""Tables: points sum up, whatever the order of the results; tie-breaks, people taken out, crosstables, CSV."""

from __future__ import annotations

import csv
from io import StringIO

from hypothesis import given
from hypothesis import strategies as st

from bot.leagues.groups import (
    WIN,
    GameScore,
    Standing,
    crosstable_csv,
    format_points,
    lost_points,
    make_crosstable,
    make_schedule,
    rank_entries,
    shared_points,
    takes_games_out,
)

Fixtures = list[tuple[int, ...]]


@st.composite
def groups(draw: st.DrawFn) -> tuple[int, Fixtures, list[GameScore], set[int]]:
    """A group of any size in the middle of its season, some of whose members may have been taken out."""
    size, players = draw(st.integers(3, 10)), draw(st.integers(2, 3))
    fixtures = [fixture.seats for fixture in make_schedule(size, players, double=draw(st.booleans()))]
    over = draw(st.lists(st.sampled_from(fixtures), unique=True))
    sharing = st.sets(st.integers(0, players - 1))
    scores = [GameScore(seats, shared_points(players, draw(sharing))) for seats in over]
    return size, fixtures, scores, draw(st.sets(st.integers(0, size - 1), max_size=2))


@given(groups(), st.randoms())
def test_the_table_does_not_depend_on_the_order_of_results(
    group: tuple[int, Fixtures, list[GameScore], set[int]], random: object
) -> None:
    size, fixtures, scores, out = group
    shuffled = list(scores)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rank_entries(size, fixtures, scores, out) == rank_entries(size, fixtures, shuffled, out)


@given(groups())
def test_points_and_games_sum_up(group: tuple[int, Fixtures, list[GameScore], set[int]]) -> None:
    size, fixtures, scores, out = group
    table = rank_entries(size, fixtures, scores, out)
    counted = [score for score in scores if not out & set(score.seats)]
    planned = [seats for seats in fixtures if not out & set(seats)]
    players = len(fixtures[0])
    games = max((row.games for row in table), default=0)
    spare = sum(games - row.games for row in table if not row.is_out) * (WIN // players)
    assert sum(row.points for row in table) == sum(sum(score.points) for score in counted) + spare
    assert sum(row.games for row in table) == players * len(planned)
    assert sum(row.played for row in table) == players * len(counted)
    assert sorted(row.entry for row in table) == list(range(size))
    assert {row.entry for row in table if row.is_out} == out
    assert {row.entry for row in table if row.place is None} == {row.entry for row in table if not row.played}


@given(groups())
def test_places_follow_merit_and_are_shared_by_equals(group: tuple[int, Fixtures, list[GameScore], set[int]]) -> None:
    table = [row for row in rank_entries(*group) if row.place is not None]
    for row in table:
        assert row.place == 1 + sum(other.merit > row.merit for other in table)
    assert [row.place for row in table] == sorted(row.place or 0 for row in table)


@given(groups())
def test_each_game_stands_once_in_the_row_of_each_player(
    group: tuple[int, Fixtures, list[GameScore], set[int]],
) -> None:
    _, fixtures, scores, _ = group
    table = rank_entries(*group)
    for row, cells in zip(table, make_crosstable(table, fixtures, scores), strict=True):
        results = [points for cell in cells for points in cell]
        assert len(results) == row.games
        assert sum(points is not None for points in results) == row.played
        assert not cells[table.index(row)]


def test_direct_encounter_decides_before_neustadtl() -> None:
    won = {(0, 1): 0, (2, 0): 0, (0, 3): 0, (1, 2): 0, (1, 3): 0, (2, 3): 1}  # the seat that won
    scores = [GameScore(seats, shared_points(2, [seat])) for seats, seat in won.items()]
    table = rank_entries(4, list(won), scores)
    found = [(row.entry, row.place, row.points // WIN, row.direct // WIN) for row in table]
    assert found == [(0, 1, 2, 1), (1, 2, 2, 0), (3, 3, 1, 1), (2, 4, 1, 0)]


def test_neustadtl_prefers_points_against_strong_opponents() -> None:
    scores = [
        GameScore((0, 2), (12, 0)),
        GameScore((1, 3), (12, 0)),
        GameScore((2, 3), (12, 0)),
        GameScore((0, 1), (6, 6)),
    ]
    table = rank_entries(4, [score.seats for score in scores], scores)
    assert [(row.entry, row.place) for row in table] == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert table[0].direct == table[1].direct
    assert table[0].neustadtl > table[1].neustadtl


def test_a_circle_of_wins_shares_the_first_place() -> None:
    scores = [GameScore(seats, (12, 0)) for seats in ((0, 1), (1, 2), (2, 0))]
    assert [row.place for row in rank_entries(3, [score.seats for score in scores], scores)] == [1, 1, 1]


def test_the_games_of_who_was_taken_out_count_for_nobody() -> None:
    fixtures = [fixture.seats for fixture in make_schedule(4, 2)]
    scores = [GameScore(seats, (12, 0)) for seats in fixtures]
    table = rank_entries(4, fixtures, scores, {3})
    assert table[-1] == Standing(3, None, is_out=True)
    assert {row.games for row in table[:3]} == {2}
    assert sum(row.points for row in table) == 3 * WIN


def test_with_five_in_games_of_three_a_missing_game_counts_as_average() -> None:
    fixtures = [fixture.seats for fixture in make_schedule(5, 3)]
    table = {row.entry: row for row in rank_entries(5, fixtures, [])}
    assert {entry: (row.games, row.points) for entry, row in table.items()} == {
        **dict.fromkeys(range(3), (4, 0)),
        **dict.fromkeys((3, 4), (3, 4)),
    }


def test_who_withdraws_before_half_of_their_games_is_taken_out() -> None:
    assert [takes_games_out(over, 6) for over in range(7)] == [True] * 3 + [False] * 4
    assert takes_games_out(2, 5)
    assert lost_points(3, [1]) == (6, 0, 6)
    assert lost_points(2, [0, 1]) == (0, 0)


def test_points_are_written_as_people_write_them() -> None:
    assert [format_points(points) for points in (0, 3, 4, 6, 12, 18, 20, 29)] == [
        *("0", "¼", "⅓", "½", "1", "1½", "1⅔", "2 5/12"),
    ]


def test_the_csv_has_no_formulas_and_reads_back() -> None:
    fixtures = [fixture.seats for fixture in make_schedule(3, 2, double=True)]
    scores = [GameScore(fixtures[0], (6, 6)), GameScore(fixtures[3], (12, 0))]
    table = rank_entries(3, fixtures, scores)
    names = ['=HYPERLINK("x")', "Bo, the second", "Cy"]
    text = crosstable_csv(table, names, fixtures, scores, ("place", "name", "points", "direct", "nb", "wins", "games"))
    head, *lines = list(csv.reader(StringIO(text)))
    assert len(head) == 10
    assert {line[1] for line in lines} == {'\'=HYPERLINK("x")', "Bo, the second", "Cy"}
    assert [line[2] for line in lines] == ["1.5", "0.5", "0"]
    assert "0.5 0" in lines[1]
