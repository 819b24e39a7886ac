"""The values of the rules: pieces, armies, variants and positions. No function here tests legality."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from rules.basics import Move, Outcome, Seat
from rules.board import Board, Cell

__all__ = ["EMPTY", "Army", "Move", "Piece", "PieceKind", "Position", "Seat", "Variant", "piece_code"]

EMPTY = 0
"""The code of an empty cell in `Position.cells`. `piece_code` returns the codes of pieces."""


class PieceKind(Enum):
    """The two kinds of piece."""

    MAN = "man"
    KNIGHT = "knight"


class Piece(NamedTuple):
    """A piece: its seat and its kind."""

    seat: Seat
    kind: PieceKind


def piece_code(seat: Seat, kind: PieceKind) -> int:
    """The byte of a piece in `Position.cells`: 1, 2 for the first army's Man and Knight, then 3, 4 …

    >>> piece_code(1, PieceKind.KNIGHT)
    4
    """
    return 1 + 2 * seat + (kind is PieceKind.KNIGHT)


@dataclass(frozen=True)
class Army:
    """One side: its colour, and the castles by their meaning for this side."""

    colour: str
    castle: frozenset[Cell]
    """Its own castle, which its pieces may enter by jumps only."""
    goal: frozenset[Cell]
    """The castle that it attacks; a piece that lands there stops and never leaves."""
    barred: frozenset[Cell]
    """The castle that it may never enter; empty in games of two."""


@dataclass(frozen=True, eq=False)
class Variant:
    """One game of the family, as a value. Compared by identity; `VARIANTS` holds all of them."""

    key: str
    name: str
    board: Board
    armies: tuple[Army, ...]
    setup: bytes
    """The starting `Position.cells`."""
    ending: Callable[[Position], Outcome | None]
    """The outcome that the pieces on the board decide, tested after each move; None if the game continues."""
    stuck: Callable[[Position], Outcome | None]
    """The outcome if the player to move has no legal move; None lets the turn pass."""
    castle_moves: int
    """How many castle moves each player has in a game; 0 if castles have one cell."""
    source: str
    """The published rules that this variant follows."""

    @property
    def seats(self) -> range:
        """Every seat in turn order."""
        return range(len(self.armies))

    @cached_property
    def start_position(self) -> Position:
        """The position before the first move."""
        return Position(self, self.setup, self.seats[0], (0,) * len(self.armies))

    @cached_property
    def piece_codes(self) -> tuple[tuple[int, int], ...]:
        """For each seat, the bytes of its Men and of its Knights."""
        return tuple((piece_code(seat, PieceKind.MAN), piece_code(seat, PieceKind.KNIGHT)) for seat in self.seats)

    def attacked_by(self, seat: Seat) -> Seat:
        """The seat whose castle that seat attacks."""
        return next(other for other in self.seats if self.armies[other].castle == self.armies[seat].goal)

    @cached_property
    def castle_goals(self) -> tuple[tuple[Seat, frozenset[Cell], tuple[int, int]], ...]:
        """For each seat: the seat, the castle that it attacks, and the bytes of its pieces."""
        return tuple((seat, self.armies[seat].goal, self.piece_codes[seat]) for seat in self.seats)

    @cached_property
    def piece_by_code(self) -> Mapping[int, Piece]:
        """Maps each byte in `Position.cells` to its piece."""
        return {piece_code(seat, kind): Piece(seat, kind) for seat in self.seats for kind in PieceKind}

    def find_seat(self, colour: str) -> Seat:
        """The seat of that colour, in upper or lower case. Raises KeyError if there is none.

        >>> from rules import VARIANTS
        >>> VARIANTS["tri-camelot"].find_seat("green")
        2
        """
        for seat in self.seats:
            if self.armies[seat].colour.lower() == colour.lower():
                return seat
        raise KeyError(colour)

    @cached_property
    def turn_orders(self) -> tuple[tuple[Seat, ...], ...]:
        """For each seat, all seats in turn order from the next one on; the seat itself comes last."""
        seats = self.seats
        return tuple((*seats[seat + 1 :], *seats[: seat + 1]) for seat in seats)


@dataclass(frozen=True, slots=True)
class Position:
    """The pieces, the side to move, the castle moves used, who has left and where stewards sit. Has no history."""

    variant: Variant
    cells: bytes
    """One byte per cell of the board: EMPTY, or `piece_code(seat, kind)`."""
    turn: Seat
    castle_moves: tuple[int, ...]
    """Castle moves used so far, per seat."""
    out: frozenset[Seat] = frozenset()
    """Seats whose player has left. Their pieces stay; their turn is skipped unless a steward sits there."""
    stewards: frozenset[Seat] = frozenset()
    """The seats in `out` that a steward plays: see `steward_move`."""

    @property
    def pieces(self) -> dict[Cell, Piece]:
        """The pieces by cell, in board order, as a new dictionary."""
        piece_of = self.variant.piece_by_code
        return {cell: piece_of[byte] for cell, byte in enumerate(self.cells) if byte}

    def count_pieces(self, seat: Seat) -> int:
        """How many pieces that seat has on the board.

        >>> from rules import VARIANTS
        >>> VARIANTS["camelot"].start_position.count_pieces(0)
        14
        """
        man, knight = self.variant.piece_codes[seat]
        return self.cells.count(man) + self.cells.count(knight)

    def is_playing(self, seat: Seat) -> bool:
        """Whether that seat is still in the game: it has pieces and its player has not left."""
        return seat not in self.out and self.has_pieces(seat)

    def has_turns(self, seat: Seat) -> bool:
        """Whether that seat still takes turns: it is in the game, or a steward moves its pieces."""
        return seat not in self.skipped_seats and self.has_pieces(seat)

    def has_pieces(self, seat: Seat) -> bool:
        """Whether that seat has a piece on the board."""
        man, knight = self.variant.piece_codes[seat]
        return man in self.cells or knight in self.cells

    @property
    def skipped_seats(self) -> frozenset[Seat]:
        """The seats whose turn is skipped: their player has left and no steward sits there."""
        return self.out - self.stewards

    @property
    def steward_to_move(self) -> bool:
        """Whether a steward is to move."""
        return self.turn in self.stewards

    def names(self, cells: Iterable[Cell]) -> tuple[str, ...]:
        """The names of those cells."""
        names = self.variant.board.names
        return tuple(names[cell] for cell in cells)

    def repetition_key(self) -> Hashable:
        """A key that is equal for repeated positions: same pieces, turn, castle moves used, leavers and stewards."""
        return self.cells, self.turn, self.castle_moves, self.out, self.stewards

    def after_move(self, move: Move) -> Position:
        """The position after that move, with the next seat to move. Does not check that the move is legal."""
        path, variant, seat = move.path, self.variant, self.turn
        start, end = path[0], path[-1]
        cells = bytearray(self.cells)
        piece = cells[start]
        cells[start] = EMPTY
        for captured in move.captures:
            cells[captured] = EMPTY
        cells[end] = piece
        used = self.castle_moves
        goal = variant.armies[seat].goal
        if start in goal and end in goal:
            used = tuple(n + (other == seat) for other, n in enumerate(used))
        after = bytes(cells)
        turn = _next_to_play(variant, after, seat, self.skipped_seats)
        return Position(variant, after, turn, used, self.out, self.stewards)

    def after_pass(self) -> Position:
        """Returns the position with the next seat that takes turns to move (the mover again if it is the only seat)."""
        turn = _next_to_play(self.variant, self.cells, self.turn, self.skipped_seats)
        return Position(self.variant, self.cells, turn, self.castle_moves, self.out, self.stewards)

    def after_leaving(self, seat: Seat, *, steward: bool = False) -> Position:
        """The position after that seat's player has left.

        The pieces stay. Their turn is skipped, or played by a steward if `steward` is true.
        """
        gone = replace(self, out=self.out | {seat}, stewards=self.stewards | {seat} if steward else self.stewards)
        return gone.after_pass() if gone.turn in gone.skipped_seats else gone


def _next_to_play(variant: Variant, cells: bytes, seat: Seat, skipped: frozenset[Seat]) -> Seat:
    """The next seat that has pieces and is not skipped; the same seat if there is no other."""
    codes = variant.piece_codes
    for other in variant.turn_orders[seat]:
        man, knight = codes[other]
        if other not in skipped and (man in cells or knight in cells):
            return other
    return seat
