"""The state that a substitute takes over: a clock of at least the first bank, and the others' unchanged turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.core import leaving, refereeing, time_acts
from bot.core.clock import HOUR, Pace
from bot.core.events import Event, EventKind
from bot.core.match import Match
from bot.core.match_state import NO_PINGS
from bot.core.problems import Problem
from bot.core.results import derive_results
from tests.bot.playing import ADA, BO, CY, DEE, NOW, followed, live, play_typed, refused, started

REFEREE = 1099
BEGIN = NOW + 1


def handed_over(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """Returns the events that hand the player's seat to Dee with everybody's consent."""
    asked = leaving.propose_substitute(match, user, DEE, now)
    match, events = followed(match, asked), asked
    for other in leaving.awaited_for_handover(match):
        agreed = leaving.accept_substitute(match, other, now)
        match, events = followed(match, agreed), events + agreed
    return events


def replaced(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """Returns the events of a referee who does the same."""
    return refereeing.replace_player(match, REFEREE, user, DEE, "Gone.", now)


changing_hands = pytest.mark.parametrize("change", [handed_over, replaced])
Change = Callable[[Match, int, int], tuple[Event, ...]]


@changing_hands
@pytest.mark.parametrize(("user", "seat"), [(ADA, 0), (BO, 1)], ids=["at the turn", "at the opponent's turn"])
def test_a_substitute_has_at_least_the_first_bank_at_any_turn(change: Change, user: int, seat: int) -> None:
    match = replace(live(pace=Pace.STANDARD), banks=(25 * HOUR, 25 * HOUR))
    match = followed(match, change(match, user, BEGIN + HOUR))
    assert match.players[seat] == DEE
    assert match.banks[seat] == 72 * HOUR


@changing_hands
def test_a_substitute_keeps_a_bank_that_is_larger(change: Change) -> None:
    match = replace(live(pace=Pace.STANDARD), banks=(100 * HOUR, 100 * HOUR))
    assert followed(match, change(match, ADA, BEGIN + HOUR)).banks == (99 * HOUR, 100 * HOUR)
    assert followed(match, change(match, BO, BEGIN + HOUR)).banks == (99 * HOUR, 100 * HOUR)


@changing_hands
def test_another_players_turn_goes_on_while_a_seat_changes_hands(change: Change) -> None:
    match = live(pace=Pace.STANDARD)
    match = followed(match, change(match, BO, BEGIN + 20 * HOUR))
    assert (match.banks[0], match.seconds_charged, match.running_since) == (52 * HOUR, 20 * HOUR, BEGIN + 20 * HOUR)
    assert match.moved_at == BEGIN


def vacated(pace: Pace = Pace.STANDARD) -> list[Event]:
    """Ada has thought for twenty hours when Bo leaves."""
    events = started("tri-camelot", pace=pace)
    return [*events, *leaving.resign(Match.replay(1, events), BO, BEGIN + 20 * HOUR)]


def taken(match: Match) -> tuple[Event, ...]:
    return leaving.take_over(match, DEE, BEGIN + 30 * HOUR)


def filled(match: Match) -> tuple[Event, ...]:
    return replaced(match, BO, BEGIN + 30 * HOUR)


def given_up(match: Match) -> tuple[Event, ...]:
    match = replace(match, vacancy=match.vacancy and replace(match.vacancy, voting=True, until=BEGIN + 30 * HOUR))
    return leaving.advance_vacancy(match, BEGIN + 30 * HOUR)


settled = pytest.mark.parametrize("settle", [taken, filled, given_up])
Settle = Callable[[Match], tuple[Event, ...]]


@settled
def test_another_players_turn_goes_on_after_a_vacancy(settle: Settle) -> None:
    match = Match.replay(1, vacated())
    match = followed(match, settle(match))
    assert (match.vacancy, match.to_move, match.moved_at) == (None, ADA, BEGIN)
    assert (match.banks[0], match.seconds_charged, match.running_since) == (52 * HOUR, 20 * HOUR, BEGIN + 30 * HOUR)
    moved = followed(match, play_typed(match, ADA, "F7-F9", BEGIN + 31 * HOUR))
    assert moved.steps[-1].banks[0] == 72 * HOUR  # which a takeback returns
    assert moved.banks[0] == 75 * HOUR


@settled
def test_a_player_on_the_same_turn_is_not_reminded_of_the_board(settle: Settle) -> None:
    for pace in (Pace.STANDARD, Pace.NONE):
        match = Match.replay(1, vacated(pace))
        match = followed(match, settle(match))
        assert match.pings == replace(NO_PINGS, reminded_at=BEGIN + 30 * HOUR)
        assert time_acts.tick(match, {}, BEGIN + 30 * HOUR) == ()


def test_the_profile_counts_what_somebody_thought_before_a_seat_was_vacant() -> None:
    events = vacated()
    for decide in (
        taken,
        lambda match: play_typed(match, ADA, "F7-F9", BEGIN + 31 * HOUR),
        lambda match: refereeing.abort_match(match, REFEREE, "Enough.", BEGIN + 32 * HOUR),
    ):
        events += decide(Match.replay(1, events))
    result = derive_results(1, events).result
    assert result is not None
    assert {share.user: share.thought for share in result.shares}[ADA] == 21 * HOUR


def test_the_next_players_turn_begins_where_the_vacant_seat_was_to_move() -> None:
    match = Match.replay(1, vacated())
    match = followed(match, play_typed(match, ADA, "F7-F9", BEGIN + 21 * HOUR))
    for settle, mover in ((taken, DEE), (given_up, CY)):
        after = followed(match, settle(match))
        assert (after.to_move, after.moved_at, after.seconds_charged, after.pings) == (
            mover,
            BEGIN + 30 * HOUR,
            0,
            NO_PINGS,
        )


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
    match = Match.replay(1, vacated())
    match = match.apply(Event(match.seq + 1, BEGIN + 30 * HOUR, kind, user, body))
    assert (match.to_move, match.moved_at, match.banks[0]) == (ADA, BEGIN + 30 * HOUR, 52 * HOUR)
    assert (match.seconds_charged, match.pings) == (0, NO_PINGS)


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
    match = replace(live(pace=Pace.STANDARD), banks=(25 * HOUR, 25 * HOUR))
    body = f"seat:{seat} by:1004 used:3600\nGone." if kind is EventKind.REPLACED else f"seat:{seat} used:3600"
    match = match.apply(Event(match.seq + 1, BEGIN + HOUR, kind, user, body))
    assert (match.players[seat], match.banks[seat]) == (DEE, bank * HOUR)


def test_a_person_who_handed_a_seat_over_takes_back_that_one_only() -> None:
    match = followed(live("tri-camelot"), leaving.hand_over(live("tri-camelot"), ADA, DEE, NOW))
    with refused(Problem.ALREADY_PLAYING, user=ADA):
        leaving.hand_over(match, BO, ADA, NOW)
    match = followed(match, leaving.hand_over(match, DEE, ADA, NOW))
    assert match.players == (ADA, BO, CY)
