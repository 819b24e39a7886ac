"""The smallest values of the rules: cells, seats, moves, and how games end."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

Cell = int
"""An index into `Board.names`. Only notation, pictures and messages use names."""

Seat = int
"""An index into `Variant.armies`, which are in turn order. Look the next seat up; never compute it."""


class Move(NamedTuple):
    """A whole move: the start and every landing, and the cells of the captured pieces in the order of capture."""

    path: tuple[Cell, ...]
    captures: tuple[Cell, ...]

    @property
    def start(self) -> Cell:
        return self.path[0]

    @property
    def end(self) -> Cell:
        return self.path[-1]

    @property
    def outcome(self) -> tuple[Cell, Cell, frozenset[Cell]]:
        """What the move does to the board: start, end and captured cells. Equal for all routes.

        >>> Move((0, 5, 9), (3,)).outcome
        (0, 9, frozenset({3}))
        """
        return self.path[0], self.path[-1], frozenset(self.captures)


class Cause(Enum):
    """Why a game ended. The values are catalogue keys and stand in stored records, so they never change."""

    CASTLE = "castle"
    CAPTURE = "capture"
    STALEMATE = "stalemate"
    FEW_PIECES = "few-pieces"
    NOBODY_MOVES = "nobody-moves"
    REPETITION = "repetition"
    QUIET = "quiet"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    # The rules never produce these two; records may hold them:
    TIMEOUT = "timeout"
    ABANDONED = "abandoned"  # without any result, not even a draw


class Outcome(NamedTuple):
    """The end of a game: its cause and the seats that won. A draw has no winners."""

    cause: Cause
    winners: tuple[Seat, ...]
