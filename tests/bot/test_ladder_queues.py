from __future__ import annotations

import time
from dataclasses import replace

from bot.core.clock import DAY
from bot.ladder import acts as ladder_acts
from bot.ladder.acts import LadderProblem, MemberActivity
from bot.ladder.state import Climber, EntryKind, Meeting
from tests.bot.ladder_climbers import Story, barred, story, unshuffled
from tests.bot.playing import ADA, BO, CY, DEE

WEEK = 7 * DAY


def waiting(seats: int, **rungs: int) -> Story:
    """Returns a ladder on which these users queue, a second apart and on these rungs."""
    lived = Story(seats)
    for name, rung in rungs.items():
        user = globals()[name]
        lived.join(user, rung=rung)
        lived.add(ladder_acts.switch_queue(lived.view, user))
        lived.now += 1
    return lived


def paired(lived: Story, numbers: dict[int, int] | None = None) -> list[tuple[int, ...]]:
    return list(ladder_acts.pair_waiting(lived.view, numbers or {}, unshuffled))


def test_a_player_queues_once_and_never_during_a_queued_game() -> None:
    lived = story(ADA, BO)
    assert lived.queued(ADA, ADA, BO) == (), "who queues again waits no more"
    (match,) = lived.queued(ADA)
    with barred(LadderProblem.QUEUE_GAME_ON, match=match):
        ladder_acts.switch_queue(lived.view, BO)
    lived.finish(match)
    assert ladder_acts.switch_queue(lived.view, BO).kind is EntryKind.QUEUED


def test_who_has_waited_longest_gets_the_closest_by_step_then_by_rating() -> None:
    assert paired(waiting(2, ADA=2, BO=4, CY=2, DEE=3)) == [(ADA, CY), (BO, DEE)]
    numbers = {ADA: 1500, BO: 1700, CY: 1450}
    assert paired(waiting(2, ADA=2, BO=2, CY=2), numbers) == [(ADA, CY)]
    assert paired(waiting(2, ADA=2, BO=2, CY=2)) == [(ADA, BO)], "of equals, who has waited longer"


def test_a_day_of_waiting_reaches_a_step_further() -> None:
    lived = waiting(2, ADA=0, BO=5)
    for _ in range(2):
        assert paired(lived) == []
        lived.later(DAY)
    assert paired(lived) == [(ADA, BO)]


def test_the_same_pair_does_not_meet_again_within_seven_days() -> None:
    lived = story(ADA, BO)
    (match,) = lived.queued(ADA, BO)
    lived.finish(match)
    assert lived.queued(ADA, BO) == ()
    lived.later(WEEK - 1)
    assert paired(lived) == []
    lived.later(1)
    assert paired(lived) == [(BO, ADA)]


def test_whom_one_has_met_lately_keeps_nobody_else_from_being_found() -> None:
    lived = Story()
    for user in range(20):
        lived.ladder.climbers[user] = Climber(user, lived.now, rung=user // 19, queued_at=lived.now + user)
    lived.ladder.meetings = {(0, user): Meeting(lived.now) for user in range(1, 19)}
    assert {0, 19} in map(set, paired(lived)), "one rung higher than the others"


def test_a_pair_with_a_challenge_between_them_is_not_paired() -> None:
    lived = story(ADA, BO)
    lived.challenge(ADA, BO)
    assert lived.queued(ADA, BO) == ()


def test_who_has_moved_first_less_often_does_so() -> None:
    lived = waiting(2, ADA=0, BO=0)
    lived.ladder.climbers[ADA] = replace(lived[ADA], balance=1, began_last=False)
    assert paired(lived) == [(BO, ADA)]
    lived.ladder.climbers[BO] = replace(lived[BO], balance=1, began_last=True)
    assert paired(lived) == [(ADA, BO)]


def test_a_person_who_may_not_play_now_keeps_their_place() -> None:
    lived = waiting(2, ADA=0, BO=0, CY=0)
    lived.people[ADA] = MemberActivity(away_until=lived.now + 5)
    assert paired(lived) == [(BO, CY)]
    lived.now += 5
    assert paired(lived) == [(ADA, BO)]


def test_in_a_game_of_three_the_winner_gains_two_others_lose_one() -> None:
    lived = story(ADA, BO, CY, seats=3)
    (match,) = lived.queued(ADA, BO, CY)
    lived.finish(match, CY)
    assert (lived.rungs(ADA, BO, CY), lived[CY].queue_game) == ((0, 0, 2), None)


def test_three_are_gathered_close_in_step() -> None:
    assert paired(waiting(3, ADA=0, BO=3, CY=1, DEE=2)) == [(ADA, CY, DEE)]
    assert paired(waiting(3, ADA=3, BO=0, CY=6)) == [], "0 and 6 are not close, though both are to 3"


def test_of_threes_equally_close_those_who_have_met_less_lately_come_first() -> None:
    lived = story(ADA, BO, CY, DEE, seats=3)
    (match,) = lived.queued(ADA, BO, CY)
    lived.finish(match)
    for user in (ADA, BO, CY, DEE):
        lived.add(ladder_acts.switch_queue(lived.view, user))
        lived.now += 1
    assert paired(lived) == [(ADA, DEE, BO)]


def test_of_a_running_triad_the_sum_counts() -> None:
    lived = story(ADA, BO, CY, seats=3)
    matches = lived.begin_triad(ADA, BO, CY)
    lived.finish(matches[1], CY)
    lived.finish(matches[0], BO)
    assert lived.rungs(ADA, BO, CY) == (0, 0, 0), "not before the third is over"
    assert lived[CY].queue_game == matches[0]
    lived.finish(matches[2], CY, late=(ADA,))
    assert lived.rungs(ADA, BO, CY) == (0, 0, 2)
    assert (lived[CY].wins, lived[BO].losses, lived[ADA].timeouts) == (1, 1, 1)
    assert not lived.ladder.games


def test_a_queue_of_five_hundred_is_paired_in_a_second() -> None:
    for seats in (2, 3):
        lived = Story(seats)
        for user in range(501):
            lived.ladder.climbers[user] = Climber(user, lived.now, rung=user % 17, queued_at=lived.now + user)
        begun = time.process_time()
        found = paired(lived)
        assert time.process_time() - begun < 5, "five times what it takes"
        assert sum(map(len, found)) >= 490
