"""A person's preferences: how boards are shown, and when to ask before a move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Literal

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
