"""Reads and writes files with several records: as text one after another, or as one line of JSON each. Pure.

A line of JSON holds the headers by name and, under "moves", the words of the record without the move numbers:

    {"variant": "tri-camelot", "players": "Blue Ada, Red Ben, Green Cay", "moves": ["F7-F9", "out:Red", "I12-I10"]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from itertools import chain, dropwhile
from typing import TextIO

from rules.errors import NotationError, Reason
from rules.game import Game
from rules.plain_text import clean_text
from rules.position_text import format_position
from rules.record import (
    MAX_LINE_LENGTH,
    MAX_RECORD_LINES,
    Record,
    RecordError,
    format_moves,
    format_record,
    header_of,
    read_lines,
)

_GAME_HEADERS = frozenset({"variant", "position"})
"""The headers that name the game; every record has one of them."""
MAX_COLLECTION_LINES = 1_000_000
MAX_RECORDS = 100_000
"""The most records in one file. Together with MAX_COLLECTION_LINES it bounds the reading time to seconds."""
MAX_RECORD_LENGTH = 16_000_000
"""The most characters of one record, which is held in memory: some times those of any game with all its comments."""
_MOVE_NUMBER = re.compile(r"\d+\.")
_LAST_HEADERS = ("position", "result", "ending")
"""The headers that `format_record` writes after all others."""
_NOT_REWRITTEN = re.compile(r"#|(?:^|\s)(?:1-0|0-1|1/2-1/2|½-½|\*)(?=\s|$)")
"""Matches a remark or a result among the moves, which `format_record` does not write."""


def format_line(game: Game, headers: Mapping[str, str] | None = None) -> str:
    """The game as a line of JSON, with the headers of `format_record`. `parse_records` reads it back."""
    fields: dict[str, object] = {}
    words: list[str] = []
    for line in format_record(game, headers).splitlines():
        if line.startswith("#"):
            key, _, value = line[1:].partition(":")
            fields[key.strip()] = value.strip()
        else:
            words += [word for word in line.split() if not _MOVE_NUMBER.fullmatch(word)]
    return json.dumps({**fields, "moves": words}, ensure_ascii=False) + "\n"


def parse_records(text: str) -> tuple[Record, ...]:
    """All records of the text; their moves are not judged. Raises RecordError at the first unreadable line.

    A record begins with its header `variant` or `position`. Other headers directly before that header belong to it.
    """
    return tuple(record for record, _ in iter_records(StringIO(text)))


def iter_records(file: TextIO) -> Iterator[tuple[Record, str]]:
    """Yields each record of `parse_records` with its text, which `parse_record` reads. Reads line by line."""
    for number, pair in enumerate(_records(file), 1):
        if number > MAX_RECORDS:
            raise _too_long(f"more than {MAX_RECORDS} records")
        yield pair


def canonical_text(record: Record, game: Game, written: str) -> str:
    """The record in the form of `format_record`, whichever form it was written in; `game` is what it replays to.

    A record with variations, with remarks, or with a result among its moves remains as it was written.
    """
    for line in map(str.strip, written.splitlines()):
        if not header_of(line) and _NOT_REWRITTEN.search(line):
            return written
    values = {key: _one_line(value) for key, value in record.headers.items()}
    values.pop("variant", None)
    if values.pop("position", None) and game.origin != game.variant.start_position:
        values["position"] = format_position(game.origin)
    last = {key: values.pop(key) for key in _LAST_HEADERS if key in values}
    headers = {"variant": game.variant.key, **values, **last}
    lines = [f"# {key}: {value}".rstrip() for key, value in headers.items()]
    return "\n".join([*lines, format_moves(game, record.comments)]).rstrip() + "\n"


def _records(file: TextIO) -> Iterator[tuple[Record, str]]:
    rest = dropwhile(lambda numbered: not numbered[1].strip(), enumerate(_iter_lines(file), 1))
    number, line = next(rest, (1, ""))
    lines = chain([(number, line)], rest)
    if line.lstrip().startswith("{"):
        for number, line in lines:
            if line.strip():
                record = _text_of_json_line(line, number)
                yield read_lines(record.splitlines(), number, 0), record  # every line of the record has this number
        return
    for number, part in _iter_parts(lines):
        yield read_lines(part, number), "\n".join(part).strip() + "\n"


def _iter_lines(file: TextIO) -> Iterator[str]:
    """Yields the lines of a file, cleaned."""
    number = 0
    while line := file.readline(MAX_LINE_LENGTH + 1):
        if len(line) > MAX_LINE_LENGTH:
            raise _too_long(f"over {MAX_LINE_LENGTH} characters", number + 1)
        for part in clean_text(line).removesuffix("\n").split("\n"):
            number += 1
            if number > MAX_COLLECTION_LINES:
                raise _too_long(f"over {MAX_COLLECTION_LINES} lines")
            yield part


def _iter_parts(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, list[str]]]:
    """Yields the lines of each record, and the number of the first.

    A new record begins with a block of headers that names a game when the record above has moves or has named its
    game. Two records without moves may share one block: then the second begins at the header that names its game.
    """
    part, first, length = list[str](), 1, 0
    block = 0
    moves = within = False
    named: dict[str, int] = {}
    for number, line in lines:
        first = first if part else number
        word = line.strip()
        header = header_of(word) if word.startswith("#") and ":" in word else None
        if not word.startswith("#"):  # moves and empty lines end a block of headers, as remarks and variations do
            moves = moves or bool(word)
        elif header and not within:
            block = len(part)
        within = header is not None
        if header and (key := header[1].lower()) in _GAME_HEADERS:
            if moves or key in named:
                end = len(part) if block <= max(named.values(), default=-1) else block
                yield first, part[:end]
                part, first, block = part[end:], first + end, block - end
                moves, named, length = False, {}, sum(map(len, part))
            named[key] = len(part)
        part.append(line)
        length += len(line)
        if len(part) > MAX_RECORD_LINES or length > MAX_RECORD_LENGTH:
            raise _too_long(f"a record of over {MAX_RECORD_LINES} lines or {MAX_RECORD_LENGTH} characters", first)
    yield first, part


def _text_of_json_line(line: str, number: int) -> str:
    """The text of the record in a line of JSON."""
    try:
        fields = json.loads(line)
        moves = " ".join(map(str, fields.pop("moves", ())))
        headers = [f"# {_one_line(key)}: {_one_line(value)}" for key, value in fields.items()]
    except (ValueError, AttributeError, TypeError, RecursionError):  # RecursionError: deeply nested brackets
        raise RecordError(NotationError(Reason.UNREADABLE, text=line[:60]), number) from None
    return clean_text("\n".join([*headers, f"1. {moves}".rstrip()]) + "\n")  # JSON names any character


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _too_long(what: str, line: int = 1) -> RecordError:
    return RecordError(NotationError(Reason.TOO_LONG, text=what), line)
