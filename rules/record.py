r"""Parses and formats records: games as text, with variations.

    # variant: tri-camelot
    # players: Blue Ada, Red Ben, Green Cay
    1. F7-F9 C12-C10 I12-I10
    2. G4-G8 out:Red ... J11-J9

Lines `# key: value` are headers; any other text after `#` is a comment. `...` marks a turn that was not taken: it
passed, or the side has left or has no pieces. `out:Red` marks where Red's player left, `steward:Red` the same if a
steward plays the seat from then on. A header `variation …: 6... I10xK8, 7.G8-E8xC10` holds moves that branch off the
game at their first number.

Words in braces are a comment on the position where they stand: `1. F7-F9 {Ada: to the edge} C12-C10`. A comment ends in
its line; in it `\n` is a line break, and `\{`, `\}` and `\\` are these signs. Programs older than comments refuse
such a record; `format_record` writes comments only if it is given some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from rules.basics import Cause
from rules.errors import NotationError, Reason, RulesError
from rules.game import Game
from rules.notation import format_move
from rules.plain_text import clean_text
from rules.position import Position, Seat, Variant
from rules.position_text import format_position, parse_position
from rules.variants import VARIANTS

_VARIATION = re.compile(r"#\s*(variation(?:\s[^:]*)?):\s*(.*)", re.IGNORECASE)
_HEADER_LINE = re.compile(r"#\s*([A-Za-z-]+)\s*:\s*(.*)")
_MOVE_TOKEN = re.compile(
    r"\{(?P<comment>(?:[^{}\\]|\\.)*)\}"
    r"|(?P<number>\d{1,6})(?P<dots>\.+|…)"
    r"|(?P<skip>\.{2,}|…)"
    r"|(?P<result>1-0|0-1|1/2-1/2|½-½|\*)(?=[\s,;]|$)"
    r"|(?P<left>out|steward):(?P<colour>\w+)"
    r"|(?P<move>[^\s,;]+)"
)

_MOVES_AND_REMARK = re.compile(r"((?:[^#{\\]|\\[\\{}]?|\{(?:[^{}\\]|\\.)*\}|\{)*)(#?)(.*)", re.DOTALL)
"""The moves and comments of a line, then `#` and what follows it; a `#` within a comment does not count.

An escaped brace begins no comment. If it did, a long line of them would be searched to its end from each.
"""
_ESCAPED = str.maketrans({"\\": "\\\\", "{": "\\{", "}": "\\}", "\n": "\\n"})
_UNESCAPED = {escaped[1]: chr(letter) for letter, escaped in _ESCAPED.items()}

MAX_COMMENT_LENGTH = 4000
"""The most characters of one comment, as it is written."""
MAX_LINE_LENGTH = 256_000
"""The most characters of a line. The longest line of ours is a round with everybody's comments on it."""
MAX_RECORD_LINES = 20_000
"""The most lines of a record, including empty lines and comments."""
MAX_RECORD_WORDS = 50_000
"""The most moves, numbers and other words of a record or a variation; no real game has a tenth of that."""


class RecordEntry(NamedTuple):
    """One entry of a record: a move, or a player who left if `move` is None."""

    number: int
    seat: Seat
    move: str | None
    line: int
    """The line of the file, from 1."""
    steward: bool = False
    """Whether a steward plays the seat from then on."""


class RecordComment(NamedTuple):
    """Words about a position of the game."""

    ply: int
    """The number of moves before them."""
    words: str


@dataclass(frozen=True)
class Variation:
    """Moves that were not played. `name` is the key of their header, such as "variation after 6"."""

    name: str
    entries: tuple[RecordEntry, ...]


class RecordError(RulesError):
    """A record cannot be read or replayed. `mistake` is the cause, `entry` the move to blame, if any."""

    def __init__(self, mistake: RulesError, line: int, entry: RecordEntry | None = None, variation: str = "") -> None:
        super().__init__(mistake.reason, mistake.cells, mistake.text)
        self.mistake = mistake
        self.line = line
        self.entry = entry
        self.variation = variation


