from __future__ import annotations

from bot.core.clock import DAY, HOUR
from bot.ladder import acts as ladder_acts
from bot.ladder.acts import LadderProblem, LadderView, MemberActivity
from bot.ladder.state import EntryKind, Ladder
from tests.bot.ladder_climbers import Story, barred, challengeable_users, story
from tests.bot.playing import ADA, BO, CY, DEE, NOW

HOURS_72 = 72 * HOUR
WEEK = 7 * DAY


# Joining and leaving


def test_one_joins_once_and_leaves_once() -> None:
    lived = story(ADA)
    with barred(LadderProblem.ALREADY_ON_LADDER):
        lived.join(ADA)
    with barred(LadderProblem.NOT_ON_LADDER):
        ladder_acts.leave_ladder(lived.view, BO)


def test_a_returning_leaver_starts_on_the_lowest_rung_with_their_old_debts() -> None:
    lived = story(ADA, BO, CY)
    lived.finish(lived.played(ADA, BO), ADA, late=(BO,))
    lived.finish(lived.played(CY, ADA), ADA)
    assert lived.rungs(ADA) == (2,)
    for user in (ADA, BO):
        lived.add(ladder_acts.leave_ladder(lived.view, user))
        lived.join(user)
    assert lived.rungs(ADA, BO) == (0, 0)
    assert (lived[BO].frozen_until, lived[BO].timeouts) == (NOW + WEEK, 1)


def test_nobody_leaves_in_the_middle_of_a_ladder_game() -> None:
    lived = story(ADA, BO)
    with barred(LadderProblem.STILL_PLAYING, match=lived.played(ADA, BO)):
        ladder_acts.leave_ladder(lived.view, BO)


def test_the_open_challenges_of_somebody_who_leaves_are_gone() -> None:
    lived = story(ADA, BO, CY)
    lived.challenge(ADA, BO)
    lived.challenge(BO, CY)
    lived.add(ladder_acts.leave_ladder(lived.view, BO))
    assert not lived.ladder.challenges
    assert (lived[ADA].challenging, lived[CY].challenger) == (None, None)


# Who may be challenged: every refusal says which rule and until when


def test_the_target_is_on_your_step_or_up_to_three_above() -> None:
    lived = Story()
    for rung, user in enumerate((ADA, BO, CY, DEE, 5, 6)):
        lived.join(user, rung=rung)
    assert challengeable_users(lived.view, BO) == [CY, DEE, 5]
    with barred(LadderProblem.OTHER_BELOW, other=ADA, rung=0, own=1):
        lived.challenge(BO, ADA)
    with barred(LadderProblem.OTHER_TOO_HIGH, other=6, rung=5, most=4):
        lived.challenge(BO, 6)


def test_one_game_as_challenger_and_one_as_challenged_at_a_time() -> None:
    lived = story(ADA, BO, CY, DEE)
    lived.challenge(ADA, BO)
    with barred(LadderProblem.CHALLENGING_ALREADY, other=BO, until=NOW + HOURS_72):
        lived.challenge(ADA, CY)
    with barred(LadderProblem.OTHER_CHALLENGED, other=BO, until=NOW + HOURS_72):
        lived.challenge(CY, BO)
    lived.challenge(BO, CY)  # one each way
    match = lived.accept(BO)
    with barred(LadderProblem.CHALLENGING_ALREADY, other=BO, until=None):
        lived.challenge(ADA, CY)
    with barred(LadderProblem.OTHER_CHALLENGED, other=BO, until=None):
        lived.challenge(DEE, BO)
    lived.finish(match)
    lived.challenge(ADA, DEE)
    lived.challenge(DEE, BO)


def test_no_rematch_within_seven_days_by_anybodys_challenge() -> None:
    lived = story(ADA, BO)
    lived.finish(lived.played(ADA, BO))
    for one, two in ((ADA, BO), (BO, ADA)):
        with barred(LadderProblem.REMATCH, other=two, until=NOW + WEEK):
            lived.challenge(one, two)
    lived.later(WEEK)
    lived.challenge(BO, ADA)


def test_the_same_two_get_no_second_game_while_one_is_open() -> None:
    lived = story(ADA, BO)
    lived.challenge(ADA, BO)
    with barred(LadderProblem.CHALLENGED_BY, other=ADA, until=NOW + HOURS_72):
        lived.challenge(BO, ADA)
    assert challengeable_users(lived.view, BO) == []
    lived.accept(BO)
    with barred(LadderProblem.REMATCH, other=ADA, until=None):
        lived.challenge(BO, ADA)
    queued = story(CY, DEE)
    queued.queued(CY, DEE)
    with barred(LadderProblem.REMATCH, other=DEE, until=None):
        queued.challenge(CY, DEE)


def test_a_refused_challenger_may_not_challenge_the_same_player_for_a_week() -> None:
    lived = story(ADA, BO)
    lived.challenge(ADA, BO)
    lived.refuse(BO)
    with barred(LadderProblem.TURNED_DOWN, other=BO, until=NOW + WEEK):
        lived.challenge(ADA, BO)
    lived.challenge(BO, ADA)


def test_nobody_on_vacation_challenges_is_challenged_or_accepts() -> None:
    lived = story(ADA, BO, CY)
    lived.people[ADA] = MemberActivity(away_until=NOW + 5)
    with barred(LadderProblem.AWAY, until=NOW + 5):
        lived.challenge(ADA, BO)
    with barred(LadderProblem.OTHER_AWAY, other=ADA, until=NOW + 5):
        lived.challenge(BO, ADA)
    assert [challengeable_users(lived.view, user) for user in (ADA, BO)] == [[], [CY]]
    lived.now += 5
    lived.challenge(ADA, BO)
    lived.people[BO] = MemberActivity(away_until=lived.now + 9)
    with barred(LadderProblem.AWAY, until=lived.now + 9):
        lived.accept(BO)


