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
from rules.record import Record, RecordError, format_record, header_of, read_lines

_GAME_HEADERS = frozenset({"variant", "position"})
"""The headers that say what is played; every record has one of them."""
MAX_COLLECTION_LINES = 1_000_000
MOST_RECORDS = 100_000
"""Lines and records that one text may have, so that it is read within seconds."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MOVE_NUMBER = re.compile(r"\d+\.")


def format_line(game: Game, headers: Mapping[str, str] | None = None) -> str:
    """The game as a line of JSON that `parse_records` reads; with the headers that `format_record` writes."""
    told: dict[str, object] = {}
    words: list[str] = []
    for line in format_record(game, headers).splitlines():
        if line.startswith("#"):
            key, _, value = line[1:].partition(":")
            told[key.strip()] = value.strip()
        else:
            words += [word for word in line.split() if not _MOVE_NUMBER.fullmatch(word)]
    return json.dumps({**told, "moves": words}, ensure_ascii=False) + "\n"


def parse_records(text: str) -> tuple[Record, ...]:
    """All records of the text, their moves not judged. Raises RecordError with the first line that cannot be read.

    A record begins with its header `variant` or `position`; what stands in front of that belongs to it, too.
    """
    return tuple(record for record, _ in iter_records(text))


def iter_records(text: str) -> Iterator[tuple[Record, str]]:
    """As `parse_records`, one by one, each with its text, as `parse_record` reads it."""
    for number, one in enumerate(_records(text), 1):
        if number > MOST_RECORDS:
            raise _too_long(f"more than {MOST_RECORDS} records")
        yield one


def _records(text: str) -> Iterator[tuple[Record, str]]:
    lines = text.splitlines()
    if len(lines) > MAX_COLLECTION_LINES:
        raise _too_long(f"{len(lines)} lines")
    if text.lstrip().startswith("{"):
        for number, line in enumerate(lines, 1):
            if line.strip():
                record = _text_of_json_line(line, number)
                yield read_lines(record.splitlines(), number, 0), record  # all of it stands in that line
        return
    for first, last in pairwise([0, *_iter_first_lines(lines), len(lines)]):
        record = "\n".join(lines[first:last]).strip() + "\n"
        if "\0" in record:
            raise _unreadable(record, first + 1)
        yield read_lines(lines[first:last], first + 1), record


def _iter_first_lines(lines: list[str]) -> Iterator[int]:
    """The line with which each record but the first begins.

    That is the first of a block of headers which says what is played, though the record above has had moves or has
    said it already. Two records without moves may even share a block: then the second begins with that very header.
    """
    block = 0
    moves = within = False
    named: dict[str, int] = {}
    for number, line in enumerate(lines):
        word = line.strip()
        if not word.startswith("#"):  # moves, or nothing: either ends the block, as a remark and a variation do
            moves = moves or bool(word)
            within = False
            continue
        header = header_of(word) if ":" in word else None
        if header and not within:
            block = number
        within = header is not None
        if header is None or (key := header[1].lower()) not in _GAME_HEADERS:
            continue
        if moves or key in named:
            yield number if block <= max(named.values(), default=-1) else block
            moves, named = False, {}
        named[key] = number


def _text_of_json_line(line: str, number: int) -> str:
    """The record of a line of JSON as text."""
    try:
        told = json.loads(line)
        moves = " ".join(map(str, told.pop("moves", ())))
        headers = [f"# {_one_line(key)}: {_one_line(value)}" for key, value in told.items()]
    except (ValueError, AttributeError, TypeError, RecursionError):  # of nested brackets
        raise _unreadable(line, number) from None
    record = "\n".join([*headers, f"1. {moves}".rstrip()]) + "\n"
    if "\0" in record or _SURROGATE.search(record):  # half of a pair, which is no text
        raise _unreadable(line, number)
    return record


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _too_long(what: str) -> RecordError:
    return RecordError(NotationError(Reason.TOO_LONG, text=what), 1)


def _unreadable(line: str, number: int) -> RecordError:
    return RecordError(NotationError(Reason.UNREADABLE, text=line[:60]), number)
