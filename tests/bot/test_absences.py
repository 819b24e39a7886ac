"""Absences, in which nobody can be reached: which clocks stop, and which deadlines are later."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core import deadlines, time_acts
from bot.core import table as tables
from bot.core.clock import DAY, FOREVER, HOUR, Pace
from bot.core.clock import seconds_lost as clock_lost
from bot.core.deadlines import PeopleById
from bot.core.events import EventKind
from bot.core.match import TABLE_LIFETIME_S, Match
from bot.core.problems import Problem
from bot.core.settings import StoredPerson, UserSettings
from bot.play.service import Service
from rules import Cause, legal_moves
from tests.bot import acts
from tests.bot.beginning import begun
from tests.bot.playing import ADA, BO, CY, GUILD, NOW, absent, followed, live, play_typed, refused, table
from tests.bot.timed import QUIET, START, ticked


@given(begun=st.integers(0, 11 * HOUR), lost=st.integers(1, 10 * DAY))
def test_a_grace_is_extended_by_the_time_when_nobody_could_be_reached(begun: int, lost: int) -> None:
    match, _ = ticked(live(pace=Pace.FAST, ladder=True), QUIET, START + DAY)
    grace = match.pings.grace_ends_at
    assert grace is not None
    since = START + DAY + begun
    away = absent(match, (since, since + lost))
    back = followed(match, time_acts.prolong_chance(match, away, since + lost))
    assert back.pings.grace_ends_at == grace + lost
    assert deadlines.next_tick_at(back, QUIET) == grace + lost
    assert time_acts.tick(back, QUIET, since + lost) == ()
    assert time_acts.prolong_chance(back, away, since + lost) == ()
    for told in (match, back):  # also before the absence is announced
        with refused(Problem.NOT_OVERDUE_LADDER, until=grace + lost):
            time_acts.claim_timeout(told, BO, grace + lost - 1, away)


def test_an_absence_extends_nothing_that_ended_before_it_or_has_not_begun() -> None:
    match = live(pace=Pace.FAST)
    assert time_acts.prolong_chance(match, absent(match, (START, START + 9 * DAY)), START + 9 * DAY) == ()
    graced, _ = ticked(match, QUIET, START + DAY)
    grace = graced.pings.grace_ends_at
    assert grace is not None
    assert time_acts.prolong_chance(graced, absent(match, (grace, START + 9 * DAY)), START + 9 * DAY) == ()
    before = absent(match, (START, START + DAY))
    assert time_acts.prolong_chance(graced, before, START + 9 * DAY) == ()
    assert deadlines.is_overdue(graced, grace, absent(match, (grace, grace + DAY)))


def test_a_bank_stops_during_an_absence_and_sleep_is_not_credited_twice() -> None:
    match = live(pace=Pace.FAST)
    night = StoredPerson(UserSettings(sleep=(22 * 60, 8 * 60)), absences=((START, START + DAY),))
    for person, counted in ((StoredPerson(absences=((START, START + DAY),)), 24), (night, 14)):
        people: PeopleById = {ADA: person}
        (moved,) = play_typed(match, ADA, "F7-F8", START + 2 * DAY, people=people)
        assert f"used:{counted * HOUR}" in moved.body
    assert deadlines.time_runs_out_at(match, absent(match, (START + HOUR, START + 3 * HOUR))) == START + 26 * HOUR


def test_while_nobody_can_be_reached_no_clock_comes_to_an_end() -> None:
    match = live(pace=Pace.FAST, ladder=True)
    away = absent(match, (START + HOUR, FOREVER))
    assert deadlines.time_runs_out_at(match, away) is None
    assert deadlines.clock_resumes_at(match, START + 2 * HOUR, away) is None
    assert time_acts.tick(match, away, START + 99 * DAY) == ()
    wake = deadlines.next_tick_at(match, away)
    assert wake is not None
    assert wake <= START + HOUR  # checked as soon as the server can be reached
    graced, _ = ticked(match, QUIET, START + DAY)
    away = absent(match, (START + DAY + HOUR, FOREVER))
    assert time_acts.tick(graced, away, START + 99 * DAY) == ()
    with refused(Problem.CLOCK_STANDS):
        time_acts.claim_timeout(graced, BO, START + 99 * DAY, away)


@pytest.mark.parametrize("pace", [Pace.FAST, Pace.NONE])
def test_a_game_without_a_place_stands_still_until_it_has_one(pace: Pace) -> None:
    match = live(pace=pace, ladder=pace is Pace.FAST)
    lost = followed(match, tables.note_channel_lost(match, START + HOUR))
    for day in (1, 3, 29):
        assert time_acts.tick(lost, QUIET, START + day * DAY) == ()
    assert deadlines.time_runs_out_at(lost, QUIET) is None
    found = followed(lost, tables.move_to_channel(lost, ADA, 77, START + HOUR + 20 * DAY))
    assert deadlines.next_tick_at(found, QUIET) == START + 20 * DAY + (
        DAY if pace is Pace.FAST else deadlines.STILL_WARNING_S
    )


def test_without_a_known_return_no_time_is_given_and_no_reminder_postponed() -> None:
    lost = followed(live(pace=Pace.FAST), tables.note_channel_lost(live(pace=Pace.FAST), START + HOUR))
    with refused(Problem.CLOCK_STANDS):
        time_acts.give_time(lost, BO, HOUR, START + 2 * HOUR)
    graced, _ = ticked(live(pace=Pace.FAST), QUIET, START + DAY)
    lost = followed(graced, tables.note_channel_lost(graced, START + DAY + HOUR))
    with refused(Problem.CLOCK_STANDS):
        time_acts.snooze_reminder(lost, ADA, START + DAY + 3 * HOUR, START + DAY + 2 * HOUR)


def test_a_game_unreachable_for_thirty_days_ends_without_a_result() -> None:
    match = live(pace=Pace.FAST, ladder=True)
    lost = followed(match, tables.note_channel_lost(match, START + HOUR))
    assert deadlines.next_tick_at(lost) == START + HOUR + 30 * DAY
    over, kinds = ticked(lost, {}, START + HOUR + 30 * DAY)
    assert kinds == [EventKind.UNREACHED, EventKind.ENDED]
    assert (over.outcome and over.outcome.cause, over.winners) == (Cause.ABANDONED, ())
    assert time_acts.end_unreached_match(match, START, START + 30 * DAY - 1) == ()


def test_an_open_table_waits_for_its_seven_days() -> None:
    match = Match.replay(1, table())
    away = absent(match, (NOW + DAY, NOW + 9 * DAY))
    due = deadlines.next_tick_at(match, away)
    assert due == NOW + TABLE_LIFETIME_S
    later, kinds = ticked(match, away, NOW + 9 * DAY)
    assert (kinds, later.expires_at) == ([EventKind.PROLONGED], NOW + TABLE_LIFETIME_S + 8 * DAY)
    assert followed(later, tables.join_table(later, BO, NOW + 10 * DAY, lambda _: None)).is_live
    assert ticked(later, away, later.expires_at)[1] == [EventKind.EXPIRED]


@given(
    st.booleans(),
    st.lists(st.tuples(st.integers(1, 20 * HOUR), st.integers(1, 30 * HOUR)), max_size=12),
    st.lists(st.integers(1, 5 * HOUR), max_size=12),
)
def test_no_player_times_out_before_their_whole_bank_and_grace_were_usable(
    ladder: bool, pattern: list[tuple[int, int]], late: list[int]
) -> None:
    """Holds for all absences and however late the ticks between them."""
    spans, at = list[tuple[int, int]](), START
    for there, away in pattern:
        spans.append((at + there, at + there + away))
        at += there + away
    match, now, told = live(pace=Pace.FAST, ladder=ladder), START, 0
    for turn in range(500):
        people = absent(match, *(span for span in spans if span[0] < now))
        if ladder and not match.is_live:
            break
        if not ladder and deadlines.is_overdue(match, now, people):
            break
        due = deadlines.next_tick_at(match, people)
        assert due is not None
        now = max(due, now) + late[turn % len(late)] if late else max(due, now)
        now = next((last for first, last in spans if first <= now < last), now)  # no tick during an absence
        people = absent(match, *(span for span in spans if span[0] < now))
        events = time_acts.tick(match, people, now)
        told += sum(event.kind is EventKind.PROLONGED for event in events)
        match = followed(match, events)
    else:
        raise AssertionError("it never ends")
    reached = now - START - clock_lost(tuple(spans), START, now)
    assert reached >= 24 * HOUR + time_acts.CLAIM_GRACE_S
    assert told <= len(spans)


async def test_an_absence_during_a_call_counts_though_others_have_moved_since(service: Service) -> None:
    await service.presence.note_present(NOW)
    match = await acts.resign(service, (await begun(service, "tri-camelot")).id, GUILD, CY, NOW + 10)
    await service.presence.note_present(NOW + HOUR)
    await service.presence.note_present(NOW + 31 * HOUR)  # 30 hours later
    match = await service.current_match(match.id, GUILD)
    assert match.to_move is not None
    move = legal_moves(match.started_game.position)[0]
    await service.play_move(match.id, GUILD, match.to_move, move, NOW + 31 * HOUR + 5, match.board_version)
    for hour in range(32, 60):
        await service.presence.note_present(NOW + hour * HOUR - 1)
        await service.upkeep.tick(NOW + hour * HOUR)
    vacancy = (await service.current_match(match.id, GUILD)).vacancy
    assert vacancy is not None
    assert not vacancy.voting
    assert vacancy.until >= NOW + 78 * HOUR