@dataclass(frozen=True)
class Record:
    """A parsed record. `replay` tests whether its moves are legal.

    >>> record = parse_record("# variant: tri-camelot\\n1. F7-F9 C12-C10")
    >>> len(record.replay().moves), record.end
    (2, (1, 2))
    """

    headers: Mapping[str, str]
    """Values by key, the keys in lower case."""
    origin: Position
    entries: tuple[RecordEntry, ...]
    end: tuple[int, Seat]
    """The number and side of the next move."""
    variations: tuple[Variation, ...]
    comments: tuple[RecordComment, ...] = ()

    def replay(self) -> Game:
        """The game after the last move. Raises RecordError at the first move that is illegal by today's rules."""
        *_, game = self._list_games()
        return game

    def replay_variations(self) -> Iterator[tuple[Variation, Game]]:
        """Yields each variation with the game that it leads to. Raises RecordError at the first illegal move."""
        wanted = {(variation.entries[0].number, variation.entries[0].seat) for variation in self.variations}
        moves = [(entry.number, entry.seat) if entry.move else None for entry in self.entries]
        stages = zip([*moves, self.end], self._list_games(), strict=True)
        at = {place: game for place, game in stages if place in wanted}
        for variation in self.variations:
            first = variation.entries[0]
            game = at.get((first.number, first.seat))
            if game is None:
                raise RecordError(NotationError(Reason.UNREADABLE, text=variation.name), first.line)
            for entry in variation.entries:
                game = _play_entry(game, entry, variation.name)
            yield variation, game

    def _list_games(self) -> Iterator[Game]:
        """Yields the game before each entry, then the game after the last entry."""
        game = Game.from_position(self.origin)
        yield game
        for entry in self.entries:
            game = _play_entry(game, entry)
            yield game


def parse_record(text: str) -> Record:
    """The record in the text; its moves are not judged. Raises RecordError with the line that cannot be read.

    Requires the header `variant`, or `position` with a position text; all other headers are optional.
    """
    return read_lines(text.splitlines(), 1)


def read_lines(lines: Sequence[str], first: int, step: int = 1) -> Record:
    """Parses lines as `parse_record` does. `first` is the number of the first line, `step` the increment per line."""
    if len(lines) > MAX_RECORD_LINES:
        raise RecordError(NotationError(Reason.TOO_LONG, text=f"{len(lines)} lines"), first)
    headers: dict[str, str] = {}
    moves: list[tuple[int, str]] = []
    asides: list[tuple[int, str, str]] = []
    for line, words in zip(count(first, step), lines, strict=False):
        if len(words) > MAX_LINE_LENGTH:
            raise RecordError(NotationError(Reason.TOO_LONG, text=f"over {MAX_LINE_LENGTH} characters"), line)
        parts = _MOVES_AND_REMARK.fullmatch(words.strip())
        assert parts, "the pattern fits every line"
        text, mark, comment = parts.groups()
        if text:
            moves.append((line, text))
        elif ":" not in comment:
            continue
        elif header := header_of(mark + comment):
            headers.setdefault(header[1].lower(), header[2])
        elif aside := _VARIATION.fullmatch(mark + comment):
            asides.append((line, aside[1].rstrip(), aside[2]))
    origin = _parse_origin(headers, first)
    comments = list[RecordComment]()
    entries, end = _parse_entries(origin, moves, comments)
    variations = (Variation(name, _parse_entries(origin, [(line, text)], [])[0]) for line, name, text in asides)
    return Record(headers, origin, entries, end, tuple(v for v in variations if v.entries), tuple(comments))


def header_of(line: str) -> re.Match[str] | None:
    """A match whose groups 1 and 2 are the key and value of a header; None for any other line and for a variation.

    `# variation-by: Ada` is an ordinary header.
    """
    header = _HEADER_LINE.fullmatch(line)
    return header if header and header[1].lower() != "variation" else None


def format_record(game: Game, headers: Mapping[str, str] | None = None, comments: Sequence[RecordComment] = ()) -> str:
    """The game as text that `parse_record` reads: headers, result, and numbered canonical moves, one round per line.

    `headers` (players, dates …) follow the variant; each value must be a single line. `comments` stand behind their
    move, cut to MAX_COMMENT_LENGTH. Ends with a newline.

    >>> print(format_record(Game.start(VARIANTS["tri-camelot"]).play("F7-F9"), {"players": "Ada, Ben, Cay"}), end="")
    # variant: tri-camelot
    # players: Ada, Ben, Cay
    # result: unfinished
    1. F7-F9
    """
    fields = {"variant": game.variant.key, **(headers or {})}
    if game.origin != game.variant.start_position:
        fields["position"] = format_position(game.origin)
    fields |= _result_headers(game)
    lines = [f"# {key}: {value}" for key, value in fields.items()]
    return "\n".join([*lines, format_moves(game, comments)]).rstrip() + "\n"


def move_numbers(game: Game) -> tuple[tuple[int, Seat], ...]:
    """The number and the side of each move, and of the one that may follow, as `format_record` writes them.

    >>> move_numbers(Game.start(VARIANTS["tri-camelot"]).play("F7-F9"))
    ((1, 0), (1, 1))
    """
    numbers, number, last = list[tuple[int, Seat]](), 1, -1
    cells, piece_of = bytearray(game.origin.cells), game.variant.piece_by_code
    for move in game.moves:
        # The owner of the piece is the one who moved, however many turns were skipped before. What has left a cell is
        # never asked for.
        cells[move.path[-1]] = code = cells[move.path[0]]
        mover = piece_of[code].seat
        number, last = number + (mover <= last), mover
        numbers.append((number, mover))
    return (*numbers, (number + (game.position.turn <= last), game.position.turn))


