"""Sentences in the reader's language, from catalogues of keys. Nothing before the rooms that talk needs this module.

Every folder of `locales` is a language, named by Discord's code for it, and every file `*.toml` in it a part of its
catalogue; a key is the dotted path to a sentence. A command is written in it as `/game resign`, in backquotes:
readers can press it as soon as Discord has said which number it has. Where a number decides, a sentence has a form
for each of the language's plurals by Unicode's name for it: `.one`, `.few`, `.many`, `.other`. So a language is added
by copying a folder and translating it. A test fails where one lacks a key or a form, or where its placeholders
differ.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from babel import Locale
from babel.lists import format_list
from babel.numbers import format_decimal

Language = str
"""The name of a folder of `locales`."""
DEFAULT_LANGUAGE: Language = "en"

LOCALES_FOLDER: Traversable = files("bot.texts").joinpath("locales")

_REGIONS = {"en": "en-GB"}
"""The country whose customs a language follows here. British English lists "A, B and C"."""


def list_languages() -> tuple[Language, ...]:
    """Every language that there is a folder of, the default first."""
    names = (folder.name for folder in LOCALES_FOLDER.iterdir() if folder.is_dir())
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_LANGUAGE, name)))


LANGUAGES = list_languages()


def language_for(locale: str | None) -> Language:
    """The language to answer in for one of Discord's locale codes; English unless we have it."""
    return locale if locale in LANGUAGES else DEFAULT_LANGUAGE


def language_name(locale: Language) -> str:
    """What a language calls itself: "norsk"."""
    return Locale.parse(locale, sep="-").display_name or locale


@cache
def load_catalogue(locale: Language) -> Mapping[str, str]:
    """All texts of a language by dotted key. Raises ValueError where two stand under the same key."""
    texts: dict[str, str] = {}
    for part in sorted(LOCALES_FOLDER.joinpath(locale).iterdir(), key=lambda part: part.name):
        if not part.name.endswith(".toml"):
            continue
        for key, sentence in _flatten_table(tomllib.loads(part.read_text("utf-8"))):
            if key in texts:
                raise ValueError(f"{locale}/{part.name}: there is another text with the key {key}")
            texts[key] = sentence
    return texts


def _flatten_table(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten_table(value, f"{prefix}{key}.")
        else:
            yield prefix + key, str(value).strip("\n")


def text(locale: Language, key: str, /, **values: object) -> str:
    """The sentence for a key with its placeholders filled. Raises KeyError for a key or a value that is missing."""
    sentence = link_commands(load_catalogue(locale)[key])
    return sentence.format_map(values) if values else sentence


_commands: dict[str, int] = {}


def know_commands(numbers: Mapping[str, int]) -> None:
    """From now on, sentences link the commands of these names, such as "game resign", by Discord's numbers for them."""
    _commands.clear()
    _commands.update(numbers)
    link_commands.cache_clear()


@lru_cache(maxsize=4096)
def link_commands(words: str) -> str:
    """Words for a message, in which commands whose number is known are links; what follows them is no part of that."""
    return _COMMAND_IN_BACKQUOTES.sub(_command_link, words) if _commands and "`/" in words else words


_COMMAND_IN_BACKQUOTES = re.compile(r"`/([^`\n]+)`")


def _command_link(match: re.Match[str]) -> str:
    typed = match[1].split(" ")
    for count in range(len(typed), 0, -1):
        name, rest = " ".join(typed[:count]), " ".join(typed[count:])
        if name in _commands:
            return f"</{name}:{_commands[name]}>" + (f" `{rest}`" if rest else "")
    return match[0]


def plural_text(locale: Language, key: str, count: int, /, **values: object) -> str:
    """The sentence for `key` in the form that suits the count; `{count}` is filled with it."""
    form = f"{key}.{_babel_locale(locale).plural_form(count)}"
    return text(
        locale, form if form in load_catalogue(locale) else f"{key}.other", count=format_number(locale, count), **values
    )


@lru_cache(maxsize=4096)
def format_number(locale: Language, value: int) -> str:
    """A whole number as that language writes it: "12,345"."""
    return format_decimal(value, locale=_babel_locale(locale))


def join_list(locale: Language, parts: Iterable[str], word: Literal["and", "or"] = "and") -> str:
    """A list in words: "A, B and C"."""
    return format_list(list(parts), "or" if word == "or" else "standard", _babel_locale(locale))


@cache
def _babel_locale(locale: Language) -> Locale:
    return Locale.parse(_REGIONS.get(locale, locale), sep="-")


@cache
def read_page(locale: Language, name: str) -> str:
    """A whole text file of that language, such as `rules/camelot.md`."""
    return LOCALES_FOLDER.joinpath(locale, *name.split("/")).read_text("utf-8")
