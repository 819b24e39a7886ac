"""Offers of draws, takebacks, and the acts of referees."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bot.core import deadlines, leaving, offers, refereeing, time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.events import EventKind, reason_of
from bot.core.fold import match_at, replay_match
from bot.core.match import Match, Phase
from bot.core.news import collect_news
from bot.core.problems import Problem
from bot.thoughts.service import list_moves
from rules import Cause, Game, parse_position
from tests.bot import answers
from tests.bot.match_stories import two
from tests.bot.playing import (
    ADA,
    BO,
    CY,
    DEE,
    NOW,
    anonymized,
    by,
    existing,
    followed,
    live,
    moved,
    play_typed,
    random_move,
    refused,
    rename_match,
    started,
)
from tests.e2e.game_checks import moves_of

BACK_AND_FORTH = ("F6-E5", "F11-E12", "E5-F6", "E12-F11")


def cause(match: Match) -> Cause | None:
    return existing(match.game).outcome.cause if existing(match.game).outcome else None


# Draws


def test_a_draw_is_agreed_when_all_who_are_still_in_accept() -> None:
    match = followed(live("tri-camelot"), offers.offer_draw(live("tri-camelot"), by(BO)))
    assert offers.users_awaited(match, answers.DRAW) == (ADA, CY)
    match = followed(match, answers.accept_draw(match, by(CY)))
    assert (match.is_live, offers.users_awaited(match, answers.DRAW)) == (True, (ADA,))
    with refused(Problem.NOT_ASKED):
        answers.accept_draw(match, by(CY))
    match = followed(match, answers.accept_draw(match, by(ADA)))
    assert (match.phase, cause(match), match.winners, match.has_result) == (Phase.OVER, Cause.AGREEMENT, (), True)


def test_an_offer_stands_until_an_answer_or_its_makers_next_move() -> None:
    match = followed(live(), offers.offer_draw(live(), by(BO)))
    match = moved(match, "F7-F8")
    assert match.requests.of_kind(answers.DRAW) is not None
    assert moved(match, "F10-F9").requests.of_kind(answers.DRAW) is None
    assert followed(match, answers.decline_draw(match, by(ADA))).requests.of_kind(answers.DRAW) is None


def test_a_player_offers_once_in_ten_plies() -> None:
    match = followed(live(), offers.offer_draw(live(), by(ADA)))
    with refused(Problem.OFFERED_ALREADY):
        offers.offer_draw(match, by(ADA))
    match = moved(match, "F7-F8")
    with refused(Problem.OFFER_TOO_SOON, moves=9):
        offers.offer_draw(match, by(ADA))
    assert offers.offer_draw(match, by(BO))
    match = moved(
        match, "F11-E12", *BACK_AND_FORTH[:1], "E12-F11", "E5-E4", "F11-E12", "E4-E3", "E12-F11", "E3-E2", "F11-E12"
    )
    assert match.ply == 10
    assert followed(match, offers.offer_draw(match, by(ADA))).is_live


def test_who_offers_where_an_offer_stands_accepts_it() -> None:
    match = followed(live(), offers.offer_draw(live(), by(ADA)))
    assert followed(match, offers.offer_draw(match, by(BO))).phase is Phase.OVER


def test_an_answer_without_an_offer_and_a_stranger_are_refused() -> None:
    match = live()
    with refused(Problem.LAPSED):
        answers.accept_draw(match, by(BO))
    with refused(Problem.LAPSED):
        answers.decline_draw(match, by(BO))
    with refused(Problem.NOT_A_PLAYER):
        offers.offer_draw(match, by(DEE))


def test_the_third_occurrence_may_be_claimed_by_the_player_to_move() -> None:
    match = moved(live(), *BACK_AND_FORTH)
    assert followed(match, offers.offer_draw(match, by(ADA))).is_live
    match = moved(match, *BACK_AND_FORTH)
    assert followed(match, offers.offer_draw(match, by(BO))).is_live
    match = followed(match, offers.offer_draw(match, by(ADA)))
    assert (match.phase, cause(match)) == (Phase.OVER, Cause.REPETITION)


# Takebacks


def test_a_takeback_needs_the_consent_of_every_opponent() -> None:
    match = moved(live("tri-camelot"), "F7-F9")
    match = followed(match, offers.ask_takeback(match, by(ADA)))
    with refused(Problem.TAKEBACK_PENDING, user=ADA):
        offers.ask_takeback(match, by(ADA))
    with refused(Problem.NOT_ASKED):
        answers.accept_takeback(match, by(ADA))
    match = followed(match, answers.accept_takeback(match, by(BO)))
    assert match.ply == 1
    match = followed(match, answers.accept_takeback(match, by(CY)))
    assert (match.ply, match.to_move, match.requests.of_kind(answers.TAKEBACK)) == (0, ADA, None)
    assert match.game == live("tri-camelot").game


def test_a_takeback_names_the_last_own_move_and_undoes_later_ones() -> None:
    match = moved(live(), "F7-F8", "F10-F9")
    with_offer = followed(match, offers.ask_takeback(match, by(ADA)))
    assert existing(with_offer.requests.of_kind(answers.TAKEBACK)).ply == 0
    assert followed(with_offer, answers.accept_takeback(with_offer, by(BO))).ply == 0
    own = followed(match, offers.ask_takeback(match, by(BO)))
    own = followed(own, answers.accept_takeback(own, by(ADA)))
    assert (own.ply, own.to_move) == (1, BO)


def test_a_takeback_gives_the_time_of_that_turn_back() -> None:
    match = live(pace=Pace.STANDARD)
    bank = match.clock.banks
    match = followed(match, play_typed(match, ADA, "F7-F8", NOW + 5 * HOUR))
    match = followed(match, offers.ask_takeback(match, by(ADA, NOW + 6 * HOUR)))
    match = followed(match, answers.accept_takeback(match, by(BO, NOW + 7 * HOUR)))
    assert (match.clock.banks, match.clock.running_since) == (bank, NOW + 7 * HOUR)


def test_a_pause_stops_the_clock_and_moves_may_still_be_made() -> None:
    match = live(pace=Pace.STANDARD)
    until, bank = NOW + 9 * DAY, match.clock.banks[0]
    match = followed(match, offers.ask_pause(match, by(BO, NOW), until))
    match = followed(match, answers.accept_pause(match, by(ADA, NOW + 5 * HOUR)))
    assert (match.paused_until, match.clock.running_since) == (until, None)
    assert deadlines.next_tick_at(match) == until
    early = followed(match, play_typed(match, ADA, "F7-F8", NOW + DAY))
    assert (early.to_move, early.clock.running_since) == (BO, None)
    assert early.clock.banks == (bank - 5 * HOUR + 1 + DAY, bank)
    with refused(Problem.PAUSED, until=until):
        time_acts.nudge_player(match, by(BO, NOW + 3 * DAY))
    assert time_acts.tick(match, {}, until - 1) == ()
    match = followed(match, time_acts.tick(match, {}, until))
    assert (match.paused_until, match.clock.running_since) == (None, until)
    assert deadlines.time_runs_out_at(match) == until + bank - 5 * HOUR + 1
    assert followed(match, play_typed(match, ADA, "F7-F8", until)).clock.banks == early.clock.banks


def test_a_pause_needs_everybody_and_lasts_a_month_at_most() -> None:
    match = live("tri-camelot")
    for until in (NOW, NOW + offers.MAX_PAUSE_S + 1):
        with refused(Problem.BAD_TIME):
            offers.ask_pause(match, by(ADA, NOW), until)
    with refused(Problem.LAPSED):
        answers.accept_pause(match, by(BO))
    match = followed(match, offers.ask_pause(match, by(ADA, NOW), NOW + DAY))
    with refused(Problem.PAUSE_PENDING, user=ADA):
        offers.ask_pause(match, by(CY, NOW), NOW + DAY)
    assert followed(match, answers.decline_pause(match, by(BO))).requests.of_kind(answers.PAUSE) is None
    match = followed(match, answers.accept_pause(match, by(BO)))
    assert match.paused_until is None
    with refused(Problem.LAPSED):
        answers.accept_pause(match, by(CY, NOW + DAY))
    assert followed(match, answers.accept_pause(match, by(CY))).paused_until == NOW + DAY


def test_the_next_move_or_a_refusal_ends_the_request() -> None:
    match = moved(live(), "F7-F8")
    match = followed(match, offers.ask_takeback(match, by(ADA)))
    assert moved(match, "F10-F9").requests.of_kind(answers.TAKEBACK) is None
    assert followed(match, answers.decline_takeback(match, by(BO))).requests.of_kind(answers.TAKEBACK) is None


def test_what_cannot_be_taken_back() -> None:
    with refused(Problem.NOTHING_TO_TAKE_BACK):
        offers.ask_takeback(live(), by(ADA))
    with refused(Problem.LAPSED):
        answers.accept_takeback(live(), by(ADA))
    ladder = moved(live(ladder=True), "F7-F8")
    with refused(Problem.TAKEBACK_LADDER):
        offers.ask_takeback(ladder, by(ADA))


def test_undone_moves_stay_in_the_story_and_are_not_shown_any_more() -> None:
    events = two().move("F7-F8", "F10-F9").did(offers.ask_takeback, BO).did(answers.accept_takeback, ADA).events
    assert match_at(1, events, 1).ply == 1
    with refused(Problem.NO_SUCH_PLY, last=1):
        match_at(1, events, 2)
    assert [event.body for event in events if "F10-F9" in event.body] == ["F10-F9"]


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_another_line_may_be_played_after_a_takeback(key: str) -> None:
    first, second = {"camelot": ("F7-F8", "G7-G8"), "tri-camelot": ("F7-F9", "E6-E8")}[key]
    match = moved(live(key), first)
    match = followed(match, offers.ask_takeback(match, by(ADA)))
    for user in match.opponents_of(ADA):
        match = followed(match, answers.accept_takeback(match, by(user)))
    assert moved(match, second).game == moved(live(key), second).game


def test_no_turn_is_undone_without_its_player_consenting_even_if_out() -> None:
    position = parse_position("tri-camelot Blue Blue:F5,E4 Red:F11 Green:F15,J11")
    match = moved(replace(live("tri-camelot"), game=Game.from_position(position)), "E4-E6", "F11-F13", "F15xF11")
    assert match.still_in == (ADA, CY)
    match = followed(match, offers.ask_takeback(match, by(ADA)))
    assert offers.users_awaited(match, answers.TAKEBACK) == (BO, CY)
    match = followed(match, answers.accept_takeback(match, by(CY)))
    assert (match.ply, offers.users_awaited(match, answers.TAKEBACK)) == (3, (BO,))
    assert followed(match, answers.decline_takeback(match, by(BO))).requests.of_kind(answers.TAKEBACK) is None


def test_moves_left_after_a_referees_undo_may_be_offered_and_undone() -> None:
    match = moved(live("tri-camelot"), "F7-F9")
    match = followed(match, leaving.propose_substitute(match, by(BO), DEE))
    match = moved(match, "B11-B9", "J11-J9", "E6-E8")
    match = followed(match, offers.offer_draw(match, by(ADA)))
    match = followed(match, answers.decline_draw(match, by(CY)))
    for user in (DEE, ADA, CY):
        match = followed(match, answers.accept_substitute(match, by(user)))
    match = followed(match, refereeing.rewind_match(match, by(DEE), 2, "A slip."))
    with refused(Problem.TAKEBACK_BARRED):
        offers.ask_takeback(match, by(ADA))
    match = moved(match, "J11-J9")
    assert offers.ask_takeback(match, by(CY))
    match = moved(match, *("F9-G8", "C12-D11", "I12-H11", "G8-F9", "D11-C12", "H11-I12") * 2)
    assert match.ply >= 2 + offers.DRAW_OFFER_INTERVAL_PLIES
    assert offers.offer_draw(match, by(ADA))


def test_a_player_without_pieces_is_not_waited_for_and_nothing_hangs() -> None:
    position = parse_position("tri-camelot Blue Blue:F5,E4 Red:F11 Green:F15,J11")
    match = moved(replace(live("tri-camelot"), game=Game.from_position(position)), "E4-E6", "F11-F13")
    match = followed(match, offers.offer_draw(match, by(ADA)))
    match = followed(match, answers.accept_draw(match, by(CY)))
    match = followed(match, leaving.propose_substitute(match, by(BO), DEE))
    match = followed(match, offers.ask_pause(match, by(ADA), NOW + DAY))
    match = moved(match, "F15xF11")
    assert (match.still_in, match.requests.standing) == ((ADA, CY), ())


# Buttons that outlive what they were made for


def test_an_old_message_never_answers_a_new_offer() -> None:
    match = followed(live(), offers.offer_draw(live(), by(ADA)))
    old = existing(match.requests.of_kind(answers.DRAW)).seq
    match = followed(match, answers.decline_draw(match, by(BO), old))
    with refused(Problem.LAPSED):
        answers.accept_draw(match, by(BO), old)
    for _ in range(3):
        match = moved(match, *BACK_AND_FORTH)
    match = moved(match, "F6-E5")
    match = followed(match, offers.offer_draw(match, by(ADA)))
    for answer in (answers.accept_draw, answers.decline_draw):
        with refused(Problem.LAPSED):
            answer(match, by(BO), old)
    seq = existing(match.requests.of_kind(answers.DRAW)).seq
    assert not followed(match, answers.accept_draw(match, by(BO), seq)).is_live


# Referees


JUDGE = 1099


@pytest.fixture
def match() -> Match:
    match = live(pace=Pace.STANDARD)
    for user, text in ((ADA, "F7-F8"), (BO, "F10-F9")):
        match = followed(match, play_typed(match, user, text, NOW + HOUR))
    return match


def test_each_act_wants_a_reason_and_can_be_audited(match: Match) -> None:
    with refused(Problem.NO_REASON):
        refereeing.abort_match(match, by(JUDGE), "  ")
    with refused(Problem.TEXT_TOO_LONG, most=refereeing.MAX_REASON_LENGTH):
        refereeing.abort_match(match, by(JUDGE), "x" * 301)
    events = refereeing.abort_match(match, by(JUDGE, NOW + 9), "wrong\nseat:0 bank:5")
    act, _ = events
    assert (act.at, act.user, act.kind, reason_of(act)) == (NOW + 9, JUDGE, EventKind.ABORTED, "wrong seat:0 bank:5")


def test_a_clock_is_set(match: Match) -> None:
    match = followed(match, refereeing.set_clock(match, by(JUDGE, NOW + 2 * HOUR), 1, 5 * HOUR, "was ill"))
    assert match.clock.banks[1] == 5 * HOUR
    with refused(Problem.BAD_BANK, most=120):
        refereeing.set_clock(match, by(JUDGE), 1, 999 * HOUR, "x")
    with refused(Problem.NO_CLOCK):
        refereeing.set_clock(live(), by(JUDGE), 1, HOUR, "x")


def test_a_clock_set_by_hand_stays_so_after_moves_are_undone(match: Match) -> None:
    match = followed(match, refereeing.set_clock(match, by(JUDGE, NOW + 2 * HOUR), 1, 5 * HOUR, "was ill"))
    for user, hour in ((ADA, 3), (BO, 4)):
        match = followed(match, play_typed(match, user, random_move(match, random.Random(1)), NOW + hour * HOUR))
    assert match.clock.banks[1] == 28 * HOUR
    last = followed(match, refereeing.rewind_match(match, by(JUDGE, NOW + 5 * HOUR), 3, "slip"))
    asked = followed(match, offers.ask_takeback(match, by(ADA, NOW + 5 * HOUR)))
    agreed = followed(asked, answers.accept_takeback(asked, by(BO, NOW + 6 * HOUR)))
    before = followed(agreed, refereeing.rewind_match(agreed, by(JUDGE, NOW + 7 * HOUR), 0, "slip"))
    assert [one.clock.banks[1] for one in (last, agreed, before)] == [5 * HOUR] * 3
    assert before.clock.banks[0] == 72 * HOUR


def test_a_player_is_replaced_also_one_who_has_left_a_vacant_seat(match: Match) -> None:
    replaced = followed(match, refereeing.replace_player(match, by(JUDGE, NOW + HOUR), BO, DEE, "gone"))
    assert replaced.players == (ADA, DEE)
    with refused(Problem.ALREADY_PLAYING, user=ADA):
        refereeing.replace_player(match, by(JUDGE), BO, ADA, "gone")
    with refused(Problem.NOT_IN_GAME, user=CY):  # the bug: the referee was told that they do not play
        refereeing.replace_player(match, by(JUDGE), CY, DEE, "gone")
    three = live("tri-camelot")
    three = followed(three, leaving.resign(three, by(CY)))
    three = followed(three, refereeing.replace_player(three, by(JUDGE), CY, DEE, "gone"))
    assert (three.players, three.vacancy) == ((ADA, BO, DEE), None)
    three = followed(three, refereeing.replace_player(three, by(JUDGE), DEE, CY, "Cy is back, within the second"))
    assert three.still_in == (ADA, BO, CY)
    assert three.resigned_users == ()


def test_a_game_is_rewound_to_a_ply(match: Match) -> None:
    rewound = followed(match, refereeing.rewind_match(match, by(JUDGE, NOW + 2 * HOUR), 1, "slip"))
    assert (rewound.ply, rewound.to_move, rewound.clock.running_since) == (1, BO, NOW + 2 * HOUR)
    for ply in (-1, 2):
        with refused(Problem.NO_SUCH_PLY, last=2):
            refereeing.rewind_match(match, by(JUDGE), ply, "slip")


def test_a_player_overdue_when_replaced_gains_no_time_by_a_rewind() -> None:
    match = live(pace=Pace.FAST)
    match = followed(match, refereeing.replace_player(match, by(JUDGE, NOW + 4 * DAY), BO, DEE, "gone"))
    assert (match.clock.banks[0], match.to_move) == (0, ADA)
    match = followed(match, play_typed(match, ADA, "F7-F8", NOW + 4 * DAY + HOUR))
    match = followed(match, refereeing.rewind_match(match, by(JUDGE, NOW + 5 * DAY), 0, "slip"))
    assert match.clock.banks[0] == DAY


@pytest.mark.parametrize("user", [ADA, BO])
@pytest.mark.parametrize("ply", [0, 1, 2])
def test_a_game_that_ended_by_a_wrong_resignation_goes_on(match: Match, user: int, ply: int) -> None:
    over = followed(match, leaving.resign(match, by(user, NOW + 3 * HOUR)))
    again = followed(over, refereeing.rewind_match(over, by(JUDGE, NOW + 5 * HOUR), ply, "wrong game"))
    assert (again.phase, again.ply, again.roster.leavers, again.still_in) == (Phase.LIVE, ply, (), (ADA, BO))
    assert again.clock.running_since == NOW + 5 * HOUR
    if ply == 2:
        assert (again.game, again.board_version) == (match.game, match.board_version)
        assert again.clock.banks == match.clock.banks
    assert play_typed(again, again.to_move or 0, random_move(again, random.Random(1)), NOW + 6 * HOUR)


def test_a_game_wrongly_timed_out_resumes_with_the_turns_starting_bank() -> None:
    match = live(pace=Pace.FAST, ladder=True)
    over = match
    while over.is_live:
        over = followed(over, time_acts.tick(over, {}, deadlines.next_tick_at(over) or 0))
    again = followed(over, refereeing.rewind_match(over, by(JUDGE, NOW + 9 * DAY), 0, "Discord was away"))
    assert (again.game, again.clock.banks, again.to_move) == (match.game, match.clock.banks, ADA)
    assert deadlines.time_runs_out_at(again) == NOW + 10 * DAY


def test_of_three_only_who_ended_the_game_by_leaving_comes_back() -> None:
    match = followed(live("tri-camelot"), leaving.resign(live("tri-camelot"), by(CY)))
    over = followed(match, leaving.resign(match, by(ADA)))  # the vacant seat becomes passive, and Bo has won
    again = followed(over, refereeing.rewind_match(over, by(JUDGE), 0, "wrong game"))
    assert (again.still_in, again.resigned_users, again.vacancy) == ((ADA, BO), (CY,), None)


def test_a_game_agreed_drawn_or_aborted_resumes_at_its_last_move(match: Match) -> None:
    offered = followed(match, offers.offer_draw(match, by(ADA)))
    drawn = followed(offered, answers.accept_draw(offered, by(BO)))
    aborted = followed(match, refereeing.abort_match(match, by(JUDGE), "slip"))
    assert (cause(aborted), aborted.has_result) == (Cause.ABANDONED, False)
    for over in (drawn, aborted):
        again = followed(over, refereeing.rewind_match(over, by(JUDGE, NOW + 2 * HOUR), 2, "slip"))
        assert (again.game, again.phase, again.clock.running_since) == (match.game, Phase.LIVE, NOW + 2 * HOUR)


@pytest.mark.parametrize("name", ["castle", "capture", "stalemate", "few-pieces", "repetition"])
def test_a_game_the_rules_have_ended_does_not_resume_at_its_end(name: str) -> None:
    match = moved(live(), *moves_of(f"camelot-{name}"))
    assert match.phase is Phase.OVER
    with refused(Problem.GAME_OVER):
        refereeing.rewind_match(match, by(JUDGE), match.ply, "slip")
    assert followed(match, refereeing.rewind_match(match, by(JUDGE), match.ply - 1, "slip")).is_live


def test_a_repetition_draw_is_undone_where_it_was_claimed() -> None:
    match = live()
    for text in moves_of("camelot-repetition"):
        if match.started_game.claimable_draw:
            claimed = followed(match, offers.offer_draw(match, by(match.to_move or 0)))
            again = followed(claimed, refereeing.rewind_match(claimed, by(JUDGE), match.ply, "slip"))
            assert again.game == match.game
        match = moved(match, text)


def test_nobody_is_called_back_who_has_asked_to_be_forgotten() -> None:
    match = replay_match(1, [anonymized(event, BO, 7) for event in started()])
    over = followed(match, leaving.resign(match, by(7)))
    with refused(Problem.TAKEBACK_BARRED):
        refereeing.rewind_match(over, by(JUDGE), 0, "slip")


def test_a_finished_game_is_annulled_once(match: Match) -> None:
    with refused(Problem.NOT_OVER):
        refereeing.annul_match(match, by(JUDGE), "cheat")
    match = followed(match, leaving.resign(match, by(BO)))
    assert match.winners == (ADA,)
    match = followed(match, refereeing.annul_match(match, by(JUDGE), "cheat"))
    assert (match.winners, match.has_result) == ((), False)
    with refused(Problem.ANNULLED_ALREADY):
        refereeing.annul_match(match, by(JUDGE), "cheat")


def test_a_title_given_earlier_stays_or_was_removed(match: Match) -> None:
    match = followed(match, rename_match(match, by(JUDGE), "The final", "cup"))
    assert match.title == "The final"
    assert followed(match, rename_match(match, by(JUDGE), "", "cup")).title is None


def test_the_players_are_told_of_every_act() -> None:
    events = started(pace=Pace.FAST)
    fresh = refereeing.set_clock(replay_match(1, events), by(JUDGE), 0, HOUR, "late start")
    (item,) = collect_news(1, [*events, *fresh], events[-1].seq)
    assert (item.kind, item.user, item.calls) == (EventKind.CLOCK_SET, JUDGE, (ADA, BO))


def test_after_a_rewind_a_substitutes_moves_are_their_own(match: Match) -> None:
    match = followed(match, refereeing.replace_player(match, by(JUDGE, NOW + 3 * HOUR), ADA, DEE, "ill"))
    match = followed(match, refereeing.rewind_match(match, by(JUDGE, NOW + 4 * HOUR), 0, "a wrong rule"))
    match = followed(match, play_typed(match, DEE, "F7-F8", NOW + 5 * HOUR))
    assert [made.user for made in list_moves(match)] == [DEE]
