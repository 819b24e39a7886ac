"""Parses moves leniently, in two steps (syntax, then meaning), and formats them canonically.

`-` marks a plain move, canter or castle move, `x` a jump. Every landing is written: F5-F9-H11xF13xD11.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from rules.board import Board, Cell, LegKind
from rules.errors import AmbiguousMove, IllegalMove, NotationError, Reason
from rules.explain import refuse_end, refuse_leg, refuse_shortened, refuse_start
from rules.landings import iter_landings, take_first_moves
from rules.position import Move, Position
from rules.steward import steward_move
from rules.turn import OWN, Side, Turn

MAX_MOVE_TEXT_LENGTH = 1000
"""The most characters of a move text. The longest route we could construct has less than half as many."""

MAX_CANDIDATES = 25
"""The most candidates of an `AmbiguousMove`."""

MAX_LANDINGS_OF_PIECE = 1000
"""The most landings of one piece that are searched to complete a shortened move. That bounds the time."""

_LEG_KINDS_BY_SIGN = {
    "-": (LegKind.STEP, LegKind.CANTER),
    "x": (LegKind.JUMP,),
    " ": (LegKind.STEP, LegKind.CANTER, LegKind.JUMP),
}
_SIGN = re.compile(r"[-x]")
_LENIENT_SIGN = re.compile(r"\s*([-x^])\s*|(\s+)")
_SIGNS = str.maketrans(
    {**dict.fromkeys("–−—‐‑→", "-"), **dict.fromkeys("×✕:*X", "x"), **dict.fromkeys("`\"'!?.,;", " ")}
)
_TYPED_SEPARATOR = re.compile(r"\s*[-X^\s]\s*")
_TYPED_MOVE_NUMBER = re.compile(r"^\s*\d+\s*(?:\.+|…)\s*")


MoveText = tuple[tuple[Cell, ...], tuple[str, ...]]
"""The syntax of a move: its cells, and for each leg `-`, `x`, or a blank if the text leaves the kind open."""


def read_move(text: str, board: Board) -> MoveText:
    """The cells and signs of the text, legal or not. Raises NotationError if the text cannot be read.

    Accepts any case, blanks or nothing between cells, a move number in front, `–` and `−` for `-`, `×` and `:` for `x`,
    and `^` or a blank for a leg of any kind.

    >>> from rules import VARIANTS
    >>> read_move("1. f7 – f8", VARIANTS["camelot"].board)[1]
    ('-',)
    """
    if len(text) > MAX_MOVE_TEXT_LENGTH:
        raise NotationError(Reason.UNREADABLE, text=text[:20] + "…")
    index = board.cell_by_name
    try:
        path = tuple([index[name] for name in text.replace("x", "-").split("-")])
    except KeyError:
        return _read_lenient(text, board)
    return path, tuple(_SIGN.findall(text)) if "x" in text else ("-",) * (len(path) - 1)


def _read_lenient(text: str, board: Board) -> MoveText:
    plain = _separate_cells(_TYPED_MOVE_NUMBER.sub("", text).translate(_SIGNS).strip(), board)
    parts = [part for part in _LENIENT_SIGN.split(plain) if part is not None]
    names, signs = parts[::2], parts[1::2]
    for name in names:
        if not re.fullmatch(r"\d?[A-Za-z]\d{1,2}", name):
            raise NotationError(Reason.UNREADABLE, text=name or text)
    return tuple(board.find_cell(name) for name in names), tuple(sign if sign in "-x" else " " for sign in signs)


def _separate_cells(text: str, board: Board) -> str:
    """The text with a blank between cells that are typed without a separator: "f7f9", "1c31c4"."""
    cell = "|".join(sorted(board.names, key=len, reverse=True))
    return re.sub(rf"({cell})(?={cell})", r"\1 ", text, flags=re.IGNORECASE)


def parse_move(position: Position, text: str) -> Move:
    """The legal move that the text names, with the route in the text but without canters that lead back to a landing.

    The start and end are enough if only one outcome fits. Raises NotationError if the text cannot be read, IllegalMove
    if the rules forbid the move, and AmbiguousMove if several outcomes fit or only the start is given. Does not list
    the legal moves, so it is fast in every position.

    >>> from rules import VARIANTS
    >>> position = VARIANTS["camelot"].start_position
    >>> format_move(parse_move(position, "f6 f8"), position.variant.board)
    'F6-F8'
    """
    move = _parse_legal(position, text)
    if position.steward_to_move and ((own := steward_move(position)) is None or move.outcome != own.outcome):
        raise IllegalMove(Reason.STEWARD, position.names([move.start]))
    return move


def _parse_legal(position: Position, text: str) -> Move:
    path, signs = read_move(text, position.variant.board)
    side = Side(position)
    if side.relations[path[0]] != OWN:
        raise refuse_start(side, path[0])
    begun = Turn.begin(side, path[0])
    if len(path) == 1:
        raise _refuse_partial(begun, text)
    try:
        turn = take_legs(begun, path[1:], signs)
        if not turn.may_stop:
            raise refuse_end(turn)
    except IllegalMove as refusal:
        if len(path) > 2:
            raise
        if fitting := _only_move_between(begun, path[1], signs[0], text):
            return fitting
        raise refuse_shortened(begun, refusal) from None
    if signs == (" ",):
        return _only_move_between(begun, path[1], " ", text) or turn.move
    return _drop_detours(turn.move)


def _drop_detours(move: Move) -> Move:
    """The move without the canters that only lead back to an earlier landing.

    Such a detour reaches nothing and captures nothing, and without it a Knight passes fewer open jumps, so the rest
    stays legal. With detours anybody could write a thousand characters into every record.
    """
    canters = len(move.path) - len(move.captures)
    if canters < 3 or len(set(move.path[:canters])) == canters:
        return move
    landings: list[Cell] = []
    for cell in move.path[:canters]:
        if cell in landings:
            del landings[landings.index(cell) :]
        landings.append(cell)
    return Move((*landings, *move.path[canters:]), move.captures)


def take_legs(turn: Turn, cells: Iterable[Cell], signs: Iterable[str]) -> Turn:
    """The turn after legs to those cells. Raises IllegalMove at the first leg that `Turn` does not allow."""
    for to, sign in zip(cells, signs, strict=True):
        kinds = _LEG_KINDS_BY_SIGN[sign]
        for leg in turn.next_legs:
            if leg.to == to and leg.kind in kinds:
                turn = turn.take(leg)
                break
        else:
            raise refuse_leg(turn, to, kinds)
    return turn


def _only_move_between(begun: Turn, end: Cell, sign: str, text: str) -> Move | None:
    """The only move from start to end; None if there is none.

    Raises AmbiguousMove if there are several, or if the piece has too many moves to search all of them.
    """
    first_moves, whole = take_first_moves(iter_landings(begun), MAX_LANDINGS_OF_PIECE)
    fitting = [move for move in first_moves if move.end == end and (sign != "x" or move.captures)]
    if whole and len(fitting) < 2:
        return fitting[0] if fitting else None
    raise _ambiguous_move(begun, text, fitting, more=not whole)


def _refuse_partial(begun: Turn, text: str) -> IllegalMove | AmbiguousMove:
    """The error for a start without an end: the moves of that piece, or why it may not move."""
    moves = take_first_moves(iter_landings(begun), MAX_LANDINGS_OF_PIECE).moves
    return _ambiguous_move(begun, text, moves) if moves else refuse_start(begun.side, begun.path[0])


def _ambiguous_move(begun: Turn, text: str, moves: list[Move], *, more: bool = False) -> AmbiguousMove:
    moves = sorted(moves, key=_suggestion_order)
    names = [format_move(move, begun.side.board) for move in moves[:MAX_CANDIDATES]]
    return AmbiguousMove(text, moves[:MAX_CANDIDATES], names, more=more or len(moves) > MAX_CANDIDATES)


def _suggestion_order(move: Move) -> tuple[bool, int]:
    return not move.captures, len(move.path)


def format_move(move: Move, board: Board) -> str:
    """The canonical text of a move: upper case, every landing, `x` for each jump.

    >>> from rules import VARIANTS
    >>> board = VARIANTS["camelot"].board
    >>> format_move(read_recorded("f5-f9xf11", board), board)
    'F5-F9xF11'
    """
    names = board.names
    first_jump = len(move.path) - len(move.captures)
    return names[move.path[0]] + "".join(
        ("x" if leg >= first_jump else "-") + names[cell] for leg, cell in enumerate(move.path[1:], start=1)
    )


def read_recorded(text: str, board: Board) -> Move:
    """The move of a canonical text, without testing whether it is legal. Raises NotationError if it cannot be read."""
    path, signs = read_move(text, board)
    try:
        captures = tuple(board.between[leg] for leg, sign in zip(pairwise(path), signs, strict=True) if sign == "x")
    except KeyError:
        raise NotationError(Reason.UNREADABLE, text=text) from None
    return Move(path, captures)


def suggest_move_texts(
    position: Position, text: str, limit: int = MAX_CANDIDATES, longest: int | None = None
) -> list[str]:
    """Completions of what a player has typed, at most `limit`; moves with captures come first. Empty if nothing fits.

    Suggests pieces that may move as long as at most a part of a cell is typed. After a cell, suggests moves that begin
    with the typed legs, or that lead from the start to what is typed. Texts longer than `longest` are cut after a
    landing. Bounded in time in every position.

    >>> from rules import VARIANTS
    >>> suggest_move_texts(VARIANTS["camette"].start_position, "c")
    ['C2', 'C3']
    """
    if position.variant.ending(position):
        return []
    board = position.variant.board
    if position.steward_to_move:
        move = steward_move(position)
        ways = [format_move(move, board)] if move else []
        return [way for way in ways if way.startswith(text.strip().upper().replace("X", "x"))]
    side = Side(position)
    start, *passed = _TYPED_SEPARATOR.split(
        _separate_cells(_TYPED_MOVE_NUMBER.sub("", text).translate(_SIGNS).strip().upper(), board)
    )
    suggestions: dict[str, None] = {}
    if start in board.cell_by_name and side.relations[board.cell_by_name[start]] == OWN:
        begun = Turn.begin(side, board.cell_by_name[start])
        moves = sorted(
            take_first_moves(_iter_continuations(begun, passed), MAX_LANDINGS_OF_PIECE).moves, key=_suggestion_order
        )
        suggestions = dict.fromkeys(_cut_after_landing(format_move(move, board), longest) for move in moves)
    if not passed:
        starts = (
            cell for cell in side.iter_starts() if board.names[cell].startswith(start) and board.names[cell] != start
        )
        suggestions |= dict.fromkeys(board.names[cell] for cell in starts if Turn.begin(side, cell).next_legs)
    return list(islice(suggestions, limit))


def _iter_continuations(begun: Turn, typed: list[str]) -> Iterator[Move | None]:
    """Yields landings as `iter_landings` does, for moves through the typed cells; the last cell may be incomplete."""
    names = begun.side.board.names
    *passed, last = typed or [""]
    turn = begun
    for name in passed:
        leg = next((leg for leg in turn.next_legs if names[leg.to] == name), None)
        if leg is None:
            return
        turn = turn.take(leg)
    if not last:
        yield from iter_landings(turn)
        return
    for leg in sorted(turn.next_legs, key=lambda leg: names[leg.to] != last):
        if names[leg.to].startswith(last):
            yield from iter_landings(turn.take(leg))
    if not passed:
        yield from (move if move and names[move.end].startswith(last) else None for move in iter_landings(begun))


def _cut_after_landing(text: str, longest: int | None) -> str:
    """The text, cut after the last landing that fits."""
    if longest is None or len(text) <= longest:
        return text
    return text[: max(text.rfind("-", 0, longest + 1), text.rfind("x", 0, longest + 1))]
