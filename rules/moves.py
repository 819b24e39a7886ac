"""The legal moves of a position, one per outcome: all of them, one by one, or some.

Extreme positions have tens of thousands of moves; callers who answer a person use `some_moves`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rules.board import Cell
from rules.landings import (
    MAX_LANDINGS_SEARCHED,
    FoundMoves,
    find_move_into_goal,
    iter_completions,
    iter_landings,
    take_first_moves,
)
from rules.position import Move, Position
from rules.steward import steward_move
from rules.turn import Side, Turn, can_move


def legal_moves(position: Position) -> tuple[Move, ...]:
    """Every legal move, one per outcome (start, end, captured cells), in board order of the starts. Unbounded.

    The shortest route represents its outcome. A steward has at most one move. Empty only if the pieces have decided the
    game, the player has no move, or a steward passes.

    >>> from rules import VARIANTS, format_move
    >>> position = VARIANTS["camette"].start_position
    >>> [format_move(move, position.variant.board) for move in legal_moves(position)][:4]
    ['C2-B2', 'C2-D2', 'C2-A4', 'C2-C4']
    """
    if position.steward_to_move or position.variant.ending(position):
        return tuple(iter_moves(position))
    side = Side(position)
    moves: list[Move] = []
    for start in side.iter_starts():  # the same as `_landings`, but faster
        steps, canters, jumps, owes = side.first_legs(start)
        moves += [leg.alone for leg in steps]
        if canters or jumps:
            relations = side.relations_without(start)
            moves += iter_completions(Turn(side, (start,), (), relations, owes, canters, jumps))
    return tuple(moves)


def iter_moves(position: Position) -> Iterator[Move]:
    """Yields the moves of `legal_moves` as it finds them."""
    return (move for move in _landings(position) if move)


def some_moves(position: Position, most: int = MAX_LANDINGS_SEARCHED, start: Cell | None = None) -> FoundMoves:
    """The moves of `legal_moves`, or only those of the piece on `start`, found within `most` landings.

    >>> from rules import VARIANTS
    >>> some_moves(VARIANTS["camelot"].start_position, most=3).whole
    False
    """
    return take_first_moves(_landings(position, start), most)


def _landings(position: Position, start: Cell | None = None) -> Iterator[Move | None]:
    """Yields the items of `iter_landings` for every piece that may move, or only for the piece on `start`."""
    if position.variant.ending(position):
        return
    if position.steward_to_move:
        move = steward_move(position)
        if move and start in (None, move.start):
            yield move
        return
    side = Side(position)
    for cell in side.iter_starts():
        if start in (None, cell):
            yield from iter_landings(Turn.begin(side, cell))


def find_move_into_castle(position: Position) -> Move | None:
    """A legal move by which the side to move enters the castle that it attacks; None if there is none.

    >>> from rules import format_move, parse_position
    >>> position = parse_position("camette White White:C6,A3 Black:E3,E4")
    >>> format_move(find_move_into_castle(position), position.variant.board)
    'C6-C7'
    """
    cells, variant = position.cells, position.variant
    near = (cells[near] for cell in variant.armies[position.turn].goal for near in variant.board.neighbours[cell])
    # A step or a leap into an empty castle needs a piece beside it; a steward never enters one.
    if not any(near) or position.steward_to_move or variant.ending(position):
        return None
    return find_move_into_goal(Side(position))


def has_legal_move(position: Position) -> bool:
    """Whether the side to move has a legal move. Ignores endings. A steward that passes has none."""
    return steward_move(position) is not None if position.steward_to_move else can_move(position)
