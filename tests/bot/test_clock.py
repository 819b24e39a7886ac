"""Clocks: what counts of a player's time, and which of the machine's clocks is trusted."""

from __future__ import annotations

import functools
import operator
from datetime import datetime
from email.utils import formatdate
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.clock import (
    DAY,
    HOUR,
    MAX_FREE_DAYS,
    ClockTerms,
    Habits,
    Pace,
    Weekdays,
    deadline_after,
    refilled_bank,
    seconds_counted,
    standstill_ends_at,
)
from bot.discordkit.wall_clock import MAX_CLOCK_ERROR_S, REFERENCE_LIFETIME_S, WallClock

OSLO = ZoneInfo("Europe/Oslo")
ZONES = ("UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo")
# Two years of instants, with every change of daylight saving in them.
instants = st.integers(1_700_000_000, 1_765_000_000)
banks = st.integers(0, 14 * DAY)


def at(text: str, zone: ZoneInfo = OSLO) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())


free_days = st.lists(st.sampled_from([*Weekdays]), max_size=MAX_FREE_DAYS).map(
    lambda days: functools.reduce(operator.or_, days, Weekdays.NONE)
)


@st.composite
def habits(draw: st.DrawFn) -> Habits:
    start = draw(st.integers(0, 1439))
    sleep = draw(st.none() | st.integers(1, 600).map(lambda length: (start, (start + length) % 1440)))
    spans = draw(st.lists(st.tuples(instants, st.integers(DAY, 30 * DAY)), max_size=3))
    vacations = tuple((begin, begin + length) for begin, length in spans)
    return Habits(ZoneInfo(draw(st.sampled_from(ZONES))), sleep, draw(free_days), vacations)


# Examples


def test_the_clock_stands_still_in_the_sleep_window() -> None:
    night = Habits(OSLO, (22 * 60, 8 * 60))
    assert seconds_counted(night, at("2026-01-13T20:00"), at("2026-01-14T09:00")) == 3 * HOUR
    assert deadline_after(night, at("2026-01-13T20:00"), 3 * HOUR) == at("2026-01-14T09:00")


def test_the_clock_stands_still_on_whichever_days_are_free() -> None:
    week = Habits(ZoneInfo("Asia/Riyadh"), free_days=Weekdays.FRIDAY | Weekdays.SATURDAY)
    thursday, sunday = (at(text, week.zone) for text in ("2026-01-15T23:00", "2026-01-18T01:00"))
    assert seconds_counted(week, thursday, sunday) == 2 * HOUR
    assert deadline_after(week, thursday, HOUR + 1) == at("2026-01-18T00:00", week.zone) + 1
    apart = Habits(OSLO, free_days=Weekdays.MONDAY | Weekdays.THURSDAY)
    assert seconds_counted(apart, at("2026-01-12T00:00"), at("2026-01-19T00:00")) == 5 * DAY


def test_a_night_is_as_long_as_the_wall_clock_makes_it() -> None:
    night = Habits(OSLO, (0, 8 * 60))
    # On 29 March 2026 the hour from 2 to 3 is left out, on 25 October it comes twice.
    for day, slept in (("2026-03-29", 7), ("2026-10-25", 9), ("2026-05-10", 8)):
        first, last = at(f"{day}T00:00"), at(f"{day}T12:00")
        assert last - first - seconds_counted(night, first, last) == slept * HOUR


def test_the_paces_are_capped_fischer_clocks() -> None:
    assert Pace.FAST.clock_terms == (24 * HOUR, 4 * HOUR, 72 * HOUR)
    assert Pace.STANDARD.clock_terms == (72 * HOUR, 24 * HOUR, 120 * HOUR)
    assert Pace.SLOW.clock_terms == (7 * DAY, 2 * DAY, 14 * DAY)
    assert Pace.NONE.clock_terms is None


# Properties


