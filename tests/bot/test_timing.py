"""Clocks of matches: reminders, grace, claims, and postponed reminders."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from discord.ui import Select
from hypothesis import given
from hypothesis import strategies as st

from bot.core import deadlines, leaving, refereeing, time_acts
from bot.core.clock import DAY, HOUR, Habits, Pace, deadline_after
from bot.core.deadlines import PeopleById
from bot.core.events import EventKind, Opening, format_opening, parse_opening
from bot.core.fold import fold_event
from bot.core.house_seats import free_house_players
from bot.core.match import Match, Phase, Roster
from bot.core.problems import Problem
from bot.core.results import derive_results
from bot.core.settings import Reminders, StoredPerson, UserSettings
from bot.play.move import snooze_view
from bot.texts.i18n import Language
from rules import VARIANTS, Cause
from tests.bot.match_stories import REASON, REFEREE, Story, three, two
from tests.bot.playing import ADA, BO, CY, QUIET, START, by, existing, followed, live, play_typed, refused, ticked


def story(match: Match, people: PeopleById, until: int) -> list[tuple[EventKind, int]]:
    """Returns what happens by itself, and how many hours into the game, if no tick is late."""
    found = []
    while (at := deadlines.next_tick_at(match, people)) is not None and at <= until:
        events = time_acts.tick(match, people, at)
        assert events
        found += [(event.kind, (event.at - START) // HOUR) for event in events]
        match = followed(match, events)
    return found


# The clock


def test_what_counted_is_recorded_with_the_move_and_the_increment_added() -> None:
    match = live(pace=Pace.STANDARD)
    events = play_typed(match, ADA, "F7-F8", START + 10 * HOUR)
    assert events[0].body == "F7-F8"  # every second counts, so the event need not store them
    match = followed(match, events)
    assert match.clock.banks == (86 * HOUR, 72 * HOUR)
    assert match.clock.running_since == START + 10 * HOUR


def test_sleep_does_not_count() -> None:
    # It is 22:13 on a Tuesday when the game begins.
    people = {ADA: StoredPerson(UserSettings(sleep=(22 * 60, 8 * 60)))}
    match = live(pace=Pace.FAST)
    assert deadlines.time_runs_out_at(match, people) == deadline_after(
        Habits(ZoneInfo("UTC"), (22 * 60, 8 * 60)), START, 24 * HOUR
    )
    events = play_typed(match, ADA, "F7-F8", START + 9 * HOUR, people=people)
    assert events[0].body == "F7-F8 used:0"
    match = followed(match, events)
    assert match.clock.banks[0] == 28 * HOUR


def test_a_clock_that_goes_backwards_takes_nothing_away() -> None:
    match = live(pace=Pace.FAST)
    match = followed(match, play_typed(match, ADA, "F7-F8", START - HOUR))
    assert match.clock.banks == (28 * HOUR, 24 * HOUR)


def test_a_game_whose_moves_all_say_what_they_took_reads_the_same() -> None:
    match = live(pace=Pace.STANDARD)
    (terse,) = play_typed(match, ADA, "F7-F8", START + 10 * HOUR)
    assert fold_event(match, replace(terse, body="F7-F8 used:36000")) == fold_event(match, terse)


def test_habits_that_change_give_no_time_back() -> None:
    match = live(pace=Pace.FAST)
    match = followed(match, time_acts.charge_used_time(match, ADA, START + 5 * HOUR, {}))
    assert (match.clock.banks[0], match.clock.running_since) == (19 * HOUR, START + 5 * HOUR)
    assert time_acts.charge_used_time(match, BO, START + 6 * HOUR, {}) == ()
    match = followed(match, play_typed(match, ADA, "F7-F8", START + 6 * HOUR))
    assert match.clock.banks[0] == 22 * HOUR


# Reminders, grace and claims


def test_by_default_reminders_come_halfway_and_six_hours_before_the_end() -> None:
    assert story(live(pace=Pace.STANDARD), {}, START + 9 * DAY) == [
        (EventKind.REMINDED, 36),
        (EventKind.REMINDED, 66),
        (EventKind.GRACE, 72),
        (EventKind.OVERDUE, 84),
    ]


@pytest.mark.parametrize(
    ("wish", "hours"),
    [
        (Reminders.OFF, []),
        (Reminders.ONCE, [12]),
        (Reminders.EVERY_6, [6, 12, 18]),
        (Reminders.EVERY_12, [12]),
        (Reminders.EVERY_24, []),
    ],
)
def test_reminders_come_as_often_as_they_are_asked_for(wish: Reminders, hours: list[int]) -> None:
    people = {ADA: StoredPerson(UserSettings(reminders=wish))}
    told = story(live(pace=Pace.FAST), people, START + 30 * DAY)
    assert told == [*((EventKind.REMINDED, hour) for hour in hours), (EventKind.GRACE, 24), (EventKind.OVERDUE, 36)]


def test_the_move_cancels_the_reminder() -> None:
    match = live(pace=Pace.FAST)
    match = followed(match, play_typed(match, ADA, "F7-F8", START + HOUR))
    assert deadlines.next_tick_at(match, QUIET) == START + 13 * HOUR  # Bo's, not Ada's


def test_a_reminder_is_put_off_to_a_chosen_hour() -> None:
    match = live(pace=Pace.STANDARD)
    with refused(Problem.NOT_YOUR_TURN, next=ADA):
        time_acts.snooze_reminder(match, by(BO, START), START + DAY)
    with refused(Problem.BAD_TIME):
        time_acts.snooze_reminder(match, by(ADA, START), START)
    match = followed(match, time_acts.snooze_reminder(match, by(ADA, START + HOUR), START + 40 * HOUR))
    assert [hour for _, hour in story(match, {}, START + 71 * HOUR)] == [40, 66]


def test_an_opponent_nudges_once_a_day_from_the_turns_second_day() -> None:
    match = live("tri-camelot")
    begun = match.clock.turn_began_at
    with refused(Problem.YOUR_OWN_CLOCK):
        time_acts.nudge_player(match, by(ADA, begun + DAY))
    with refused(Problem.NUDGE_TOO_SOON, again=begun + DAY):
        time_acts.nudge_player(match, by(BO, begun + DAY - 1))
    match = followed(match, time_acts.nudge_player(match, by(BO, begun + DAY)))
    for user in (BO, CY):
        with refused(Problem.NUDGE_TOO_SOON, again=begun + 2 * DAY):
            time_acts.nudge_player(match, by(user, begun + 2 * DAY - 1))
    assert time_acts.nudge_player(match, by(BO, begun + 2 * DAY))
    for user, move in ((ADA, "F7-F9"), (BO, "B11-B9"), (CY, "J11-J9")):
        match = followed(match, play_typed(match, user, move, begun + DAY + HOUR))
    with refused(Problem.NUDGE_TOO_SOON, again=begun + 2 * DAY + HOUR):
        time_acts.nudge_player(match, by(BO, begun + DAY + 2 * HOUR))
    assert time_acts.nudge_player(match, by(BO, begun + 2 * DAY + HOUR))


def test_nobody_nudges_a_player_who_put_the_reminder_off() -> None:
    match = live()
    begun = match.clock.turn_began_at
    match = followed(match, time_acts.snooze_reminder(match, by(ADA, begun + HOUR), begun + 3 * DAY))
    with refused(Problem.NUDGE_TOO_SOON, again=begun + 3 * DAY):
        time_acts.nudge_player(match, by(BO, begun + 2 * DAY))
    assert time_acts.nudge_player(match, by(BO, begun + 3 * DAY))


@pytest.fixture
def in_grace() -> Match:
    match, kinds = ticked(live(pace=Pace.FAST), QUIET, START + 24 * HOUR)
    assert kinds == [EventKind.GRACE]
    return match


def test_at_zero_a_grace_of_twelve_hours_begins_before_a_claim(in_grace: Match) -> None:
    end = START + 36 * HOUR
    with refused(Problem.NOT_OVERDUE, until=end):
        time_acts.claim_timeout(in_grace, by(BO, end - 1))
    with refused(Problem.YOUR_OWN_CLOCK):
        time_acts.claim_timeout(in_grace, by(ADA, end))
    match = followed(in_grace, time_acts.claim_timeout(in_grace, by(BO, end)))
    assert match.game is not None
    assert match.game.outcome is not None
    assert (match.phase, match.winners, match.game.outcome.cause) == (Phase.OVER, (BO,), Cause.TIMEOUT)


@pytest.mark.parametrize(("now", "end"), [(HOUR, 36 * HOUR), (24 * HOUR, 36 * HOUR), (96 * HOUR, 108 * HOUR)])
def test_who_claims_before_the_tick_is_told_when_they_may(now: int, end: int) -> None:
    with refused(Problem.NOT_OVERDUE, until=START + end):
        time_acts.claim_timeout(live(pace=Pace.FAST), by(BO, START + now))


def test_after_a_grace_the_opponents_are_told_once_per_grace(in_grace: Match) -> None:
    end = START + 36 * HOUR
    assert deadlines.next_tick_at(in_grace, QUIET) == end
    match, kinds = ticked(in_grace, QUIET, end)
    assert (kinds, deadlines.is_overdue(match, end)) == ([EventKind.OVERDUE], True)
    match = followed(match, time_acts.give_time(match, by(BO, end)))
    assert [kind for kind, _ in story(match, QUIET, end + 2 * DAY)][-2:] == [EventKind.GRACE, EventKind.OVERDUE]


def test_an_unclaimed_game_is_closed_sixty_days_after_the_grace(in_grace: Match) -> None:
    end = START + 36 * HOUR
    overdue, _ = ticked(in_grace, QUIET, end)
    assert deadlines.next_tick_at(overdue, QUIET) == end + deadlines.STILL_WARNING_S
    warned, kinds = ticked(overdue, QUIET, end + deadlines.STILL_WARNING_S)
    assert (kinds, deadlines.is_overdue(warned, end + deadlines.STILL_WARNING_S)) == ([EventKind.STILL], True)
    closed, kinds = ticked(warned, QUIET, end + deadlines.STILL_WARNING_S + deadlines.STILL_CLOSING_S)
    assert kinds == [EventKind.CLOSED_STILL, EventKind.ENDED]
    assert (closed.outcome and closed.outcome.cause, closed.winners) == (Cause.ABANDONED, ())
    # A player who is given time has all of it again.
    given_ = followed(warned, time_acts.give_time(warned, by(BO, end + deadlines.STILL_WARNING_S)))
    assert EventKind.CLOSED_STILL not in [
        kind for kind, _ in story(given_, QUIET, end + deadlines.STILL_WARNING_S + 20 * DAY)
    ]


@pytest.mark.parametrize("variant", ["camelot", "tri-camelot"])
def test_without_an_opponent_to_claim_the_time_is_up_permanently(variant: str) -> None:
    users = (ADA, *free_house_players("easy", len(VARIANTS[variant].seats) - 1))
    match = replace(live(variant, pace=Pace.FAST), roster=Roster(users))
    told = story(match, QUIET, START + DAY + 12 * HOUR)
    assert told[-3:] == [(EventKind.GRACE, 24), (EventKind.TIMED_OUT, 36), (EventKind.ENDED, 36)]


def test_who_moves_before_the_claim_plays_on_with_one_increment(in_grace: Match) -> None:
    match = followed(in_grace, play_typed(in_grace, ADA, "F7-F8", START + 50 * HOUR))
    assert (match.clock.banks[0], match.clock.grace_ends_at) == (4 * HOUR, None)


def test_an_opponent_may_give_more_time_up_to_the_cap(in_grace: Match) -> None:
    match = followed(in_grace, time_acts.give_time(in_grace, by(BO, START + 30 * HOUR)))
    assert (match.clock.banks[0], match.clock.grace_ends_at) == (24 * HOUR, None)
    assert deadlines.time_runs_out_at(match) == START + 54 * HOUR
    for _ in range(3):
        match = followed(match, time_acts.give_time(match, by(BO, START + 31 * HOUR)))
    assert match.clock.banks[0] == 72 * HOUR
    with refused(Problem.NO_CLOCK):
        time_acts.give_time(live(), by(BO, START))


def test_a_button_of_an_earlier_turn_or_grace_does_nothing(in_grace: Match) -> None:
    late = START + 40 * HOUR
    with refused(Problem.STALE):
        time_acts.claim_timeout(in_grace, by(BO, late), board_version=1)
    given_ = followed(in_grace, time_acts.give_time(in_grace, by(BO, late), board_version=0))
    with refused(Problem.NOT_OVERDUE, until=late + 36 * HOUR):
        time_acts.claim_timeout(given_, by(BO, late), board_version=0)
    moved = followed(given_, play_typed(given_, ADA, "F7-F8", late))
    for act in (time_acts.give_time(moved, by(ADA, late)), time_acts.snooze_reminder(moved, by(BO, late), late + HOUR)):
        assert act
    with refused(Problem.STALE):
        time_acts.snooze_reminder(moved, by(BO, late), late + HOUR, board_version=0)


def test_without_a_clock_there_is_nothing_to_claim() -> None:
    with refused(Problem.NO_CLOCK):
        time_acts.claim_timeout(live(), by(BO, START + 50 * DAY))


def test_what_everybody_has_left_is_told_from_the_movers_bank() -> None:
    match = live(pace=Pace.FAST)
    people = {ADA: StoredPerson(UserSettings(sleep=(22 * 60, 8 * 60)))}
    # It is 22:13, so Ada's clock stands until eight.
    assert deadlines.seconds_left(match, START + 3 * HOUR, people) == (24 * HOUR, 24 * HOUR)
    assert deadlines.seconds_left(match, START + 3 * HOUR) == (21 * HOUR, 24 * HOUR)
    again = deadlines.clock_resumes_at(match, START, people)
    assert deadlines.seconds_left(match, existing(again) + HOUR, people) == (23 * HOUR, 24 * HOUR)
    assert deadlines.clock_resumes_at(match, existing(again), people) is None
    assert (deadlines.seconds_left(live(), START), deadlines.clock_resumes_at(live(), START)) == ((), None)


def test_where_vacations_are_barred_from_the_start_the_clock_runs_on() -> None:
    people = {ADA: StoredPerson(vacations=((START, START + 10 * DAY),))}
    allowed = live(pace=Pace.FAST)
    barred = replace(allowed, terms=allowed.terms._replace(vacations=False))
    assert deadlines.time_runs_out_at(allowed, people) == START + 11 * DAY
    assert deadlines.time_runs_out_at(barred, people) == START + DAY
    assert deadlines.seconds_used(barred, START + HOUR, people) == HOUR
    for terms in (allowed.terms, barred.terms):
        assert parse_opening(format_opening(Opening(1, 2, terms))).terms == terms


def test_a_ladder_game_ends_by_itself_after_the_grace() -> None:
    told = story(live(pace=Pace.FAST, ladder=True), QUIET, START + 30 * DAY)
    assert told == [(EventKind.GRACE, 24), (EventKind.TIMED_OUT, 36), (EventKind.ENDED, 36)]


def test_who_runs_out_of_time_among_three_leaves_a_vacant_seat() -> None:
    match = live("tri-camelot", pace=Pace.FAST)
    match, _ = ticked(match, QUIET, START + 24 * HOUR)
    match = followed(match, time_acts.claim_timeout(match, by(CY, START + 36 * HOUR)))
    assert (existing(match.vacancy).user, match.roster.leavers[0].cause, match.to_move) == (ADA, "timeout", None)


def test_an_untimed_game_is_warned_after_30_still_days_closed_after_60() -> None:
    assert story(live(), QUIET, START + 365 * DAY) == [
        (EventKind.STILL, 30 * 24),
        (EventKind.CLOSED_STILL, 60 * 24),
        (EventKind.ENDED, 60 * 24),
    ]


# The tick


@given(
    st.sampled_from(["camelot", "tri-camelot"]),
    st.sampled_from(list(Pace)),
    st.booleans(),
    st.sampled_from(list(Reminders)),
    st.none() | st.integers(0, 1439),
    st.lists(st.integers(1, 4 * DAY), max_size=30),
)
def test_a_second_tick_does_nothing_and_what_is_due_is_never_missed(
    key: str, pace: Pace, ladder: bool, wish: Reminders, sleep: int | None, gaps: list[int]
) -> None:
    window = (sleep, (sleep + 480) % 1440) if sleep is not None else None
    person = StoredPerson(UserSettings(sleep=window, reminders=wish))
    people = {ADA: person, BO: person, CY: person}
    match, now = live(key, pace=pace, ladder=ladder), START
    for gap in gaps:
        now += gap
        due = deadlines.next_tick_at(match, people)
        match, kinds = ticked(match, people, now)
        assert bool(kinds) == (due is not None and due <= now)
        assert time_acts.tick(match, people, now) == ()
        later = deadlines.next_tick_at(match, people)
        assert later is None or later > now


def test_nothing_is_given_to_a_clock_already_full_for_its_pace() -> None:
    full = live(pace=Pace.FAST)
    for _ in range(2):
        full = followed(full, time_acts.give_time(full, by(BO, START)))
    assert full.clock.banks[0] == 72 * HOUR
    with refused(Problem.CLOCK_FULL, most=72):
        time_acts.give_time(full, by(BO, START + 59))
    topped = followed(full, time_acts.give_time(full, by(BO, START + HOUR)))
    assert topped.clock.banks[0] == 72 * HOUR
    asleep: PeopleById = {ADA: StoredPerson(UserSettings(sleep=(22 * 60, 8 * 60)))}
    with refused(Problem.CLOCK_FULL, most=72):
        time_acts.give_time(full, by(BO, START + HOUR, asleep))


# What a turn has taken


def thought(story: Story, user: int) -> int:
    """Returns the time used by that user's moves once the game is over."""
    result = derive_results(1, story.did(refereeing.abort_match, REFEREE, REASON).events).result
    return next(share.thought for share in existing(result).shares if share.user == user)


