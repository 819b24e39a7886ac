"""The checks that every form shares: lengths, counts, required fields. All refuse with 50035."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import invalid

Json = dict[str, Any]


def check_length(path: str, text: object, longest: int, shortest: int = 0) -> None:
    """Refuses `text` unless it is absent (None) or a string of `shortest` to `longest` characters."""
    if text is None:
        return
    if not isinstance(text, str):
        raise invalid(path, "STRING_TYPE_CONVERT", "Could not interpret as string.")
    _check_size(path, len(text), longest, shortest, "in length")


def check_count(path: str, things: object, most: int, fewest: int = 0) -> None:
    """Refuses `things` unless it is a list of `fewest` to `most` elements."""
    if not isinstance(things, list | tuple):
        raise invalid(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    _check_size(path, len(things), most, fewest, "in length")


def check_range(path: str, number: object, most: int, fewest: int = 0) -> None:
    """Refuses `number` unless it is absent (None) or within `fewest` to `most`."""
    if number is None:
        return
    if isinstance(number, bool) or not isinstance(number, int):
        raise invalid(path, "NUMBER_TYPE_COERCE", f'Value "{number}" is not int.')
    if number > most:
        raise invalid(path, "NUMBER_TYPE_MAX", f"int value should be less than or equal to {most}.")
    if number < fewest:
        raise invalid(path, "NUMBER_TYPE_MIN", f"int value should be greater than or equal to {fewest}.")


def check_required(path: str, body: Json, *names: str) -> None:
    """Refuses a body that lacks one of `names`."""
    for name in names:
        if body.get(name) in (None, ""):
            raise invalid(joined(path, name), "BASE_TYPE_REQUIRED", "This field is required")


def check_unique(path: str, values: Iterable[str], reason: str) -> None:
    """Refuses a value that appears twice."""
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise invalid(path, reason, f'"{value}" is used more than once')
        seen.add(value)


def check_member(path: str, value: object, allowed: Sequence[object]) -> None:
    """Refuses a value that is not in `allowed`."""
    if value not in allowed:
        raise invalid(path, "BASE_TYPE_CHOICES", f"Value must be one of {{{', '.join(map(repr, allowed))}}}.")


def joined(path: str, *parts: str | int) -> str:
    """Returns the dotted path of a field below `path`."""
    return ".".join([*([path] if path else []), *map(str, parts)])


def _check_size(path: str, size: int, most: int, fewest: int, unit: str) -> None:
    if size > most:
        raise invalid(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer {unit}.")
    if size < fewest:
        if fewest == 1:
            raise invalid(path, "BASE_TYPE_REQUIRED", "This field is required")
        raise invalid(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {fewest} and {most} {unit}.")
