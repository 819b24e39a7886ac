"""Records of games as text, with variations: read from files, written for players.

    # variant: tri-camelot
    # players: Blue Ada, Red Ben, Green Cay
    1. F7-F9 C12-C10 I12-I10
    2. G4-G8 out:Red ... J11-J9

Lines `# key: value` are headers, everything else after `#` is a comment. `...` stands for a turn that was not taken:
it passed, or the side has left or has no pieces. `out:Red` says that Red's player left at that point, `steward:Red`
that a steward has sat there since. A header `variation …: 6... I10xK8, 7.G8-E8xC10` holds moves that leave the game
where their first number says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from rules.endings import Cause
from rules.errors import NotationError, Reason, RulesError
from rules.game import Game
from rules.notation import format_move
from rules.position import Position, Seat, Variant
from rules.position_text import format_position, parse_position
from rules.variants import VARIANTS

_VARIATION = re.compile(r"#\s*(variation(?:\s[^:]*)?):\s*(.*)", re.IGNORECASE)
_HEADER_LINE = re.compile(r"#\s*([A-Za-z-]+)\s*:\s*(.*)")
_MOVE_TOKEN = re.compile(
    r"(?P<number>\d{1,6})(?P<dots>\.+|…)"
    r"|(?P<skip>\.{2,}|…)"
    r"|(?P<result>1-0|0-1|1/2-1/2|½-½|\*)(?=[\s,;]|$)"
    r"|(?P<left>out|steward):(?P<colour>\w+)"
    r"|(?P<move>[^\s,;]+)"
)

MAX_RECORD_LINES = 20_000
"""Lines that a record may have, empty ones and remarks included."""
MOST_WORDS = 50_000
"""Moves, numbers and the like that a record may have, or one of its variations; no game has a tenth of it."""


class RecordEntry(NamedTuple):
    """One thing a record tells: a move, or (`move` is None) that a player left."""

    number: int
    seat: Seat
    move: str | None
    line: int
    """The line of the file, from 1."""
    steward: bool = False
    """Whether a steward sits there from then on."""


@dataclass(frozen=True)
class Variation:
    """Moves that were not played; `name` is what the header says about them, such as "variation after 6"."""

    name: str
    entries: tuple[RecordEntry, ...]


class RecordError(RulesError):
    """A record that cannot be read or played on. `mistake` says why, `entry` what (None if no move is to blame)."""

    def __init__(self, mistake: RulesError, line: int, entry: RecordEntry | None = None, variation: str = "") -> None:
        super().__init__(mistake.reason, mistake.cells, mistake.text)
        self.mistake = mistake
        self.line = line
        self.entry = entry
        self.variation = variation


@dataclass(frozen=True)
class Record:
    """A record as read: syntax only, until it is replayed."""

    headers: Mapping[str, str]
    """Lower-case keys, as written otherwise."""
    origin: Position
    entries: tuple[RecordEntry, ...]
    end: tuple[int, Seat]
    """The number and side that a further move would have."""
    variations: tuple[Variation, ...]

    def replay(self) -> Game:
        """The game after the last move, each judged by today's rules. Raises RecordError at the first illegal one."""
        *_, game = self._list_games()
        return game

    def replay_variations(self) -> Iterator[tuple[Variation, Game]]:
        """Each variation with the game that it leads to. Raises RecordError as `replay` does."""
        wanted = {(one.entries[0].number, one.entries[0].seat) for one in self.variations}
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
        """The game before each entry, and after the last."""
        game = Game.from_position(self.origin)
        yield game
        for entry in self.entries:
            game = _play_entry(game, entry)
            yield game


def parse_record(text: str) -> Record:
    """The record that the text holds, its moves not judged. Raises RecordError with the line that cannot be read.

    The header `variant` is required, or `position` with a position text instead; every other header may be missing.
    """
    return read_lines(text.splitlines(), 1)


