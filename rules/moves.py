"""The legal moves of a position, one per outcome: all of them, one by one, or some.

Positions can be built that have tens of thousands; callers who answer a person take `some_moves`.
"""

from __future__ import annotations

from collections.abc import Iterator

from rules.board import Cell
from rules.landings import (
    MAX_LANDINGS_SEARCHED,
    FoundMoves,
    find_side_entry,
    iter_completions,
    iter_landings,
    take_first_moves,
)
from rules.position import Move, Position
from rules.steward import steward_move
from rules.turn import Side, Turn, can_move


def legal_moves(position: Position) -> tuple[Move, ...]:
    """Every legal move, one per outcome (start, end, captured cells), in board order of the starts. Unbounded.

    The shortest route stands for its outcome. Empty only when the pieces on the board have decided the game, the player
    has no move, or a steward passes, who has at most one.
    """
    if position.steward_to_move or position.variant.ending(position):
        return tuple(iter_moves(position))
    side = Side(position)
    found: list[Move] = []
    for start in side.iter_starts():  # as `_landings` does, quicker
        steps, leaps, owes = side.first_legs(start)
        found += [leg.alone for leg in steps]
        if leaps:
            found += iter_completions(Turn.begin_with(side, start, ([], leaps, owes)))
    return tuple(found)


def iter_moves(position: Position) -> Iterator[Move]:
    """The moves of `legal_moves`, found one by one."""
    return (move for move in _landings(position) if move)


def some_moves(position: Position, most: int = MAX_LANDINGS_SEARCHED, start: Cell | None = None) -> FoundMoves:
    """The moves of `legal_moves`, or those of the piece on `start`, as far as they are found within `most` landings."""
    return take_first_moves(_landings(position, start), most)


def _landings(position: Position, start: Cell | None = None) -> Iterator[Move | None]:
    """As `iter_landings`, of all pieces that may move, or of the one on `start`."""
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


def find_entry(position: Position) -> Move | None:
    """A legal move by which the side to move enters the castle that it attacks; None if there is none."""
    if position.steward_to_move or position.variant.ending(position):  # no steward enters any
        return None
    return find_side_entry(Side(position))


def has_legal_move(position: Position) -> bool:
    """Whether the side to move has any legal move; endings are not looked at. A steward that passes has none."""
    return steward_move(position) is not None if position.steward_to_move else can_move(position)
