"""The kinds of settings: how people choose or type a value, what is allowed, and how the database holds it. Pure."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from functools import cache, lru_cache, reduce
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from bot.core.clock import MAX_FREE_DAYS, MAX_SLEEP_MINUTES, Span, Weekdays, sleep_minutes
from bot.core.events import format_numbers, parse_numbers
from bot.core.problems import MatchError, Problem

ValueT = TypeVar("ValueT")
EnumT = TypeVar("EnumT", bound=Enum)


class SettingKind(ABC, Generic[ValueT]):
    """A kind of setting. Each value has a text, which menus and forms send, and which the export shows."""

    options: tuple[str, ...] = ()
    """The texts of the values to choose from; empty if the value is typed or is a channel."""
    most: int | None = None
    """How many options or channels may be chosen at once, down to none; None for exactly one."""

    @abstractmethod
    def parse(self, typed: str) -> ValueT:
        """Returns the value of a text. Raises MatchError for what people mistype, ValueError for what no menu sends."""

    def format(self, value: ValueT) -> str:
        """Returns the text of a value."""
        return str(value)

    def read_columns(self, *stored: ValueT) -> ValueT:
        """Returns the value in the setting's columns. Raises ValueError if this version does not know it."""
        return stored[0]

    def column_values(self, value: ValueT) -> tuple[object, ...]:
        """Returns what the setting's columns hold for the value."""
        return (value,)


class OneOf(SettingKind[ValueT]):
    """One of a few values, by their texts."""

    def __init__(self, values: Mapping[str, ValueT]) -> None:
        self._values, self.options = values, tuple(values)

    def parse(self, typed: str) -> ValueT:
        if typed not in self._values:
            raise ValueError(typed)
        return self._values[typed]

    def format(self, value: ValueT) -> str:
        return next(name for name, known in self._values.items() if known == value)

    def read_columns(self, *stored: Any) -> ValueT:
        return self.parse(stored[0])

    def column_values(self, value: ValueT) -> tuple[object, ...]:
        return (self.format(value),)


def one_of(*names: str) -> OneOf[str]:
    """Returns the kind of one of these texts."""
    return OneOf({name: name for name in names})


def member_of(kind: type[EnumT]) -> OneOf[EnumT]:
    """Returns the kind of a member of that enumeration, whose values are the texts."""
    return OneOf({member.value: member for member in kind})


class Switch(OneOf[bool]):
    """Yes or no, in these texts. A column holds 1 or 0."""

    def __init__(self, yes: str = "yes", no: str = "no") -> None:
        super().__init__({yes: True, no: False})

    def read_columns(self, *stored: object) -> bool:
        return bool(stored[0])

    def column_values(self, value: bool) -> tuple[int]:
        return (int(value),)


class LanguageName(SettingKind[str | None]):
    """The name of a language, perhaps one that only another version knows; None if it is chosen automatically."""

    automatic = "automatic"

    def parse(self, typed: str) -> str | None:
        return None if typed == self.automatic else typed

    def format(self, value: str | None) -> str:
        return value or self.automatic


class Paragraph(SettingKind[str]):
    """A text of some lines; empty for none."""

    def __init__(self, max_length: int) -> None:
        self.max_length = max_length

    def parse(self, typed: str) -> str:
        MatchError.raise_if(len(typed.strip()) > self.max_length, Problem.TEXT_TOO_LONG, most=self.max_length)
        return typed.strip()


class ChannelKind(SettingKind[ValueT]):
    """Channels of a server. The text is their ids: "11,22"."""

    most: int

    def __init__(self, *types: str, hosts_games: bool = False, is_public: bool = False) -> None:
        self.types = types or ("text",)
        """Discord's names of the channel types that it takes."""
        self.hosts_games = hosts_games
        """Whether games are played there, in threads if the server wants them."""
        self.is_public = is_public
        """Whether everybody in the server has to see it."""


class OneChannel(ChannelKind[int | None]):
    """A channel in which the bot has to be able to post; None for none."""

    most = 1

    def parse(self, typed: str) -> int | None:
        return int(typed) if typed else None

    def format(self, value: int | None) -> str:
        return str(value or "")


