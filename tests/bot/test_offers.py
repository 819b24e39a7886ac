from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core import leaving, offers, refereeing
from bot.core.clock import HOUR, Pace
from bot.core.match import Match, Phase, match_at
from bot.core.problems import Problem
from rules import Cause, Game, parse_position
from tests.bot.playing import ADA, BO, CY, DEE, NOW, followed, live, play_typed, refused, started

BACK_AND_FORTH = ("F6-E5", "F11-E12", "E5-F6", "E12-F11")


def moved(match: Match, *moves: str) -> Match:
    for text in moves:
        assert match.to_move is not None
        match = followed(match, play_typed(match, match.to_move, text, NOW + 10))
    return match


def cause(match: Match) -> Cause | None:
    assert match.game is not None
    return match.game.outcome.cause if match.game.outcome else None


# Draws


def test_a_draw_is_agreed_when_all_who_are_still_in_accept() -> None:
    match = live("tri-camelot")
    match = followed(match, offers.offer_draw(match, BO, NOW))
    assert offers.awaited_for_draw(match) == (ADA, CY)
    match = followed(match, offers.accept_draw(match, CY, NOW))
    assert (match.is_live, offers.awaited_for_draw(match)) == (True, (ADA,))
    with refused(Problem.NOT_ASKED):
        offers.accept_draw(match, CY, NOW)
    match = followed(match, offers.accept_draw(match, ADA, NOW))
    assert (match.phase, cause(match), match.winners, match.has_result) == (Phase.OVER, Cause.AGREEMENT, (), True)


def test_an_offer_stands_until_an_answer_or_its_makers_next_move() -> None:
    match = live()
    match = followed(match, offers.offer_draw(match, BO, NOW))
    match = moved(match, "F7-F8")
    assert match.draw is not None
    assert moved(match, "F10-F9").draw is None
    assert followed(match, offers.decline_draw(match, ADA, NOW)).draw is None


def test_a_player_offers_once_in_ten_plies() -> None:
    match = live()
    match = followed(match, offers.offer_draw(match, ADA, NOW))
    with refused(Problem.OFFERED_ALREADY):
        offers.offer_draw(match, ADA, NOW)
    match = moved(match, "F7-F8")
    with refused(Problem.OFFER_TOO_SOON, ply=10):
        offers.offer_draw(match, ADA, NOW)
    assert offers.offer_draw(match, BO, NOW)
    match = moved(
        match, "F11-E12", *BACK_AND_FORTH[:1], "E12-F11", "E5-F6", "F11-E12", "F6-E5", "E12-F11", "E5-F6", "F11-E12"
    )
    assert match.ply == 10
    assert offers.offer_draw(match, ADA, NOW)


def test_who_offers_where_an_offer_stands_accepts_it() -> None:
    match = live()
    match = followed(match, offers.offer_draw(match, ADA, NOW))
    assert followed(match, offers.offer_draw(match, BO, NOW)).phase is Phase.OVER


def test_an_answer_without_an_offer_and_a_stranger_are_refused() -> None:
    match = live()
    with refused(Problem.NO_OFFER):
        offers.accept_draw(match, BO, NOW)
    with refused(Problem.NO_OFFER):
        offers.decline_draw(match, BO, NOW)
    with refused(Problem.NOT_A_PLAYER):
        offers.offer_draw(match, DEE, NOW)


def test_the_third_occurrence_may_be_claimed_by_the_player_to_move() -> None:
    match = moved(live(), *BACK_AND_FORTH)
    with refused(Problem.NOT_CLAIMABLE):
        offers.claim_draw(match, ADA, NOW)
    match = moved(match, *BACK_AND_FORTH)
    with refused(Problem.NOT_YOUR_TURN, next=ADA):
        offers.claim_draw(match, BO, NOW)
    match = followed(match, offers.claim_draw(match, ADA, NOW))
    assert (match.phase, cause(match)) == (Phase.OVER, Cause.REPETITION)


# Takebacks


