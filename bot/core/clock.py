"""The clock of a match: paces, banks, and the time that counts outside of sleep and free days. Pure; unix seconds."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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


def refilled_bank(terms: ClockTerms, bank: int, used: int) -> int:
    """The bank after a move that took `used` seconds: never negative, never above the cap."""
    return min(terms.cap, max(bank - used, 0) + terms.increment)


def with_bank(banks: tuple[int, ...], seat: int, bank: int) -> tuple[int, ...]:
    """Returns the banks with that one for the seat."""
    return tuple(bank if other == seat else old for other, old in enumerate(banks))


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a match, and the notifications that the player to move has received in this turn."""

    banks: tuple[int, ...]
    """The seconds that each seat had left at `running_since`; empty without a clock."""
    turn_began_at: int
    running_since: int | None = None
    """The time since which the clock of the player to move has been running; None while it stands still."""
    seconds_charged: int = 0
    """The seconds of this turn already taken off the bank; a takeback returns them."""
    seconds_thought: int = 0
    """The seconds of this turn that had counted when the clock was last started."""
    grace_ends_at: int | None = None
    """The end of the grace period; None while the player has time left."""
    grace_began_at: int = 0
    """When the grace period began, or was last prolonged."""
    is_overdue: bool = False
    """Whether the opponents have been notified that they may claim."""
    reminded_at: int = 0
    """When the last reminder was posted."""
    nudged_at: int = 0
    """When an opponent last reminded the player to move."""
    snoozed_until: int = 0
    """The player wants no reminder before this time."""
    warned_at: int | None = None
    """When the players were warned that the game will be closed."""

    def seconds_running(self, at: int) -> int | None:
        """The seconds since the clock was started, as if all of them counted; None while it stands still."""
        return None if self.running_since is None else max(at - self.running_since, 0)

    def banks_at_turn_start(self, seat: int) -> tuple[int, ...]:
        """The banks when the turn of that seat began, which is the present one."""
        return with_bank(self.banks, seat, self.banks[seat] + self.seconds_charged) if self.banks else ()

    def banks_after_move(
        self, seat: int, used: int | None, terms: ClockTerms | None, *, planned: bool
    ) -> tuple[int, ...]:
        """The banks after a move of that seat, which took `used` counted seconds; None if no clock ran.

        A planned move that has not waited costs no time, so time already charged in this turn is returned.
        """
        banks = self.banks_at_turn_start(seat) if planned and not used else self.banks
        if used is None or terms is None:
            return banks
        return with_bank(banks, seat, refilled_bank(terms, banks[seat], used))

    def begin_turn(self, at: int, banks: tuple[int, ...] | None = None, *, runs: bool) -> Clock:
        """Returns the clock in a new turn; `runs` says whether it runs, if there is one."""
        banks = self.banks if banks is None else banks
        return Clock(banks, at, at if banks and runs else None)

    def stop(self) -> Clock:
        """Returns the clock standing still. The notifications of the turn are forgotten, grace too."""
        return Clock(self.banks, self.turn_began_at, None, self.seconds_charged, self.seconds_thought)

    def restart(self, at: int, *, runs: bool) -> Clock:
        """Returns the clock from now on in the same turn; `runs` as in `begin_turn`."""
        return replace(self, running_since=at if self.banks and runs else None)

    def set_bank(self, seat: int, bank: int) -> Clock:
        """Returns the clock with that bank for the seat."""
        return replace(self, banks=with_bank(self.banks, seat, bank))

    def charge(self, seat: int, used: int, at: int) -> Clock:
        """Returns the clock after time used in this turn was taken off the bank of the seat to move."""
        if not self.banks:
            return self
        taken = min(used, self.banks[seat])  # time used beyond the bank would come back with a takeback
        return replace(
            self,
            banks=with_bank(self.banks, seat, self.banks[seat] - taken),
            running_since=self.running_since and at,
            seconds_charged=self.seconds_charged + taken,
            seconds_thought=self.seconds_thought + used,
        )

    def begin_grace(self, at: int, until: int) -> Clock:
        """Returns the clock of a player who has used up the bank."""
        return replace(self, grace_ends_at=until, grace_began_at=at, snoozed_until=0)

    def end_grace(self) -> Clock:
        """Returns the clock of a player who has got more time."""
        return replace(self, grace_ends_at=None, grace_began_at=0, is_overdue=False, warned_at=None)


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
        ran = max(first - instant, 0)
        if seconds_left <= ran:
            break
        seconds_left -= ran
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
