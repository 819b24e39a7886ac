"""The arithmetic of clocks: paces, and the time that counts outside of sleep and free days. Pure; unix seconds."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum, Flag
from typing import NamedTuple
from zoneinfo import ZoneInfo

HOUR = 3600
DAY = 24 * HOUR

MAX_SLEEP_MINUTES = 600
"""The most minutes of a day in which a clock may stand still for sleep."""

MINUTES_PER_DAY = 24 * 60

Span = tuple[int, int]
"""From the first instant up to the one after the last."""

FOREVER = 2**40
"""The end of a span whose end is not known yet. A deadline that is not earlier never comes."""


class ClockTerms(NamedTuple):
    """A capped Fischer clock, in seconds."""

    bank: int
    """The time that every player begins with."""
    increment: int
    """The time that a move adds."""
    cap: int
    """The most time that a player can have."""


class Pace(Enum):
    """How fast a game is played. The values are stored and never change."""

    FAST = "fast"
    STANDARD = "standard"
    SLOW = "slow"
    NONE = "none"

    @property
    def clock_terms(self) -> ClockTerms | None:
        """The clock of that pace; None if it has no clock."""
        return _CLOCK_TERMS.get(self)


_CLOCK_TERMS = {
    Pace.FAST: ClockTerms(24 * HOUR, 4 * HOUR, 72 * HOUR),
    Pace.STANDARD: ClockTerms(72 * HOUR, 24 * HOUR, 120 * HOUR),
    Pace.SLOW: ClockTerms(7 * DAY, 2 * DAY, 14 * DAY),
}


class Weekdays(Flag):
    """Days of the week. The values are stored and never change, see `bot.store.people`."""

    NONE = 0
    MONDAY = 2
    TUESDAY = 4
    WEDNESDAY = 8
    THURSDAY = 16
    FRIDAY = 32
    SATURDAY = 64
    SUNDAY = 128
    WEEKEND = SATURDAY | SUNDAY

    @classmethod
    def of(cls, day: date) -> Weekdays:
        """The weekday of that date."""
        return cls(2 << day.weekday())


MAX_FREE_DAYS = 2
"""The most days of the week on which a clock may stand still."""


_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Habits:
    """When a person's clock stands still."""

    zone: ZoneInfo = _UTC
    sleep: Span | None = None
    """Minutes of the local day, over midnight if the end is the smaller one. At most MAX_SLEEP_MINUTES long."""
    free_days: Weekdays = Weekdays.NONE
    """At most MAX_FREE_DAYS days."""
    vacations: tuple[Span, ...] = ()
    absences: tuple[Span, ...] = ()
    """When nobody could have moved. These spans count in every game, whatever its settings."""

    def __post_init__(self) -> None:
        # More sleep and free days could leave no time that counts, and so no deadline.
        assert self.sleep is None or 0 < sleep_minutes(self.sleep) <= MAX_SLEEP_MINUTES, self.sleep
        assert len(self.free_days) <= MAX_FREE_DAYS, self.free_days


ALWAYS_RUNNING = Habits()
"""The habits of a person whose clock never stands still."""


def sleep_minutes(sleep: Span) -> int:
    """The minutes of a sleep window."""
    return (sleep[1] - sleep[0]) % MINUTES_PER_DAY


def seconds_counted(habits: Habits, start: int, end: int) -> int:
    """The seconds between two instants in which the clock runs; 0 if the machine's clock was set back."""
    if end <= start:
        return 0
    seconds_stood = 0
    for first, last in _standstill_spans(habits, start):
        if first >= end:
            break
        seconds_stood += min(last, end) - max(first, start)
    return end - start - seconds_stood


def deadline_after(habits: Habits, start: int, bank: int) -> int:
    """The first instant at which that many seconds have counted since `start`."""
    instant, seconds_left = start, bank
    for first, last in _standstill_spans(habits, start):
        if instant + seconds_left <= first:
            break
        seconds_left -= max(first - instant, 0)
        if seconds_left <= 0:
            break
        instant = max(instant, last)
    return instant + seconds_left


def seconds_lost(absences: tuple[Span, ...], start: int, end: int) -> int:
    """The seconds between two instants that lie in one of those spans."""
    return max(end - start, 0) - seconds_counted(Habits(absences=absences), start, end)


def standstill_ends_at(habits: Habits, now: int) -> int | None:
    """When a clock that stands still at that instant runs again; None if it runs."""
    first, last = next(_standstill_spans(habits, now), (now + 1, now + 1))
    return last if first <= now else None


class VacationCap(NamedTuple):
    """How much vacation stops the clock of a player."""

    seconds: int
    since: int
    """Earlier vacations do not count."""

    def cut_vacations(self, vacations: Iterable[Span]) -> tuple[Span, ...]:
        """Returns the spans since then that still stop the clock, of spans that do not overlap.

        >>> VacationCap(10, 100).cut_vacations([(120, 140), (90, 104)])
        ((100, 104), (120, 126))
        """
        left, spans = self.seconds, list[Span]()
        for first, last in sorted(vacations):
            start = max(first, self.since)
            end = min(last, start + left)
            if start < end:
                spans.append((start, end))
                left -= end - start
        return tuple(spans)


def refilled_bank(terms: ClockTerms, bank: int, used: int) -> int:
    """The bank after a move that took `used` seconds: never negative, never above the cap."""
    return min(terms.cap, max(bank - used, 0) + terms.increment)


def _standstill_spans(habits: Habits, start: int) -> Iterator[Span]:
    """The spans in which the clock stands still, sorted and merged; those that end by `start` are left out."""
    if not (habits.vacations or habits.absences or habits.sleep or habits.free_days):
        return  # most people's clocks never stand still, and every move asks this
    # Two days earlier than the local date, because a span that covers `start` may have begun the day before.
    day = datetime.fromtimestamp(start, habits.zone).date() - timedelta(days=2)
    streams: list[Iterator[Span]] = [iter(sorted(habits.vacations)), iter(sorted(habits.absences))]
    if habits.sleep:
        streams.append(_sleep_spans(habits.zone, habits.sleep, day))
    if habits.free_days:
        streams.append(_free_days(habits.zone, habits.free_days, day))
    current: Span | None = None
    for first, last in heapq.merge(*streams):
        if last <= start or last <= first:
            continue
        if current and first <= current[1]:
            current = (current[0], max(current[1], last))
        else:
            if current:
                yield current
            current = (first, last)
        if current[1] >= FOREVER:  # all later nights lie within it
            break
    if current:
        yield current


def _sleep_spans(zone: ZoneInfo, sleep: Span, day: date) -> Iterator[Span]:
    over_midnight = timedelta(days=sleep[1] < sleep[0])
    while True:
        yield _instant_at(zone, day, sleep[0]), _instant_at(zone, day + over_midnight, sleep[1])
        day += timedelta(days=1)


def _free_days(zone: ZoneInfo, free: Weekdays, day: date) -> Iterator[Span]:
    while True:
        after = day + timedelta(days=1)
        if Weekdays.of(day) in free:
            yield _instant_at(zone, day, 0), _instant_at(zone, after, 0)
        day = after


def _instant_at(zone: ZoneInfo, day: date, minute: int) -> int:
    """The instant of that local minute. A minute skipped by daylight saving is read with the offset before it."""
    wall = datetime.combine(day, time(minute // 60 % 24, minute % 60), zone)
    return int(wall.astimezone(UTC).timestamp())
