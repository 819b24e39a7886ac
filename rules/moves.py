"""Lists of legal moves, one per outcome, made lazily by asking `Turn`.

Positions can be built with hundreds of thousands of routes and tens of thousands of outcomes; so nothing here walks
route by route, and callers that need a few moves take a few.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from rules.board import Board, Cell, LegKind
from rules.position import Move, Position, Seat
from rules.turn import Side, Turn, can_move

_JUMP = LegKind.JUMP


def legal_moves(position: Position) -> tuple[Move, ...]:
    """Every legal move, one per outcome (start, end, captured cells), in board order of the starts.

    The shortest route stands for its outcome. Empty only when the pieces on the board have decided the game, the player
    has no move, or a steward passes, who has at most one.
    """
    if position.variant.ending(position):
        return ()
    if position.stewarded:
        move = steward_move(position)
        return (move,) if move else ()
    return tuple(_listed(Side(position)))


def _listed(side: Side) -> list[Move]:
    found: list[Move] = []
    for start in side.starts():
        first_legs = steps, leaps, _ = side.first_legs(start)
        found += [leg.alone for leg in steps]
        if leaps:
            found += _leapt(Turn.begun(side, start, first_legs))
    return found


def steward_move(position: Position) -> Move | None:
    """What a steward does with the pieces of the side to move (house): None if it passes.

    If it must capture, it makes the capture that takes the fewest pieces and enters no castle. Else, if whoever attacks
    its castle could enter it, were it their turn, it makes a move after which they could not, which captures nothing
    and enters no castle. Otherwise, and where there is no such move, it passes, also from its own castle. Among
    several board order decides, which goes by rank and then by file: of the start, then of the end, then of the pieces
    taken. So it depends on outcomes alone, not on routes.
    """
    side = Side(position)
    castles = frozenset[Cell]().union(*(army.castle for army in position.variant.armies))
    if side.must_capture:
        captures = (move for move in _listed(side) if move.captures and castles.isdisjoint(move.path[1:]))
        return min(captures, key=_fewest_first, default=None)
    seat = position.turn
    if not _in_reach(position, seat):
        return None
    quiet = (move for move in _listed(side) if not move.captures and castles.isdisjoint(move.path[1:]))
    ordered = sorted(quiet, key=_fewest_first)
    return next((move for move in ordered if not _in_reach(position.after(move), seat)), None)


def _in_reach(position: Position, seat: Seat) -> bool:
    """Whether somebody could enter the empty castle of that seat, were it their turn."""
    variant, cells = position.variant, position.cells
    castle = variant.armies[seat].castle
    for other, army in enumerate(variant.armies):
        if army.goal == castle and position.plays(other) and not any(cells[cell] for cell in castle):
            own = variant.codes[other]
            near, leaps = _ways_in(variant.board, castle)
            # Most castles are out of reach, and this finds out quickest.
            if any(cells[cell] in own for cell in near) or any(
                cells[over] and (not cells[start] or cells[start] in own) for start, over in leaps
            ):
                view = replace(position, turn=other)
                return any(move.end in castle for move in _listed(Side(view)))
    return False


@lru_cache(maxsize=16)
def _ways_in(board: Board, castle: frozenset[Cell]) -> tuple[tuple[Cell, ...], tuple[tuple[Cell, Cell], ...]]:
    """The neighbours of that castle, and each last leap into it: where it begins, and what it goes over."""
    near = tuple(cell for cell in range(len(board.names)) if castle.intersection(board.neighbours[cell]))
    leaps = tuple((start, over) for (start, to), over in board.between.items() if to in castle)
    return near, leaps


def _fewest_first(move: Move) -> tuple[int, Cell, Cell, list[Cell]]:
    return len(move.captures), move.start, move.end, sorted(move.captures)


def has_legal_move(position: Position) -> bool:
    """Whether the side to move has any legal move; endings are not looked at. A steward that passes has none."""
    return steward_move(position) is not None if position.stewarded else can_move(position)


def iter_moves(position: Position) -> Iterator[Move]:
    """The moves of `legal_moves`, found one by one."""
    if position.stewarded:
        yield from legal_moves(position)
        return
    if position.variant.ending(position):
        return
    side = Side(position)
    for start in side.starts():
        yield from completions(Turn.begin(side, start))


def moves_from(position: Position, start: Cell) -> Iterator[Move]:
    """The legal moves of the piece on that cell, found one by one; none if it is not one of the side to move."""
    if position.stewarded:
        yield from (move for move in legal_moves(position) if move.start == start)
        return
    if position.variant.ending(position):
        return
    side = Side(position)
    if start in side.starts():
        yield from completions(Turn.begin(side, start))


def completions(turn: Turn) -> Iterator[Move]:
    """The legal moves that begin with the legs of this turn, one per outcome, shortest canters first.

    Once it has gone a leg, ways that lead back over its start are left out.
    """
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