@given(habits(), instants, st.lists(st.integers(0, 20 * DAY), min_size=2, max_size=2))
def test_counted_time_is_additive_and_never_negative(habits: Habits, start: int, spans: list[int]) -> None:
    middle, end = start + spans[0], start + sum(spans)
    first, second = seconds_counted(habits, start, middle), seconds_counted(habits, middle, end)
    assert 0 <= first <= spans[0]
    assert seconds_counted(habits, start, end) == first + second


@given(habits(), instants, st.integers(0, 20 * DAY))
@example(Habits(vacations=((1_750_000_000, 1_750_000_000 + 9 * DAY),)), 1_750_000_000 + 8 * DAY, 3 * DAY)
def test_nothing_counts_after_a_jump_back(habits: Habits, start: int, back: int) -> None:
    assert seconds_counted(habits, start, start - back) == 0


@given(habits(), instants, banks)
def test_the_deadline_is_the_first_instant_at_which_the_bank_is_empty(habits: Habits, start: int, bank: int) -> None:
    end = deadline_after(habits, start, bank)
    assert seconds_counted(habits, start, end) == bank
    assert bank == 0 or seconds_counted(habits, start, end - 1) == bank - 1


@given(habits(), instants, banks, banks)
def test_who_has_more_time_never_runs_out_of_it_sooner(habits: Habits, start: int, one: int, other: int) -> None:
    ends = sorted((bank, deadline_after(habits, start, bank)) for bank in (one, other))
    assert ends[0][1] <= ends[1][1]


@given(habits(), instants, st.integers(0, 30 * DAY))
def test_time_on_vacation_never_counts(habits: Habits, start: int, length: int) -> None:
    away = Habits(habits.zone, habits.sleep, habits.free_days, (*habits.vacations, (start, start + length)))
    assert seconds_counted(away, start, start + length) == 0
    assert deadline_after(away, start, 1) > start + length


@given(habits(), instants)
def test_no_second_counts_while_the_wall_clock_shows_sleep_or_free_days(habits: Habits, instant: int) -> None:
    # The same rule in terms of the wall clock, independent of how the spans are found.
    wall = datetime.fromtimestamp(instant, habits.zone)
    minute = wall.hour * 60 + wall.minute
    asleep = False
    if habits.sleep:
        start, end = habits.sleep
        asleep = start <= minute < end if start < end else minute >= start or minute < end
    away = any(first <= instant < last for first, last in habits.vacations)
    free = list(Weekdays)[wall.weekday()] in habits.free_days
    offsets = {datetime.fromtimestamp(instant + shift, habits.zone).utcoffset() for shift in (-DAY, 0, DAY)}
    if len(offsets) == 1:  # in the night of a change some minutes come twice or not at all; the examples have those
        assert (seconds_counted(habits, instant, instant + 1) == 0) == (asleep or free or away)
    assert (standstill_ends_at(habits, instant) is None) == (seconds_counted(habits, instant, instant + 1) == 1)


@given(habits(), instants)
def test_a_clock_that_stands_runs_again_when_it_says(habits: Habits, instant: int) -> None:
    again = standstill_ends_at(habits, instant)
    if again is not None:
        assert again > instant
        assert seconds_counted(habits, instant, again) == 0
        assert seconds_counted(habits, again, again + 1) == 1


@given(
    st.sampled_from([pace.clock_terms for pace in Pace if pace.clock_terms]),
    st.lists(st.integers(0, 40 * DAY), max_size=30),
)
def test_a_bank_is_never_negative_and_never_above_the_cap(terms: ClockTerms, turns: list[int]) -> None:
    bank = terms.bank
    for used in turns:
        bank = refilled_bank(terms, bank, used)
        assert terms.increment <= bank <= terms.cap


# Which clock is trusted


START = 1_750_000_000.0
JUMPS = (HOUR, DAY, 90 * DAY, 3 * 365 * DAY)


