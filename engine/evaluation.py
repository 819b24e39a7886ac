"""The static evaluation with two players: hundredths of log-odds that a side wins.

Each piece counts by its kind, its distance to the castle it attacks and its distance to its own castle. The two
foremost pieces count extra for the race to the castle, and the side to move gets a bonus. A score of 100 means odds of
e to 1. The weights are data, one file per variant, made by `python -m engine fit`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import exp
from typing import Any

from engine.lookup_tables import Hop
from engine.search_position import SearchPosition
from rules import Seat, Variant
from rules.board import Board, Cell

_WEIGHTS_FOLDER: Traversable = files("engine").joinpath("weights")

MAX_DISTANCE = 9
"""Larger distances to the attacked castle count as this one."""
GUARD_DISTANCE = 3
"""The largest distance to its own castle at which a piece still guards."""

FUTILITY_MARGIN = 60
"""The assumed largest gain of a quiet move beyond its change of the static evaluation."""

PATIENCE, TIRING = 5, 12
"""Guards lose one PATIENCE-th of their value with every TIRING plies without a capture."""


@dataclass(frozen=True)
class Weights:
    """Log-odds of winning, in hundredths."""

    man: float
    knight: float
    goal: tuple[float, ...]
    """For a piece, by its distance to the castle it attacks: 0 … MAX_DISTANCE and more."""
    guard: tuple[float, ...]
    """For a piece, by its distance to its own castle: 0 … GUARD_DISTANCE; 0 beyond."""
    nearest: float
    """For each step from the foremost piece to the castle it attacks, up to MAX_DISTANCE."""
    second: float
    """For each step from the second piece to that castle, up to MAX_DISTANCE."""
    move: float
    """For the side to move."""


@cache
def weights_of(variant: Variant) -> Weights:
    """The weights of that variant. Raises FileNotFoundError if it has none."""
    fields = read_weights(variant)
    return Weights(**fields | {"goal": tuple(fields["goal"]), "guard": tuple(fields["guard"])})


def read_weights(variant: Variant, folder: Traversable = _WEIGHTS_FOLDER, part: str = "") -> dict[str, Any]:
    """The fields of the variant's file of weights. Raises FileNotFoundError, and ValueError that names the file."""
    file = folder.joinpath(f"{variant.key}{part}.json")
    try:
        fields: dict[str, object] = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{file.name}: {error}") from error
    return fields


def steps_to_nearest(board: Board, to: frozenset[Cell]) -> list[int]:
    """For each cell, the number of steps on an empty board to the nearest of the cells `to`."""
    steps_of = dict.fromkeys(to, 0)
    reached = list(to)
    for at in reached:
        for near in board.neighbours[at]:
            if near not in steps_of:
                steps_of[near] = steps_of[at] + 1
                reached.append(near)
    return [steps_of[cell] for cell in range(len(board.names))]


class Evaluation:
    """A variant's weights, tabulated by cell."""

    draw = -30
    """The score of a draw or a repeated position for the searching seat: a little less than an even game."""

    def __init__(self, variant: Variant, weights: Weights) -> None:
        armies, board = variant.armies, variant.board
        self.variant, self.weights = variant, weights
        self._impatient = {PATIENCE: self}
        self.ways = [[min(MAX_DISTANCE, far) for far in steps_to_nearest(board, army.goal)] for army in armies]
        """By seat and cell, the distance to the attacked castle, up to MAX_DISTANCE."""
        self.homes = [[min(GUARD_DISTANCE + 1, far) for far in steps_to_nearest(board, army.castle)] for army in armies]
        """By seat and cell, the distance to the seat's own castle, up to GUARD_DISTANCE + 1."""
        guard = (*weights.guard, 0.0)
        self.places = [
            [round(weights.man + weights.goal[far] + guard[near]) for far, near in zip(ways, home, strict=True)]
            for ways, home in zip(self.ways, self.homes, strict=True)
        ]
        """By seat and cell, the value of a Man there."""
        self.knights = [knight for _, knight in variant.piece_codes]
        self.knight = round(weights.knight - weights.man)
        self.nearest = [round(weights.nearest * far) for far in range(MAX_DISTANCE + 1)]
        self.second = [round(weights.second * far) for far in range(MAX_DISTANCE + 1)]
        self.move = round(weights.move)

    def after_quiet_plies(self, quiet: int) -> Evaluation:
        """The evaluation after that many plies without a capture: guards count less, so the engine advances."""
        patience = max(0, PATIENCE - quiet // TIRING)
        if patience not in self._impatient:
            guard = tuple(value * patience / PATIENCE for value in self.weights.guard)
            self._impatient[patience] = Evaluation(self.variant, replace(self.weights, guard=guard))
        return self._impatient[patience]

    def score_army(self, search: SearchPosition, seat: Seat) -> int:
        """The value of that seat's pieces."""
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
        """Drops moves at the last ply that cannot affect the result (frontier futility pruning).

        Returns a bound on the score of the dropped moves, for the side that makes them, and the moves that may raise
        the score of `seat` above `alpha` or lower it below `beta`.
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
        useful = [hop for hop in hops if places[hop[1]] - places[hop[0]] > least or hop[1] in goal or hop[2]]
        return bound, useful


@cache
def evaluation_of(variant: Variant) -> Evaluation:
    """The evaluation with the weights of that variant."""
    return Evaluation(variant, weights_of(variant))


def chance_of_score(score: float) -> float:
    """The chance to win, 0 to 1, of a score.

    >>> chance_of_score(0), round(chance_of_score(100), 3)
    (0.5, 0.731)
    """
    return 1 / (1 + exp(-max(-3000.0, min(3000.0, score)) / 100))
