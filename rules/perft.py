"""Counts sequences of legal moves to a depth, a standard comparison of move generators."""

from __future__ import annotations

from collections.abc import Iterator

from rules.game import resolve_passes
from rules.moves import legal_moves
from rules.position import Move, Position


def perft(position: Position, depth: int) -> int:
    """The number of sequences of `depth` legal moves, where moves with the same outcome count once.

    Games that end earlier add nothing. Turns that pass are not moves.

    >>> from rules import VARIANTS
    >>> [perft(VARIANTS["camette"].start_position, depth) for depth in (1, 2)]
    [22, 345]
    """
    position, outcome, _ = resolve_passes(position)
    if outcome:
        return 0
    moves = legal_moves(position)
    return len(moves) if depth == 1 else sum(perft(position.after_move(move), depth - 1) for move in moves)


def iter_perft_shares(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """Yields each legal move with its share of `perft`."""
    position, outcome, _ = resolve_passes(position)
    if outcome is None:
        for move in legal_moves(position):
            yield move, perft(position.after_move(move), depth - 1) if depth > 1 else 1
