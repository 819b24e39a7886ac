"""The house player: chooses moves, evaluates positions and proves wins in every variant. Standard library only.

>>> from engine import choose_move
>>> from rules import VARIANTS, legal_moves
>>> position = VARIANTS["camette"].start_position
>>> choose_move(position, "easy", seed=1) in legal_moves(position)
True

`rules` stays the only judge of legality: every move chosen here is one of its legal moves.
"""

from engine.levels import LEVELS, Level, choose_move, evaluate_chances, levels_of
from engine.solving import Solution, TooHard, find_forced_winner, solve

__all__ = [
    "LEVELS",
    "Level",
    "Solution",
    "TooHard",
    "choose_move",
    "evaluate_chances",
    "find_forced_winner",
    "levels_of",
    "solve",
]
