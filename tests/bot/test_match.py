"""A match: its table, its moves, its events as they are written, and looking back."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core import leaving, offers
from bot.core import table as tables
from bot.core.clock import VacationCap
from bot.core.events import (
    Event,
    EventKind,
    Opening,
    RecordedTurn,
    Seating,
    Terms,
    format_opening,
    format_outcome,
    format_turn,
    parse_opening,
    parse_outcome,
    parse_turn,
)
from bot.core.fold import fold_event, match_at, replay_match
from bot.core.match import TABLE_LIFETIME_S, Phase
from bot.core.news import collect_news
from bot.core.problems import Problem
from rules import VARIANTS, Cause, IllegalMove, NotationError, Outcome, read_position
from tests.bot import answers
from tests.bot.playing import (
    ADA,
    BO,
    CHANNEL,
    CY,
    DEE,
    GUILD,
    NOW,
    THREAD,
    by,
    existing,
    followed,
    live,
    play_typed,
    random_move,
    refused,
    short_game,
    started,
    table,
)

KEYS = sorted(VARIANTS)
WALLED_IN = "tri-camelot Blue Blue:F1,E2,E4,D5,F5,D7,F9 Red:D3 Green:J13"
"""Red cannot move; Blue is to move."""


# The table


def test_the_host_sits_at_the_new_table() -> None:
    match = replay_match(5, table("tri-camelot", invited=(BO,)))
    assert (match.id, match.guild, match.place.channel, match.variant.key) == (5, GUILD, CHANNEL, "tri-camelot")
    assert (match.table.host, match.table.joined, match.table.invited, match.free_seats) == (ADA, (ADA,), (BO,), 1)
    assert (match.phase, match.players, match.game, match.to_move) == (Phase.OPEN, (), None, None)
    assert (match.table.created, match.table.expires_at) == (NOW, NOW + TABLE_LIFETIME_S)
    assert match.terms.wants_thread
    assert match.place.thread_or_channel == CHANNEL


@pytest.mark.parametrize(
    ("key", "invited", "problem", "values"),
    [
        ("camelot", (ADA,), Problem.OPPONENT_IS_YOU, {}),
        ("tri-camelot", (BO, BO), Problem.OPPONENT_TWICE, {"user": BO}),
        ("camelot", (BO, CY), Problem.TOO_MANY_OPPONENTS, {"most": 1}),
        ("tri-camelot", (BO, CY, DEE), Problem.TOO_MANY_OPPONENTS, {"most": 2}),
    ],
)
def test_opponents_are_others_each_once_and_no_more_than_there_are_seats(
    key: str, invited: tuple[int, ...], problem: Problem, values: dict[str, object]
) -> None:
    with refused(problem, **values):
        table(key, invited=invited)


def test_a_reserved_seat_is_taken_by_nobody_else() -> None:
    match = replay_match(1, table("tri-camelot", invited=(BO,)))
    match = followed(match, tables.join_table(match, by(CY)))
    with refused(Problem.TABLE_FULL):
        tables.join_table(match, by(DEE))
    assert followed(match, tables.join_table(match, by(BO))).is_live


def test_who_declines_frees_the_seat_for_anyone_and_may_join_after_all() -> None:
    match = replay_match(1, table(invited=(BO,)))
    match = followed(match, tables.decline_invitation(match, by(BO)))
    assert (match.table.invited, match.table.declined, match.free_seats) == ((), (BO,), 1)
    assert followed(match, tables.join_table(match, by(CY))).players == (ADA, CY)
    again = followed(match, tables.join_table(match, by(BO)))
    assert (again.players, again.table.declined) == ((ADA, BO), ())


def test_who_leaves_frees_the_seat_even_if_it_was_reserved() -> None:
    match = replay_match(1, table("tri-camelot", invited=(BO, CY)))
    match = followed(match, tables.join_table(match, by(BO)))
    match = followed(match, tables.leave_table(match, by(BO)))
    assert (match.table.joined, match.table.invited, match.free_seats) == ((ADA,), (CY,), 1)


def test_the_last_to_join_starts_the_game() -> None:
    match = replay_match(1, table())
    events = tables.join_table(match, by(BO, NOW + 9))
    assert [event.kind for event in events] == [EventKind.JOINED, EventKind.STARTED]
    match = followed(match, events)
    assert (match.phase, match.players, match.to_move, match.ply) == (Phase.LIVE, (ADA, BO), ADA, 0)
    assert match.clock.turn_began_at == NOW + 9
    assert (match.seat_of(ADA), match.seat_of(BO), match.seat_of(CY)) == (0, 1, None)


def test_random_seating_draws_the_seats_and_join_order_does_not() -> None:
    drawn = table(seating=Seating.RANDOM)
    drawn += tables.join_table(replay_match(1, drawn), by(BO)._replace(shuffle=list.reverse))
    assert replay_match(1, drawn).players == (BO, ADA), "recorded, and not drawn again"
    ordered = replay_match(1, table(seating=Seating.JOIN_ORDER))
    assert followed(ordered, tables.join_table(ordered, by(BO)._replace(shuffle=list.reverse))).players == (ADA, BO)


def test_each_request_that_a_table_refuses_has_one_reason() -> None:
    match = replay_match(1, table("tri-camelot", invited=(BO,)))
    with refused(Problem.ALREADY_JOINED):
        tables.join_table(match, by(ADA))
    with refused(Problem.HOST_STAYS):
        tables.leave_table(match, by(ADA))
    with refused(Problem.NOT_SEATED):
        tables.leave_table(match, by(BO))
    with refused(Problem.NOT_INVITED):
        tables.decline_invitation(match, by(CY))
    with refused(Problem.NOT_HOST, host=ADA):
        tables.cancel_table(match, by(BO))
    with refused(Problem.NOT_STARTED):
        play_typed(match, ADA, "F7-F9", NOW)
    with refused(Problem.NOT_STARTED):
        leaving.resign(match, by(ADA))
    with refused(Problem.NOT_A_PLAYER):
        play_typed(match, DEE, "F7-F9", NOW)


def test_a_cancelled_table_stays_closed() -> None:
    match = replay_match(1, table())
    match = followed(match, tables.cancel_table(match, by(ADA)))
    assert match.phase is Phase.CLOSED
    decisions: list[Callable[[], object]] = [
        lambda: tables.join_table(match, by(BO)),
        lambda: tables.join_table(match, by(ADA)),
        lambda: tables.leave_table(match, by(BO)),
        lambda: tables.decline_invitation(match, by(BO)),
        lambda: tables.cancel_table(match, by(ADA)),
        lambda: play_typed(match, ADA, "F7-F8", NOW),
        lambda: leaving.resign(match, by(ADA)),
    ]
    for decide in decisions:
        with refused(Problem.TABLE_CLOSED):
            decide()


def test_the_last_join_delivered_twice_says_that_the_player_has_joined() -> None:
    with refused(Problem.ALREADY_JOINED):
        tables.join_table(live(), by(BO))
    with refused(Problem.TABLE_CLOSED):
        tables.join_table(live(), by(DEE))


def test_a_thread_is_noted_once() -> None:
    match = followed(live(), tables.move_to_thread(live(), THREAD, NOW))
    assert (match.place.thread, match.place.thread_or_channel) == (THREAD, THREAD)
    assert tables.move_to_thread(match, THREAD, NOW) == ()
    assert followed(match, tables.move_to_thread(match, None, NOW)).place.thread_or_channel == CHANNEL


def test_moving_a_match_to_where_it_is_records_nothing() -> None:
    match = live()
    assert tables.move_to_channel(match, by(ADA), CHANNEL) == ()
    threaded = followed(match, tables.move_to_thread(match, THREAD, NOW))
    assert tables.move_to_channel(threaded, by(ADA), CHANNEL, THREAD) == ()
    for here in (match, threaded):
        lost = followed(here, tables.note_channel_lost(here, NOW))
        (event,) = tables.move_to_channel(lost, by(ADA, NOW + 60), CHANNEL, here.place.thread)
        assert event.kind is EventKind.REHOMED
        assert not fold_event(lost, event).place.is_lost
    (event,) = tables.move_to_channel(threaded, by(ADA), CHANNEL)  # out of its thread
    assert fold_event(threaded, event).place.thread_or_channel == CHANNEL


# The game


def test_a_move_is_recorded_in_its_canonical_form() -> None:
    match = live()
    (event,) = play_typed(match, ADA, " 1. f7 – f8 ", NOW + 60)
    assert event == Event(match.seq + 1, NOW + 60, EventKind.MOVED, None, "F7-F8")
    match = followed(match, [event])
    assert (match.to_move, match.ply, match.clock.turn_began_at) == (BO, 1, NOW + 60)


def test_each_request_that_a_game_refuses_has_one_reason() -> None:
    match = live()
    with refused(Problem.NOT_YOUR_TURN, number=match.id, next=ADA):
        play_typed(match, BO, "F10-F9", NOW)
    with refused(Problem.NOT_A_PLAYER):
        play_typed(match, DEE, "F7-F8", NOW)
    with refused(Problem.NOT_A_PLAYER):
        leaving.resign(match, by(DEE))
    with refused(Problem.STALE):
        play_typed(match, ADA, "F7-F8", NOW, board_version=1)
    with refused(Problem.TABLE_CLOSED):
        tables.cancel_table(match, by(ADA))
    with pytest.raises(IllegalMove):
        play_typed(match, ADA, "F7-F9", NOW)
    with pytest.raises(NotationError):
        play_typed(match, ADA, "@everyone", NOW)


def test_a_move_for_a_board_taken_back_is_told_it_is_stale() -> None:
    match = followed(live(), play_typed(live(), ADA, "F7-F8", NOW, board_version=0))
    match = followed(match, offers.ask_takeback(match, by(ADA)))
    match = followed(match, answers.accept_takeback(match, by(BO)))
    assert (match.ply, match.board_version) == (0, 2)
    with refused(Problem.STALE):  # the ply is that of the start, but a composer from then must not continue
        play_typed(match, ADA, "F7-F8", NOW, board_version=0)
    match = followed(match, play_typed(match, ADA, "F7-F8", NOW, board_version=2))
    assert (match.ply_at(0), match.ply_at(1), match.ply_at(2), match.ply_at(3)) == (None, None, 0, 1)


# Turns that pass


@pytest.fixture
def walled_in(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """A started game of Tri-Camelot in which Red cannot move."""
    variant = VARIANTS["tri-camelot"]
    rebuilt = replace(variant, setup=read_position(WALLED_IN).cells)
    monkeypatch.setitem(VARIANTS, "tri-camelot", rebuilt)
    return started("tri-camelot")


def test_turns_that_passed_are_recorded_with_the_move(walled_in: list[Event]) -> None:
    match = replay_match(1, walled_in)
    events = play_typed(match, ADA, "F1-F3", NOW)
    assert [event.body for event in events] == ["F1-F3 pass:1"]
    after = followed(match, events)
    assert after.game == existing(match.game).play("F1-F3")
    assert after.to_move == CY
    (item,) = collect_news(1, [*walled_in, *events], match.seq)
    assert item.passed == (1,)


def test_turns_that_passed_are_recorded_with_the_leaver(walled_in: list[Event]) -> None:
    match = replay_match(1, walled_in)
    events = [*walled_in, *leaving.resign(match, by(ADA))]
    for _ in ("the call runs out", "and the vote"):
        match = replay_match(1, events)
        events += leaving.advance_vacancy(match, existing(match.vacancy).until)
    assert (events[-1].kind, events[-1].body) == (EventKind.PASSIVE, "seat:0 pass:2 steward:1")
    assert replay_match(1, events).to_move == CY
    item = collect_news(1, events, match.seq)[-1]
    assert (item.kind, item.passed) == (EventKind.PASSIVE, (0, 1))  # Blue's steward passed, and Red could not move


def test_replaying_judges_nothing_so_no_later_rules_fix_flips_an_old_game() -> None:
    events = started()
    seq = events[-1].seq
    # A leap of three cells, and a win that nobody's rules give.
    recorded = [
        Event(seq + 1, NOW, EventKind.MOVED, None, "F7-F8"),
        Event(seq + 2, NOW, EventKind.MOVED, None, "F7-F16"),
    ]
    recorded.append(Event(seq + 3, NOW, EventKind.ENDED, None, "quiet:1"))
    match = replay_match(1, [*events, *recorded])
    assert (match.phase, match.winners, match.ply) == (Phase.OVER, (BO,), 2)


# Looking back


def test_a_match_is_shown_as_it_stood_after_any_ply() -> None:
    events = short_game()
    for ply, to_move in ((0, ADA), (1, BO)):
        match = match_at(1, events, ply)
        assert (match.ply, match.to_move, match.phase) == (ply, to_move, Phase.LIVE)
    assert match_at(1, events, 2).phase is Phase.OVER
    for ply in (-1, 3):
        with refused(Problem.NO_SUCH_PLY, number=1, last=2):
            match_at(1, events, ply)
    with refused(Problem.NO_SUCH_PLY, last=0):
        match_at(1, table(), 0)


# Properties


@given(st.sampled_from(KEYS), st.integers(min_value=0))
def test_replaying_the_events_gives_the_live_match(key: str, seed: int) -> None:
    rng = random.Random(seed)
    events = started(key)
    match = replay_match(1, events)
    judged = match.game
    for now in range(NOW, NOW + 80):
        if not match.is_live:
            break
        fresh = play_typed(match, match.to_move or 0, random_move(match, rng), now)
        judged = existing(judged).play(fresh[0].body.partition(" ")[0])
        match = followed(match, fresh)
        assert match.game is not None
        assert (match.game.position, match.game.outcome) == (judged.position, judged.outcome)
        assert match.game.quiet_counts == judged.quiet_counts
        events += fresh
    assert replay_match(1, events) == match
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert match_at(1, events, match.ply).game == match.game
    assert len(collect_news(1, events, 0)) == sum(
        event.kind in (EventKind.STARTED, EventKind.MOVED, EventKind.RESIGNED) for event in events
    )


# Events as they are written


@given(
    st.sampled_from(sorted(VARIANTS)),
    st.sampled_from(list(Seating)),
    st.lists(st.integers(min_value=1, max_value=2**63 - 1), max_size=2),
    st.booleans(),
    st.sampled_from([None, "League 1: round 2"]),
    st.none() | st.builds(VacationCap, st.integers(0, 10**7), st.integers(0, 2**40)),
)
def test_what_a_table_was_opened_for_is_read_as_it_was_written(
    key: str, seating: Seating, invited: list[int], thread: bool, title: str | None, cap: VacationCap | None
) -> None:
    terms = Terms(VARIANTS[key], seating, thread, vacation_cap=cap, called_until=cap and cap.since)
    opening = Opening(GUILD, CHANNEL, terms, tuple(invited), title)
    assert parse_opening(format_opening(opening)) == opening


@given(st.builds(Outcome, st.sampled_from(Cause), st.lists(st.integers(0, 2)).map(tuple)))
def test_an_outcome_is_read_as_it_was_written(outcome: Outcome) -> None:
    assert parse_outcome(format_outcome(outcome)) == outcome


MOVES = st.builds(
    RecordedTurn,
    st.sampled_from(["F7-F8", "1C3x1A3"]),
    st.integers(0, 3),
    st.none() | st.integers(min_value=0),
    st.booleans(),
    st.just(value=False),
) | st.just(RecordedTurn("F7-F8", 1, 0, planned=True))
LEAVING = st.integers(0, 3).map(lambda passes: RecordedTurn("", passes))


@given(MOVES | LEAVING)
def test_a_turn_is_read_as_it_was_written(turn: RecordedTurn) -> None:
    assert parse_turn(format_turn(turn)) == turn
