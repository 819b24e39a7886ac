"""The only judge of legality: `Turn`, a move in the making.

A turn knows the legs that may come next and whether the move may stop where it is. The list of moves, the parser, the
explanations and leg-by-leg input all ask it and judge nothing themselves.

    turn = Turn.begin(Side(position), start)
    turn.legs          the legs that may follow; each of them leads to a legal move
    turn.take(leg)     the turn after one of them
    turn.complete      whether the move may end here
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress

from rules.board import Cell, Leg, LegKind, Way
from rules.position import EMPTY, Move, Position, Seat, Variant

# How each cell looks to the side to move. A piece may step onto, canter to or jump to VACANT cells; HOME (its own
# castle, empty) may be jumped into only; both are even, which is what makes a landing possible for a jump.
VACANT, OWN, HOME, CLOSED, FOE = 0, 1, 2, 3, 5
_NO_LANDING = 1  # the bit that OWN, CLOSED (off the board, or a barred castle) and FOE share

Relations = bytearray
"""One byte per cell of the board, and CLOSED for the edge behind the last."""


@lru_cache(maxsize=64)
def _tables(variant: Variant, seat: Seat) -> tuple[bytes, bytes, bytes, tuple[tuple[Cell, int], ...], tuple[Cell, ...]]:
    """Translation tables for one side: piece to relation, piece to "mine", what an empty cell is to it."""
    army = variant.armies[seat]
    relation, mine = bytearray(256), bytearray(256)
    for other, codes in enumerate(variant.codes):
        for byte in codes:
            relation[byte] = OWN if other == seat else FOE
            mine[byte] = other == seat
    special = tuple((cell, HOME) for cell in army.castle) + tuple((cell, CLOSED) for cell in army.barred)
    blank = bytearray(len(variant.board.names) + 1)
    for cell, value in (*special, (variant.board.edge, CLOSED)):
        blank[cell] = value
    return bytes(relation), bytes(mine), bytes(blank), special, tuple(range(variant.board.edge))


class Side:
    """The side to move, and what the position demands of it. Made once per position, shared by its turns."""

    __slots__ = ("_mine", "army", "blank", "board", "due", "homebound", "position", "relations", "ways")

    def __init__(self, position: Position) -> None:
        variant = position.variant
        relation, mine, self.blank, special, _ = _tables(variant, position.turn)
        self.position = position
        self.board = variant.board
        self.ways = variant.board.ways
        self.army = variant.armies[position.turn]
        self._mine = position.cells.translate(mine)
        relations = bytearray(position.cells.translate(relation))
        relations.append(CLOSED)
        for cell, value in special:
            if relations[cell] == VACANT:
                relations[cell] = value
        self.relations = relations
        self.homebound = tuple(cell for cell in self.army.castle if relations[cell] == OWN)
        """Its pieces in its own castle: one of them must leave, before any capture elsewhere."""
        self.due = not self.homebound and any(True for _ in self.jumpers())
        """Whether a piece could jump, so that the move must capture."""

    def own(self) -> Iterator[Cell]:
        """The cells of its pieces, in board order."""
        return compress(_tables(self.position.variant, self.position.turn)[4], self._mine)

    def starts(self) -> Iterator[Cell]:
        """The cells of the pieces that the duty to leave the own castle lets move, in board order."""
        return iter(self.homebound) if self.homebound else self.own()

    def jumpers(self) -> Iterator[Leg]:
        """The first legs of all jumps, wherever else a duty lies. Pieces in the castle they took do not jump."""
        relations, ways, goal = self.relations, self.ways, self.army.goal
        for cell in self.own():
            for near, far, _, _, jump in ways[cell]:
                if relations[near] == FOE and not relations[far] & _NO_LANDING and cell not in goal:
                    yield jump

    def is_knight(self, cell: Cell) -> bool:
        """Whether the piece of this side on that cell is a Knight."""
        return self.position.cells[cell] == self.position.variant.codes[self.position.turn][1]

    @property
    def castle_moves_left(self) -> int:
        """Castle moves that this side still has."""
        return self.position.variant.castle_moves - self.position.castle_moves[self.position.turn]


class Turn:
    """A move in the making. Immutable; `take` returns the next one."""

    __slots__ = ("captures", "complete", "knight", "legs", "owes", "path", "relations", "side")

    def __init__(
        self,
        side: Side,
        path: tuple[Cell, ...],
        captures: tuple[Cell, ...],
        relations: Relations,
        legs: list[Leg],
        *,
        knight: bool,
        owes: bool,
        complete: bool,
    ) -> None:
        self.side = side
        self.path = path
        self.captures = captures
        self.relations = relations  # the mover lifted off its start, captured pieces gone; never changed in place
        self.legs = legs
        """The legs that may follow, each the beginning or the end of a legal move."""
        self.knight = knight
        self.owes = owes
        """Whether the move must end in a capture: one is due, or a Knight's canter has passed an open jump."""
        self.complete = complete
        """Whether the move may stop here."""

    @classmethod
    def begin(cls, side: Side, start: Cell) -> Turn:
        """The turn of the piece of that side on `start`, nothing moved yet. No legs if it may not move."""
        relations = side.relations.copy()
        relations[start] = side.blank[start]
        knight = side.is_knight(start)
        if start in side.army.goal:
            return cls(
                side,
                (start,),
                (),
                relations,
                _castle_moves(side, start),
                knight=knight,
                owes=False,
                complete=False,
            )
        steps, canters, jumps = _look(side.ways[start], relations)
        owes = side.due
        if side.homebound:
            owes = bool(jumps)
            if start not in side.homebound:
                steps, canters, jumps = [], [], []
        if owes:
            steps = []
            canters = [leg for leg in canters if _leads_to_capture(side, relations, leg)] if knight else []
        return cls(side, (start,), (), relations, steps + canters + jumps, knight=knight, owes=owes, complete=False)

    def take(self, leg: Leg) -> Turn:
        """The turn after that leg, which must be one of `legs`."""
        side, kind, at = self.side, leg.kind, leg.to
        path = (*self.path, at)
        relations, captures, legs, owes = self.relations, self.captures, _NO_LEGS, self.owes
        complete = True
        if kind is LegKind.JUMP:
            assert leg.over is not None
            captures = (*captures, leg.over)
            relations = relations.copy()
            relations[leg.over] = side.blank[leg.over]
            owes = False
            if at not in side.army.goal:
                legs = _look(side.ways[at], relations)[2]
                complete = not legs
        elif kind is LegKind.CANTER and at not in side.army.goal:
            _, legs, jumps = _look(side.ways[at], relations)
            if self.knight:
                owes = owes or bool(jumps)
                if owes:
                    # Canters can be retraced, so a capture stays within reach unless the move ends in the castle.
                    legs = [canter for canter in legs if canter.to not in side.army.goal]
                legs = legs + jumps
            complete = not owes and at != path[0]
        return Turn(side, path, captures, relations, legs, knight=self.knight, owes=owes, complete=complete)

    @property
    def move(self) -> Move:
        """The move so far. Legal only where the turn is complete."""
        return Move(self.path, self.captures)


