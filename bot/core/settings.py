"""What people and servers have asked for. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum

from bot.core.clock import (
    DAY,
    MAX_SLEEP_MINUTES,
    MINUTES_PER_DAY,
    Habits,
    Pace,
    Span,
    Weekdays,
    sleep_minutes,
)
from bot.core.problems import MatchError, Problem
from bot.core.zones import is_known_zone, zone_named

VACATION_PER_YEAR_S = 30 * DAY
MIN_VACATION_S = DAY
MAX_SEASON_WEEKS, MAX_MEMBERSHIP_DAYS = 52, 365
"""Weeks, and days: the most that a server can ask for."""
MAX_HOUSE_RULES_LENGTH = 1500
"""Characters of a server's house rules: with what stands around them they fit into one message."""


class Reminders(Enum):
    """How often a person wants to be reminded of a turn. The values are stored and never change."""

    DEFAULT = "default"  # at half of the bank and six hours before its end
    OFF = "off"
    ONCE = "once"  # at half of the bank
    EVERY_6 = "every-6"
    EVERY_12 = "every-12"
    EVERY_24 = "every-24"

    @property
    def interval_hours(self) -> int | None:
        """The hours from one to the next, where they come at intervals."""
        every, _, hours = self.value.partition("-")
        return int(hours) if every == "every" else None


class Threads(Enum):
    """Whether a server's games get threads of their own, where the bot may. The values are stored and never change."""

    YES = "yes"
    NO = "no"
    ASK = "ask"  # as whoever opens the table says

    def gives_thread(self, *, wanted: bool) -> bool:
        """Whether a game gets a thread, if whoever opens its table asks for one or does not."""
        return wanted if self is Threads.ASK else self is Threads.YES


@dataclass(frozen=True, slots=True)
class UserSettings:
    """What a person has asked for, in every server."""

    zone: str = "UTC"
    """As it is stored: `zone_named` has the one that holds."""
    sleep: Span | None = None
    free_days: Weekdays = Weekdays.NONE
    """On which their clocks stand still."""
    reminders: Reminders = Reminders.DEFAULT
    by_dm: bool = False
    automove: bool = False
    public: bool = True
    """Whether they are shown on leaderboards and in other people's comparisons."""
    puzzles: bool = True
    """Whether puzzles for their servers may be made of their finished games."""
    language: str | None = None
    """In which they met the bot last, for direct messages; None where they want none, or it is not known."""


DEFAULT_USER_SETTINGS = UserSettings()
"""Of somebody who has asked for nothing."""


@dataclass(frozen=True, slots=True)
class Person:
    """A player as the clock knows them."""

    settings: UserSettings = DEFAULT_USER_SETTINGS
    vacations: tuple[Span, ...] = ()
    absences: tuple[Span, ...] = ()
    """When nobody could be reached in the server of the game that is looked at."""

    @property
    def clock_habits(self) -> Habits:
        """When their clock stands still."""
        settings = self.settings
        return Habits(zone_named(settings.zone), settings.sleep, settings.free_days, self.vacations, self.absences)


@dataclass(frozen=True, slots=True)
class GuildSettings:
    """What the people who manage a server have asked for. None leaves a thing as it comes."""

    pace: Pace = Pace.STANDARD
    threads: Threads = Threads.YES
    channels: tuple[int, ...] = ()
    """Where games may be played; anywhere if empty."""
    language: str | None = None
    announcements: int | None = None
    audit: int | None = None
    house_rules: str = ""
    most_open: int = 5
    """Open tables that one person may host at a time."""
    most_live: int = 30
    """Seats that one person may have at a time, in games that are on and at open tables."""
    most_house: int = 3
    """Games with house players that one person may have at a time; 0: there are none."""
    season_weeks: int = 10
    membership_days: int = 0
    """For how long one must have been a member to take part in a ladder."""
    ladder_channel: int | None = None
    """Where ladder games are played; None: where they were asked for."""
    forum: int | None = None
    """Where games that get threads have posts instead."""
    plans: bool = True
    """Whether players may plan moves that play themselves."""
    puzzle_channel: int | None = None
    """Where there is a puzzle every day."""
    puzzle_hour: int = 9
    """From which hour on, by `zone`."""
    zone: str = "UTC"
    """By which the server's days go, as it is stored: `zone_named` has the one that holds."""

    @property
    def has_house(self) -> bool:
        """Whether there are house players."""
        return self.most_house > 0


