"""Time zones and times of day as people type them. Pure."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from bot.core.clock import MAX_SLEEP_MINUTES, Span
from bot.core.problems import MatchError, Problem

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