_NO_LEGS: list[Leg] = []


def _look(ways: tuple[Way, ...], relations: Relations) -> tuple[list[Leg], list[Leg], list[Leg]]:
    """What the cells around allow a piece to do in one leg: steps, canters, jumps."""
    steps: list[Leg] = []
    canters: list[Leg] = []
    jumps: list[Leg] = []
    for near, far, step, canter, jump in ways:
        relation = relations[near]
        if relation == VACANT:
            steps.append(step)
        elif relation == OWN:
            if relations[far] == VACANT:
                canters.append(canter)
        elif relation == FOE and not relations[far] & _NO_LANDING:
            jumps.append(jump)
    return steps, canters, jumps


def _castle_moves(side: Side, start: Cell) -> list[Leg]:
    """The castle moves of a piece in the castle it attacks, which is all that it may do."""
    if side.due or side.homebound or side.castle_moves_left <= 0:
        return []
    return [way.step for way in side.ways[start] if way.near in side.army.goal and side.relations[way.near] == VACANT]


def _leads_to_capture(side: Side, relations: Relations, canter: Leg) -> bool:
    """Whether a Knight that makes this canter can, there or after further canters, jump."""
    seen, found = {canter.to}, [canter.to]
    for at in found:
        if at in side.army.goal:
            continue
        _, canters, jumps = _look(side.ways[at], relations)
        if jumps:
            return True
        fresh = {leg.to for leg in canters} - seen
        seen |= fresh
        found += fresh
    return False


def has_legal_move(position: Position) -> bool:
    """Whether the side to move has any legal move. Looks at first legs only: every leg leads to a legal move."""
    side = Side(position)
    return side.due or any(Turn.begin(side, start).legs for start in side.starts())


assert EMPTY == VACANT  # `bytes.translate` leaves empty cells as they are
