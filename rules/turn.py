"""The only judge of legality: `Turn`, a move in the making.

A turn knows which legs may come next and whether the move may stop at its last landing. The list of moves, the parser,
the explanations and leg-by-leg input all ask `Turn` and judge nothing themselves.

    turn = Turn.begin(Side(position), start)
    turn.next_legs     the legs that may follow; each of them leads to a legal move
    turn.take(leg)     the turn after one of them
    turn.may_stop      whether the move may end here
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

from rules.basics import Move
from rules.board import Cell, Leap, Leg, LegKind, Step
from rules.position import EMPTY, Army, Position, Seat, Variant

# The relation of a cell to the side to move. A piece may step, canter or jump to VACANT cells, but only jump to HOME
# (its own castle, empty). No piece may land on a cell with an odd relation. Only FOE has the bit _FOE_ONLY.
VACANT, OWN, HOME, CLOSED, FOE = 0, 1, 2, 3, 5
_NO_LANDING, _FOE_ONLY = 1, 4
assert EMPTY == VACANT == 0  # empty cells are not translated, and `not relation` is a fast test for VACANT

CellRelations = bytearray
"""One byte per cell of the board."""

_STEP, _JUMP = LegKind.STEP, LegKind.JUMP
_NO_LEGS: list[Leg] = []


class _SideView(NamedTuple):
    """What is the same for one side in every position of a variant; built once."""

    army: Army
    knight: int
    """The byte of its Knights in `Position.cells`."""
    relation: bytes
    """Translates `Position.cells` to relations, without regard to castles."""
    mine: bytes
    """Translates `Position.cells` to 1 for each piece of the side, else 0."""
    blank: bytes
    """For each cell, its relation while it is empty."""
    castles: tuple[tuple[Cell, int], ...]
    """The castle cells whose relation while empty is not VACANT, with that relation."""
    cells: tuple[Cell, ...]
    steps: tuple[tuple[Step, ...], ...]
    leaps: tuple[tuple[Leap, ...], ...]
    around: tuple[int, ...]
    """For each cell, a bit mask of its neighbours that picks the FOE bits out of the relations, read as an integer."""


@lru_cache(maxsize=64)
def _view_of_side(variant: Variant, seat: Seat) -> _SideView:
    army, board = variant.armies[seat], variant.board
    relation, mine, blank = bytearray(256), bytearray(256), bytearray(len(board.names))
    for other, codes in enumerate(variant.piece_codes):
        for byte in codes:
            relation[byte] = OWN if other == seat else FOE
            mine[byte] = other == seat
    castles = tuple((cell, HOME) for cell in army.castle) + tuple((cell, CLOSED) for cell in army.barred)
    for cell, value in castles:
        blank[cell] = value
    return _SideView(
        army,
        variant.piece_codes[seat][1],
        bytes(relation),
        bytes(mine),
        bytes(blank),
        castles,
        tuple(range(len(board.names))),
        board.steps,
        board.leaps,
        tuple(sum(_FOE_ONLY << 8 * near for near in nears) for nears in board.neighbours),
    )


class Side:
    """The side to move and its duties in a position. Built once per position and shared by its turns."""

    __slots__ = (
        "_mine",
        "_view",
        "army",
        "blank",
        "board",
        "capture_due",
        "goal",
        "in_own_castle",
        "leaps",
        "position",
        "relations",
        "steps",
    )

    def __init__(self, position: Position) -> None:
        variant = position.variant
        self._view = view = _view_of_side(variant, position.turn)
        self.position = position
        self.board = variant.board
        self.army = view.army
        self.goal = view.army.goal
        self.steps = view.steps
        self.leaps = view.leaps
        self.blank = view.blank
        self._mine = mine = position.cells.translate(view.mine)
        self.relations = relations = bytearray(position.cells.translate(view.relation))
        self.in_own_castle: tuple[Cell, ...] = ()
        """The cells of its pieces in its own castle; one of them must leave before any capture elsewhere."""
        for cell, value in view.castles:
            relation = relations[cell]
            if relation == VACANT:
                relations[cell] = value
            elif relation == OWN and value == HOME:
                self.in_own_castle = (*self.in_own_castle, cell)
        foes = int.from_bytes(relations, "little")
        self.capture_due = (
            not self.in_own_castle
            and any(map(foes.__and__, compress(view.around, mine)))  # most positions have no enemies next to each other
            and next(self.iter_first_jumps(), None) is not None
        )
        """Whether a piece can jump, so that the move must capture. False while a piece is in its own castle."""

    @property
    def must_capture(self) -> bool:
        """Whether every legal move captures: a jump is due, or a piece must jump out of its own castle."""
        return self.capture_due or (
            bool(self.in_own_castle) and all(self.first_legs(cell)[3] for cell in self.in_own_castle)
        )

    def iter_own_cells(self) -> Iterator[Cell]:
        """Yields the cells of its pieces, in board order."""
        return compress(self._view.cells, self._mine)

    def iter_starts(self) -> Iterator[Cell]:
        """Yields the cells of its pieces in board order; only those in its own castle if there are any."""
        return iter(self.in_own_castle) if self.in_own_castle else self.iter_own_cells()

    def iter_first_jumps(self) -> Iterator[Leg]:
        """Yields the first jump of every capture, ignoring other duties. Pieces in the attacked castle do not jump."""
        relations, around = self.relations, self._view.around
        foes = int.from_bytes(relations, "little")
        for cell in self.iter_own_cells():
            if around[cell] & foes and cell not in self.goal:
                for over, to, _, jump in self.leaps[cell]:
                    if relations[over] == FOE and not relations[to] & _NO_LANDING:
                        yield jump

    def is_knight(self, cell: Cell) -> bool:
        """Whether the piece of this side on that cell is a Knight."""
        return self.position.cells[cell] == self._view.knight

    def first_legs(self, start: Cell) -> tuple[list[Leg], list[Leg], list[Leg], bool]:
        """The first steps, canters and jumps of the piece on `start`, and whether the move must end in a capture."""
        if start in self.goal:
            return self._castle_moves(start), _NO_LEGS, _NO_LEGS, False
        canters, jumps = _list_leaps(self.leaps[start], self.relations)
        if self.in_own_castle and start not in self.in_own_castle:
            return _NO_LEGS, _NO_LEGS, _NO_LEGS, bool(jumps)
        if not jumps and not self.capture_due:
            relations = self.relations
            return [leg for to, leg in self.steps[start] if not relations[to]], canters, jumps, False
        if canters:
            canters = [leg for leg in canters if self._leads_to_capture(leg)] if self.is_knight(start) else _NO_LEGS
        return _NO_LEGS, canters, jumps, True

    def _castle_moves(self, start: Cell) -> list[Leg]:
        """The castle moves of a piece in the castle it attacks; it has no other moves."""
        if self.capture_due or self.in_own_castle or self.castle_moves_left <= 0:
            return []
        return [leg for to, leg in self.steps[start] if to in self.goal and self.relations[to] == VACANT]

    def _leads_to_capture(self, canter: Leg) -> bool:
        """Whether a Knight can jump after this canter, at once or after more canters."""
        relations = self.relations_without(canter.start)
        seen, reached = {canter.to}, [canter.to]
        for at in reached:
            if at in self.goal:
                continue
            canters, jumps = _list_leaps(self.leaps[at], relations)
            if jumps:
                return True
            fresh = {leg.to for leg in canters} - seen
            seen |= fresh
            reached += fresh
        return False

    def relations_without(self, start: Cell) -> CellRelations:
        """The relations without the piece on that cell."""
        relations = self.relations.copy()
        relations[start] = self.blank[start]
        return relations

    @property
    def castle_moves_left(self) -> int:
        """How many castle moves this side has left."""
        return self.position.variant.castle_moves - self.position.castle_moves[self.position.turn]


class Turn:
    """A move in the making. Immutable; `take` returns the next turn.

    >>> from rules import VARIANTS
    >>> side = Side(VARIANTS["camette"].start_position)
    >>> turn = Turn.begin(side, side.board.find_cell("B3"))
    >>> [side.board.names[leg.to] for leg in turn.next_legs]
    ['A3', 'A4', 'B2', 'B4', 'C4']
    >>> turn.may_stop, turn.take(turn.next_legs[0]).may_stop
    (False, True)
    """

    __slots__ = ("canters", "captures", "jumps", "owes", "path", "relations", "side", "steps")

    def __init__(
        self,
        side: Side,
        path: tuple[Cell, ...],
        captures: tuple[Cell, ...],
        relations: CellRelations,
        owes: bool,
        canters: list[Leg] = _NO_LEGS,
        jumps: list[Leg] = _NO_LEGS,
        steps: list[Leg] = _NO_LEGS,
    ) -> None:
        self.side = side
        self.path = path
        self.captures = captures
        self.relations = relations  # the mover lifted off its start, captured pieces gone; never changed in place
        self.owes = owes
        """Whether the move must end in a capture: one is due, or a Knight's canter has passed a possible jump."""
        self.canters, self.jumps = canters, jumps
        """The leaps that may follow."""
        self.steps = steps
        """The plain moves and castle moves that may follow; only a first leg can be one."""

    @property
    def next_legs(self) -> list[Leg]:
        """The legs that may follow; each leads to a legal move."""
        return self.steps + self.canters + self.jumps

    @property
    def may_stop(self) -> bool:
        """Whether the move may end at its last landing."""
        if self.captures:
            return not self.jumps
        return not self.owes and self.path[-1] != self.path[0]

    @property
    def is_knight(self) -> bool:
        """Whether the piece that moves is a Knight."""
        return self.side.is_knight(self.path[0])

    @property
    def move(self) -> Move:
        """The move so far. Legal only if `may_stop` is true."""
        return Move(self.path, self.captures)

    @classmethod
    def begin(cls, side: Side, start: Cell) -> Turn:
        """The turn of the piece on `start` before its first leg. Has no next legs if the piece may not move."""
        steps, canters, jumps, owes = side.first_legs(start)
        return cls(side, (start,), (), side.relations_without(start), owes, canters, jumps, steps)

    def take(self, leg: Leg) -> Turn:
        """The turn after that leg, which must be one of `next_legs`."""
        side, relations, at = self.side, self.relations, leg.to
        path, owes = (*self.path, at), self.owes
        if leg.kind is _JUMP:
            assert leg.over is not None
            relations = relations.copy()
            relations[leg.over] = side.blank[leg.over]
            jumps = _NO_LEGS if at in side.goal else _list_leaps(side.leaps[at], relations)[1]
            return Turn(side, path, (*self.captures, leg.over), relations, False, _NO_LEGS, jumps)
        if leg.kind is _STEP:
            return Turn(side, path, (), relations, owes)
        canters, jumps, owes = self.after_canter(at, owes)
        return Turn(side, path, (), relations, owes, canters, jumps)

    def after_canter(self, at: Cell, owes: bool) -> tuple[list[Leg], list[Leg], bool]:
        """The canters and jumps that may follow a canter to `at`, and whether the move then owes a capture.

        `owes` is its value before the canter. Canters change nothing on the board, so any turn before the first jump
        gives the same answer.
        """
        side = self.side
        if at in side.goal:
            return _NO_LEGS, _NO_LEGS, owes
        canters, jumps = _list_leaps(side.leaps[at], self.relations)
        if not jumps and not owes:
            return canters, jumps, False
        if not self.is_knight:
            return canters, _NO_LEGS, owes
        # Canters can be retraced, so a capture stays within reach unless the move ends in the castle.
        return [canter for canter in canters if canter.to not in side.goal], jumps, True

    def jumps_at(self, cell: Cell) -> list[Leg]:
        """The jumps that this piece could make from that cell, with the other pieces as they are now."""
        return _list_leaps(self.side.leaps[cell], self.relations)[1]


