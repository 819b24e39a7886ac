"""Sentences in the reader's language, from catalogues of keys. Nothing below the cogs needs this module.

Every file `locales/<language>/*.toml` is one part of that language's catalogue; a key is the dotted path to it. A test
fails where a language lacks a key, or where its placeholders differ from the English ones.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

Language = Literal["en", "no"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT: Language = "en"


def language(locale: str | None) -> Language:
    """The language to answer in for one of Discord's locale codes; English unless we have it."""
    for known in LANGUAGES:
        if locale == known:
            return known
    return DEFAULT


@cache
def catalogue(locale: Language) -> Mapping[str, str]:
    """All texts of a language by dotted key."""
    texts: dict[str, str] = {}
    for part in sorted(files("bot.texts").joinpath("locales", locale).iterdir(), key=lambda part: part.name):
        if part.name.endswith(".toml"):
            texts.update(_flatten(tomllib.loads(part.read_text("utf-8"))))
    return texts


def _flatten(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, str(value).strip("\n")


def text(locale: Language, key: str, /, **values: object) -> str:
    """The sentence for a key with its placeholders filled. Raises KeyError for a key or a value that is missing."""
    return catalogue(locale)[key].format_map(values) if values else catalogue(locale)[key]


def plural(locale: Language, key: str, count: int, /, **values: object) -> str:
    """The sentence for `key.one` or `key.other`, whichever suits the count; `{count}` is filled with it."""
    return text(locale, f"{key}.{'one' if count == 1 else 'other'}", count=count, **values)


def join(locale: Language, parts: Iterable[str], key: str = "list.and") -> str:
    """A list in words: "A, B and C"."""
    *head, last = parts
    return f"{', '.join(head)} {text(locale, key)} {last}" if head else last


@cache
def page(locale: Language, name: str) -> str:
    """A whole text file of that language, such as `rules/camelot.md`."""
    return files("bot.texts").joinpath("locales", locale, *name.split("/")).read_text("utf-8")
