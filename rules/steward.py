"""The fixed rule by which a steward plays for a player who has left a game of three (house)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from rules.board import Board, Cell
from rules.landings import find_move_into_goal, list_canters, turn_at
from rules.position import Move, Position, Seat, Variant
from rules.turn import Side, Turn

MAX_SERIES = 5000
"""How many series of jumps a steward looks at: several times the most we found in positions within the armies."""


def steward_move(position: Position) -> Move | None:
    """The move that a steward makes with the pieces of the side to move; None if it passes (house).

    A steward that must capture makes the capture that takes the fewest pieces and enters no castle. Otherwise, if the
    attacker of its castle could enter it next, the steward makes a move that prevents the entry, captures nothing and
    enters no castle. In all other cases it passes, even with a piece in its own castle. Ties go to the lowest start,
    then end, then captured cells in board order (rank, then file), so routes never matter.
    """
    side, seat = Side(position), position.turn
    if side.must_capture:
        return _smallest_capture(side)
    if not _castle_in_reach(position, seat):
        return None
    quiet = sorted(_quiet_moves(side), key=_board_order)
    return next((move for move in quiet if not _castle_in_reach(position.after_move(move), seat)), None)


def _smallest_capture(side: Side) -> Move | None:
    """The first in board order of the captures that take the fewest pieces and enter no castle; None if there is none.

    Searches by the number of jumps and stops at the first that suffices. Gives up with None after MAX_SERIES series;
    only positions in old databases, with more pieces than the armies have, need so many.
    """
    castles, looked_at = _castles(side.position.variant), 0
    begun = [Turn.begin(side, start) for start in side.iter_starts()]
    reached = [turn_at(turn, landing) for turn in begun for landing in list_canters(turn)]
    series = [(turn, leg, 0) for turn in reached for leg in turn.jumps]
    while series and looked_at < MAX_SERIES:
        landed: dict[tuple[Cell, Cell, int], Turn] = {}
        for at, leg, before in series:
            if leg.to not in castles:
                assert leg.over is not None
                taken = before | 1 << leg.over
                if (at.path[0], leg.to, taken) not in landed:
                    landed[at.path[0], leg.to, taken] = at.take(leg)
        looked_at += len(landed)
        whole = [turn.move for turn in landed.values() if turn.may_stop]
        if whole:
            return min(whole, key=_board_order)
        series = [(turn, leg, taken) for (_, _, taken), turn in landed.items() for leg in turn.jumps]
    return None


def _quiet_moves(side: Side) -> Iterator[Move]:
    """Yields the moves of that side that capture nothing and enter no castle."""
    castles = _castles(side.position.variant)
    for start in side.iter_starts():
        turn = Turn.begin(side, start)
        yield from (leg.alone for leg in turn.steps if leg.to not in castles)
        landings = list_canters(turn)[1:]
        yield from (Move(path, ()) for path, _, _, owes in landings if not owes and path[-1] not in castles)


@lru_cache(maxsize=16)
def _castles(variant: Variant) -> frozenset[Cell]:
    return frozenset[Cell]().union(*(army.castle for army in variant.armies))


def _board_order(move: Move) -> tuple[Cell, Cell, list[Cell]]:
    return move.start, move.end, sorted(move.captures)


def _castle_in_reach(position: Position, seat: Seat) -> bool:
    """Whether an attacker could enter the empty castle of that seat if it were their turn."""
    variant, cells = position.variant, position.cells
    castle = variant.armies[seat].castle
    for other, army in enumerate(variant.armies):
        if army.goal == castle and position.is_playing(other) and not any(cells[cell] for cell in castle):
            own = variant.piece_codes[other]
            near, leaps = _ways_into_castle(variant.board, castle)
            # Most castles are out of reach, and this test is the cheapest.
            if any(cells[cell] in own for cell in near) or any(
                cells[over] and (not cells[start] or cells[start] in own) for start, over in leaps
            ):
                return find_move_into_goal(Side(replace(position, turn=other))) is not None
    return False


@lru_cache(maxsize=16)
def _ways_into_castle(board: Board, castle: frozenset[Cell]) -> tuple[tuple[Cell, ...], tuple[tuple[Cell, Cell], ...]]:
    """The neighbours of that castle, and each leap into it as (start, cell leapt over)."""
    near = tuple(cell for cell in range(len(board.names)) if castle.intersection(board.neighbours[cell]))
    return near, tuple((start, over) for (start, to), over in board.between.items() if to in castle)
