"""Builds a Variant from a picture of its start."""

from __future__ import annotations

from collections.abc import Sequence

from rules.board import Vector
from rules.diagram import parse_diagram
from rules.endings import Ending
from rules.position import Army, PieceKind, Variant, piece_code

NO_CELLS = ""


def make_variant(
    key: str,
    name: str,
    *levels: str,
    directions: tuple[Vector, ...],
    armies: Sequence[tuple[str, str, str, str]],
    ending: Ending,
    stuck: Ending,
    castle_moves: int = 0,
    source: str,
) -> Variant:
    """The variant whose start the pictures show; `rules.diagram` describes their format.

    `armies` lists (colour, own castle, goal, barred castle) in turn order; a castle is cell names separated by blanks.
    """
    board, marks = parse_diagram(*levels, directions=directions)

    def castle(names: str) -> frozenset[int]:
        return frozenset(board.find_cell(cell) for cell in names.split())

    codes = {
        (colour[0].upper() if kind is PieceKind.KNIGHT else colour[0].lower()): piece_code(seat, kind)
        for seat, (colour, *_) in enumerate(armies)
        for kind in PieceKind
    }
    return Variant(
        key=key,
        name=name,
        board=board,
        armies=tuple(Army(colour, castle(own), castle(goal), castle(bar)) for colour, own, goal, bar in armies),
        setup=bytes(codes[marks[cell]] if cell in marks else 0 for cell in range(len(board.names))),
        ending=ending,
        stuck=stuck,
        castle_moves=castle_moves,
        source=source,
    )


def white_and_black(white_castle: str, black_castle: str) -> tuple[tuple[str, str, str, str], ...]:
    """Two armies, White first, each attacking the other's castle."""
    return ("White", white_castle, black_castle, NO_CELLS), ("Black", black_castle, white_castle, NO_CELLS)