def test_a_takeback_needs_the_consent_of_every_opponent() -> None:
    match = moved(live("tri-camelot"), "F7-F9")
    match = followed(match, offers.ask_takeback(match, ADA, NOW))
    with refused(Problem.TAKEBACK_PENDING, user=ADA):
        offers.ask_takeback(match, ADA, NOW)
    with refused(Problem.NOT_ASKED):
        offers.accept_takeback(match, ADA, NOW)
    match = followed(match, offers.accept_takeback(match, BO, NOW))
    assert match.ply == 1
    match = followed(match, offers.accept_takeback(match, CY, NOW))
    assert (match.ply, match.to_move, match.takeback) == (0, ADA, None)
    assert match.game == live("tri-camelot").game


def test_a_takeback_names_the_last_own_move_and_undoes_later_ones() -> None:
    match = moved(live(), "F7-F8", "F10-F9")
    with_offer = followed(match, offers.ask_takeback(match, ADA, NOW))
    assert with_offer.takeback is not None
    assert with_offer.takeback.ply == 0
    assert followed(with_offer, offers.accept_takeback(with_offer, BO, NOW)).ply == 0
    own = followed(match, offers.ask_takeback(match, BO, NOW))
    own = followed(own, offers.accept_takeback(own, ADA, NOW))
    assert (own.ply, own.to_move) == (1, BO)


def test_a_takeback_gives_the_time_of_that_turn_back() -> None:
    match = live(pace=Pace.STANDARD)
    bank = match.banks
    match = followed(match, play_typed(match, ADA, "F7-F8", NOW + 5 * HOUR))
    match = followed(match, offers.ask_takeback(match, ADA, NOW + 6 * HOUR))
    match = followed(match, offers.accept_takeback(match, BO, NOW + 7 * HOUR))
    assert (match.banks, match.running_since) == (bank, NOW + 7 * HOUR)


def test_the_next_move_or_a_refusal_ends_the_request() -> None:
    match = moved(live(), "F7-F8")
    match = followed(match, offers.ask_takeback(match, ADA, NOW))
    assert moved(match, "F10-F9").takeback is None
    assert followed(match, offers.decline_takeback(match, BO, NOW)).takeback is None


def test_what_cannot_be_taken_back() -> None:
    with refused(Problem.NOTHING_TO_TAKE_BACK):
        offers.ask_takeback(live(), ADA, NOW)
    with refused(Problem.NO_TAKEBACK):
        offers.accept_takeback(live(), ADA, NOW)
    ladder = moved(live(ladder=True), "F7-F8")
    with refused(Problem.TAKEBACK_LADDER):
        offers.ask_takeback(ladder, ADA, NOW)


def test_undone_moves_stay_in_the_story_and_are_not_shown_any_more() -> None:
    events = started()
    for decide in (
        lambda match: play_typed(match, ADA, "F7-F8", NOW),
        lambda match: play_typed(match, BO, "F10-F9", NOW),
        lambda match: offers.ask_takeback(match, BO, NOW),
        lambda match: offers.accept_takeback(match, ADA, NOW),
    ):
        events += decide(Match.replay(1, events))
    assert match_at(1, events, 1).ply == 1
    with refused(Problem.NO_SUCH_PLY, last=1):
        match_at(1, events, 2)
    assert [event.body for event in events if "F10-F9" in event.body] == ["F10-F9"]


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_another_line_may_be_played_after_a_takeback(key: str) -> None:
    first, second = {"camelot": ("F7-F8", "G7-G8"), "tri-camelot": ("F7-F9", "E6-E8")}[key]
    match = moved(live(key), first)
    match = followed(match, offers.ask_takeback(match, ADA, NOW))
    for user in match.opponents_of(ADA):
        match = followed(match, offers.accept_takeback(match, user, NOW))
    assert moved(match, second).game == moved(live(key), second).game


