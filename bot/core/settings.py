"""People's preferences, time zones and vacations, and the settings of people and servers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from enum import Enum
from functools import cache, lru_cache
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

from bot.core.clock import DAY, MAX_SLEEP_MINUTES, MINUTES_PER_DAY, Habits, Pace, Span, Weekdays, sleep_minutes
from bot.core.problems import MatchError, Problem
from render import THEMES

Confirm = Literal["always", "risky", "never"]
"""When to ask before a move: always; if it ends the game or leaves a castle open; never, and never warn."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """One person's preferences; those never changed have their defaults."""

    board: str = "default"
    """The colours of boards: a key of `render.THEMES`; or "text" for boards as text."""
    confirm: Confirm = "risky"

    @property
    def theme(self) -> str:
        """The key of the colours of pictures. Beside boards as text they have the most contrast."""
        return "contrast" if self.board == "text" else self.board


SWITCH = ("on", "off")

PREFERENCE_VALUES: Mapping[str, tuple[str, ...]] = {
    "board": (*THEMES, "text"),
    "confirm": ("always", "risky", "never"),
}
"""The allowed values of each preference, as they are stored, by its name."""

UNTOLD_KEY = "untold"
"""The key stored beside the preferences of somebody who had changed settings that are gone, until they are told."""

LESSON_KEY = "lesson."
"""Begins the keys under which the next lesson of each variant is stored beside the preferences."""

assert [field.name for field in fields(Preferences)] == list(PREFERENCE_VALUES)


def parse_preferences(stored: Iterable[tuple[str, str]]) -> Preferences:
    """Returns the stored preferences. Values that this version does not know are replaced by the defaults."""
    valid = {key: value for key, value in stored if value in PREFERENCE_VALUES.get(key, ())}
    return Preferences(**valid)  # type: ignore[arg-type]  # PREFERENCE_VALUES says which


# Time zones and times of day as people type them


OFF_WORDS = ("off", "av", "none", "-")
"""What people type for no sleep window, in any language."""

_TIME = r"(\d{1,2})(?:[:.h]?(\d{2}))?"
_WINDOW = re.compile(rf"\s*(?:(?:fra|from|kl\.?)\s*)?{_TIME}\s*(?:-|–|—|to|til)\s*{_TIME}\s*", re.IGNORECASE)


@cache
def known_zones() -> frozenset[str]:
    """The names of all time zones, read from the disk only once."""
    return frozenset(available_timezones())


def zone_named(name: str) -> ZoneInfo:
    """Returns the zone of that name; UTC if this machine does not know it."""
    return _zone(name) or ZoneInfo("UTC")


def is_known_zone(name: str) -> bool:
    """Whether this machine knows a zone of that name."""
    return _zone(name) is not None


@lru_cache(1000)
def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # such as a withdrawn name, a path, or a folder
        return None


