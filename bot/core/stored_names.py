"""Names that are stored and looked up elsewhere: where one is not known here, a default holds and its owner is told.

A database may come to a machine with older time zones, a zone may be withdrawn, and a version may go back to the one
before. Each is logged once, and told once with the owner's next answer.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, NamedTuple, TypeVar

import structlog

log = structlog.get_logger()

StoredEnumT = TypeVar("StoredEnumT", bound=Enum)

MAX_NAMES_REMEMBERED = 10_000
"""Names that are remembered; at more of them the oldest may be logged and told again."""


class SettingOwner(NamedTuple):
    """Whose setting it is."""

    kind: Literal["user", "guild"]
    id: int


class UnknownName(NamedTuple):
    """A name that is stored and not known here, and what holds instead."""

    setting: str
    name: str
    instead: str


class UnknownNames:
    """Those that have been met since the start, and who has been told."""

    def __init__(self) -> None:
        self._met: dict[tuple[SettingOwner, UnknownName], bool] = {}
        """With whether the owner has been told."""

    def note(self, owner: SettingOwner, setting: str, name: str, instead: str) -> None:
        """Log the name and have its owner told, unless that has been done."""
        met = owner, UnknownName(setting, name, instead)
        if met in self._met:
            return
        self._met[met] = False
        log.warning("unknown name", **{owner.kind: owner.id}, setting=setting, name=name, instead=instead)
        if len(self._met) > MAX_NAMES_REMEMBERED:
            del self._met[next(iter(self._met))]

    def take_untold(self, owner: SettingOwner) -> list[UnknownName]:
        """Returns what that owner is to be told, and notes that they are."""
        found = [met for met, told in self._met.items() if met[0] == owner and not told]
        self._met |= dict.fromkeys(found, True)
        return [unknown for _, unknown in found]


UNKNOWN_NAMES = UnknownNames()
"""The process's own: whatever reads a stored name notes it here."""


def parse_stored_name(owner: SettingOwner, setting: str, stored: str, default: StoredEnumT) -> StoredEnumT:
    """Returns the member of the default's enumeration with that value; the default where there is none."""
    try:
        return type(default)(stored)
    except ValueError:
        UNKNOWN_NAMES.note(owner, setting, stored, default.value)
        return default
