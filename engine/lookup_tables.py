"""Tables of boards and variants for the search: bit sets of cells, and steps and leaps by the pattern around a cell.

A bit set is an integer with one bit per cell. All tables are computed from the boards and variants of `rules`.
"""

from __future__ import annotations

import random
from functools import cache

from rules import Seat, Variant
from rules.board import Board, Cell

Hop = tuple[Cell, Cell, tuple[Cell, ...]]
"""A move without its route: start, end, and the captured cells in the order of capture."""

MAX_PATTERNS = 1_000
"""The capacity of each table of patterns around a cell; a full table is cleared."""


class _Steps(dict[int, tuple[Hop, ...]]):
    """The steps from one cell, by the bit set of neighbours that are blocked."""

    def __init__(self, ways: tuple[tuple[int, Hop], ...]) -> None:
        self._ways = ways

    def __missing__(self, blocked: int) -> tuple[Hop, ...]:
        if len(self) >= MAX_PATTERNS:
            self.clear()
        hops = self[blocked] = tuple([hop for bit, hop in self._ways if not blocked & bit])
        return hops


class _Leaps(dict[int, tuple[Cell, ...]]):
    """The landings of single leaps from one cell, by the bit set of neighbours to leap over and landings blocked."""

    def __init__(self, ways: tuple[tuple[int, int, Cell], ...]) -> None:
        self._ways = ways

    def __missing__(self, around: int) -> tuple[Cell, ...]:
        if len(self) >= MAX_PATTERNS:
            self.clear()
        hops = self[around] = tuple([to for over, beyond, to in self._ways if around & over and not around & beyond])
        return hops


class BoardTables:
    """The tables of a board, by cell; shared by all positions on that board."""

    def __init__(self, board: Board) -> None:
        cells = range(len(board.names))
        self.bits = bits = [1 << cell for cell in cells]
        self.around = [sum(bits[near] for near in board.neighbours[cell]) for cell in cells]
        self.beyond = [sum(bits[to] for _, to, *_ in board.leaps[cell]) for cell in cells]
        self.between = [{to: over for over, to, *_ in board.leaps[cell]} for cell in cells]
        self.quiet: list[list[Hop]] = [[(start, to, ()) for to in cells] for start in cells]
        """By start and end, the quiet move; always the same object."""
        self.steps = [_Steps(tuple((bits[to], self.quiet[c][to]) for to in board.neighbours[c])) for c in cells]
        self.leaps = [_Leaps(tuple((bits[over], bits[to], to) for over, to, *_ in board.leaps[c])) for c in cells]


class SeatView:
    """The castles of a variant from the view of one seat, as bit sets."""

    def __init__(self, variant: Variant, seat: Seat) -> None:
        army = variant.armies[seat]
        self.goal = army.goal
        self.knight = variant.piece_codes[seat][1]
        self.castle = cells_to_bits(army.castle)
        self.doorstep = cells_to_bits(frozenset(n for c in army.castle for n in variant.board.neighbours[c]))
        """The cells around its castle; while they are empty, nobody can enter."""
        self.goal_bits = cells_to_bits(army.goal)
        self.barred = cells_to_bits(army.barred)
        self.closed = self.castle | self.barred
        """The cells that it may not step or canter to, even if they are empty."""


class ZobristKeys:
    """Random 60-bit numbers for Zobrist hashing. The same in every process."""

    def __init__(self, variant: Variant) -> None:
        number = random.Random(variant.key).getrandbits  # noqa: S311 - the same for everybody, and no secret
        codes = 1 + 2 * len(variant.armies)
        self.piece = [[number(60) if code else 0 for _ in variant.board.names] for code in range(codes)]
        self.turn = [number(60) for _ in variant.seats]
        self.castle = [[number(60) for _ in range(variant.castle_moves + 1)] for _ in variant.seats]
        self.out = [number(60) for _ in variant.seats]
        self.steward = [number(60) for _ in variant.seats]


def cells_to_bits(cells: frozenset[Cell]) -> int:
    """The cells as a bit set.

    >>> cells_to_bits(frozenset({0, 3}))
    9
    """
    return sum(1 << cell for cell in cells)


@cache
def tables_of(board: Board) -> BoardTables:
    return BoardTables(board)


@cache
def views_of(variant: Variant) -> tuple[SeatView, ...]:
    return tuple(SeatView(variant, seat) for seat in variant.seats)


@cache
def keys_of(variant: Variant) -> ZobristKeys:
    return ZobristKeys(variant)