class World:
    """A machine with its two clocks, and Discord with its own."""

    def __init__(self) -> None:
        self.wall, self.steady, self.discord = START, 1000.0, START
        self.clock = WallClock(lambda: self.wall, lambda: self.steady)

    def pass_time(self, seconds: float, *, asleep: bool = False) -> None:
        self.wall, self.discord = self.wall + seconds, self.discord + seconds
        self.steady += 0 if asleep else seconds

    def answer(self) -> None:
        self.clock.note_date(formatdate(self.discord, usegmt=True))


@pytest.fixture
def world() -> World:
    world = World()
    world.answer()
    return world


def test_before_discord_has_told_the_time_nothing_is_decided() -> None:
    world = World()
    assert world.clock.now() == START
    assert not world.clock.is_believed
    world.answer()
    assert world.clock.is_believed
    assert world.clock.trouble is None


@pytest.mark.parametrize("jump", [*JUMPS, *(-jump for jump in JUMPS)])
def test_a_jump_of_the_machines_clock_moves_no_time(world: World, jump: int) -> None:
    world.wall += jump
    for _ in range(3):
        world.pass_time(HOUR)
        assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)
        assert world.clock.seconds_ahead == jump
        world.answer()
    world.wall -= jump
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


@pytest.mark.parametrize("jump", [*JUMPS, *(-jump for jump in JUMPS)])
def test_a_clock_wrong_at_the_start_gives_way_to_discords_first_answer(jump: int) -> None:
    world = World()
    world.wall += jump
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)
    world.wall -= jump  # NTP corrects it
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_a_machine_that_has_slept_learns_from_an_answer_how_long(world: World) -> None:
    slept_at = world.clock.now()
    world.pass_time(8 * HOUR, asleep=True)  # the monotonic clock has stood still in the meantime
    assert world.clock.now() == slept_at
    assert not world.clock.is_believed
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_a_frozen_machine_whose_clocks_both_stood_still_takes_discords_time(world: World) -> None:
    world.discord += 3 * DAY
    world.answer()
    assert not world.clock.is_believed
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)


@pytest.mark.parametrize("jump", [*JUMPS, *(-jump for jump in JUMPS)])
def test_one_answer_with_a_wrong_date_moves_no_time(world: World, jump: int) -> None:
    world.discord += jump
    world.answer()
    world.discord -= jump
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_without_discord_for_weeks_the_time_goes_on(world: World) -> None:
    world.pass_time(21 * DAY)
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


def test_clocks_that_run_a_little_fast_are_believed_while_discord_is_heard(world: World) -> None:
    for _ in range(400):  # 100 ppm is a bad quartz
        world.pass_time(DAY)
        world.wall += 8.64
        world.steady += 8.64
        world.answer()
        world.wall = world.discord  # as corrected by NTP
        assert world.clock.is_believed
        assert abs(world.clock.now() - world.discord) <= MAX_CLOCK_ERROR_S


def test_an_answer_that_was_long_under_way_moves_no_time(world: World) -> None:
    date = formatdate(world.discord, usegmt=True)
    world.pass_time(8 * HOUR)
    world.clock.note_date(date)
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, False)
    world.answer()
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


@pytest.mark.parametrize(
    "date", [None, "", "yesterday", "Mon, 99 Foo 2020 99:99:99 GMT", "Wed, 25 Nov 99999 12:00:00 GMT"]
)
def test_a_date_that_cannot_be_read_changes_nothing(world: World, date: str | None) -> None:
    world.clock.note_date(date)
    assert (world.clock.now(), world.clock.is_believed) == (world.discord, True)


async def test_discord_is_asked_only_where_it_has_not_been_heard_for_long(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[float]()

    async def ask(_: WallClock) -> None:
        asked.append(world.wall)
        raise TimeoutError

    monkeypatch.setattr("bot.discordkit.wall_clock.ask_time", ask)
    assert await world.clock.check_time()
    assert asked == []
    world.pass_time(REFERENCE_LIFETIME_S + 1)
    assert await world.clock.check_time()  # trusted nevertheless: the monotonic clock agrees
    assert len(asked) == 1
    world.wall += DAY
    assert not await world.clock.check_time()