def read_lines(lines: Sequence[str], first: int, step: int = 1) -> Record:
    """As `parse_record`, of those lines: the number of the first in its file, and by how much the others go up."""
    if len(lines) > MAX_RECORD_LINES:
        raise RecordError(NotationError(Reason.TOO_LONG, text=f"{len(lines)} lines"), first)
    headers: dict[str, str] = {}
    moves: list[tuple[int, str]] = []
    asides: list[tuple[int, str, str]] = []
    for line, words in zip(count(first, step), lines, strict=False):
        told, mark, comment = words.strip().partition("#")
        if told:
            moves.append((line, told))
        elif ":" not in comment:
            continue
        elif header := header_of(mark + comment):
            headers.setdefault(header[1].lower(), header[2])
        elif aside := _VARIATION.fullmatch(mark + comment):
            asides.append((line, aside[1].rstrip(), aside[2]))
    origin = _parse_origin(headers, first)
    entries, end = _parse_entries(origin, moves)
    variations = (Variation(name, _parse_entries(origin, [(line, told)])[0]) for line, name, told in asides)
    return Record(headers, origin, entries, end, tuple(v for v in variations if v.entries))


def header_of(line: str) -> re.Match[str] | None:
    """The key and the value of a header; None of any other line, such as one that holds a variation.

    `# variation-by: Ada` is a header like any other.
    """
    header = _HEADER_LINE.fullmatch(line)
    return header if header and header[1].lower() != "variation" else None


def format_record(game: Game, headers: Mapping[str, str] | None = None) -> str:
    """The game as text that `parse_record` reads: headers, result, numbered canonical moves, one round a line.

    `headers` (players, dates …) go after the variant; values must be single lines. Ends with a newline.
    """
    told = {"variant": game.variant.key, **(headers or {})}
    if game.origin != game.variant.start_position:
        told["position"] = format_position(game.origin)
    told |= _result_headers(game)
    lines = [f"# {key}: {value}" for key, value in told.items()]
    return "\n".join([*lines, "".join(_iter_tokens(game)).strip()]).rstrip() + "\n"


def _result_headers(game: Game) -> dict[str, str]:
    if game.outcome is None:
        return {"result": "unfinished"}
    if game.outcome.cause is Cause.ABANDONED:
        return {"result": "none", "ending": game.outcome.cause.value}
    winners = " and ".join(game.variant.armies[seat].colour for seat in game.outcome.winners)
    return {"result": f"{winners} won" if winners else "draw", "ending": game.outcome.cause.value}


def _iter_tokens(game: Game) -> Iterator[str]:
    """The numbered moves and the leavers, each with the blank or line break in front of it."""
    variant, position, stewards = game.variant, game.origin, game.position.stewards
    first = variant.seats[0]
    seat, number = first, 1
    for played, move in enumerate((*game.moves, None)):
        for leaver in (leaver for at, leaver in game.leavers if at == played):
            yield f" {'steward' if leaver in stewards else 'out'}:{variant.armies[leaver].colour}"
        if move is None:
            return
        # Whose the piece is says who moved, whatever turns were skipped since the move before.
        mover = variant.piece_by_code[position.cells[move.start]].seat
        while True:
            if seat == first:
                yield f"\n{number}."
                number += 1
            if seat == mover:
                break
            yield " ..."
            seat = variant.turn_orders[seat][0]
        yield " " + format_move(move, variant.board)
        seat = variant.turn_orders[seat][0]
        position = position.after_move(move)


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


def _parse_entries(origin: Position, lines: list[tuple[int, str]]) -> tuple[tuple[RecordEntry, ...], tuple[int, Seat]]:
    """The entries of those numbered lines, and the number and side after the last. Raises RecordError."""
    variant = origin.variant
    first, last = variant.seats[0], variant.seats[-1]
    number, seat = 1, origin.turn
    entries: list[RecordEntry] = []
    words = 0
    for line, told in lines:
        for token in _MOVE_TOKEN.finditer(told):
            words += 1
            if words > MOST_WORDS:
                raise RecordError(NotationError(Reason.TOO_LONG, text=f"over {MOST_WORDS} words"), line)
            kind = token.lastgroup
            if kind == "colour":
                steward = token["left"] == "steward"
                entries.append(RecordEntry(number, _parse_leaver(variant, token["colour"], line), None, line, steward))
                continue
            if kind == "move":
                entries.append(RecordEntry(number, seat, token["move"], line))
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
        if entry.move is None:
            return game.resign(entry.seat, steward=entry.steward)
        return game.play(entry.move)
    except RulesError as mistake:
        raise RecordError(mistake, entry.line, entry, variation) from None