@cache
def place_zones() -> tuple[str, ...]:
    """The names of all time zones that are places, in alphabetical order, and UTC."""
    places = (name for name in known_zones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return (*sorted(places), "UTC")


def find_zone(typed: str) -> str:
    """The name of the zone or city typed: "oslo", "Europe/Oslo", "new york". Raises NO_SUCH_ZONE."""
    wanted = _normalized_name(typed)
    for name in place_zones():
        if _normalized_name(name) == wanted:
            return name
    cities = [name for name in place_zones() if _city_of(name) == wanted]
    if not wanted or not cities:
        raise MatchError(Problem.NO_SUCH_ZONE, zone=typed)
    # Some cities also have a second, older name with the same clock, such as America/Buenos_Aires.
    return min(cities, key=lambda name: (name.count("/"), name))


def zones_like(typed: str, most: int) -> list[str]:
    """Zones that match the typed text: first those whose city begins with it, then those that contain it anywhere."""
    wanted = _normalized_name(typed)
    matching_zones = sorted(
        (name for name in place_zones() if wanted in _normalized_name(name)),
        key=lambda name: (not _city_of(name).startswith(wanted), not _normalized_name(name).startswith(wanted), name),
    )
    return matching_zones[:most]


def parse_sleep(typed: str) -> Span | None:
    """Reads a typed sleep window, in minutes of the day: "23:00-07:00", "22.30–6", "23-7"; None for "off".

    Raises BAD_SLEEP if the text is not a window. `bot.core.settings.check_user_settings` checks its length.
    """
    if typed.strip().lower() in OFF_WORDS:
        return None
    window = _WINDOW.fullmatch(typed)
    if not window:
        raise MatchError(Problem.BAD_SLEEP, most=MAX_SLEEP_MINUTES // 60)
    hours, minutes = (int(window[1]), int(window[3])), (int(window[2] or 0), int(window[4] or 0))
    if max(hours) > 24 or max(minutes) > 59:
        raise MatchError(Problem.BAD_SLEEP, most=MAX_SLEEP_MINUTES // 60)
    start, end = (hour % 24 * 60 + minute for hour, minute in zip(hours, minutes, strict=True))
    return start, end


def format_sleep(sleep: Span) -> str:
    """A sleep window: "23:00-07:00"."""
    return "-".join(f"{minute // 60:02}:{minute % 60:02}" for minute in sleep)


def _normalized_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip()).lower()


def _city_of(name: str) -> str:
    return _normalized_name(name.rpartition("/")[2])


# Settings and vacations


VACATION_PER_YEAR_S = 30 * DAY
MIN_VACATION_S = DAY
MAX_HOUSE_RULES_LENGTH = 1500
"""The most characters of a server's house rules: they must fit into one message with the text around them."""


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
        """The hours between reminders; None if they do not come at intervals."""
        every, _, hours = self.value.partition("-")
        return int(hours) if every == "every" else None


class Threads(Enum):
    """Whether a server's games get threads of their own, where the bot may. The values are stored and never change."""

    YES = "yes"
    NO = "no"
    ASK = "ask"  # the host of the table decides

    def gives_thread(self, *, wanted: bool) -> bool:
        """Whether a game gets a thread; `wanted` is the host's wish."""
        return wanted if self is Threads.ASK else self is Threads.YES


@dataclass(frozen=True, slots=True)
class UserSettings:
    """A person's settings, in every server."""

    zone: str = "UTC"
    """The stored name; `zone_named` gives the zone in use."""
    sleep: Span | None = None
    free_days: Weekdays = Weekdays.NONE
    """The days on which their clocks stand still."""
    reminders: Reminders = Reminders.DEFAULT
    by_dm: bool = False
    automove: bool = False
    public: bool = True
    """Whether leaderboards and other people's comparisons show them."""
    puzzles: bool = True
    """Whether their finished games may become puzzles of their servers, and count in openings."""
    language: str | None = None
    """The language in which they last used the bot, for direct messages; None if they want none or it is unknown."""


DEFAULT_USER_SETTINGS = UserSettings()
"""The settings of somebody who has changed nothing."""


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """A player's settings and spans that affect their clock."""

    settings: UserSettings = DEFAULT_USER_SETTINGS
    vacations: tuple[Span, ...] = ()
    absences: tuple[Span, ...] = ()
    """When nobody could be reached in the server of the game in question."""

    @property
    def clock_habits(self) -> Habits:
        """When their clock stands still."""
        settings = self.settings
        return Habits(zone_named(settings.zone), settings.sleep, settings.free_days, self.vacations, self.absences)


@dataclass(frozen=True, slots=True)
class GuildSettings:
    """A server's settings, made by the people who manage it. None keeps the default."""

    pace: Pace = Pace.STANDARD
    threads: Threads = Threads.YES
    channels: tuple[int, ...] = ()
    """The channels in which games may be played; empty for all."""
    language: str | None = None
    announcements: int | None = None
    audit: int | None = None
    house_rules: str = ""
    house: bool = True
    """Whether there are house players."""
    ladder_channel: int | None = None
    """Where ladder games are played; None for the channel of the request."""
    forum: int | None = None
    """The forum where games get posts instead of threads."""
    puzzle_channel: int | None = None
    """The channel of the daily puzzle."""
    zone: str = "UTC"
    """The zone of the server's days, as stored; `zone_named` gives the zone in use."""
    openings: bool = True
    """Whether members may look at the openings of the server's finished games."""
    untold: bool = False
    """Whether the server had changed settings that are gone, and its managers have not been told."""


def check_user_settings(settings: UserSettings, before: UserSettings = DEFAULT_USER_SETTINGS) -> UserSettings:
    """Returns the same settings. Raises MatchError if they are invalid.

    A zone that was stored before may stay, even if this machine does not know it.
    """
    if settings.zone != before.zone and not is_known_zone(settings.zone):
        raise MatchError(Problem.NO_SUCH_ZONE, zone=settings.zone)
    if settings.sleep is not None:
        in_day = all(0 <= minute < MINUTES_PER_DAY for minute in settings.sleep)
        if not in_day or not 0 < sleep_minutes(settings.sleep) <= MAX_SLEEP_MINUTES:
            raise MatchError(Problem.BAD_SLEEP, most=MAX_SLEEP_MINUTES // 60)
    return settings


def check_guild_settings(settings: GuildSettings, before: GuildSettings | None = None) -> GuildSettings:
    """Returns the settings with tidied lists. Raises MatchError if invalid. Zones: see `check_user_settings`."""
    stored = before.zone if before else None
    if settings.zone != stored and not is_known_zone(settings.zone):
        raise MatchError(Problem.NO_SUCH_ZONE, zone=settings.zone)
    if len(settings.house_rules) > MAX_HOUSE_RULES_LENGTH:
        raise MatchError(Problem.TEXT_TOO_LONG, most=MAX_HOUSE_RULES_LENGTH)
    return replace(settings, channels=tuple(dict.fromkeys(settings.channels)))


def require_vacation(other_vacations: tuple[Span, ...], start: int, end: int) -> Span:
    """The vacation from `start` to `end`. Raises MatchError if it is too short, too long, or overlaps another."""
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
    """The seconds of vacation left in the calendar year of that instant."""
    return VACATION_PER_YEAR_S - sum(_seconds_in_year(_year_of(at), span) for span in vacations)


def end_vacation_now(vacations: tuple[Span, ...], now: int) -> tuple[Span, Span]:
    """Returns the current vacation as it was, and as it is if it ends now: it lasts at least a day.

    Raises MatchError if there is none at the moment.
    """
    for start, end in vacations:
        if start <= now < end:
            return (start, end), (start, min(end, max(now, start + MIN_VACATION_S)))
    raise MatchError(Problem.NOT_AWAY)


def _year_of(instant: int) -> int:
    return datetime.fromtimestamp(instant, UTC).year


def _seconds_in_year(year: int, span: Span) -> int:
    """The seconds of that span in that year, in UTC."""
    first, last = (int(datetime(number, 1, 1, tzinfo=UTC).timestamp()) for number in (year, year + 1))
    return max(0, min(span[1], last) - max(span[0], first))
