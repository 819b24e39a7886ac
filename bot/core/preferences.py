"""What a person has set: how boards are shown, and when to be asked before a move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from render import THEMES

Confirm = Literal["always", "risky", "never"]
"""When to ask before a move: always; when it ends the game or leaves a castle open; never."""
BoardForm = Literal["picture", "text"]


@dataclass(frozen=True, slots=True)
class Preferences:
    """One person's settings; those that were never touched are at their defaults."""

    theme: str = "default"
    """In which colours boards are drawn, a key of `render.THEMES`."""
    board: BoardForm = "picture"
    confirm: Confirm = "risky"
    warn: bool = True
    """Whether to warn before a move that lets the next player into the castle at once.

    In a game that counts for a ladder only those are warned who have asked for it: there the eyes are one's own.
    """
    coordinates: bool = False
    """Whether boards have the name of every cell written on it."""


SWITCH = ("on", "off")

PREFERENCE_VALUES: Mapping[str, tuple[str, ...]] = {
    "theme": tuple(THEMES),
    "board": ("picture", "text"),
    "confirm": ("always", "risky", "never"),
    "warn": SWITCH,
    "coordinates": SWITCH,
}
"""The name of each setting, and what it may be set to as it is stored."""

assert [field.name for field in fields(Preferences)] == list(PREFERENCE_VALUES)


def parse_preferences(stored: Iterable[tuple[str, str]], *, ladder: bool = False) -> Preferences:
    """The settings as stored, by name. What this version does not know is left at its default.

    `ladder`: as they are in a game that counts for a ladder.
    """
    valid = {key: value for key, value in stored if value in PREFERENCE_VALUES.get(key, ())}
    chosen = {key: value == "on" if PREFERENCE_VALUES[key] is SWITCH else value for key, value in valid.items()}
    return Preferences(**{"warn": not ladder, **chosen})  # type: ignore[arg-type]  # VALUES says which are switches


def format_preferences(preferences: Preferences) -> dict[str, str]:
    """Every setting by name, as it would be stored."""
    shown = {key: getattr(preferences, key) for key in PREFERENCE_VALUES}
    return {key: SWITCH[not value] if PREFERENCE_VALUES[key] is SWITCH else value for key, value in shown.items()}
