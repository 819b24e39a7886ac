from __future__ import annotations

import random

import pytest

from bot.core import deadlines, leaving, offers, refereeing, time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.events import EventKind, reason_of
from bot.core.match import Match, Phase
from bot.core.news import collect_news
from bot.core.problems import Problem
from bot.thoughts.service import list_moves
from rules import Cause
from tests.bot.playing import (
    ADA,
    BO,
    CY,
    DEE,
    NOW,
    anonymized,
    followed,
    live,
    play_typed,
    random_move,
    refused,
    rename_match,
    started,
)
from tests.e2e.judging import moves_of

JUDGE = 1099


@pytest.fixture
def match() -> Match:
    match = live(pace=Pace.STANDARD)
    for user, text in ((ADA, "F7-F8"), (BO, "F10-F9")):
        match = followed(match, play_typed(match, user, text, NOW + HOUR))
    return match


def test_each_act_wants_a_reason_and_can_be_audited(match: Match) -> None:
    with refused(Problem.NO_REASON):
        refereeing.abort_match(match, JUDGE, "  ", NOW)
    with refused(Problem.TEXT_TOO_LONG, most=refereeing.MAX_REASON_LENGTH):
        refereeing.abort_match(match, JUDGE, "x" * 301, NOW)
    events = refereeing.abort_match(match, JUDGE, "wrong\nseat:0 bank:5", NOW + 9)
    act, _ = events
    assert (act.at, act.user, act.kind, reason_of(act)) == (NOW + 9, JUDGE, EventKind.ABORTED, "wrong seat:0 bank:5")


def test_a_clock_is_set(match: Match) -> None:
    match = followed(match, refereeing.set_clock(match, JUDGE, 1, 5 * HOUR, "was ill", NOW + 2 * HOUR))
    assert match.banks[1] == 5 * HOUR
    with refused(Problem.BAD_BANK, most=120):
        refereeing.set_clock(match, JUDGE, 1, 999 * HOUR, "x", NOW)
    with refused(Problem.NO_CLOCK):
        refereeing.set_clock(live(), JUDGE, 1, HOUR, "x", NOW)


def test_a_clock_set_by_hand_stays_so_after_moves_are_undone(match: Match) -> None:
    match = followed(match, refereeing.set_clock(match, JUDGE, 1, 5 * HOUR, "was ill", NOW + 2 * HOUR))
    for user, hour in ((ADA, 3), (BO, 4)):
        match = followed(match, play_typed(match, user, random_move(match, random.Random(1)), NOW + hour * HOUR))
    assert match.banks[1] == 28 * HOUR
    last = followed(match, refereeing.rewind_match(match, JUDGE, 3, "slip", NOW + 5 * HOUR))
    asked = followed(match, offers.ask_takeback(match, ADA, NOW + 5 * HOUR))
    agreed = followed(asked, offers.accept_takeback(asked, BO, NOW + 6 * HOUR))
    before = followed(agreed, refereeing.rewind_match(agreed, JUDGE, 0, "slip", NOW + 7 * HOUR))
    assert [one.banks[1] for one in (last, agreed, before)] == [5 * HOUR] * 3
    assert before.banks[0] == 72 * HOUR


def test_a_player_is_replaced_also_one_who_has_left_a_vacant_seat(match: Match) -> None:
    assert followed(match, refereeing.replace_player(match, JUDGE, BO, DEE, "gone", NOW + HOUR)).players == (ADA, DEE)
    with refused(Problem.ALREADY_PLAYING, user=ADA):
        refereeing.replace_player(match, JUDGE, BO, ADA, "gone", NOW)
    with refused(Problem.NOT_A_PLAYER):
        refereeing.replace_player(match, JUDGE, CY, DEE, "gone", NOW)
    three = live("tri-camelot")
    three = followed(three, leaving.resign(three, CY, NOW))
    three = followed(three, refereeing.replace_player(three, JUDGE, CY, DEE, "gone", NOW))
    assert (three.players, three.vacancy) == ((ADA, BO, DEE), None)
    three = followed(three, refereeing.replace_player(three, JUDGE, DEE, CY, "Cy is back, within the second", NOW))
    assert three.still_in == (ADA, BO, CY)
    assert three.resigned_users == ()


