from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.clock import DAY
from bot.core.match import Leaver
from bot.core.results import FinishedGame
from bot.ladder import acts as ladder_acts
from bot.ladder import state as results
from bot.ladder.acts import LadderProblem
from bot.ladder.state import (
    NO_SCORE,
    EntryKind,
    Ladder,
    LadderGame,
    Score,
    format_score,
    parse_score,
    replay_history,
    score_of_game,
    total_score,
)
from tests.bot.ladder_climbers import Story, barred, story
from tests.bot.playing import ADA, BO, CY, DEE, NOW

WEEK = 7 * DAY


# What games bring


@pytest.mark.parametrize(
    ("before", "winner", "after"),
    [*(((1, top), ADA, (max(top, 2), top - 1)) for top in (1, 2, 3, 4)), ((0, 0), ADA, (1, 0)), ((1, 4), BO, (0, 5))],
)
def test_who_wins_comes_one_up_and_a_challenger_to_the_losers_step(
    before: tuple[int, int], winner: int, after: tuple[int, int]
) -> None:
    lived = Story()
    for user, rung in zip((ADA, BO), before, strict=True):
        lived.join(user, rung=rung)
    lived.finish(lived.played(ADA, BO), winner)
    assert lived.rungs(ADA, BO) == after
    assert (lived[winner].wins, lived[ADA + BO - winner].losses) == (1, 1)


def test_in_a_draw_and_without_a_result_nobody_moves() -> None:
    for result, draws in ((True, 1), (False, 0)):
        lived = Story()
        lived.join(ADA, BO, rung=2)
        lived.finish(lived.played(ADA, BO), result=result)
        assert (lived.rungs(ADA, BO), lived[ADA].draws) == ((2, 2), draws)
        assert lived[ADA].challenging is lived[BO].challenger is None


def test_the_seasons_first_timeout_freezes_and_the_next_also_costs_a_step() -> None:
    lived = Story()
    lived.join(ADA, BO, CY, rung=4)
    lived.finish(lived.played(ADA, BO), BO, late=(ADA,))
    assert (lived.rungs(ADA), lived[ADA].frozen_until) == ((3,), NOW + WEEK)
    with barred(LadderProblem.FROZEN, until=NOW + WEEK):
        lived.challenge(ADA, CY)
    lived.join(DEE, rung=3)
    with barred(LadderProblem.OTHER_FROZEN, other=ADA, until=NOW + WEEK):
        lived.challenge(DEE, ADA)
    lived.later(WEEK)
    lived.finish(lived.played(ADA, CY), CY, late=(ADA,))
    assert (lived.rungs(ADA), lived[ADA].timeouts, lived[ADA].frozen_until) == ((1,), 2, NOW + 2 * WEEK)


def test_a_foreign_match_or_one_reported_twice_changes_nothing() -> None:
    lived = story(ADA, BO)
    match = lived.played(ADA, BO)
    over = FinishedGame(match, 1, "", NOW, (ADA, BO), (ADA,), 40)
    assert results.finish_game(lived.ladder, replace(over, match=77), NOW) is None
    lived.add(results.finish_game(lived.ladder, over, NOW))
    assert results.finish_game(lived.ladder, over, NOW) is None


def test_leavers_have_lost_and_substitutes_gain_nothing() -> None:
    game = LadderGame((ADA, BO, CY), (1,), challenged=False)
    gone = (Leaver(CY, 2, NOW, "timeout"),)
    over = FinishedGame(1, 1, "", NOW, (ADA, BO, DEE), (), 40, gone, (DEE,))
    assert score_of_game(game, over) == Score(drew=(ADA, BO), lost=(CY,), late=(CY,))
    assert score_of_game(game, replace(over, winners=(DEE,))) == Score(lost=(ADA, BO, CY), late=(CY,))
    assert score_of_game(game, replace(over, winners=(BO,))) == Score(won=(BO,), lost=(ADA, CY), late=(CY,))
    handed_over = replace(over, leavers=(), winners=(ADA,))
    assert score_of_game(game, handed_over) == Score(won=(ADA,), lost=(BO,))
    assert score_of_game(game, replace(over, has_result=False)) == NO_SCORE


