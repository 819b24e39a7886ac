"""What a check has found."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Level(Enum):
    """How bad it is. The values are what is printed."""

    OK = "ok"
    WARNING = "warning"  # the bot works, but not for long, or not for everybody
    FAULT = "fault"  # it cannot work


class Finding(NamedTuple):
    """One line of the doctor's."""

    level: Level
    words: str

    def __str__(self) -> str:
        return f"{self.level.value:<7}  {self.words}"


def ok(words: str, **values: object) -> Finding:
    """All is well there."""
    return Finding(Level.OK, words.format_map(values))


def warning(words: str, **values: object) -> Finding:
    """Somebody should look at it."""
    return Finding(Level.WARNING, words.format_map(values))


def fault(words: str, **values: object) -> Finding:
    """The bot cannot work like that."""
    return Finding(Level.FAULT, words.format_map(values))