def test_a_gift_does_not_forget_what_the_turn_has_taken() -> None:
    given = two().did(time_acts.give_time, BO, later=40 * HOUR)
    assert (given.match.clock.banks[0], given.match.clock.seconds_charged) == (56 * HOUR, 40 * HOUR)
    moved = given.then(play_typed, ADA, "F7-F8", later=10 * HOUR)
    assert moved.match.changes[-1].banks[0] == 96 * HOUR  # a takeback returns the bank of the turn, and the gift
    assert thought(moved, ADA) == 50 * HOUR


def test_a_referees_clock_does_not_forget_what_the_turn_has_taken() -> None:
    ruled = two().did(refereeing.set_clock, REFEREE, 0, 60 * HOUR, REASON, later=40 * HOUR)
    moved = ruled.then(play_typed, ADA, "F7-F8", later=10 * HOUR)
    assert moved.match.changes[-1].banks[0] == 60 * HOUR  # the ruling holds after a takeback
    assert thought(moved, ADA) == 50 * HOUR


def test_a_move_beside_a_vacant_seat_takes_the_running_clocks_time() -> None:
    left = three().did(leaving.resign, BO, later=3 * HOUR)
    assert thought(left.then(play_typed, ADA, "F7-F9", later=40 * HOUR), ADA) == 3 * HOUR


