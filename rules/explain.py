"""Explains why a move is illegal, after `Turn` has refused it. Judges nothing itself.

Callers ask these functions only after `Turn` has refused; each returns an `IllegalMove`. A property test checks that
exactly the illegal moves reach them, and that none falls back to `Reason.UNEXPLAINED`.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.board import Cell, LegKind
from rules.errors import IllegalMove, Reason
from rules.position import EMPTY, Position
from rules.turn import CLOSED, HOME, OWN, VACANT, Side, Turn

MAX_OPEN_CAPTURES_SHOWN = 12
"""How many possible captures a refusal lists at most: enough for a person, and bounded in extreme positions."""


def refuse_start(side: Side, start: Cell) -> IllegalMove:
    """Why no move may begin on that cell.

    >>> from rules import VARIANTS
    >>> side = Side(VARIANTS["camelot"].start_position)
    >>> refuse_start(side, side.board.find_cell("F11")).reason
    <Reason.NOT_YOUR_PIECE: 'not-your-piece'>
    """
    position, army = side.position, side.army
    if position.cells[start] == EMPTY:
        return _illegal_move(position, Reason.EMPTY_START, [start])
    if side.relations[start] != OWN:
        return _illegal_move(position, Reason.NOT_YOUR_PIECE, [start])
    if side.in_own_castle and start not in side.in_own_castle:
        captures = [leg for leg in side.iter_first_jumps() if leg.start in side.in_own_castle]
        reason = Reason.MUST_JUMP_OUT if captures else Reason.MUST_LEAVE_CASTLE
        return _illegal_move(position, reason, side.in_own_castle)
    if side.capture_due:
        return _must_capture(side, [start])
    if start in army.goal:
        return _refuse_castle_move(side, start)
    return _illegal_move(position, Reason.SHUT_IN, [start])


def refuse_leg(turn: Turn, to: Cell, kinds: Iterable[LegKind]) -> IllegalMove:
    """Why the move cannot continue to that cell with any of those kinds of leg."""
    side, at = turn.side, turn.path[-1]
    if len(turn.path) == 1:
        if side.in_own_castle and at not in side.in_own_castle:
            return refuse_start(side, at)
        if at in side.army.goal:
            return _refuse_castle_move(side, at, to)
    else:
        before = _last_kind(turn)
        if at in side.army.goal and before is not LegKind.STEP:
            return _illegal_move(side.position, Reason.CANNOT_LEAVE_GOAL, [at])
        if before is LegKind.STEP:
            return _illegal_move(side.position, Reason.PLAIN_MOVE_ENDS, [at, to])
    return _refuse_geometry(turn, to) or _refuse_kind(turn, to, set(kinds)) or _refuse_duty(turn, to)


def refuse_shortened(begun: Turn, refusal: IllegalMove) -> IllegalMove:
    """Why a text of a start and an end names no move, given why a single leg between the two is refused.

    Cells too far apart for one leg may be a shortened move. If a capture is owed, the missing capture is the reason.
    """
    far = refusal.reason in (Reason.NOT_ADJACENT, Reason.NOT_STRAIGHT, Reason.NOTHING_TO_LEAP)
    return _refuse_missing_capture(begun) if far and begun.owes else refusal


def refuse_end(turn: Turn) -> IllegalMove:
    """Why the move may not stop at its last landing."""
    side, at = turn.side, turn.path[-1]
    position = side.position
    if turn.captures:
        return _illegal_move(
            position, Reason.MUST_GO_ON, [at, *(leg.over for leg in turn.next_legs if leg.over is not None)]
        )
    if turn.owes:
        return _refuse_missing_capture(turn)
    if at == turn.path[0] and len(turn.path) > 1:
        return _illegal_move(position, Reason.CANTER_RETURNS, [at])
    return _illegal_move(position, Reason.UNEXPLAINED, [at])


def _refuse_castle_move(side: Side, start: Cell, to: Cell | None = None) -> IllegalMove:
    position = side.position
    if to is not None and to not in side.army.goal:
        return _illegal_move(position, Reason.CANNOT_LEAVE_GOAL, [start])
    if side.capture_due:
        return _must_capture(side, [start])
    if to is not None and side.relations[to] != VACANT:
        return _illegal_move(position, Reason.OCCUPIED, [to])
    if position.variant.castle_moves and side.castle_moves_left <= 0:
        return _illegal_move(position, Reason.CASTLE_MOVES_USED, [start])
    return _illegal_move(position, Reason.CANNOT_LEAVE_GOAL, [start])


def _refuse_geometry(turn: Turn, to: Cell) -> IllegalMove | None:
    """The refusal of a leg that no arrangement of other pieces would allow, or of an occupied or closed landing."""
    side, at = turn.side, turn.path[-1]
    board, position = side.board, side.position
    if to == at:
        return _illegal_move(position, Reason.CANTER_RETURNS, [at])
    over = board.between.get((at, to))
    if over is None and not (len(turn.path) == 1 and to in board.neighbours[at]):
        near = any(to in board.neighbours[cell] for cell in (at, *board.neighbours[at]))
        return _illegal_move(position, Reason.NOT_STRAIGHT if near else Reason.NOT_ADJACENT, [at, to])
    relation = turn.relations[to]
    if relation == CLOSED:
        return _illegal_move(position, Reason.BARRED_CASTLE, [to])
    if relation not in (VACANT, HOME):
        return _illegal_move(position, Reason.OCCUPIED, [to])
    return None


def _refuse_kind(turn: Turn, to: Cell, kinds: set[LegKind]) -> IllegalMove | None:
    """The refusal of a leg whose kind fits neither the piece it leaps over nor the legs before it."""
    side, at = turn.side, turn.path[-1]
    position = side.position
    over = side.board.between.get((at, to))
    if over is None:
        if LegKind.STEP not in kinds:
            return _illegal_move(position, Reason.NOT_STRAIGHT, [at, to])
        return _illegal_move(position, Reason.OWN_CASTLE, [to]) if turn.relations[to] == HOME else None
    relation = turn.relations[over]
    if relation in (VACANT, HOME, CLOSED):
        return _illegal_move(position, Reason.NOTHING_TO_LEAP, [at, over, to])
    if relation == OWN:
        if LegKind.CANTER not in kinds:
            return _illegal_move(position, Reason.JUMP_OVER_OWN, [over])
        if turn.captures:
            return _illegal_move(position, Reason.CANTER_AFTER_JUMP, [over])
        return _illegal_move(position, Reason.OWN_CASTLE, [to]) if turn.relations[to] == HOME else None
    if LegKind.JUMP not in kinds:
        return _illegal_move(position, Reason.CANTER_OVER_ENEMY, [over])
    if len(turn.path) > 1 and not turn.captures and not turn.is_knight:
        return _illegal_move(position, Reason.ONLY_KNIGHTS_CHARGE, [turn.path[0]])
    return None


def _refuse_duty(turn: Turn, to: Cell) -> IllegalMove:
    """The refusal of a leg that the board allows but a duty forbids."""
    side, at = turn.side, turn.path[-1]
    if turn.owes:
        return _refuse_missing_capture(turn)
    return _illegal_move(side.position, Reason.UNEXPLAINED, [at, to])


def _must_capture(side: Side, cells: Iterable[Cell]) -> IllegalMove:
    names = side.board.names
    captures = []
    for leg in side.iter_first_jumps():
        assert leg.over is not None
        captures.append((names[leg.start], names[leg.over]))
        if len(captures) == MAX_OPEN_CAPTURES_SHOWN:
            break
    return IllegalMove(Reason.MUST_CAPTURE, side.position.names(cells), captures)


def _refuse_missing_capture(turn: Turn) -> IllegalMove:
    """The refusal of a move without the capture it owes: any capture, one out of its castle, or one on its way."""
    side = turn.side
    if side.capture_due:
        return _must_capture(side, [turn.path[-1]])
    if Turn.begin(side, turn.path[0]).owes:
        return _illegal_move(side.position, Reason.MUST_JUMP_OUT, side.in_own_castle)
    return _illegal_move(side.position, Reason.KNIGHT_MUST_CAPTURE, _find_passed_capture(turn))


def _find_passed_capture(turn: Turn) -> list[Cell]:
    """The first landing of a Knight's canter where a jump was possible, and the cells it would have captured."""
    for at in turn.path[1:]:
        overs = [leg.over for leg in turn.jumps_at(at) if leg.over is not None]
        if overs:
            return [at, *overs]
    return []


def _last_kind(turn: Turn) -> LegKind:
    """The kind of the last leg."""
    if turn.captures:
        return LegKind.JUMP
    start, to = turn.path[-2:]
    return LegKind.CANTER if (start, to) in turn.side.board.between else LegKind.STEP


def _illegal_move(position: Position, reason: Reason, cells: Iterable[Cell]) -> IllegalMove:
    return IllegalMove(reason, position.names(cells))