def test_an_unrated_short_game_gives_no_step_but_costs_its_leaver_one() -> None:
    game = LadderGame((ADA, BO), (1,), challenged=True)
    over = FinishedGame(1, 1, "", NOW, (ADA, BO), (ADA,), 7, (Leaver(BO, 1, NOW, "resignation"),))
    assert score_of_game(game, over) == Score(lost=(BO,))
    assert score_of_game(game, replace(over, moves=8)) == Score(won=(ADA,), lost=(BO,))
    late = replace(over, leavers=(Leaver(BO, 1, NOW, "timeout"),))
    assert score_of_game(game, late) == Score(lost=(BO,), late=(BO,))
    assert score_of_game(game, replace(over, leavers=())) == NO_SCORE, "also won on the board, which takes both"
    assert score_of_game(game, replace(over, leavers=(), winners=())) == NO_SCORE


def test_the_body_of_a_finished_game_reads_as_it_was_written() -> None:
    for written in (NO_SCORE, Score((1,), (), (2, 3), (3,)), Score(drew=(1, 2))):
        assert parse_score(format_score(written)) == written
    assert format_score(Score((1,), (), (2, 3), (3,))) == "won:1 lost:2,3 late:3"


# A referee's decisions


def test_the_history_tells_what_each_entry_made_of_whom() -> None:
    lived = story(ADA, BO, CY)
    lived.finish(lived.played(ADA, BO), ADA)
    lived.finish(lived.played(CY, ADA), ADA)
    lived.undo(EntryKind.ANNULLED, 1, ADA, BO)
    told = [
        (user, *rungs)
        for entry, changes in replay_history(Ladder(2), lived.entries)
        for user, rungs in changes.items()
        if entry.kind is EntryKind.FINISHED
    ]
    assert told == [(ADA, 0, 0), (BO, 0, 0), (CY, 0, 0), (ADA, 0, 1)]


# Seasons


def test_at_a_seasons_end_steps_are_halved_and_counts_start_again() -> None:
    lived = story(ADA, BO, CY)
    lived.add(*ladder_acts.turn_season(lived.view, {}))
    lived.finish(lived.played(ADA, BO), ADA, late=(BO,))
    lived.finish(lived.played(CY, ADA), ADA)
    lived.join(DEE, rung=7)
    lived.later(70 * DAY)
    ended, started = ladder_acts.turn_season(lived.view, {})
    assert ended.users == (ADA, BO, CY), "the podium is for those who have played"
    lived.add(ended, started)
    assert lived.rungs(ADA, DEE) == (1, 3)
    assert (lived[ADA].wins, lived[BO].losses, lived[BO].timeouts) == (0, 0, 0)


def test_ties_are_broken_by_wins_then_by_rating() -> None:
    lived = story(ADA, BO, CY)
    lived.join(DEE, rung=1)
    for user, wins in ((ADA, 1), (BO, 2), (CY, 1)):
        lived.ladder.climbers[user] = replace(lived[user], wins=wins)
    table = ladder_acts.season_standings(lived.view, {CY: 26.0, ADA: 25.0})
    assert [climber.user for climber in table] == [DEE, BO, CY, ADA]


def test_a_triads_sum_counts_three_for_a_win_and_one_for_draws() -> None:
    people = (ADA, BO, CY)
    win = {user: Score(won=(user,), lost=tuple(other for other in people if other != user)) for user in people}
    draw = Score(drew=people)
    assert total_score(people, [win[ADA], win[ADA], win[BO]]) == win[ADA]
    assert total_score(people, [win[ADA], draw, draw]) == win[ADA]
    assert total_score(people, [win[ADA], win[BO], draw]) == draw
    assert total_score(people, [win[ADA], win[BO], win[CY]]) == draw
    assert total_score(people, [NO_SCORE, win[ADA], NO_SCORE]) == win[ADA]
    assert total_score(people, [NO_SCORE] * 3) == NO_SCORE
    left = Score(lost=(CY,))
    assert total_score(people, [left, left, NO_SCORE]) == left, "nobody has a point to be first with"
    assert total_score(people, [left, win[ADA], left]) == win[ADA]