def check_user_settings(settings: UserSettings, before: UserSettings = DEFAULT_USER_SETTINGS) -> UserSettings:
    """The same settings. Raises MatchError where they make no sense.

    A zone that was stored before may stay, also where this machine does not know it.
    """
    if settings.zone != before.zone and not is_known_zone(settings.zone):
        raise MatchError(Problem.NO_SUCH_ZONE, zone=settings.zone)
    if settings.sleep is not None:
        in_day = all(0 <= minute < MINUTES_PER_DAY for minute in settings.sleep)
        if not in_day or not 0 < sleep_minutes(settings.sleep) <= MAX_SLEEP_MINUTES:
            raise MatchError(Problem.BAD_SLEEP, most=MAX_SLEEP_MINUTES // 60)
    return settings


def check_guild_settings(settings: GuildSettings, before: GuildSettings | None = None) -> GuildSettings:
    """The same settings, the lists tidied. Raises MatchError where they make no sense. Zones as above."""
    stored = before.zone if before else None
    if settings.most_open < 1 or settings.most_live < 1 or settings.most_house < 0:
        raise MatchError(Problem.BAD_LIMIT)
    if not (1 <= settings.season_weeks <= MAX_SEASON_WEEKS and 0 <= settings.membership_days <= MAX_MEMBERSHIP_DAYS):
        raise MatchError(Problem.BAD_LIMIT)
    if not 0 <= settings.puzzle_hour < 24:
        raise MatchError(Problem.BAD_LIMIT)
    if settings.zone != stored and not is_known_zone(settings.zone):
        raise MatchError(Problem.NO_SUCH_ZONE, zone=settings.zone)
    if len(settings.house_rules) > MAX_HOUSE_RULES_LENGTH:
        raise MatchError(Problem.TEXT_TOO_LONG, most=MAX_HOUSE_RULES_LENGTH)
    return replace(settings, channels=tuple(dict.fromkeys(settings.channels)))


def require_vacation(other_vacations: tuple[Span, ...], start: int, end: int) -> Span:
    """The vacation from `start` to `end`. Raises MatchError where it is too short, too long, or overlaps another."""
    if any(first < end and start < last for first, last in other_vacations):
        raise MatchError(Problem.ALREADY_AWAY)
    if end - start < MIN_VACATION_S:
        raise MatchError(Problem.VACATION_TOO_SHORT, least=MIN_VACATION_S // DAY)
    for year in range(_year_of(start), _year_of(end - 1) + 1):
        seconds_left = VACATION_PER_YEAR_S - sum(_seconds_in_year(year, span) for span in other_vacations)
        if _seconds_in_year(year, (start, end)) > seconds_left:
            raise MatchError(Problem.VACATION_SPENT, year=year, left=seconds_left // DAY)
    return start, end


def vacation_left(vacations: tuple[Span, ...], at: int) -> int:
    """The seconds of vacation that are left in the calendar year of that instant."""
    return VACATION_PER_YEAR_S - sum(_seconds_in_year(_year_of(at), span) for span in vacations)


def end_vacation_now(vacations: tuple[Span, ...], now: int) -> tuple[Span, Span]:
    """The vacation that is on, as it was and as it is when it is ended now: a day at least.

    Raises MatchError where none is on.
    """
    for start, end in vacations:
        if start <= now < end:
            return (start, end), (start, min(end, max(now, start + MIN_VACATION_S)))
    raise MatchError(Problem.NOT_AWAY)


def _year_of(instant: int) -> int:
    return datetime.fromtimestamp(instant, UTC).year


def _seconds_in_year(year: int, span: Span) -> int:
    """The seconds of that span in that year, by UTC."""
    first, last = (int(datetime(number, 1, 1, tzinfo=UTC).timestamp()) for number in (year, year + 1))
    return max(0, min(span[1], last) - max(span[0], first))
