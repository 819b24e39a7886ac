"""Stored names that this version or machine does not know. A default replaces each, and the owner is informed.

A database may move to a machine with older time zones, a zone may be withdrawn, and a version may be rolled back.
Each unknown name is logged once, and reported once with the owner's next answer.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple, TypeVar

import structlog

from bot.core.zones import is_known_zone

log = structlog.get_logger()

StoredEnumT = TypeVar("StoredEnumT", bound=Enum)

MAX_NAMES_REMEMBERED = 10_000
"""The most names that are remembered. If there are more, the oldest may be logged and reported again."""


class SettingOwner(NamedTuple):
    """The person or the server that owns a setting."""

    kind: Literal["user", "guild"]
    id: int


class UnknownName(NamedTuple):
    """A stored name that is not known here, and the value that is used instead."""

    setting: str
    name: str
    instead: str


class UnknownNames:
    """The unknown names found since the start, and which owners have been informed."""

    def __init__(self, max_names: int = MAX_NAMES_REMEMBERED) -> None:
        self._max_names = max_names
        self._met: dict[tuple[SettingOwner, UnknownName], bool] = {}
        """The value is True once the owner has been informed."""

    def note(self, owner: SettingOwner, setting: str, name: str, instead: str) -> None:
        """Logs the name and schedules a notice for its owner, unless that happened before."""
        met = owner, UnknownName(setting, name, instead)
        if met in self._met:
            return
        self._met[met] = False
        log.warning("unknown name", **{owner.kind: owner.id}, setting=setting, name=name, instead=instead)
        if len(self._met) > self._max_names:
            del self._met[next(iter(self._met))]

    def take_untold(self, owner: SettingOwner) -> list[UnknownName]:
        """Returns the names to report to that owner, and marks them as reported."""
        untold = [met for met, is_told in self._met.items() if met[0] == owner and not is_told]
        self._met |= dict.fromkeys(untold, True)
        return [unknown for _, unknown in untold]


UNKNOWN_NAMES = UnknownNames()
"""The instance of this process. All code that reads a stored name notes unknown names here."""


def parse_stored_name(owner: SettingOwner, setting: str, stored: str, default: StoredEnumT) -> StoredEnumT:
    """Returns the member with that value in the default's enumeration; the default if there is none."""
    try:
        return type(default)(stored)
    except ValueError:
        UNKNOWN_NAMES.note(owner, setting, stored, default.value)
        return default


def note_unknown_zone(owner: SettingOwner, zone: str) -> None:
    """Notes a stored time zone that this machine does not know; UTC stands in for it."""
    if not is_known_zone(zone):
        UNKNOWN_NAMES.note(owner, "zone", zone, "UTC")
