"""Counts of legal moves to a depth, by which move generators are compared."""

from __future__ import annotations

from collections.abc import Iterator

from rules.game import resolve_passes
from rules.moves import legal_moves
from rules.position import Move, Position


def perft(position: Position, depth: int) -> int:
    """How many sequences of that many moves, told apart by outcome; games that are over go on with none.

    Turns that pass do not count.
    """
    position, outcome, _ = resolve_passes(position)
    if outcome:
        return 0
    moves = legal_moves(position)
    return len(moves) if depth == 1 else sum(perft(position.after_move(move), depth - 1) for move in moves)


def iter_perft_shares(position: Position, depth: int) -> Iterator[tuple[Move, int]]:
    """Each legal move with its share in `perft`, one by one."""
    position, outcome, _ = resolve_passes(position)
    if outcome is None:
        for move in legal_moves(position):
            yield move, perft(position.after_move(move), depth - 1) if depth > 1 else 1
