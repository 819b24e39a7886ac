"""A finished game looked at again: each seat's chances along it, and the moves that turned it. Pure; others think."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from bot.match.match import Match
from rules import Game, Move, Position, format_move, parse_move

TURNINGS = 3
"""How many turning points a review has at most."""
LOOKED_AT = 8
"""Moves at which a better one is looked for: those after which the player's chances were so much worse."""
LEAST = 0.05
"""By how much a better move has to better the chances of who made it."""


class Turning(NamedTuple):
    """A move that was worse than another one."""

    ply: int
    """How many moves had been made before it."""
    better: Move
    played_chance: float
    """Of who moved, after the move that was made, and after the better one."""
    better_chance: float

    @property
    def lost(self) -> float:
        """How much of their chance was given away."""
        return self.better_chance - self.played_chance


class Review(NamedTuple):
    """What was found."""

    chances: tuple[tuple[float, ...], ...]
    """Before the first move and after each one, per seat; 1 in all."""
    turnings: tuple[Turning, ...]
    """In the order of the game."""


def positions(match: Match) -> list[Position]:
    """Before the first move of that game and after each one, as it stood when the next one was made."""
    game, found = Game.start(match.variant), list[Position]()
    for step in match.steps:
        if step.move:
            found.append(game.position)
        game = step.taken(game)
    return [*found, game.position]


def suspects(line: Sequence[Position], chances: Sequence[Sequence[float]]) -> list[int]:
    """The plies whose moves have cost the player most at first sight, the worst first."""
    cost = {ply: chances[ply][line[ply].turn] - chances[ply + 1][line[ply].turn] for ply in range(len(line) - 1)}
    return sorted((ply for ply in cost if cost[ply] > 0), key=lambda ply: (-cost[ply], ply))[:LOOKED_AT]


def chosen(turnings: Sequence[Turning]) -> tuple[Turning, ...]:
    """Those of them that cost most, in the order of the game."""
    worst = sorted((one for one in turnings if one.lost >= LEAST), key=lambda one: -one.lost)[:TURNINGS]
    return tuple(sorted(worst))


def format_review(review: Review, line: Sequence[Position]) -> str:
    """The review as a line of JSON, which `parse_review` reads."""
    told = [
        [one.ply, format_move(one.better, line[one.ply].variant.board), one.played_chance, one.better_chance]
        for one in review.turnings
    ]
    return json.dumps({"chances": [[round(one, 3) for one in seats] for seats in review.chances], "turnings": told})


def parse_review(text: str, line: Sequence[Position]) -> Review:
    """The review of that line of JSON, of a game that went through those positions.

    Raises ValueError, LookupError or TypeError where it is none: it may have been made by other rules.
    """
    told = json.loads(text)
    if len(told["chances"]) != len(line):
        raise ValueError(len(line))
    turnings = [
        Turning(ply, parse_move(line[ply], better), played, best) for ply, better, played, best in told["turnings"]
    ]
    return Review(tuple(tuple(seats) for seats in told["chances"]), tuple(turnings))
