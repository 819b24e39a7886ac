"""Boards as data: named cells with integer vectors, and the directions of steps and leaps.

No other module of the rules knows geometry. Squares, hexagons and three levels differ only in their tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import product
from typing import NamedTuple

from rules.basics import Cell, Move
from rules.errors import NotationError, Reason

__all__ = ["EIGHT_WAYS", "SIX_WAYS", "TWENTY_SIX_WAYS", "Board", "Cell", "Leap", "Leg", "LegKind", "Step", "Vector"]

Vector = tuple[int, ...]


class LegKind(Enum):
    """How a piece gets from one landing to the next."""

    STEP = "step"  # a plain move, or a castle move
    CANTER = "canter"
    JUMP = "jump"


class Leg(NamedTuple):
    """One part of a move: from `start` to `to`, and the cell leapt over (None for a step)."""

    kind: LegKind
    start: Cell
    over: Cell | None
    to: Cell
    alone: Move
    """The move that consists of this leg only."""


# Plain tuples: lists of moves unpack them more often than anything else, and a NamedTuple takes twice as long.
Step = tuple[Cell, Leg]
"""A step: the neighbouring cell, and the leg to it."""

Leap = tuple[Cell, Cell, Leg, Leg]
"""A straight leap: the neighbouring cell leapt over, the landing, and the leap as a canter and as a jump."""


@dataclass(frozen=True, eq=False)
class Board:
    """Cells in board order (level, then rank, then file), their vectors and the directions of movement.

    `vectors` have one integer per axis: (file, rank), or (file, rank, level); file and rank count from 1.
    Tri-Camelot's hexagons use doubled ranks: neighbours in one file are two ranks apart.
    """

    names: tuple[str, ...]
    vectors: tuple[Vector, ...]
    directions: tuple[Vector, ...]

    @cached_property
    def cell_by_name(self) -> dict[str, Cell]:
        """Canonical (upper-case) name to cell."""
        return {name: cell for cell, name in enumerate(self.names)}

    @cached_property
    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """For each cell, the steps to its neighbours. Every caller shares the same `Leg` objects."""
        return tuple(
            tuple((to, Leg(LegKind.STEP, start, None, to, Move((start, to), ()))) for to in near)
            for start, near in enumerate(self.neighbours)
        )

    @cached_property
    def leaps(self) -> tuple[tuple[Leap, ...], ...]:
        """For each cell, the leaps over its neighbours that stay on the board, whether pieces allow them or not."""

        def leap(start: Cell, over: Cell, to: Cell) -> Leap:
            canter = Leg(LegKind.CANTER, start, over, to, Move((start, to), ()))
            return over, to, canter, Leg(LegKind.JUMP, start, over, to, Move((start, to), (over,)))

        return tuple(
            tuple(
                leap(start, over, to)
                for direction in self.directions
                if (over := self._cell_beyond(start, direction, 1)) is not None
                and (to := self._cell_beyond(start, direction, 2)) is not None
            )
            for start in range(len(self.names))
        )

    @cached_property
    def neighbours(self) -> tuple[tuple[Cell, ...], ...]:
        """For each cell, the cells one step away."""
        return tuple(
            tuple(near for d in self.directions if (near := self._cell_beyond(cell, d, 1)) is not None)
            for cell in range(len(self.names))
        )

    @cached_property
    def _cell_by_vector(self) -> dict[Vector, Cell]:
        return {vector: cell for cell, vector in enumerate(self.vectors)}

    def _cell_beyond(self, cell: Cell, direction: Vector, times: int) -> Cell | None:
        return self._cell_by_vector.get(
            tuple(v + times * d for v, d in zip(self.vectors[cell], direction, strict=True))
        )

    @cached_property
    def between(self) -> dict[tuple[Cell, Cell], Cell]:
        """Maps (start, landing) of every straight leap to the cell leapt over."""
        return {(start, to): over for start, leaps in enumerate(self.leaps) for over, to, *_ in leaps}

    def find_cell(self, name: str) -> Cell:
        """The cell with that name, in upper or lower case. Raises NotationError if there is none.

        >>> from rules import VARIANTS
        >>> board = VARIANTS["cam"].board
        >>> board.names[board.find_cell("d13")]
        'D13'
        """
        try:
            return self.cell_by_name[name.upper()]
        except KeyError:
            raise NotationError(Reason.NO_SUCH_CELL, text=name) from None


EIGHT_WAYS: tuple[Vector, ...] = tuple(d for d in product((-1, 0, 1), repeat=2) if any(d))
"""Squares: horizontally, vertically and diagonally."""

TWENTY_SIX_WAYS: tuple[Vector, ...] = tuple(d for d in product((-1, 0, 1), repeat=3) if any(d))
"""Cubes: orthogonally or diagonally in three dimensions."""

SIX_WAYS: tuple[Vector, ...] = ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1))
"""Hexagons in doubled ranks: vertically or diagonally."""
