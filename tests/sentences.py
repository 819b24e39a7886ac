"""What the bot says, by the keys of its catalogues: tests name a sentence, and its wording is mended in one place."""

from __future__ import annotations

import re
from string import Formatter

from bot.texts.i18n import Language, load_catalogue, text

LONGEST_TEXT = 1000
"""Characters: what a phone shows without much scrolling."""

HOLE = re.compile(r"\*\*\*\*|``(?!`)|“”|\(\)|: [.,]|  |\{|\}|None")
"""Marks of a sentence with a missing value."""

SHORTEST = 8
"""Characters; what is shorter could stand anywhere."""


def part(key: str, locale: Language = "en", **known: object) -> str:
    """The sentence with those places filled; or the longest stretch of it between places that are not known."""
    stretches = [""]
    places = set()
    for words, name, spec, _ in Formatter().parse(load_catalogue(locale)[key]):
        stretches[-1] += words
        if name in known:
            stretches[-1] += format(known[name], spec or "")
            places.add(name)
        elif name is not None:
            stretches.append("")
    assert places == known.keys(), f"{key} has no place for {known.keys() - places}"
    longest = max(stretches, key=len)
    assert len(longest) >= SHORTEST, key
    return longest.strip("\n")


def label(button: str, locale: Language = "en") -> str:
    """What stands on that button."""
    return text(locale, f"button.{button}")


def confirmed(move: str, number: int) -> str:
    """What confirms to a player that their move in the game of that number is played."""
    return text("en", "move.done", move=move, id=number, where="").strip()
