"""Positions for property tests, from random games and built by Hypothesis, and their form for the second referee."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import strategies as st

from rules import VARIANTS, Game, Piece, PieceKind, Position, Variant, legal_moves
from rules.position import EMPTY, piece_code
from tests.rules.brute import Scene

variants = st.sampled_from(sorted(VARIANTS)).map(VARIANTS.__getitem__)


def scene(position: Position) -> Scene:
    """The position as a scene of the second referee."""
    variant = position.variant
    return Scene(
        variant.key,
        frozenset(variant.board.names),
        {
            variant.board.names[cell]: (variant.armies[piece.seat].colour, piece.kind is PieceKind.KNIGHT)
            for cell, piece in position.pieces.items()
        },
        variant.armies[position.turn].colour,
        position.castle_moves[position.turn],
    )


def random_game(variant: Variant, seed: int, plies: int = 400) -> Iterator[Game]:
    """Yields every stage of a random game, up to its end or its last ply."""
    choose = random.Random(f"{variant.key} {seed}").choice
    game = Game.start(variant)
    yield game
    for _ in range(plies):
        if game.outcome:
            return
        game = game.apply(choose(legal_moves(game.position)))
        yield game


@st.composite
def built_positions(draw: st.DrawFn, of: st.SearchStrategy[Variant] = variants, most: int = 16) -> Position:
    """Positions that games may never reach: pieces crowded around a cell or the castles, with any side to move."""
    variant = draw(of)
    board = variant.board
    castles = sorted(cell for army in variant.armies for cell in army.castle)
    centre = draw(st.sampled_from(range(len(board.names))) | st.sampled_from(castles))
    near = _within(variant, centre, draw(st.integers(2, 4)))
    pieces = draw(
        st.dictionaries(
            st.sampled_from(near),
            st.builds(Piece, st.sampled_from(variant.seats), st.sampled_from(PieceKind)),
            min_size=2,
            max_size=most,
        )
    )
    cells = bytearray(len(board.names))
    for cell, piece in pieces.items():
        cells[cell] = piece_code(piece.seat, piece.kind)
    turn = draw(st.sampled_from(sorted({piece.seat for piece in pieces.values()})))
    used = tuple(draw(st.integers(0, variant.castle_moves)) for _ in variant.seats)
    return Position(variant, bytes(cells), turn, used)


def within_armies(position: Position) -> Position:
    """The position without surplus pieces, so that no side has more than its army: a position that people may type."""
    left = Counter(position.variant.setup)
    cells = bytearray(position.cells)
    for cell, byte in enumerate(cells):
        if byte:
            left[byte] -= 1
            if left[byte] < 0:
                cells[cell] = EMPTY
    return replace(position, cells=bytes(cells))


def _within(variant: Variant, centre: int, steps: int) -> list[int]:
    found = {centre}
    for _ in range(steps):
        found |= {near for cell in found for near in variant.board.neighbours[cell]}
    return sorted(found)