def test_a_game_is_rewound_to_a_ply(match: Match) -> None:
    rewound = followed(match, refereeing.rewind_match(match, JUDGE, 1, "slip", NOW + 2 * HOUR))
    assert (rewound.ply, rewound.to_move, rewound.running_since) == (1, BO, NOW + 2 * HOUR)
    for ply in (-1, 2):
        with refused(Problem.NO_SUCH_PLY, last=2):
            refereeing.rewind_match(match, JUDGE, ply, "slip", NOW)


def test_a_player_overdue_when_replaced_gains_no_time_by_a_rewind() -> None:
    match = live(pace=Pace.FAST)
    match = followed(match, refereeing.replace_player(match, JUDGE, BO, DEE, "gone", NOW + 4 * DAY))
    assert (match.banks[0], match.to_move) == (0, ADA)
    match = followed(match, play_typed(match, ADA, "F7-F8", NOW + 4 * DAY + HOUR))
    match = followed(match, refereeing.rewind_match(match, JUDGE, 0, "slip", NOW + 5 * DAY))
    assert match.banks[0] == DAY


@pytest.mark.parametrize("user", [ADA, BO])
@pytest.mark.parametrize("ply", [0, 1, 2])
def test_a_game_that_ended_by_a_wrong_resignation_goes_on(match: Match, user: int, ply: int) -> None:
    over = followed(match, leaving.resign(match, user, NOW + 3 * HOUR))
    again = followed(over, refereeing.rewind_match(over, JUDGE, ply, "wrong game", NOW + 5 * HOUR))
    assert (again.phase, again.ply, again.leavers, again.still_in) == (Phase.LIVE, ply, (), (ADA, BO))
    assert again.running_since == NOW + 5 * HOUR
    if ply == 2:
        assert (again.game, again.banks, again.board_version) == (match.game, match.banks, match.board_version)
    assert play_typed(again, again.to_move or 0, random_move(again, random.Random(1)), NOW + 6 * HOUR)


def test_a_game_wrongly_timed_out_resumes_with_the_turns_starting_bank() -> None:
    match = live(pace=Pace.FAST, ladder=True)
    over = match
    while over.is_live:
        over = followed(over, time_acts.tick(over, {}, deadlines.next_tick_at(over) or 0))
    again = followed(over, refereeing.rewind_match(over, JUDGE, 0, "Discord was away", NOW + 9 * DAY))
    assert (again.game, again.banks, again.to_move) == (match.game, match.banks, ADA)
    assert deadlines.time_runs_out_at(again) == NOW + 10 * DAY


def test_of_three_only_who_ended_the_game_by_leaving_comes_back() -> None:
    match = live("tri-camelot")
    match = followed(match, leaving.resign(match, CY, NOW))
    over = followed(match, leaving.resign(match, ADA, NOW))  # the vacant seat becomes passive, and Bo has won
    again = followed(over, refereeing.rewind_match(over, JUDGE, 0, "wrong game", NOW))
    assert (again.still_in, again.resigned_users, again.vacancy) == ((ADA, BO), (CY,), None)


def test_a_game_agreed_drawn_or_aborted_resumes_at_its_last_move(match: Match) -> None:
    offered = followed(match, offers.offer_draw(match, ADA, NOW))
    drawn = followed(offered, offers.accept_draw(offered, BO, NOW))
    for over in (drawn, followed(match, refereeing.abort_match(match, JUDGE, "slip", NOW))):
        again = followed(over, refereeing.rewind_match(over, JUDGE, 2, "slip", NOW + 2 * HOUR))
        assert (again.game, again.phase, again.running_since) == (match.game, Phase.LIVE, NOW + 2 * HOUR)


