"""Vacant seats: calls, votes, handovers, and the state that a substitute takes over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.core import deadlines, leaving, offers, refereeing, time_acts
from bot.core.clock import DAY, HOUR, Clock, Pace
from bot.core.events import Ballot, Event, EventKind
from bot.core.fold import fold_event, replay_match
from bot.core.house_seats import house_level_of, is_house
from bot.core.match import Match, Phase
from bot.core.problems import Problem
from bot.core.results import derive_results, finished_game
from rules import Cause, Game, parse_position
from tests.bot import answers
from tests.bot.playing import ADA, BO, CY, DEE, NOW, absent, by, existing, followed, live, play_typed, refused, started

EVE = 1005


@pytest.fixture
def vacant() -> Match:
    """Bo has left; it is Ada's turn, and Bo's would be next."""
    match = live("tri-camelot", pace=Pace.STANDARD)
    return followed(match, leaving.resign(match, by(BO, NOW + 101)))


def voting(match: Match) -> Match:
    return followed(match, leaving.advance_vacancy(match, existing(match.vacancy).until))


def test_resigning_among_three_makes_the_seat_vacant_and_the_clocks_stand(vacant: Match) -> None:
    assert vacant.vacancy is not None
    assert (vacant.vacancy.seat, vacant.vacancy.user, vacant.vacancy.until) == (1, BO, NOW + 101 + 48 * HOUR)
    assert (vacant.resigned_users, vacant.still_in, vacant.clock.running_since) == ((BO,), (ADA, CY), None)
    assert vacant.clock.banks[0] == 72 * HOUR - 100  # Ada's earlier use of time is kept
    assert deadlines.next_tick_at(vacant) == vacant.vacancy.until
    (leaver,) = vacant.roster.leavers
    assert (leaver.user, leaver.seat, leaver.at, leaver.cause) == (BO, 1, NOW + 101, "resignation")
    with refused(Problem.ALREADY_LEFT):
        play_typed(vacant, BO, "C12-E12", NOW + 102)


def test_the_others_may_move_until_the_vacant_seats_turn(vacant: Match) -> None:
    match = followed(vacant, play_typed(vacant, ADA, "F7-F9", NOW + DAY))
    assert match.to_move is None
    assert match.clock.banks == vacant.clock.banks


@pytest.mark.parametrize(
    "act",
    [
        lambda match: play_typed(match, CY, "I12-I14", NOW + DAY),
        lambda match: offers.offer_draw(match, by(CY, NOW + DAY)),
        lambda match: time_acts.snooze_reminder(match, by(CY, NOW + DAY), NOW + DAY + HOUR),
    ],
)
def test_with_a_vacant_seat_to_move_nobody_is_told_of_a_turn(vacant: Match, act: Callable[[Match], object]) -> None:
    match = followed(vacant, play_typed(vacant, ADA, "F7-F9", NOW + DAY))
    with refused(Problem.SEAT_VACANT):
        act(match)


def test_any_outsider_may_take_the_seat_over_first_come_first_served(vacant: Match) -> None:
    for user in (ADA, BO):
        with refused(Problem.SEAT_NOT_YOURS):
            leaving.take_over(vacant, by(user, NOW + 200))
    match = followed(vacant, leaving.take_over(vacant, by(DEE, NOW + 200)))
    assert (match.players, match.resigned_users, match.vacancy) == ((ADA, DEE, CY), (), None)
    assert (match.clock.running_since, match.clock.banks[1]) == (NOW + 200, 72 * HOUR)
    assert [(sub.user, sub.seat) for sub in match.roster.substitutes] == [(DEE, 1)]
    with refused(Problem.NOT_VACANT):
        leaving.take_over(match, by(EVE, NOW + 201))
    match = followed(match, play_typed(match, ADA, "F7-F9", NOW + 300))
    assert match.to_move == DEE


def test_a_leaver_takes_no_seat_in_the_same_game(vacant: Match) -> None:
    match = followed(vacant, leaving.take_over(vacant, by(DEE, NOW + 200)))
    match = followed(match, leaving.resign(match, by(DEE, NOW + 300)))
    assert BO not in match.players
    with refused(Problem.SEAT_NOT_YOURS):
        leaving.take_over(match, by(BO, NOW + 301))


def test_the_call_lasts_48_hours_and_then_the_others_vote(vacant: Match) -> None:
    end = existing(vacant.vacancy).until
    assert time_acts.tick(vacant, {}, end - 1) == ()
    with refused(Problem.CALL_OVER):
        leaving.take_over(vacant, by(DEE, end))
    with refused(Problem.NO_VOTE):
        leaving.cast_vote(vacant, by(ADA, end), Ballot.DRAW)
    match = voting(vacant)
    assert (existing(match.vacancy).voting, existing(match.vacancy).until) == (True, end + 72 * HOUR)


def test_both_may_begin_the_vote_before_the_48_hours_are_over(vacant: Match) -> None:
    match = followed(vacant, leaving.propose_vote(vacant, by(ADA, NOW + 200)))
    assert match.vacancy == vacant.vacancy, "somebody may still take the seat over"
    with refused(Problem.PROPOSED_ALREADY):
        leaving.propose_vote(match, by(ADA, NOW + 201))
    (event,) = leaving.propose_vote(match, by(CY, NOW + 300))
    assert (event.kind, event.user) == (EventKind.VOTE, CY)
    match = fold_event(match, event)
    vacancy = existing(match.vacancy)
    assert (vacancy.voting, vacancy.until, match.requests.standing) == (True, NOW + 300 + 72 * HOUR, ())
    with refused(Problem.CALL_OVER):
        leaving.take_over(match, by(DEE, NOW + 301))
    for user in (ADA, CY):
        match = followed(match, leaving.cast_vote(match, by(user, NOW + 302), Ballot.PLAY_ON))
    assert match.vacancy is None


@pytest.mark.parametrize("user", [ADA, CY])
def test_a_dropped_proposal_leaves_the_call_as_it_was(vacant: Match, user: int) -> None:
    proposed = followed(vacant, leaving.propose_vote(vacant, by(ADA, NOW + 200)))
    seq = existing(proposed.requests.of_kind(answers.VOTE)).seq
    match = followed(proposed, answers.drop_vote_proposal(proposed, by(user, NOW + 201), seq))
    assert (match.vacancy, match.requests.of_kind(answers.VOTE)) == (vacant.vacancy, None)
    (event,) = leaving.propose_vote(match, by(CY, NOW + 202))
    assert event.kind is EventKind.VOTE_PROPOSED, "Ada wants it no longer"
    with refused(Problem.LAPSED):
        leaving.propose_vote(match, by(CY, NOW + 202), proposed.requests.of_kind(answers.VOTE).seq)
    with refused(Problem.LAPSED):
        answers.drop_vote_proposal(match, by(user, NOW + 202))


def test_a_takeover_drops_the_proposal_to_vote(vacant: Match) -> None:
    proposed = followed(vacant, leaving.propose_vote(vacant, by(ADA, NOW + 200)))
    match = followed(proposed, leaving.take_over(proposed, by(DEE, NOW + 201)))
    assert (match.vacancy, match.requests.of_kind(answers.VOTE)) == (None, None)
    with refused(Problem.NOT_VACANT):
        leaving.propose_vote(match, by(CY, NOW + 202))


def test_only_the_remaining_people_may_propose_the_vote(vacant: Match) -> None:
    with refused(Problem.ALREADY_LEFT):
        leaving.propose_vote(vacant, by(BO, NOW + 200))
    with refused(Problem.NOT_A_PLAYER):
        leaving.propose_vote(vacant, by(DEE, NOW + 200))


def test_the_call_runs_out_with_a_proposal_that_nobody_answered(vacant: Match) -> None:
    match = voting(followed(vacant, leaving.propose_vote(vacant, by(ADA, NOW + 200))))
    assert match.requests.of_kind(answers.VOTE) is None
    with refused(Problem.LAPSED):
        leaving.propose_vote(match, by(CY, NOW + 3 * DAY))


@pytest.mark.parametrize(
    ("ballot", "phase", "cause"),
    [
        (Ballot.PLAY_ON, Phase.LIVE, None),
        (Ballot.DRAW, Phase.OVER, Cause.AGREEMENT),
        (Ballot.ABANDON, Phase.OVER, Cause.ABANDONED),
    ],
)
def test_agreement_decides_at_once(vacant: Match, ballot: Ballot, phase: Phase, cause: Cause | None) -> None:
    match = voting(vacant)
    now = NOW + 3 * DAY
    match = followed(match, leaving.cast_vote(match, by(ADA, now), ballot))
    assert match.is_live
    assert match.vacancy is not None
    assert leaving.cast_vote(match, by(ADA, now), ballot) == ()
    match = followed(match, leaving.cast_vote(match, by(CY, now), ballot))
    assert (match.phase, existing(match.game).outcome and existing(match.game).outcome.cause) == (phase, cause)
    assert (match.has_result, match.winners) == (cause is Cause.AGREEMENT, ())
    assert match.resigned_users == (BO,)


def test_the_two_may_agree_that_a_house_player_takes_the_seat(vacant: Match) -> None:
    match, now = voting(vacant), NOW + 3 * DAY
    grugyn = existing(match.vacancy).house_player
    assert is_house(grugyn)
    assert house_level_of(grugyn or 0) == "7"
    match = followed(match, leaving.cast_vote(match, by(ADA, now), Ballot.HOUSE))
    assert match.vacancy is not None
    match = followed(match, leaving.cast_vote(match, by(CY, now), Ballot.HOUSE))
    assert (match.players, match.vacancy, match.resigned_users) == ((ADA, grugyn, CY), None, ())
    assert (match.still_in, match.people_in, match.roster.began_with_house) == ((ADA, grugyn, CY), (ADA, CY), False)
    over = finished_game(followed(match, match.next_events(now, leaving.without_winner(Cause.AGREEMENT))))
    assert (over.users_concerned, [leaver.user for leaver in over.leavers]) == ((ADA, CY, BO), [BO])


def test_where_no_house_player_is_offered_nobody_can_vote_for_one(vacant: Match) -> None:
    (asked,) = leaving.advance_vacancy(vacant, existing(vacant.vacancy).until, has_house=False)
    assert "house" not in asked.body
    match = fold_event(vacant, asked)
    assert Ballot.HOUSE not in existing(match.vacancy).ballot_choices
    with refused(Problem.NO_VOTE):
        leaving.cast_vote(match, by(ADA, NOW + 3 * DAY), Ballot.HOUSE)


def test_no_agreement_within_72_hours_means_play_on(vacant: Match) -> None:
    match = voting(vacant)
    match = followed(match, leaving.cast_vote(match, by(ADA, NOW + 3 * DAY), Ballot.DRAW))
    match = followed(match, leaving.cast_vote(match, by(CY, NOW + 3 * DAY), Ballot.ABANDON))
    end = existing(match.vacancy).until
    match = followed(match, leaving.advance_vacancy(match, end))
    assert (match.vacancy, match.resigned_users, match.clock.running_since) == (None, (BO,), end)
    match = followed(match, play_typed(match, ADA, "F7-F9", end + 1))
    assert match.to_move == CY
    assert existing(match.game).position.stewards == {1}


def test_when_a_second_one_leaves_the_last_one_wins(vacant: Match) -> None:
    events = leaving.resign(vacant, by(CY, NOW + DAY))
    assert [event.kind for event in events] == [EventKind.PASSIVE, EventKind.RESIGNED, EventKind.ENDED]
    match = followed(vacant, events)
    assert (match.winners, [leaver.user for leaver in match.roster.leavers]) == ((ADA,), [BO, CY])


def test_nothing_is_agreed_behind_the_back_of_a_seat_that_is_vacant(vacant: Match) -> None:
    for ask in (offers.offer_draw, offers.ask_takeback):
        with refused(Problem.SEAT_VACANT):
            ask(vacant, by(ADA))
    with refused(Problem.SEAT_VACANT):
        leaving.propose_substitute(vacant, by(ADA), DEE)


def test_a_handover_needs_the_consent_of_the_successor_and_all_opponents() -> None:
    match = live("tri-camelot", pace=Pace.FAST)
    with refused(Problem.ALREADY_PLAYING, user=CY):
        leaving.propose_substitute(match, by(ADA, NOW + 5), CY)
    with refused(Problem.LAPSED):
        answers.accept_substitute(match, by(BO, NOW + 5))
    match = followed(match, leaving.propose_substitute(match, by(ADA, NOW + 5), DEE))
    assert offers.users_awaited(match, answers.HANDOVER) == (DEE, BO, CY)
    with refused(Problem.NOT_ASKED):
        answers.accept_substitute(match, by(ADA, NOW + 5))
    for user in (BO, DEE, CY):
        assert match.players[0] == ADA
        match = followed(match, answers.accept_substitute(match, by(user, NOW + 60)))
    assert (match.players, match.requests.of_kind(answers.HANDOVER), match.roster.leavers) == ((DEE, BO, CY), None, ())


def test_who_is_asked_may_refuse_a_handover() -> None:
    match = followed(live(), leaving.propose_substitute(live(), by(ADA), DEE))
    with refused(Problem.NOT_ASKED):
        answers.decline_substitute(match, by(EVE))
    match = followed(match, answers.decline_substitute(match, by(DEE)))
    assert match.requests.of_kind(answers.HANDOVER) is None


def test_an_old_call_gives_no_seat_that_has_become_vacant_later(vacant: Match) -> None:
    old = existing(vacant.vacancy).seq
    match = followed(vacant, leaving.take_over(vacant, by(DEE, NOW + 200), old))
    match = followed(match, leaving.resign(match, by(CY, NOW + 300)))
    with refused(Problem.LAPSED):
        leaving.take_over(match, by(EVE, NOW + 400), old)
    match = followed(match, leaving.take_over(match, by(EVE, NOW + 400), existing(match.vacancy).seq))
    assert match.players == (ADA, DEE, EVE)


def test_an_old_request_hands_no_seat_to_somebody_else() -> None:
    match = followed(live(), leaving.propose_substitute(live(), by(ADA), DEE))
    old = existing(match.requests.of_kind(answers.HANDOVER)).seq
    match = followed(match, leaving.propose_substitute(match, by(ADA), EVE))
    with refused(Problem.LAPSED):
        answers.accept_substitute(match, by(BO), request_seq=old)
    with refused(Problem.LAPSED):
        answers.decline_substitute(match, by(BO), old)


def test_a_vote_counts_for_the_question_that_was_put(vacant: Match) -> None:
    match = voting(vacant)
    with refused(Problem.LAPSED):
        leaving.cast_vote(match, by(ADA), Ballot.DRAW, vacant.vacancy.seq if vacant.vacancy else 0)
    assert leaving.cast_vote(match, by(ADA), Ballot.DRAW, existing(match.vacancy).seq)


def test_a_replaced_voters_vote_goes_and_their_successor_is_waited_for(vacant: Match) -> None:
    match = voting(vacant)
    now = NOW + 3 * DAY
    for user, ballot in ((ADA, Ballot.DRAW), (CY, Ballot.PLAY_ON)):
        match = followed(match, leaving.cast_vote(match, by(user, now), ballot))
    match = followed(match, refereeing.replace_player(match, by(1099, now), ADA, DEE, "gone"))
    assert existing(match.vacancy).ballots == ((CY, Ballot.PLAY_ON),)
    match = followed(match, leaving.cast_vote(match, by(DEE, now), Ballot.PLAY_ON))
    assert (match.vacancy, match.still_in) == (None, (DEE, CY))


def test_when_a_vacant_seats_last_piece_is_captured_nobody_is_awaited() -> None:
    position = parse_position("tri-camelot Blue Blue:F5,E4 Red:F11 Green:F15,J11")
    match = replace(live("tri-camelot", pace=Pace.FAST), game=Game.from_position(position))
    for user, move in ((ADA, "E4-E6"), (BO, "F11-F13")):
        match = followed(match, play_typed(match, user, move, NOW + HOUR))
    match = followed(match, leaving.resign(match, by(BO, NOW + HOUR)))
    match = followed(match, play_typed(match, CY, "F15xF11", NOW + DAY))
    assert (match.vacancy, match.to_move, match.still_in) == (None, ADA, (ADA, CY))
    assert match.clock.running_since == NOW + DAY
    assert [leaver.user for leaver in match.roster.leavers] == [BO]
    with refused(Problem.NOT_VACANT):
        leaving.take_over(match, by(DEE, NOW + DAY))
    with refused(Problem.TAKEBACK_BARRED):  # or it would be Bo's turn again
        offers.ask_takeback(match, by(CY, NOW + DAY))
    with refused(Problem.TAKEBACK_BARRED):
        refereeing.rewind_match(match, by(DEE, NOW + DAY), 2, "A slip.")
    with refused(Problem.ALREADY_LEFT):
        leaving.resign(match, by(BO, NOW + DAY))
    assert match.resigned_users == (BO,)
    over = followed(match, leaving.resign(match, by(CY, NOW + DAY)))
    assert [leaver.user for leaver in finished_game(over).leavers] == [BO, CY]


def test_a_call_and_a_vote_are_extended_by_the_bots_absence(vacant: Match) -> None:
    cast = leaving.cast_vote(voting(vacant), by(ADA, NOW + 3 * DAY), Ballot.DRAW)
    for match in (vacant, followed(voting(vacant), cast)):
        assert match.vacancy is not None
        since, until = match.vacancy.until - HOUR, match.vacancy.until
        away = absent(match, (since, since + 5 * DAY))
        if not match.vacancy.voting:
            assert leaving.take_over(match, by(DEE, since + 5 * DAY, away))
        back = followed(match, time_acts.prolong_chance(match, away, since + 5 * DAY))
        later = replace(match.vacancy, until=until + 5 * DAY, since=since + 5 * DAY)
        assert back.vacancy == later  # the people asked and the votes stay
        assert time_acts.prolong_chance(back, away, since + 6 * DAY) == ()


# The state that a substitute takes over


REFEREE = 1099
BEGIN = NOW + 1


def handed_over(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """Returns the events that hand the player's seat to Dee with everybody's consent."""
    asked = leaving.propose_substitute(match, by(user, now), DEE)
    match, events = followed(match, asked), asked
    for other in offers.users_awaited(match, answers.HANDOVER):
        agreed = answers.accept_substitute(match, by(other, now))
        match, events = followed(match, agreed), events + agreed
    return events


def replaced(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """Returns the events of a referee who does the same."""
    return refereeing.replace_player(match, by(REFEREE, now), user, DEE, "Gone.")


changing_hands = pytest.mark.parametrize("change", [handed_over, replaced])
Change = Callable[[Match, int, int], tuple[Event, ...]]


def with_banks(match: Match, banks: tuple[int, ...]) -> Match:
    return replace(match, clock=replace(match.clock, banks=banks))


@changing_hands
@pytest.mark.parametrize(("user", "seat"), [(ADA, 0), (BO, 1)], ids=["at the turn", "at the opponent's turn"])
def test_a_substitute_has_at_least_the_first_bank_at_any_turn(change: Change, user: int, seat: int) -> None:
    match = with_banks(live(pace=Pace.STANDARD), (25 * HOUR, 25 * HOUR))
    match = followed(match, change(match, user, BEGIN + HOUR))
    assert match.players[seat] == DEE
    assert match.clock.banks[seat] == 72 * HOUR


@changing_hands
def test_a_substitute_keeps_a_bank_that_is_larger(change: Change) -> None:
    match = with_banks(live(pace=Pace.STANDARD), (100 * HOUR, 100 * HOUR))
    assert followed(match, change(match, ADA, BEGIN + HOUR)).clock.banks == (99 * HOUR, 100 * HOUR)
    assert followed(match, change(match, BO, BEGIN + HOUR)).clock.banks == (99 * HOUR, 100 * HOUR)


@changing_hands
def test_another_players_turn_goes_on_while_a_seat_changes_hands(change: Change) -> None:
    match = followed(live(pace=Pace.STANDARD), change(live(pace=Pace.STANDARD), BO, BEGIN + 20 * HOUR))
    assert match.clock == Clock((52 * HOUR, 72 * HOUR), BEGIN, BEGIN + 20 * HOUR, 20 * HOUR, 20 * HOUR)


def vacated(pace: Pace = Pace.STANDARD) -> list[Event]:
    """Ada has thought for twenty hours when Bo leaves."""
    events = started("tri-camelot", pace=pace)
    return [*events, *leaving.resign(replay_match(1, events), by(BO, BEGIN + 20 * HOUR))]


def taken(match: Match) -> tuple[Event, ...]:
    return leaving.take_over(match, by(DEE, BEGIN + 30 * HOUR))


def filled(match: Match) -> tuple[Event, ...]:
    return replaced(match, BO, BEGIN + 30 * HOUR)


def given_up(match: Match) -> tuple[Event, ...]:
    match = replace(match, vacancy=match.vacancy and replace(match.vacancy, voting=True, until=BEGIN + 30 * HOUR))
    return leaving.advance_vacancy(match, BEGIN + 30 * HOUR)


settled = pytest.mark.parametrize("settle", [taken, filled, given_up])
Settle = Callable[[Match], tuple[Event, ...]]


@settled
def test_another_players_turn_goes_on_after_a_vacancy(settle: Settle) -> None:
    match = replay_match(1, vacated())
    match = followed(match, settle(match))
    assert (match.vacancy, match.to_move, match.clock.turn_began_at) == (None, ADA, BEGIN)
    assert (match.clock.banks[0], match.clock.seconds_charged) == (52 * HOUR, 20 * HOUR)
    assert match.clock.running_since == BEGIN + 30 * HOUR
    moved = followed(match, play_typed(match, ADA, "F7-F9", BEGIN + 31 * HOUR))
    assert moved.changes[-1].banks[0] == 72 * HOUR  # which a takeback returns
    assert moved.clock.banks[0] == 75 * HOUR


@settled
def test_a_player_on_the_same_turn_is_not_reminded_of_the_board(settle: Settle) -> None:
    for pace in (Pace.STANDARD, Pace.NONE):
        match = replay_match(1, vacated(pace))
        match = followed(match, settle(match))
        assert (match.clock.reminded_at, match.clock.grace_ends_at) == (BEGIN + 30 * HOUR, None)
        assert time_acts.tick(match, {}, BEGIN + 30 * HOUR) == ()


def test_the_profile_counts_what_somebody_thought_before_a_seat_was_vacant() -> None:
    events = vacated()
    for decide in (
        taken,
        lambda match: play_typed(match, ADA, "F7-F9", BEGIN + 31 * HOUR),
        lambda match: refereeing.abort_match(match, by(REFEREE, BEGIN + 32 * HOUR), "Enough."),
    ):
        events += decide(replay_match(1, events))
    result = derive_results(1, events).result
    assert {share.user: share.thought for share in existing(result).shares}[ADA] == 21 * HOUR


def test_the_next_players_turn_begins_where_the_vacant_seat_was_to_move() -> None:
    match = replay_match(1, vacated())
    match = followed(match, play_typed(match, ADA, "F7-F9", BEGIN + 21 * HOUR))
    for settle, mover in ((taken, DEE), (given_up, CY)):
        after = followed(match, settle(match))
        assert (after.to_move, after.clock) == (mover, Clock(after.clock.banks, BEGIN + 30 * HOUR, BEGIN + 30 * HOUR))


@pytest.mark.parametrize(
    ("kind", "user", "body"),
    [
        (EventKind.TAKEN_OVER, DEE, "seat:1"),
        (EventKind.REPLACED, REFEREE, "seat:1 by:1004\nGone."),
        (EventKind.PASSIVE, None, "seat:1"),
    ],
)
def test_events_older_than_the_word_begin_the_turn_again_as_before(
    kind: EventKind, user: int | None, body: str
) -> None:
    match = replay_match(1, vacated())
    match = fold_event(match, Event(match.seq + 1, BEGIN + 30 * HOUR, kind, user, body))
    began = BEGIN + 30 * HOUR
    assert (match.to_move, match.clock) == (ADA, Clock((52 * HOUR, *match.clock.banks[1:]), began, began))


@pytest.mark.parametrize(
    ("kind", "user", "seat", "bank"),
    [
        (EventKind.TAKEN_OVER, DEE, 0, 72),
        (EventKind.TAKEN_OVER, DEE, 1, 25),
        (EventKind.REPLACED, REFEREE, 0, 72),
        (EventKind.REPLACED, REFEREE, 1, 25),
    ],
)
def test_events_older_than_the_bank_give_a_fresh_one_each_turn(
    kind: EventKind, user: int, seat: int, bank: int
) -> None:
    match = with_banks(live(pace=Pace.STANDARD), (25 * HOUR, 25 * HOUR))
    body = f"seat:{seat} by:1004 used:3600\nGone." if kind is EventKind.REPLACED else f"seat:{seat} used:3600"
    match = fold_event(match, Event(match.seq + 1, BEGIN + HOUR, kind, user, body))
    assert (match.players[seat], match.clock.banks[seat]) == (DEE, bank * HOUR)


def test_a_person_who_handed_a_seat_over_takes_back_that_one_only() -> None:
    match = followed(live("tri-camelot"), leaving.hand_over_seat(live("tri-camelot"), by(ADA), DEE))
    with refused(Problem.ALREADY_PLAYING, user=ADA):
        leaving.hand_over_seat(match, by(BO), ADA)
    match = followed(match, leaving.hand_over_seat(match, by(DEE), ADA))
    assert match.players == (ADA, BO, CY)
