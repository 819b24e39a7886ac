"""The rules of application commands, checked when the bot registers them, and of suggestions.

What discord.py itself sorts out is left to it: the order of options, their kinds side by side, languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import invalid
from .forms import Json, check_count, check_length, check_member, check_range, check_required, check_unique, joined

_CHAT, _USER = 1, 2
_SUBCOMMAND = 1
_MOST = {_CHAT: 100, _USER: 15}
_NAME = re.compile(r"^[-_'\w\u0900-\u097f\u0e00-\u0e7f]{1,32}$")
_VALUES = range(3, 7)
"""The types of options that the bot uses: texts, whole numbers, yes or no, people."""


def check_commands(commands: Any) -> None:
    """Refuses a list of commands with a bad one, two of the same name, or too many."""
    check_count("", commands, 130)
    for number, command in enumerate(commands):
        check_command(command, str(number))
    for kind, most in _MOST.items():
        names = [command["name"] for command in commands if command.get("type", _CHAT) == kind]
        check_unique("", names, "APPLICATION_COMMANDS_DUPLICATE_NAME")
        check_count("", names, most)


def check_command(command: Json, path: str = "") -> None:
    """Refuses a command that Discord would not register. Refusal: 50035."""
    kind = command.get("type", _CHAT)
    check_member(joined(path, "type"), kind, (_CHAT, _USER))
    check_required(path, command, "name")
    if kind == _CHAT:
        check_required(path, command, "description")
        _check_words(path, command)
        _check_options(joined(path, "options"), command.get("options") or [], (_SUBCOMMAND, *_VALUES))
        total = sum(_longest(part) for part in _parts(command))
        if total > 8000:
            raise invalid(path, "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
    else:
        check_length(joined(path, "name"), command["name"], 32, 1)


def check_choices(choices: Any, path: str = "data.choices") -> None:
    """Refuses more than 25 suggestions, and names or texts that are empty or beyond 100 characters."""
    check_count(path, choices, 25)
    for number, choice in enumerate(choices):
        where = joined(path, number)
        check_required(where, choice, "name")
        check_length(joined(where, "name"), choice["name"], 100, 1)
        for locale, name in (choice.get("name_localizations") or {}).items():
            check_length(joined(where, "name_localizations", locale), name, 100, 1)
        value = choice.get("value")
        if isinstance(value, str):
            check_length(joined(where, "value"), value, 100)
        elif not isinstance(value, int | float) or isinstance(value, bool):
            raise invalid(joined(where, "value"), "BASE_TYPE_REQUIRED", "This field is required")


def _check_words(path: str, part: Json) -> None:
    """Refuses a bad name or description of a command or option, in any language."""
    check_required(path, part, "name", "description")
    names = {"name": part["name"], **_localised(part, "name")}
    for where, name in names.items():
        lowered = isinstance(name, str) and name == name.lower()
        if not lowered or not _NAME.match(unicodedata.normalize("NFC", name)):
            raise invalid(joined(path, where), "APPLICATION_COMMAND_INVALID_NAME", f"Command name {name!r} is invalid")
    texts = {"description": part["description"], **_localised(part, "description")}
    for where, text in texts.items():
        check_length(joined(path, where), text, 100, 1)


def _localised(part: Json, field: str) -> dict[str, str]:
    found = part.get(f"{field}_localizations") or {}
    return {f"{field}_localizations.{locale}": text for locale, text in found.items()}


def _check_options(path: str, options: Sequence[Json], kinds: Sequence[int]) -> None:
    """Refuses a list of options with a bad one, or one that is not among the `kinds` allowed here."""
    check_count(path, options, 25)
    for number, option in enumerate(options):
        where = joined(path, number)
        _check_words(where, option)
        check_member(joined(where, "type"), option.get("type"), kinds)
        _check_option(where, option)
    _check_option_names(path, options)


def _check_option(path: str, option: Json) -> None:
    if option["type"] == _SUBCOMMAND:
        _check_options(joined(path, "options"), option.get("options") or [], _VALUES)
        return
    choices = option.get("choices") or []
    check_choices(choices, joined(path, "choices"))
    check_unique(
        joined(path, "choices"),
        [c["name"] for c in choices],
        "APPLICATION_COMMAND_OPTIONS_CHOICE_NAMES_DUPLICATE",
    )
    check_range(joined(path, "min_length"), option.get("min_length"), 6000)
    check_range(joined(path, "max_length"), option.get("max_length"), 6000, 1)


def _check_option_names(path: str, options: Sequence[Json]) -> None:
    """Refuses names that are not unique: within a language a translated name must differ from all other names."""
    names = [option["name"] for option in options]
    check_unique(path, names, "APPLICATION_COMMAND_OPTIONS_NAME_INVALID")
    locales = {locale for option in options for locale in option.get("name_localizations") or {}}
    for locale in locales:
        for option in options:
            shown = (option.get("name_localizations") or {}).get(locale)
            others = [other for other in options if other is not option]
            taken = {other["name"] for other in others}
            taken |= {(other.get("name_localizations") or {}).get(locale) for other in others}
            if shown is not None and shown in taken:
                raise invalid(path, "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", f"{shown!r} ({locale}) is taken")


def _parts(command: Json) -> Iterator[Json]:
    yield command
    for child in (*(command.get("options") or ()), *(command.get("choices") or ())):
        yield from _parts(child)


def _longest(part: Json) -> int:
    """Returns the characters in a part's name, description and value; the longest translation counts."""
    total = len(str(part["value"])) if isinstance(part.get("value"), str) else 0
    for field in ("name", "description"):
        versions = [part.get(field) or "", *(part.get(f"{field}_localizations") or {}).values()]
        total += max(map(len, versions))
    return total
