"""A person's preferences: how boards are shown, and when to ask before a move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from render import THEMES

Confirm = Literal["always", "risky", "never"]
"""When to ask before a move: always; if it ends the game or leaves a castle open; never."""
BoardForm = Literal["picture", "text"]


@dataclass(frozen=True, slots=True)
class Preferences:
    """One person's preferences; those never changed have their defaults."""

    theme: str = "default"
    """The colours of boards: a key of `render.THEMES`."""
    board: BoardForm = "picture"
    confirm: Confirm = "risky"
    warn: bool = True
    """Whether to warn before a move that lets the next player into the castle at once.

    In a ladder game, only players who have turned the warning on are warned: there, players rely on their own eyes.
    """
    coordinates: bool = False
    """Whether boards show the name of every cell."""


SWITCH = ("on", "off")

PREFERENCE_VALUES: Mapping[str, tuple[str, ...]] = {
    "theme": tuple(THEMES),
    "board": ("picture", "text"),
    "confirm": ("always", "risky", "never"),
    "warn": SWITCH,
    "coordinates": SWITCH,
}
"""The allowed values of each preference, as they are stored, by its name."""

LESSON_KEY = "lesson."
"""Begins the keys under which the next lesson of each variant is stored beside the preferences."""

assert [field.name for field in fields(Preferences)] == list(PREFERENCE_VALUES)


def parse_preferences(stored: Iterable[tuple[str, str]], *, ladder: bool = False) -> Preferences:
    """Returns the stored preferences. Values that this version does not know are replaced by the defaults.

    `ladder`: whether they are for a game that counts for a ladder.
    """
    valid = {key: value for key, value in stored if value in PREFERENCE_VALUES.get(key, ())}
    chosen = {key: value == "on" if PREFERENCE_VALUES[key] is SWITCH else value for key, value in valid.items()}
    return Preferences(**{"warn": not ladder, **chosen})  # type: ignore[arg-type]  # PREFERENCE_VALUES says which


def format_preferences(preferences: Preferences) -> dict[str, str]:
    """Every preference by name, as it would be stored."""
    shown = {key: getattr(preferences, key) for key in PREFERENCE_VALUES}
    return {key: SWITCH[not value] if PREFERENCE_VALUES[key] is SWITCH else value for key, value in shown.items()}
