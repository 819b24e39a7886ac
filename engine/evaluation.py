"""What a position is worth to one side of two, without looking ahead: hundredths of log-odds of winning.

Each piece counts for what it is and for where it stands: how far from the castle it wants to take, and how near to
its own. The two foremost pieces count once more, because the race is theirs; and so does the move. A score of 100 means
odds of e to 1. The weights are data, one file for each variant, made by `python -m engine fit`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import exp
from typing import Any

from engine.position import SearchPosition
from engine.tables import Hop
from rules import Seat, Variant
from rules.board import Board, Cell

MAX_DISTANCE = 9
"""Distances to the castle under attack are told apart up to here."""
GUARD_DISTANCE = 3
"""Distances to its own castle are told apart up to here; from here on a piece guards nothing."""

FUTILITY_MARGIN = 60
"""What a quiet move is believed to gain at most, beyond what it does to the evaluation by itself."""

PATIENCE, TIRING = 5, 12
"""It loses its patience in so many portions, one in each so many plies without a capture."""


@dataclass(frozen=True)
class Weights:
    """Log-odds of winning, in hundredths."""

    man: float
    knight: float
    goal: tuple[float, ...]
    """For a piece at each distance from the castle it attacks: 0, 1 … FAR and more."""
    guard: tuple[float, ...]
    """For a piece at each distance from its own castle: 0 … HOME, none further off."""
    nearest: float
    """For each step that the foremost piece is away from the castle it attacks, up to FAR."""
    second: float
    """The same for the second."""
    move: float
    """For being the one to move."""


@cache
def weights_of(variant: Variant) -> Weights:
    """The weights of that variant. Raises FileNotFoundError where none have been made."""
    found: dict[str, Any] = json.loads((files("engine") / "weights" / f"{variant.key}.json").read_text("utf-8"))
    return Weights(**found | {"goal": tuple(found["goal"]), "guard": tuple(found["guard"])})


def steps_to_nearest(board: Board, to: frozenset[Cell]) -> list[int]:
    """For each cell the steps to the nearest of those cells on the empty board."""
    found = dict.fromkeys(to, 0)
    reached = list(to)
    for at in reached:
        for near in board.neighbours[at]:
            if near not in found:
                found[near] = found[at] + 1
                reached.append(near)
    return [found[cell] for cell in range(len(board.names))]


class Evaluation:
    """A variant's weights, laid out cell by cell."""

    draw = -30
    """What a draw, or coming back to a position, is worth to whoever thinks: a little less than an even game."""

    def __init__(self, variant: Variant, weights: Weights) -> None:
        armies, board = variant.armies, variant.board
        self.variant, self.weights = variant, weights
        self._impatient = {PATIENCE: self}
        self.ways = [[min(MAX_DISTANCE, far) for far in steps_to_nearest(board, army.goal)] for army in armies]
        """For each seat and cell the distance to the castle it attacks, up to FAR."""
        self.homes = [[min(GUARD_DISTANCE + 1, far) for far in steps_to_nearest(board, army.castle)] for army in armies]
        """The same for its own castle, up to one more than HOME."""
        guard = (*weights.guard, 0.0)
        self.places = [
            [round(weights.man + weights.goal[far] + guard[near]) for far, near in zip(ways, home, strict=True)]
            for ways, home in zip(self.ways, self.homes, strict=True)
        ]
        """For each seat and cell what a Man of that seat is worth there."""
        self.knights = [knight for _, knight in variant.piece_codes]
        self.knight = round(weights.knight - weights.man)
        self.nearest = [round(weights.nearest * far) for far in range(MAX_DISTANCE + 1)]
        self.second = [round(weights.second * far) for far in range(MAX_DISTANCE + 1)]
        self.move = round(weights.move)

    def after_quiet_plies(self, quiet: int) -> Evaluation:
        """The same after so many plies without a capture: the longer nothing happens, the less it guards."""
        patience = max(0, PATIENCE - quiet // TIRING)
        if patience not in self._impatient:
            guard = tuple(value * patience / PATIENCE for value in self.weights.guard)
            self._impatient[patience] = Evaluation(self.variant, replace(self.weights, guard=guard))
        return self._impatient[patience]

    def score_army(self, search: SearchPosition, seat: Seat) -> int:
        """What that seat's pieces are worth."""
        army = search.army[seat]
        far = sorted(map(self.ways[seat].__getitem__, army))
        race = self.nearest[far[0]] + self.second[far[1] if len(far) > 1 else MAX_DISTANCE]
        return (
            race + sum(map(self.places[seat].__getitem__, army)) + self.knight * search.cells.count(self.knights[seat])
        )

    def score(self, search: SearchPosition, seat: Seat) -> int:
        """The log-odds of that seat against the other, in hundredths."""
        move = self.move if search.turn == seat else -self.move
        return move + self.score_army(search, seat) - self.score_army(search, search.variant.turn_orders[seat][0])

    def prune_futile(
        self, search: SearchPosition, seat: Seat, hops: list[Hop], alpha: int, beta: int
    ) -> tuple[int, list[Hop]]:
        """Which of the moves at the last ply may lift the score of that seat above `alpha`, or press it below `beta`.

        With them what the others come to at most, for whoever makes them (frontier futility).
        """
        stand, turn = self.score(search, seat), search.turn
        if turn == seat:
            bound, least = alpha, alpha - stand - FUTILITY_MARGIN
            enough = stand - FUTILITY_MARGIN
            if enough >= beta:
                return enough, []
        else:
            bound, least = beta, stand - FUTILITY_MARGIN - beta
            enough = stand + FUTILITY_MARGIN
            if enough <= alpha:
                return enough, []
        places, goal = self.places[turn], search.views[turn].goal
        found = [hop for hop in hops if places[hop[1]] - places[hop[0]] > least or hop[1] in goal or hop[2]]
        return bound, found


@cache
def evaluation_of(variant: Variant) -> Evaluation:
    """The evaluation with the weights of that variant."""
    return Evaluation(variant, weights_of(variant))


def chance_of_score(score: float) -> float:
    """The chance of winning that a score stands for."""
    return 1 / (1 + exp(-max(-3000.0, min(3000.0, score)) / 100))