@pytest.mark.parametrize("name", ["camelot-castle", "camelot-capture", "camelot-stalemate", "camelot-few-pieces"])
def test_a_game_the_rules_have_ended_does_not_resume_at_its_end(name: str) -> None:
    match = live()
    for text in moves_of(name):
        match = followed(match, play_typed(match, match.to_move or 0, text, NOW))
    assert match.phase is Phase.OVER
    with refused(Problem.GAME_OVER):
        refereeing.rewind_match(match, JUDGE, match.ply, "slip", NOW)
    assert followed(match, refereeing.rewind_match(match, JUDGE, match.ply - 1, "slip", NOW)).is_live


def test_a_repetition_draw_is_undone_where_claimed_not_where_automatic() -> None:
    match = live()
    for text in moves_of("camelot-repetition"):
        if match.started_game.claimable_draw:
            claimed = followed(match, offers.claim_draw(match, match.to_move or 0, NOW))
            again = followed(claimed, refereeing.rewind_match(claimed, JUDGE, match.ply, "slip", NOW))
            assert again.game == match.game
        match = followed(match, play_typed(match, match.to_move or 0, text, NOW))
    assert match.phase is Phase.OVER
    with refused(Problem.GAME_OVER):
        refereeing.rewind_match(match, JUDGE, match.ply, "slip", NOW)


def test_nobody_is_called_back_who_has_asked_to_be_forgotten() -> None:
    events = [anonymized(event, BO, 7) for event in started()]
    match = Match.replay(1, events)
    over = followed(match, leaving.resign(match, 7, NOW))
    with refused(Problem.TAKEBACK_BARRED):
        refereeing.rewind_match(over, JUDGE, 0, "slip", NOW)


def test_an_aborted_game_has_no_result(match: Match) -> None:
    match = followed(match, refereeing.abort_match(match, JUDGE, "broken", NOW))
    assert match.game is not None
    assert match.game.outcome is not None
    assert (match.phase, match.game.outcome.cause, match.has_result) == (Phase.OVER, Cause.ABANDONED, False)


def test_a_finished_game_is_annulled_once(match: Match) -> None:
    with refused(Problem.NOT_OVER):
        refereeing.annul_match(match, JUDGE, "cheat", NOW)
    match = followed(match, leaving.resign(match, BO, NOW))
    assert match.winners == (ADA,)
    match = followed(match, refereeing.annul_match(match, JUDGE, "cheat", NOW))
    assert (match.winners, match.has_result) == ((), False)
    with refused(Problem.ANNULLED_ALREADY):
        refereeing.annul_match(match, JUDGE, "cheat", NOW)


def test_a_title_given_earlier_stays_or_was_removed(match: Match) -> None:
    match = followed(match, rename_match(match, JUDGE, "The final", "cup", NOW))
    assert match.title == "The final"
    assert followed(match, rename_match(match, JUDGE, "", "cup", NOW)).title is None


def test_the_players_are_told_of_every_act() -> None:
    events = started(pace=Pace.FAST)
    fresh = refereeing.set_clock(Match.replay(1, events), JUDGE, 0, HOUR, "late start", NOW)
    (item,) = collect_news(1, [*events, *fresh], events[-1].seq)
    assert (item.kind, item.user, item.calls) == (EventKind.CLOCK_SET, JUDGE, (ADA, BO))


def test_after_a_rewind_a_substitutes_moves_are_their_own(match: Match) -> None:
    match = followed(match, refereeing.replace_player(match, JUDGE, ADA, DEE, "ill", NOW + 3 * HOUR))
    match = followed(match, refereeing.rewind_match(match, JUDGE, 0, "a wrong rule", NOW + 4 * HOUR))
    match = followed(match, play_typed(match, DEE, "F7-F8", NOW + 5 * HOUR))
    assert [made.user for made in list_moves(match)] == [DEE]
