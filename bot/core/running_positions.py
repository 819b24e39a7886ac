"""Tells which positions a running game between people closes, and to whom. Pure.

Before the engine, a bot or the statistics tell a person something about a position, `Service.require_unplayed` decides
by two rules:

- To the players of a running game: what stands within four moves of its present position, before or after, because they
  have to play without help. The first six moves of a whole game, such as that of a review, are looked at more narrowly,
  and so are running games within theirs for a game against bots: there everything is near to everything, people have
  favourite openings, and a game once begun has to go on.
- To everybody: the present position itself, once the game is older than six moves, because a friend passes on advice,
  and posts are read by the players. To close more would close the openings of all to all, for little: anybody can run
  an engine at home.

Positions that a symmetry maps onto each other are the same. Castle moves used and leavers do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from bot.core.match import Match
from rules import Position, Seat, Variant, iter_moves
from rules.symmetry import Symmetry, symmetries

PLIES_AROUND = 4
"""Positions up to this many moves before and after the present one are closed to the players."""
OPENING_PLIES = 6
"""The first moves of a game, which are everybody's."""
MAX_LOSSES = 4
"""The most pieces that are lost within `PLIES_AROUND` moves of a game that is not decided by them."""
FEW_PIECES, MAX_BOARDS_TRIED = 8, 60
"""With so few pieces nearly all boards of a game of two count as near, so moves are tried as well, from so many boards
for each running game."""

_IS_CODE = [bytes(code == other for other in range(256)) for code in range(256)]
"""For each byte of a position, a table that translates it to 1 and all others to 0."""
_IS_PIECE = bytes(map(bool, range(256)))


def number_position(position: Position) -> int:
    """Returns a number of 64 bits, signed, that is equal for positions that a symmetry maps onto each other."""
    return number_image(position.variant, *min(turned_image(position, one) for one in symmetries(position.variant)))


def number_image(variant: Variant, turn: Seat, cells: bytes) -> int:
    """Returns the number of a position, given the smallest of its images."""
    digest = blake2b(f"{variant.key}:{turn}:".encode() + cells, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def turned_image(position: Position, symmetry: Symmetry) -> tuple[Seat, bytes]:
    """Returns the side to move and the cells of the position, rotated or reflected."""
    return symmetry.seats[position.turn], symmetry.turn_pieces(position.cells)


def describe_present(match: Match) -> str:
    """Returns the present position of a running game between people, as `RunningGame` reads it; empty for another."""
    if not match.is_live or (match.roster.began_with_house and len(match.people_in) < 2):
        return ""
    position = match.started_game.position
    return f"{position.turn}:{position.cells.hex()}"


def number_closed_to_all(match: Match) -> int | None:
    """Returns the number of the position that a match closes to everybody; None if it closes none."""
    return (
        number_position(match.started_game.position) if describe_present(match) and match.ply > OPENING_PLIES else None
    )


class RunningGame(NamedTuple):
    """A running game of somebody, as far as it closes positions to them."""

    match: int
    ply: int
    present: str
    """As `describe_present` returns it."""

    def is_near(self, positions: Sequence[Position], plies: int) -> bool:
        """True if one of these positions may precede or follow the present one within that many moves.

        May be True for others: with more than `FEW_PIECES`, or after `MAX_BOARDS_TRIED`, only pieces on new cells and
        lost pieces are counted. A game without a move is near only at `PLIES_AROUND`, because all games of a variant
        share its first moves.
        """
        if not self.ply and plies < PLIES_AROUND:
            return False
        tries = iter(range(MAX_BOARDS_TRIED))
        turn, cells = self.present.split(":")
        variant = positions[0].variant
        here = Position(variant, bytes.fromhex(cells), int(turn), (0,) * len(variant.seats))
        images = [_Board.from_cells(*turned_image(here, symmetry)) for symmetry in symmetries(variant)]
        return any(
            earlier.leads_to(variant, later, plies, tries)
            for board in (_Board.from_cells(asked.turn, asked.cells) for asked in positions)
            for image in images
            for earlier, later in ((board, image), (image, board))
        )


class _Board(NamedTuple):
    """A position, as numbers with a byte for each cell."""

    turn: Seat
    cells: bytes
    occupied: int
    """1 if any piece stands on the cell."""

    @classmethod
    def from_cells(cls, turn: Seat, cells: bytes) -> _Board:
        return cls(turn, cells, int.from_bytes(cells.translate(_IS_PIECE)))

    def leads_to(self, variant: Variant, later: _Board, plies: int, tries: Iterator[int]) -> bool:
        """True if the other board may follow within that many moves; takes one of `tries` for each board tried."""
        if not self.may_precede(variant, later, plies):
            return False
        few = len(variant.seats) == 2 and self.occupied.bit_count() <= FEW_PIECES
        if self == later or not few or next(tries, None) is None:
            return True
        here = Position(variant, self.cells, self.turn, (0, 0))
        after = (here.after_move(move) for move in iter_moves(here))
        return any(_Board.from_cells(to.turn, to.cells).leads_to(variant, later, plies - 1, tries) for to in after)

    def may_precede(self, variant: Variant, later: _Board, plies: int) -> bool:
        """True if the other board may follow within that many moves, by counting: each move brings one piece to a new
        cell and captures others' pieces, no lost piece comes back, and seats move in turn.
        """
        if len(variant.seats) == 2 and (plies % 2 == 0) != (self.turn == later.turn):  # somebody else would be to move
            plies -= 1
        if plies <= 0:
            return plies == 0 and self == later
        if (later.occupied & ~self.occupied).bit_count() > plies:  # as in most cases
            return False
        moved, lost = 0, 0
        for seat in variant.seats:
            own_moves, moved_by_others = (plies + (seat == self.turn)) // 2, moved
            for code in variant.piece_codes[seat]:
                before, after = (board.find_pieces(code) for board in (self, later))
                captured = before.bit_count() - after.bit_count()
                moved, lost = moved + (after & ~before).bit_count(), lost + captured
                if captured < 0 or lost > MAX_LOSSES or moved > plies or moved - moved_by_others > own_moves:
                    return False
                if captured and own_moves == plies:  # nobody else would have moved
                    return False
        return True

    def find_pieces(self, code: int) -> int:
        """Returns a number with a byte for each cell: 1 if a piece of that code stands there, else 0."""
        return int.from_bytes(self.cells.translate(_IS_CODE[code]))
