"""Boards as data: named cells with integer vectors, and the directions in which one may step or leap.

Nothing else in the rules knows about geometry. Squares, hexagons and three levels differ only in their tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import product
from typing import NamedTuple

from rules.errors import NotationError, Reason

Cell = int
"""An index into `Board.names`. Names appear only at the edges: notation, pictures, messages."""
Vector = tuple[int, ...]


class LegKind(Enum):
    """How a piece gets from one landing to the next."""

    STEP = "step"  # a plain move, or a castle move
    CANTER = "canter"
    JUMP = "jump"


class Leg(NamedTuple):
    """One hop of a move: from `start` to `to`, and the cell leapt over (None for a step)."""

    kind: LegKind
    start: Cell
    over: Cell | None
    to: Cell


class Way(NamedTuple):
    """One direction out of a cell. `far` is the cell behind `near`, or `Board.edge` where the board ends.

    The three legs are made once for the board, so that nobody makes them while judging.
    """

    near: Cell
    far: Cell
    step: Leg
    canter: Leg
    jump: Leg


@dataclass(frozen=True, eq=False)
class Board:
    """Cells in board order (level, then rank, then file), their vectors and the directions of movement.

    `vectors` have one integer per axis: (file, rank), or (file, rank, level); file and rank count from 1.
    Tri-Camelot's hexagons use doubled ranks, so that neighbours in one file are two ranks apart.
    """

    names: tuple[str, ...]
    vectors: tuple[Vector, ...]
    directions: tuple[Vector, ...]

    @property
    def edge(self) -> Cell:
        """The index just behind the last cell: it stands for everything off the board."""
        return len(self.names)

    @cached_property
    def index(self) -> dict[str, Cell]:
        """Canonical (upper-case) name to cell."""
        return {name: cell for cell, name in enumerate(self.names)}

    @cached_property
    def ways(self) -> tuple[tuple[Way, ...], ...]:
        """For each cell, one `Way` for every direction in which it has a neighbour."""
        at = {vector: cell for cell, vector in enumerate(self.vectors)}

        def shifted(cell: Cell, direction: Vector, times: int) -> Cell | None:
            return at.get(tuple(v + times * d for v, d in zip(self.vectors[cell], direction, strict=True)))

        def way(cell: Cell, near: Cell, far: Cell | None) -> Way:
            landing = self.edge if far is None else far
            return Way(
                near,
                landing,
                Leg(LegKind.STEP, cell, None, near),
                Leg(LegKind.CANTER, cell, near, landing),
                Leg(LegKind.JUMP, cell, near, landing),
            )

        return tuple(
            tuple(
                way(cell, near, shifted(cell, direction, 2))
                for direction in self.directions
                if (near := shifted(cell, direction, 1)) is not None
            )
            for cell in range(len(self.names))
        )

    @cached_property
    def neighbours(self) -> tuple[tuple[Cell, ...], ...]:
        """For each cell, the cells one step away."""
        return tuple(tuple(way.near for way in ways) for ways in self.ways)

    @cached_property
    def leaps(self) -> tuple[tuple[tuple[Cell, Cell], ...], ...]:
        """For each cell, the pairs (cell leapt over, landing)."""
        return tuple(tuple((way.near, way.far) for way in ways if way.far != self.edge) for ways in self.ways)

    @cached_property
    def between(self) -> dict[tuple[Cell, Cell], Cell]:
        """(start, landing) of every straight leap to the cell leapt over."""
        return {(cell, to): over for cell, leaps in enumerate(self.leaps) for over, to in leaps}

    def cell(self, name: str) -> Cell:
        """The cell of that name, in any case. Raises NotationError where the board has none."""
        try:
            return self.index[name.upper()]
        except KeyError:
            raise NotationError(Reason.NO_SUCH_CELL, text=name) from None


EIGHT_WAYS: tuple[Vector, ...] = tuple(d for d in product((-1, 0, 1), repeat=2) if any(d))
"""Squares: horizontally, vertically and diagonally."""

TWENTY_SIX_WAYS: tuple[Vector, ...] = tuple(d for d in product((-1, 0, 1), repeat=3) if any(d))
"""Cubes: orthogonally or diagonally in three dimensions."""

SIX_WAYS: tuple[Vector, ...] = ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1))
"""Hexagons in doubled ranks: vertically or diagonally."""
