"""The house player: it chooses moves, judges positions and proves wins, in every variant. Standard library only.

from engine import choose
from rules import VARIANTS

move = choose(VARIANTS["camelot"].start, "easy", seed=1)

The referee stays in `rules`: whatever is chosen here is one of its legal moves.
"""

from engine.levels import LEVELS, Level, choose_move, evaluate_chances
from engine.mill import find_puzzle
from engine.solving import Solution, TooHard, solve

__all__ = ["LEVELS", "Level", "Solution", "TooHard", "choose_move", "evaluate_chances", "find_puzzle", "solve"]