def test_older_gifts_read_as_they_did() -> None:
    match = two().match
    old = match.next_events(START + 40 * HOUR, (EventKind.GIVEN, BO, f"seat:0 bank:{56 * HOUR} used:{40 * HOUR}"))
    given = followed(match, old)
    clock = given.clock
    assert (clock.banks[0], clock.seconds_charged, clock.running_since) == (56 * HOUR, 0, START + 40 * HOUR)


# Postponed reminders


@pytest.mark.parametrize(("pace", "hour"), [(Pace.FAST, 24), (Pace.STANDARD, 72)])
def test_no_reminder_is_promised_for_when_the_time_is_up(pace: Pace, hour: int) -> None:
    match, now = live(pace=pace), START + (hour - 2) * HOUR
    end = START + hour * HOUR
    with refused(Problem.SNOOZED_TOO_LONG, until=end):
        time_acts.snooze_reminder(match, by(ADA, now), end)
    match = followed(match, time_acts.snooze_reminder(match, by(ADA, now), end - 1))
    assert deadlines.next_tick_at(match) == end - 1
    assert ticked(match, {}, end - 1)[1] == [EventKind.REMINDED]


def test_the_window_for_a_reminder_is_longer_while_the_clock_stands() -> None:
    asleep: PeopleById = {ADA: StoredPerson(UserSettings(sleep=(22 * 60, 8 * 60)))}
    match = live(pace=Pace.FAST)
    with refused(Problem.SNOOZED_TOO_LONG, until=START + 24 * HOUR):
        time_acts.snooze_reminder(match, by(ADA, START), START + 24 * HOUR)
    assert time_acts.snooze_reminder(match, by(ADA, START, asleep), START + 24 * HOUR)


