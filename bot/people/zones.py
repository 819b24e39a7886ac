"""Time zones and times of day as people type them. Pure."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from bot.people.clock import LONGEST_SLEEP, Span
from bot.people.problems import MatchError, Problem

OFF = ("off", "av", "none", "-")
"""What people type who want no sleep window, in any language."""

_TIME = r"(\d{1,2})(?:[:.h]?(\d{2}))?"
_WINDOW = re.compile(rf"\s*(?:(?:fra|from|kl\.?)\s*)?{_TIME}\s*(?:-|–|—|to|til)\s*{_TIME}\s*", re.IGNORECASE)


@cache
def known_zones() -> frozenset[str]:
    """The names of all time zones, read from the disk only once."""
    return frozenset(available_timezones())


def zone_named(name: str) -> ZoneInfo:
    """Returns the zone of that name; UTC where this machine does not know it."""
    return _zone(name) or ZoneInfo("UTC")


def is_known_zone(name: str) -> bool:
    """Returns whether this machine knows a zone of that name."""
    return _zone(name) is not None


@lru_cache(1000)
def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # such as a withdrawn name, a path, or a folder's
        return None


@cache
def zones() -> tuple[str, ...]:
    """The names of all time zones that are places, in alphabetical order, and UTC."""
    places = (name for name in known_zones() if "/" in name and not name.startswith(("Etc/", "SystemV/")))
    return (*sorted(places), "UTC")


def find_zone(typed: str) -> str:
    """The zone of that name, or of that city: "oslo", "Europe/Oslo", "new york". Raises NO_SUCH_ZONE."""
    wanted = _plain(typed)
    for name in zones():
        if _plain(name) == wanted:
            return name
    cities = [name for name in zones() if _city(name) == wanted]
    if not wanted or not cities:
        raise MatchError(Problem.NO_SUCH_ZONE, zone=typed)
    # Some cities stand under a second, older name as well, such as America/Buenos_Aires: the same clock.
    return min(cities, key=lambda name: (name.count("/"), name))


def zones_like(typed: str, most: int) -> list[str]:
    """Zones that fit what is typed: those whose city begins with it first, then those that have it anywhere."""
    wanted = _plain(typed)
    found = sorted(
        (name for name in zones() if wanted in _plain(name)),
        key=lambda name: (not _city(name).startswith(wanted), not _plain(name).startswith(wanted), name),
    )
    return found[:most]


def parse_sleep(typed: str) -> Span | None:
    """A sleep window as typed, in minutes of the day: "23:00-07:00", "22.30–6", "23-7"; None for "off".

    Raises BAD_SLEEP where it is none. Whether it is too long is for `bot.people.settings.check_user` to say.
    """
    if typed.strip().lower() in OFF:
        return None
    found = _WINDOW.fullmatch(typed)
    if not found:
        raise MatchError(Problem.BAD_SLEEP, most=LONGEST_SLEEP // 60)
    hours, minutes = (int(found[1]), int(found[3])), (int(found[2] or 0), int(found[4] or 0))
    if max(hours) > 24 or max(minutes) > 59:
        raise MatchError(Problem.BAD_SLEEP, most=LONGEST_SLEEP // 60)
    start, end = (hour % 24 * 60 + minute for hour, minute in zip(hours, minutes, strict=True))
    return start, end


def format_sleep(sleep: Span) -> str:
    """A sleep window: "23:00-07:00"."""
    return "-".join(f"{minute // 60:02}:{minute % 60:02}" for minute in sleep)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip()).lower()


def _city(name: str) -> str:
    return _plain(name.rpartition("/")[2])