def _list_leaps(leaps: tuple[Leap, ...], relations: CellRelations) -> tuple[list[Leg], list[Leg]]:
    """The canters and the jumps that the surrounding cells allow."""
    canters: list[Leg] = []
    jumps: list[Leg] = []
    for over, to, canter, jump in leaps:
        relation = relations[over]
        if not relation:
            continue  # most are VACANT
        if relation == OWN:
            if not relations[to]:
                canters.append(canter)
        elif relation == FOE and not relations[to] & _NO_LANDING:
            jumps.append(jump)
    return canters, jumps


def can_move(position: Position) -> bool:
    """Whether the side to move has a legal move. Ignores endings and does not list the moves."""
    if _can_step(position):
        return True
    side = Side(position)
    return side.capture_due or any(Turn.begin(side, start).next_legs for start in side.iter_starts())


def _can_step(position: Position) -> bool:
    """Whether some piece has a VACANT neighbour and no piece has to leave its own castle.

    Then there is a legal move: that step, or a capture if one is due. This is a short cut for `Turn`: nearly every
    position has such a piece, and finding it without a Side makes parsing a typed move a third faster. Tests compare
    the answer with `Turn` and with the second referee.
    """
    view, cells, neighbours = (
        _view_of_side(position.variant, position.turn),
        position.cells,
        position.variant.board.neighbours,
    )
    mine = cells.translate(view.mine)
    for home in view.army.castle:
        if mine[home]:
            return False
    cell = mine.find(1)
    while cell >= 0:
        if cell not in view.army.goal:
            for near in neighbours[cell]:
                if not cells[near] and not view.blank[near]:
                    return True
        cell = mine.find(1, cell + 1)
    return False