def test_no_turn_is_undone_without_its_player_consenting_even_if_out() -> None:
    position = parse_position("tri-camelot Blue Blue:F5,E4 Red:F11 Green:F15,J11")
    match = moved(replace(live("tri-camelot"), game=Game.from_position(position)), "E4-E6", "F11-F13", "F15xF11")
    assert match.still_in == (ADA, CY)
    match = followed(match, offers.ask_takeback(match, ADA, NOW))
    assert offers.awaited_for_takeback(match) == (BO, CY)
    match = followed(match, offers.accept_takeback(match, CY, NOW))
    assert (match.ply, offers.awaited_for_takeback(match)) == (3, (BO,))
    assert followed(match, offers.decline_takeback(match, BO, NOW)).takeback is None


def test_moves_left_after_a_referees_undo_may_be_offered_and_undone() -> None:
    match = moved(live("tri-camelot"), "F7-F9")
    match = followed(match, leaving.propose_substitute(match, BO, DEE, NOW))
    match = moved(match, "B11-B9", "J11-J9", "E6-E8")
    match = followed(match, offers.offer_draw(match, ADA, NOW))
    match = followed(match, offers.decline_draw(match, CY, NOW))
    for user in (DEE, ADA, CY):
        match = followed(match, leaving.accept_substitute(match, user, NOW))
    match = followed(match, refereeing.rewind_match(match, DEE, 2, "A slip.", NOW))
    with refused(Problem.TAKEBACK_BARRED):
        offers.ask_takeback(match, ADA, NOW)
    match = moved(match, "J11-J9")
    assert offers.ask_takeback(match, CY, NOW)
    match = moved(match, *("F9-G8", "C12-D11", "I12-H11", "G8-F9", "D11-C12", "H11-I12") * 2)
    assert match.ply >= 2 + offers.DRAW_OFFER_INTERVAL_PLIES
    assert offers.offer_draw(match, ADA, NOW)


def test_a_player_without_pieces_is_not_waited_for_and_nothing_hangs() -> None:
    position = parse_position("tri-camelot Blue Blue:F5,E4 Red:F11 Green:F15,J11")
    match = moved(replace(live("tri-camelot"), game=Game.from_position(position)), "E4-E6", "F11-F13")
    match = followed(match, offers.offer_draw(match, ADA, NOW))
    match = followed(match, offers.accept_draw(match, CY, NOW))
    match = followed(match, leaving.propose_substitute(match, BO, DEE, NOW))
    match = moved(match, "F15xF11")
    assert match.still_in == (ADA, CY)
    assert (match.draw, match.handover) == (None, None)


# Buttons that outlive what they were made for


def test_an_old_message_never_answers_a_new_offer() -> None:
    match = live()
    match = followed(match, offers.offer_draw(match, ADA, NOW))
    assert match.draw is not None
    old = match.draw.seq
    match = followed(match, offers.decline_draw(match, BO, NOW, old))
    with refused(Problem.LAPSED):
        offers.accept_draw(match, BO, NOW, old)
    for _ in range(3):
        match = moved(match, *BACK_AND_FORTH)
    match = followed(match, offers.offer_draw(match, ADA, NOW))
    for answer in (offers.accept_draw, offers.decline_draw):
        with refused(Problem.LAPSED):
            answer(match, BO, NOW, old)
    assert match.draw is not None
    assert not followed(match, offers.accept_draw(match, BO, NOW, match.draw.seq)).is_live


def test_an_old_message_never_answers_a_new_takeback_request() -> None:
    match = moved(live(), "F7-F8")
    match = followed(match, offers.ask_takeback(match, ADA, NOW))
    assert match.takeback is not None
    old = match.takeback.seq
    match = moved(match, "F10-F9")
    with refused(Problem.LAPSED):
        offers.accept_takeback(match, BO, NOW, old)
    match = followed(match, offers.ask_takeback(match, ADA, NOW))
    for answer in (offers.accept_takeback, offers.decline_takeback):
        with refused(Problem.LAPSED):
            answer(match, BO, NOW, old)
    assert match.takeback is not None
    assert followed(match, offers.accept_takeback(match, BO, NOW, match.takeback.seq)).ply == 0
