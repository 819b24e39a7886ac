"""Sentences in the reader's language, from catalogues of keys.

Every folder in `locales` is a language, named by Discord's code for it. Its `*.toml` files are the parts of its
catalogue; a key is the dotted path to a sentence. A catalogue writes a command as `/game resign`, in backquotes: it
becomes a link once Discord has given the command's number. A sentence with a count has a form for each of the
language's plurals, by Unicode's name: `.one`, `.few`, `.many`, `.other`. So a language is added by copying a folder
and translating it. A test fails if one lacks a key or a form, or if its placeholders differ.
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
"""The country whose conventions a language follows here. British English lists "A, B and C"."""


def list_languages(locales: Traversable = LOCALES_FOLDER) -> tuple[Language, ...]:
    """Every language with a folder, the default first."""
    names = (folder.name for folder in locales.iterdir() if folder.is_dir())
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_LANGUAGE, name)))


LANGUAGES = list_languages()


def language_for(locale: str | None) -> Language:
    """The language to answer in for one of Discord's locale codes; English if we do not have it."""
    return locale if locale in LANGUAGES else DEFAULT_LANGUAGE


def language_name(locale: Language) -> str:
    """A language's own name: "norsk"."""
    return Locale.parse(locale, sep="-").display_name or locale


@cache
def load_catalogue(locale: Language, locales: Traversable = LOCALES_FOLDER) -> Mapping[str, str]:
    """A language's texts by dotted key. Raises ValueError, which names the file, if one is wrong or repeats a key."""
    texts: dict[str, str] = {}
    for part in sorted(locales.joinpath(locale).iterdir(), key=lambda part: part.name):
        if not part.name.endswith(".toml"):
            continue
        try:
            table = tomllib.loads(part.read_text("utf-8"))
        except ValueError as error:  # no TOML, or no UTF-8
            raise ValueError(f"{locale}/{part.name}: {error}") from error
        for key, sentence in _flatten_table(table):
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
    """The sentence for a key with its placeholders filled. Raises KeyError for a missing key or value."""
    sentence = link_commands(load_catalogue(locale)[key])
    return sentence.format_map(values) if values else sentence


_commands: dict[str, int] = {}


def know_commands(numbers: Mapping[str, int]) -> None:
    """Sets Discord's numbers of the commands by name, such as "game resign"; sentences then link those commands."""
    _commands.clear()
    _commands.update(numbers)
    link_commands.cache_clear()


@lru_cache(maxsize=4096)
def link_commands(words: str) -> str:
    """Turns commands with a known number into links; words after the command stay outside of the link."""
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
    """The sentence for `key` in the form for that count; `{count}` is filled in."""
    form = f"{key}.{_babel_locale(locale).plural_form(count)}"
    form = form if form in load_catalogue(locale) else f"{key}.other"
    return text(locale, form, count=format_number(locale, count), **values)


@lru_cache(maxsize=4096)
def format_number(locale: Language, value: int) -> str:
    """A whole number in that language's form: "12,345"."""
    return format_decimal(value, locale=_babel_locale(locale))


def join_list(locale: Language, parts: Iterable[str], word: Literal["and", "or"] = "and") -> str:
    """A list in words: "A, B and C"."""
    return format_list(list(parts), "or" if word == "or" else "standard", _babel_locale(locale))


@cache
def _babel_locale(locale: Language) -> Locale:
    return Locale.parse(_REGIONS.get(locale, locale), sep="-")


for _language in LANGUAGES:  # reads Babel's files about it now: later they would hold up an answer by 30 ms
    format_number(_language, 0)


@cache
def read_page(locale: Language, name: str) -> str:
    """A whole text file of that language, such as `rules/camelot.md`."""
    return LOCALES_FOLDER.joinpath(locale, *name.split("/")).read_text("utf-8")
