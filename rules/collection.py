"""Files with several records: one after another as text, or a line of JSON each. Pure.

A line of JSON has the headers by name and, under "moves", what stands after the numbers of a record:

    {"variant": "tri-camelot", "players": "Blue Ada, Red Ben, Green Cay", "moves": ["F7-F9", "out:Red", "I12-I10"]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from rules.errors import NotationError, Reason
from rules.game import Game
from rules.record import VARIATION, Record, RecordError, format_record, parse_record

_NAMES = frozenset({"variant", "position"})
"""The headers that say what is played; every record has one of them."""
_HEADER = re.compile(r"#\s*([A-Za-z-]+)\s*:")
_NUMBER = re.compile(r"\d+\.")


def format_line(game: Game, headers: Mapping[str, str] | None = None) -> str:
    """The game as a line of JSON that `parse_records` reads; with the headers that `format_record` writes."""
    told: dict[str, object] = {}
    words: list[str] = []
    for line in format_record(game, headers).splitlines():
        if line.startswith("#"):
            key, _, value = line[1:].partition(":")
            told[key.strip()] = value.strip()
        else:
            words += [word for word in line.split() if not _NUMBER.fullmatch(word)]
    return json.dumps({**told, "moves": words}, ensure_ascii=False) + "\n"


def parse_records(text: str) -> tuple[Record, ...]:
    """All records of the text, their moves not judged. Raises RecordError with the first line that cannot be read.

    A record begins with its header `variant` or `position`; what stands in front of that belongs to it, too.
    """
    if text.lstrip().startswith("{"):
        return tuple(_parse_line(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip())
    return tuple(_at_line(part, first + 1) for first, part in _parts(text))


def split_records(text: str) -> tuple[str, ...]:
    """Each record of the text by itself, as `parse_record` reads it. Raises RecordError, as above, for bad JSON."""
    if text.lstrip().startswith("{"):
        return tuple(_unfolded(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip())
    return tuple(part.strip() + "\n" for _, part in _parts(text))


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """The index of the line with which each record begins, and the record.

    In front of that are as many empty lines as stand there in the text, so that mistakes name their line.
    """
    lines = text.splitlines()
    begun = [0, *_beginnings(lines)]
    for first, last in pairwise([*begun, len(lines)]):
        yield first, "\n" * first + "\n".join(lines[first:last])


def _beginnings(lines: list[str]) -> Iterator[int]:
    """The line with which each record but the first begins.

    That is the first of a block of headers which says what is played, though the record above has had moves or has
    said it already. Two records without moves may even share a block: then the second begins with that very header.
    """
    block = 0
    moves = within = False
    named: dict[str, int] = {}
    for number, line in enumerate(lines):
        word = line.strip()
        moves = moves or bool(word.partition("#")[0])
        header = None if VARIATION.match(word) else _HEADER.match(word)
        if header and not within:
            block = number
        within = header is not None  # an empty line, a remark or a variation ends the block, as moves do
        if header is None or (key := header[1].lower()) not in _NAMES:
            continue
        if moves or key in named:
            yield number if block <= max(named.values(), default=-1) else block
            moves, named = False, {}
        named[key] = number


def _parse_line(line: str, number: int) -> Record:
    try:
        return parse_record(_unfolded(line, number))
    except RecordError as error:
        raise RecordError(error.mistake, number, error.entry, error.variation) from None


def _at_line(text: str, first: int) -> Record:
    """The record that begins at that line, from 1; a mistake in its headers is put down to that one."""
    try:
        return parse_record(text)
    except RecordError as error:
        raise RecordError(error.mistake, max(error.line, first), error.entry, error.variation) from None


def _unfolded(line: str, number: int) -> str:
    """The record of a line of JSON as text."""
    try:
        told = json.loads(line)
        moves = " ".join(map(str, told.pop("moves", ())))
        headers = [f"# {key}: {' '.join(str(value).split())}" for key, value in told.items()]
    except (ValueError, AttributeError, TypeError, RecursionError):  # of nested brackets
        raise RecordError(NotationError(Reason.UNREADABLE, text=line[:60]), number) from None
    return "\n".join([*headers, f"1. {moves}".rstrip()]) + "\n"