def test_no_reminder_is_promised_for_the_closing_of_an_untimed_game() -> None:
    match = live()
    assert time_acts.snooze_reminder(match, by(ADA, START + 29 * DAY), START + 31 * DAY)  # warned, not closed
    match, kinds = ticked(match, QUIET, START + 30 * DAY)
    assert kinds == [EventKind.STILL]
    with refused(Problem.SNOOZED_TOO_LONG, until=START + 60 * DAY):
        time_acts.snooze_reminder(match, by(ADA, START + 59 * DAY), START + 60 * DAY)
    assert time_acts.snooze_reminder(match, by(ADA, START + 59 * DAY), START + 60 * DAY - 1)


def test_no_reminder_is_promised_while_a_seat_is_vacant_and_everything_stands() -> None:
    match = live("tri-camelot", pace=Pace.FAST)
    match = followed(match, leaving.resign(match, by(BO, START)))
    with refused(Problem.SEAT_VACANT):
        time_acts.snooze_reminder(match, by(ADA, START + HOUR), START + 2 * HOUR)


def test_no_reminder_is_promised_in_the_grace_in_which_none_comes() -> None:
    in_grace, _ = ticked(live(pace=Pace.FAST), QUIET, START + 24 * HOUR)
    end = START + 36 * HOUR
    for now in (START + 25 * HOUR, end + DAY):
        with refused(Problem.TIME_UP, until=end):
            time_acts.snooze_reminder(in_grace, by(ADA, now), now + HOUR)


