"""Lists of legal moves, one per outcome, made lazily by asking `Turn`.

Positions can be built with hundreds of thousands of routes and tens of thousands of outcomes; so nothing here walks
route by route, and callers that need a few moves take a few.
"""

from __future__ import annotations

from collections.abc import Iterator

from rules.board import Cell, LegKind
from rules.position import Move, Position
from rules.turn import Side, Turn

_JUMP = LegKind.JUMP


def legal_moves(position: Position) -> tuple[Move, ...]:
    """Every legal move, one per outcome (start, end, captured cells), in board order of the starts.

    The shortest route stands for its outcome. Empty only when the pieces on the board have decided the game or the
    player has no move.
    """
    found: list[Move] = []
    if position.variant.ending(position):
        return ()
    side = Side(position)
    for start in side.starts():
        first_legs = steps, leaps, _ = side.first_legs(start)
        found += [leg.alone for leg in steps]
        if leaps:
            found += _leapt(Turn.begun(side, start, first_legs))
    return tuple(found)


def iter_moves(position: Position) -> Iterator[Move]:
    """The moves of `legal_moves`, found one by one."""
    if position.variant.ending(position):
        return
    side = Side(position)
    for start in side.starts():
        yield from completions(Turn.begin(side, start))


def moves_from(position: Position, start: Cell) -> Iterator[Move]:
    """The legal moves of the piece on that cell, found one by one; none if it is not one of the side to move."""
    if position.variant.ending(position):
        return
    side = Side(position)
    if start in side.starts():
        yield from completions(Turn.begin(side, start))


def completions(turn: Turn) -> Iterator[Move]:
    """The legal moves that begin with the legs of this turn, one per outcome, shortest canters first."""
    if turn.complete:
        yield turn.move
    for leg in turn.steps:
        yield leg.alone
    yield from _leapt(turn)


def _leapt(turn: Turn) -> Iterator[Move]:
    """The legal moves that go on from this turn by leaps, one per outcome.

    A landing is looked at once per set of captured pieces (and, while cantering, once with a capture owed and once
    without), so the work follows the outcomes and not the routes.
    """
    start, at = turn.path[0], turn.path[-1]
    free, owing = {start, at}, {at}  # landings of canters, without and with a capture owed
    jumped: set[tuple[Cell, frozenset[Cell]]] = set()
    layers = [(turn.path, turn.leaps, turn.owes)]
    for path, leaps, owes in layers:  # grows while it is walked: breadth first
        cantered = owing if owes else free
        for leg in leaps:
            to = leg.to
            if leg.kind is _JUMP:
                landed = Turn(turn.side, path, turn.captures, turn.relations, owes, leaps).take(leg)
                yield from _jumps(landed, jumped)
            elif to not in cantered:
                cantered.add(to)
                further, owed = turn.after_canter(to, owes)
                longer = (*path, to)
                if further:
                    layers.append((longer, further, owed))
                if not owed:
                    yield Move(longer, ())


def _jumps(turn: Turn, seen: set[tuple[Cell, frozenset[Cell]]]) -> Iterator[Move]:
    """The complete jump sequences from here, depth first, one per landing and set of captured pieces."""
    stack = [turn]
    while stack:
        current = stack.pop()
        state = (current.path[-1], frozenset(current.captures))
        if state in seen:
            continue
        seen.add(state)
        if current.complete:
            yield current.move
        else:
            stack += [current.take(leg) for leg in reversed(current.leaps)]