def format_moves(game: Game, comments: Sequence[RecordComment] = ()) -> str:
    """The moves, leavers and comments below the headers of `format_record`; empty if there are none."""
    return "".join(_iter_tokens(game, comments)).strip()


def _result_headers(game: Game) -> dict[str, str]:
    if game.outcome is None:
        return {"result": "unfinished"}
    if game.outcome.cause is Cause.ABANDONED:
        return {"result": "none", "ending": game.outcome.cause.value}
    winners = " and ".join(game.variant.armies[seat].colour for seat in game.outcome.winners)
    return {"result": f"{winners} won" if winners else "draw", "ending": game.outcome.cause.value}


def _escape(words: str) -> str:
    """The words as they stand between braces, in one line."""
    line = "\n".join(clean_text(words).splitlines())
    while len(escaped := line.translate(_ESCAPED)) > MAX_COMMENT_LENGTH:
        line = line[: min(len(line) - 1, MAX_COMMENT_LENGTH)]
    return escaped


def _unescape(written: str) -> str:
    """The words that `_escape` has written; an unknown escape stands for its sign."""
    return re.sub(r"\\(.)", lambda sign: _UNESCAPED.get(sign[1], sign[1]), written)


def _iter_tokens(game: Game, comments: Sequence[RecordComment]) -> Iterator[str]:
    """Yields the numbered moves, the leavers and the comments, each with the blank or line break before it."""
    variant, stewards, line, last = game.variant, game.position.stewards, 0, game.variant.seats[-1]
    words_by_ply: dict[int, list[str]] = {}
    for comment in comments:
        words_by_ply.setdefault(comment.ply, []).append(f" {{{_escape(comment.words)}}}")
    for played, (number, mover) in enumerate(move_numbers(game)):
        yield from words_by_ply.get(played, ())
        for leaver in (leaver for at, leaver in game.leavers if at == played):
            yield f" {'steward' if leaver in stewards else 'out'}:{variant.armies[leaver].colour}"
        if played == len(game.moves):
            return
        if number > line:
            yield " ..." * (variant.seats[-1] - last) + f"\n{number}."
            line, last = number, -1
        yield " ..." * (mover - last - 1) + f" {format_move(game.moves[played], variant.board)}"
        last = mover


def _parse_origin(headers: Mapping[str, str], first: int) -> Position:
    key = headers.get("variant", "").strip().lower()
    try:
        if "position" in headers:
            return parse_position(headers["position"])
        if key in VARIANTS:
            return VARIANTS[key].start_position
        raise NotationError(Reason.NO_VARIANT, text=key)
    except NotationError as mistake:
        raise RecordError(mistake, first) from None


def _parse_entries(
    origin: Position, lines: list[tuple[int, str]], comments: list[RecordComment]
) -> tuple[tuple[RecordEntry, ...], tuple[int, Seat]]:
    """The entries in those numbered lines, and the number and side of the next move. Raises RecordError.

    Adds the lines' comments to `comments`.
    """
    variant = origin.variant
    first, last = variant.seats[0], variant.seats[-1]
    number, seat = 1, origin.turn
    entries: list[RecordEntry] = []
    words = made = 0
    for line, text in lines:
        for token in _MOVE_TOKEN.finditer(text):
            words += 1
            if words > MAX_RECORD_WORDS:
                raise RecordError(NotationError(Reason.TOO_LONG, text=f"over {MAX_RECORD_WORDS} words"), line)
            kind = token.lastgroup
            if kind == "comment":
                if len(token["comment"]) > MAX_COMMENT_LENGTH:
                    raise RecordError(
                        NotationError(Reason.TOO_LONG, text=f"a comment of over {MAX_COMMENT_LENGTH}"), line
                    )
                comments.append(RecordComment(made, _unescape(token["comment"])))
                continue
            if kind == "colour":
                steward = token["left"] == "steward"
                entries.append(RecordEntry(number, _parse_leaver(variant, token["colour"], line), None, line, steward))
                continue
            if kind == "move":
                entries.append(RecordEntry(number, seat, token["move"], line))
                made += 1
            elif kind == "dots":
                number, seat = int(token["number"]), first
            if kind in ("move", "skip") or (kind == "dots" and token["dots"] != "."):
                number, seat = (number, seat + 1) if seat != last else (number + 1, first)
    return tuple(entries), (number, seat)


def _parse_leaver(variant: Variant, colour: str, line: int) -> Seat:
    try:
        return variant.find_seat(colour)
    except KeyError:
        raise RecordError(NotationError(Reason.UNREADABLE, text=colour), line) from None


def _play_entry(game: Game, entry: RecordEntry, variation: str = "") -> Game:
    try:
        return game.resign(entry.seat, steward=entry.steward) if entry.move is None else game.play(entry.move)
    except RulesError as mistake:
        raise RecordError(mistake, entry.line, entry, variation) from None
