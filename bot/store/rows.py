"""Objects and rows: a class is stored in columns with the names of its fields.

An enum is stored as its value, a truth value as 0 or 1; numbers as text ("11,22"), also those of objects ("1:2 3:4"). A
field whose type is a class with fields of its own stands for the columns of that class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from bot.core.events import format_numbers, parse_numbers

Stored = TypeVar("Stored")
MakeStored = Callable[..., Stored]
"""A class with named fields: a dataclass or a NamedTuple."""


class _Field(NamedTuple):
    name: str
    is_column: bool
    """False if the field stands for the columns of its class."""
    make: Callable[..., object]
    """Makes the value of what is stored."""


@cache
def columns_of(kind: Callable[..., object]) -> str:
    """Returns the columns of a class, as a query lists them."""
    return ", ".join(field.name if field.is_column else columns_of(field.make) for field in _fields_of(kind))


def values_of(item: object) -> dict[str, object]:
    """Returns the values of an object by column."""
    kind: object = type(item)
    values = dict[str, object]()
    for field in _fields_of(kind):
        value = getattr(item, field.name)
        values |= {field.name: value_to_store(value)} if field.is_column else values_of(value)
    return values


def values_to_store(values: Mapping[str, object]) -> dict[str, object]:
    """Returns values, given by column, as their columns have them."""
    return {column: value_to_store(value) for column, value in values.items()}


def value_to_store(value: object) -> object:
    """Returns a value as its column has it."""
    if isinstance(value, Enum):
        return value.value
    if not isinstance(value, tuple):
        return value
    if value and _has_fields(value[0]):
        return " ".join(":".join(map(str, values_of(item).values())) for item in value)
    return format_numbers(value)


def read_as(kind: MakeStored[Stored], row: Iterable[object]) -> Stored:
    """Returns the object with the values of a row, which are in the order of `columns_of`."""
    values = iter(row)
    return kind(
        **{
            field.name: _read_value(field, next(values)) if field.is_column else read_as(field.make, values)
            for field in _fields_of(kind)
        }
    )


def _read_value(field: _Field, value: Any) -> Any:
    return None if value is None else field.make(value)


@cache
def _fields_of(kind: Any) -> tuple[_Field, ...]:
    return tuple(_field_of(name, hint) for name, hint in get_type_hints(kind).items())


def _field_of(name: str, hint: Any) -> _Field:
    kind = get_args(hint)[0] if type(None) in get_args(hint) else hint
    if get_origin(kind) is not tuple:
        return _Field(name, not _has_fields(kind), kind)
    item = get_args(kind)[0]
    return _Field(name, True, partial(_read_several, item) if _has_fields(item) else parse_numbers)


def _read_several(kind: MakeStored[Stored], text: str) -> tuple[Stored, ...]:
    return tuple(read_as(kind, values.split(":")) for values in text.split())


def _has_fields(kind: object) -> bool:
    return hasattr(kind, "_fields") or hasattr(kind, "__dataclass_fields__")