class SomeChannels(ChannelKind[tuple[int, ...]]):
    """Any number of channels."""

    most = 25  # as many as a menu takes

    def parse(self, typed: str) -> tuple[int, ...]:
        return tuple(dict.fromkeys(parse_numbers(typed)))

    def format(self, value: tuple[int, ...]) -> str:
        return format_numbers(value)

    def read_columns(self, *stored: Any) -> tuple[int, ...]:
        return parse_numbers(stored[0])

    def column_values(self, value: tuple[int, ...]) -> tuple[str]:
        return (format_numbers(value),)


class FreeDays(SettingKind[Weekdays]):
    """Some days of the week, by their names with spaces between."""

    options = tuple((day.name or "").lower() for day in ~Weekdays.NONE)
    most = MAX_FREE_DAYS

    def parse(self, typed: str) -> Weekdays:
        days = typed.split()
        if len(days) > self.most or not {*days} <= {*self.options}:
            raise ValueError(typed)
        return reduce(Weekdays.__or__, (Weekdays[day.upper()] for day in days), Weekdays.NONE)

    def format(self, value: Weekdays) -> str:
        return " ".join((day.name or "").lower() for day in value)

    def read_columns(self, *stored: Any) -> Weekdays:
        days = Weekdays(stored[0])
        if len(days) > self.most:
            raise ValueError(stored)
        return days

    def column_values(self, value: Weekdays) -> tuple[int]:
        return (value.value,)


class ZoneName(SettingKind[str]):
    """A time zone as stored, perhaps one that only another machine knows: `zone_named` gives the one in use."""

    def parse(self, typed: str) -> str:
        return find_zone(typed)


class SleepWindow(SettingKind[Span | None]):
    """The minutes of the day at which a night begins and ends, in two columns; None for no night."""

    def parse(self, typed: str) -> Span | None:
        return parse_sleep(typed)

    def format(self, value: Span | None) -> str:
        return format_sleep(value) if value else "off"

    def read_columns(self, *stored: Any) -> Span | None:
        start, end = stored
        return None if start is None or end is None else (start, end)

    def column_values(self, value: Span | None) -> tuple[int | None, ...]:
        return value or (None, None)


# Time zones and times of day as people type them


OFF_WORDS = ("off", "av", "none", "-")
"""What people type for no sleep window, in any language."""

_TIME = r"(\d{1,2})(?:[:.h]?(\d{2}))?"
_WINDOW = re.compile(rf"\s*(?:(?:fra|from|kl\.?)\s*)?{_TIME}\s*(?:-|–|—|to|til)\s*{_TIME}\s*", re.IGNORECASE)


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
    """The names of all time zones that are places, in alphabetical order, and UTC; read from the disk only once."""
    zones = (name for name in available_timezones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return (*sorted(zones), "UTC")


def find_zone(typed: str) -> str:
    """The name of the zone or city typed: "oslo", "Europe/Oslo", "new york". Raises NO_SUCH_ZONE."""
    wanted = _normalized_name(typed)
    for name in place_zones():
        if _normalized_name(name) == wanted:
            return name
    cities = [name for name in place_zones() if _normalized_name(name.rpartition("/")[2]) == wanted]
    MatchError.raise_if(not wanted or not cities, Problem.NO_SUCH_ZONE, zone=typed)
    # Some cities also have a second, older name with the same clock, such as America/Buenos_Aires.
    return min(cities, key=lambda name: (name.count("/"), name))


def parse_sleep(typed: str) -> Span | None:
    """Reads a typed sleep window, in minutes of the day: "23:00-07:00", "22.30–6", "23-7"; None for "off".

    Raises BAD_SLEEP if the text is no window, or if it is longer than a clock may stand still.
    """
    if typed.strip().lower() in OFF_WORDS:
        return None
    if window := _WINDOW.fullmatch(typed):
        hours, minutes = (int(window[1]), int(window[3])), (int(window[2] or 0), int(window[4] or 0))
        start, end = (hour % 24 * 60 + minute for hour, minute in zip(hours, minutes, strict=True))
        if max(hours) <= 24 and max(minutes) <= 59 and 0 < sleep_minutes((start, end)) <= MAX_SLEEP_MINUTES:
            return start, end
    raise MatchError(Problem.BAD_SLEEP, most=MAX_SLEEP_MINUTES // 60)


def format_sleep(sleep: Span) -> str:
    """A sleep window: "23:00-07:00"."""
    return "-".join(f"{minute // 60:02}:{minute % 60:02}" for minute in sleep)


def _normalized_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip()).lower()