def test_strangers_oneself_and_games_of_three_cannot_be_challenged() -> None:
    lived = story(ADA, BO)
    with barred(LadderProblem.NOT_ON_LADDER):
        lived.challenge(CY, ADA)
    with barred(LadderProblem.OTHER_NOT_ON_LADDER, other=CY):
        lived.challenge(ADA, CY)
    with barred(LadderProblem.YOURSELF):
        lived.challenge(ADA, ADA)
    with barred(LadderProblem.QUEUE_ONLY):
        story(ADA, BO, CY, seats=3).challenge(ADA, BO)


def test_after_thirty_idle_days_one_is_asleep_until_one_moves() -> None:
    lived = story(ADA, BO)
    lived.now += 30 * DAY
    lived.people[ADA] = MemberActivity(moved_at=lived.now)
    with barred(LadderProblem.OTHER_ASLEEP, other=BO):
        lived.challenge(ADA, BO)
    assert [climber.user for climber in ladder_acts.season_standings(lived.view, {})] == [ADA], "not counted"
    lived.people[BO] = MemberActivity(moved_at=lived.now)
    lived.challenge(ADA, BO)


# Answers


def test_an_unanswered_challenge_lapses_after_72_hours_and_counts_as_a_refusal() -> None:
    lived = story(ADA, BO)
    lived.challenge(ADA, BO)
    lived.later(HOURS_72 - 1)
    assert ladder_acts.lapse_challenges(lived.view) == ()
    lived.later(1)
    with barred(LadderProblem.LAPSED):
        lived.accept(BO)
    lived.add(*ladder_acts.lapse_challenges(lived.view))
    assert not lived.ladder.challenges
    assert lived[BO].refused == (NOW + HOURS_72,)
    assert ladder_acts.lapse_challenges(lived.view) == ()


def test_silence_on_a_vacation_costs_nothing() -> None:
    lived = story(ADA, BO)
    lived.challenge(ADA, BO)
    lived.later(HOURS_72)
    lived.people[BO] = MemberActivity(away_until=lived.now + 1)
    lived.add(*ladder_acts.lapse_challenges(lived.view))
    assert lived[BO].refused == ()
    lived.later(1)
    lived.challenge(ADA, BO)  # nobody has been turned down


def test_several_challenges_that_lapse_at_once_are_told_one_by_one() -> None:
    lived = story(ADA, BO, CY)
    lived.challenge(ADA, BO)
    lived.challenge(BO, CY)
    lived.later(HOURS_72)
    lived.add(*ladder_acts.lapse_challenges(lived.view))
    assert [entry.users for entry in lived.entries if entry.kind is EntryKind.LAPSED] == [(ADA, BO), (BO, CY)]


def test_one_refusal_in_thirty_days_is_free_further_ones_cost_a_step() -> None:
    lived = Story()
    lived.join(BO, rung=2)
    lived.join(ADA, CY, DEE, 5)
    rungs = []
    for challenger, days in ((ADA, 1), (CY, 1), (DEE, 28), (5, 0)):
        lived.challenge(challenger, BO)
        lived.refuse(BO)
        rungs += lived.rungs(BO)
        lived.later(days * DAY)
    assert rungs == [2, 1, 0, 0], "never below 0"
    lived.later(30 * DAY)
    assert not lived[BO].refusal_costs(lived.now)


def test_only_the_challenged_answers_and_only_once() -> None:
    lived = story(ADA, BO)
    lived.challenge(ADA, BO)
    seq = lived.ladder.seq
    with barred(LadderProblem.NO_CHALLENGE):
        ladder_acts.accept_challenge(lived.view, ADA, seq, 1)
    lived.accept(BO)
    with barred(LadderProblem.NO_CHALLENGE):
        ladder_acts.refuse_challenge(lived.view, BO, seq)


# What is due by itself


def test_the_tick_looks_at_a_ladder_when_its_first_deadline_comes() -> None:
    assert ladder_acts.next_ladder_tick_at(Ladder(2), NOW) is None
    assert ladder_acts.turn_season(LadderView(Ladder(2), NOW), {}) == (), "nobody climbs"
    lived = story(ADA, BO)
    assert ladder_acts.next_ladder_tick_at(lived.ladder, NOW) == NOW, "a season begins as soon as somebody is there"
    lived.add(*ladder_acts.turn_season(lived.view, {}))
    assert ladder_acts.next_ladder_tick_at(lived.ladder, NOW) == NOW + 70 * DAY
    lived.challenge(ADA, BO)
    assert ladder_acts.next_ladder_tick_at(lived.ladder, NOW + 1) == NOW + HOURS_72
    after = NOW + HOURS_72 + 9
    assert ladder_acts.next_ladder_tick_at(lived.ladder, after) == NOW + HOURS_72, "the bug: acts put a lapse off"
    assert ladder_acts.next_ladder_tick_at(lived.ladder, after, is_ticked=True) == after + 300, "it is prolonged"
    lived.add(ladder_acts.switch_queue(lived.view, ADA))
    assert 0 < (ladder_acts.next_ladder_tick_at(lived.ladder, NOW) or 0) - NOW <= 3600
