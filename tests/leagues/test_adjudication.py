"""The fixed end of a season, the shortest season of each pace, and what leagues demand of time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.core.clock import DAY, Pace
from bot.leagues.groups import WIN
from bot.leagues.season import (
    UnfinishedGame,
    Verdict,
    decide_unbegun,
    decide_unfinished,
    games_to_finish,
    shortest_season,
)


def unfinished(
    moves: tuple[int, ...],
    used: tuple[int, ...] = (),
    *,
    out: tuple[int, ...] = (),
    proved: int | None = None,
    overdue: bool = False,
) -> UnfinishedGame:
    """Returns a game in which it is the turn of the first seat with the fewest moves that is still in."""
    still_in = tuple(seat not in out for seat in range(len(moves)))
    turn = min((made, seat) for seat, made in enumerate(moves) if still_in[seat])[1]
    return UnfinishedGame(moves, still_in, used or (DAY,) * len(moves), turn, overdue, proved)


def test_a_game_not_begun_is_lost_by_who_was_to_move() -> None:
    assert decide_unfinished(unfinished((1, 0))).points == (12, 0)
    assert decide_unfinished(unfinished((0, 0))).points == (0, 12), "the second never had a turn"
    assert decide_unfinished(unfinished((1, 1, 0))).points == (6, 6, 0)
    assert decide_unfinished(unfinished((1, 0, 0))).points == (6, 0, 6)
    assert decide_unfinished(unfinished((0, 0, 0))).points == (0, 6, 6)
    assert decide_unfinished(unfinished((1, 0, 1), out=(0,))).points == (0, 0, 12)
    assert decide_unfinished(unfinished((0, 0, 0), out=(0,))).points == (0, 0, 12)
    assert decide_unfinished(unfinished((1, 0))).verdict is Verdict.NOT_BEGUN


def test_a_proved_win_is_a_win_however_slow_it_was() -> None:
    decided = decide_unfinished(unfinished((20, 20), (90 * DAY, DAY), proved=0))
    assert (decided.verdict, decided.points) == (Verdict.PROVED, (12, 0))


def test_who_has_no_time_left_loses_to_the_others() -> None:
    decided = decide_unfinished(unfinished((20, 20), overdue=True))
    assert (decided.verdict, decided.points) == (Verdict.OVERDUE, (0, 12))
    assert decide_unfinished(unfinished((20, 20), overdue=True, proved=0)).points == (0, 12), "the proof came too late"
    assert decide_unfinished(unfinished((20, 20, 20), overdue=True)).points == (0, 6, 6)
    proved = decide_unfinished(unfinished((20, 20, 20), overdue=True, proved=2))
    assert (proved.verdict, proved.points) == (Verdict.PROVED, (0, 0, 12))


def test_other_games_are_shared_by_those_still_in() -> None:
    assert decide_unfinished(unfinished((20, 20))).points == (6, 6)
    assert decide_unfinished(unfinished((1, 1))).points == (6, 6)
    assert decide_unfinished(unfinished((20, 20, 19))).points == (4, 4, 4)
    assert decide_unfinished(unfinished((20, 4, 19), out=(1,))).points == (6, 0, 6)


def test_a_game_never_set_up_is_lost_by_who_wanted_fewer_games() -> None:
    assert decide_unbegun([False, True]).points == (12, 0)
    assert decide_unbegun([True, False, True]).points == (0, 12, 0)
    assert decide_unbegun([True, True]).points == (0, 0)
    assert decide_unbegun([False, False]).points == (6, 6)


def test_who_used_more_than_twice_the_mean_gets_half_a_share() -> None:
    assert decide_unfinished(unfinished((20, 20), (2 * DAY, DAY))).verdict is Verdict.SHARED
    slow = decide_unfinished(unfinished((20, 20), (2 * DAY + 1, DAY)))
    assert (slow.verdict, slow.points, slow.slow) == (Verdict.SHARED_SLOW, (3, 6), 0)
    assert decide_unfinished(unfinished((9, 9, 9), (DAY, 4 * DAY, 2 * DAY))).points == (4, 2, 4)
    assert decide_unfinished(unfinished((9, 9, 9), (DAY, 3 * DAY, 2 * DAY))).points == (4, 4, 4)


@given(st.data(), st.integers(2, 3))
def test_nobody_gains_by_using_more_time(data: st.DataObject, players: int) -> None:
    seconds = st.integers(0, 100 * DAY)
    moves = tuple(data.draw(st.integers(0, 4)) for _ in range(players))
    still = tuple(data.draw(st.booleans()) for _ in range(players))
    used = tuple(data.draw(seconds) for _ in range(players))
    turn, overdue = data.draw(st.integers(0, players - 1)), data.draw(st.booleans())
    game = UnfinishedGame(moves, still if any(still) else (True,) * players, used, turn, overdue)
    before = decide_unfinished(game).points
    assert sum(before) <= WIN
    for seat in range(players):
        slower = tuple(time + (other == seat) * data.draw(seconds) for other, time in enumerate(used))
        assert decide_unfinished(replace(game, seconds_used=slower)).points[seat] <= before[seat]
    assert decide_unfinished(replace(game, is_overdue=True)).points[turn] <= before[turn]


def test_the_shortest_season_of_each_pace_in_weeks() -> None:
    assert {(pace, players): shortest_season(pace, players) for pace in Pace for players in (2, 3)} == {
        (Pace.FAST, 2): 4,
        (Pace.FAST, 3): 5,
        (Pace.STANDARD, 2): 18,
        (Pace.STANDARD, 3): 27,
        (Pace.SLOW, 2): 36,
        (Pace.SLOW, 3): 54,
        (Pace.NONE, 2): None,
        (Pace.NONE, 3): None,
    }


def test_who_lost_on_time_must_finish_more_games_than_that() -> None:
    assert [games_to_finish(2, finished) for finished in range(5)] == [3, 2, 1, 0, 0]
    assert games_to_finish(0, 0) == 0
