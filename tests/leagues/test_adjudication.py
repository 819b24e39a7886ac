"""The fixed end of a season, the shortest season of each pace, and what leagues demand of time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.core.clock import DAY, Pace
from bot.leagues.league import (
    WIN,
    Adjudication,
    LeagueTerms,
    UnfinishedGame,
    Verdict,
    decide_unbegun,
    decide_unfinished,
    games_to_finish,
)

TERMS = {2: LeagueTerms("camette"), 3: LeagueTerms("tri-camelot")}
"""By the number of players in a game."""


Numbers = tuple[int, ...]


def decided(
    moves: Numbers, used: Numbers = (), *, out: Numbers = (), proved: int | None = None, overdue: bool = False
) -> Adjudication:
    """Decides a game in which it is the turn of the first seat with the fewest moves that is still in."""
    still_in = tuple(seat not in out for seat in range(len(moves)))
    turn = min((made, seat) for seat, made in enumerate(moves) if still_in[seat])[1]
    game = UnfinishedGame(moves, still_in, used or (DAY,) * len(moves), turn, overdue, proved)
    return decide_unfinished(game, TERMS[len(moves)])


def test_a_game_not_begun_is_lost_by_who_was_to_move() -> None:
    assert decided((1, 0)).points == (12, 0)
    assert decided((0, 0)).points == (0, 12), "the second never had a turn"
    assert decided((1, 1, 0)).points == (6, 6, 0)
    assert decided((1, 0, 0)).points == (6, 0, 6)
    assert decided((0, 0, 0)).points == (0, 6, 6)
    assert decided((1, 0, 1), out=(0,)).points == (0, 0, 12)
    assert decided((0, 0, 0), out=(0,)).points == (0, 0, 12)
    assert decided((1, 0)).verdict is Verdict.NOT_BEGUN


def test_a_proved_win_is_a_win_however_slow_it_was() -> None:
    found = decided((20, 20), (90 * DAY, DAY), proved=0)
    assert (found.verdict, found.points) == (Verdict.PROVED, (12, 0))


def test_who_has_no_time_left_loses_to_the_others() -> None:
    found = decided((20, 20), overdue=True)
    assert (found.verdict, found.points) == (Verdict.OVERDUE, (0, 12))
    assert decided((20, 20), overdue=True, proved=0).points == (0, 12), "the proof came too late"
    assert decided((20, 20, 20), overdue=True).points == (0, 6, 6)
    proved = decided((20, 20, 20), overdue=True, proved=2)
    assert (proved.verdict, proved.points) == (Verdict.PROVED, (0, 0, 12))


def test_other_games_are_shared_by_those_still_in() -> None:
    assert decided((20, 20)).points == (6, 6)
    assert decided((1, 1)).points == (6, 6)
    assert decided((20, 20, 19)).points == (4, 4, 4)
    assert decided((20, 4, 19), out=(1,)).points == (6, 0, 6)


def test_a_game_never_set_up_is_lost_by_who_wanted_fewer_games() -> None:
    assert decide_unbegun([False, True], TERMS[2]).points == (12, 0)
    assert decide_unbegun([True, False, True], TERMS[3]).points == (0, 12, 0)
    assert decide_unbegun([True, True], TERMS[2]).points == (0, 0)
    assert decide_unbegun([False, False], TERMS[2]).points == (6, 6)


def test_who_used_more_than_twice_the_mean_gets_half_a_share() -> None:
    assert decided((20, 20), (2 * DAY, DAY)).verdict is Verdict.SHARED
    slow = decided((20, 20), (2 * DAY + 1, DAY))
    assert (slow.verdict, slow.points) == (Verdict.SHARED_SLOW, (3, 6))
    assert decided((9, 9, 9), (DAY, 4 * DAY, 2 * DAY)).points == (4, 2, 4)
    assert decided((9, 9, 9), (DAY, 3 * DAY, 2 * DAY)).points == (4, 4, 4)


@given(st.data(), st.integers(2, 3))
def test_nobody_gains_by_using_more_time(data: st.DataObject, players: int) -> None:
    seconds = st.integers(0, 100 * DAY)
    moves = tuple(data.draw(st.integers(0, 4)) for _ in range(players))
    still = tuple(data.draw(st.booleans()) for _ in range(players))
    used = tuple(data.draw(seconds) for _ in range(players))
    turn, overdue = data.draw(st.integers(0, players - 1)), data.draw(st.booleans())
    game = UnfinishedGame(moves, still if any(still) else (True,) * players, used, turn, overdue)
    before = decide_unfinished(game, TERMS[players]).points
    assert sum(before) <= WIN
    for seat in range(players):
        slower = tuple(time + (other == seat) * data.draw(seconds) for other, time in enumerate(used))
        assert decide_unfinished(replace(game, seconds_used=slower), TERMS[players]).points[seat] <= before[seat]
    assert decide_unfinished(replace(game, is_overdue=True), TERMS[players]).points[turn] <= before[turn]


def test_the_shortest_season_of_each_pace_in_weeks() -> None:
    games = "camelot", "camette", "tri-camelot"
    weeks = [[LeagueTerms(key, pace).weeks_needed for key in games] for pace in (Pace.FAST, Pace.STANDARD, Pace.SLOW)]
    assert weeks == [[4, 2, 3], [18, 8, 14], [36, 16, 28]]
    assert LeagueTerms("camette", Pace.NONE).weeks_needed is None
    assert LeagueTerms("camette").weeks == 8, "the usual length of a season"


def test_who_lost_on_time_must_finish_more_games_than_that() -> None:
    assert [games_to_finish(2, finished) for finished in range(5)] == [3, 2, 1, 0, 0]
    assert games_to_finish(0, 0) == 0