def test_a_snooze_beyond_a_time_cut_by_a_referee_allows_nudging() -> None:
    match = live(pace=Pace.STANDARD)
    match = followed(match, time_acts.snooze_reminder(match, by(ADA, START), START + 60 * HOUR))
    match = followed(match, refereeing.set_clock(match, by(1099, START + HOUR), 0, 30 * HOUR, "a slip"))
    match, kinds = ticked(match, QUIET, START + 31 * HOUR)
    assert kinds == [EventKind.GRACE]
    assert time_acts.nudge_player(match, by(BO, START + 32 * HOUR))
    match = followed(match, time_acts.give_time(match, by(BO, START + 32 * HOUR)))
    # 6 hours before the end: the earlier wish no longer holds.
    assert deadlines.next_tick_at(match) == START + 50 * HOUR


@pytest.mark.parametrize(
    ("left", "offered"),
    [
        (None, ["1", "3", "6", "12", "24"]),
        (24 * HOUR, ["1", "3", "6", "12"]),
        (6 * HOUR + 1, ["1", "3", "6"]),
        (HOUR + 1, ["1"]),
    ],
)
async def test_the_menu_offers_what_comes_in_time(locale: Language, left: int | None, offered: list[str]) -> None:
    view = snooze_view(locale, live(), START, None if left is None else START + left)
    (menu,) = [item for item in view.children if isinstance(item, Select)]
    assert [option.value for option in menu.options] == offered
