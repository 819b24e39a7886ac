"""A finished game looked at again: each seat's chances along it, and the moves that turned it. Pure; others think."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

from bot.match.match import Match
from rules import Game, Move, Position, Seat, format_move, parse_move
from rules.game import settle

TURNINGS = 3
"""How many turning points a review has at most."""
LEAST = 0.2
"""By how much of an equal share of the chances a better move has to better those of who made it."""

Chances = tuple[float, ...]
"""Of each seat; 1 in all."""


class Turning(NamedTuple):
    """A move that was worse than another one."""

    ply: int
    """How many moves had been made before it."""
    better: Move
    played_chance: float
    """Of who moved, after the move that was made, and after the better one."""
    better_chance: float
    line: tuple[Move, ...] = ()
    """What followed, or what strong players would have gone on with."""

    @property
    def lost(self) -> float:
        """How much of their chance was given away."""
        return self.better_chance - self.played_chance


class Review(NamedTuple):
    """What was found."""

    chances: tuple[Chances, ...]
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


def reconciled(line: Sequence[Position], judged: Sequence[Chances]) -> list[Chances]:
    """The chances along the game, where each position has been judged by itself.

    Whoever is to move has at least the chances that they have after the move which they make. So what is seen only once
    it has been answered counts from the move that allows it, and no move makes anybody's own chances better.
    """
    found = [judged[-1]]
    for position, chances in zip(line[-2::-1], judged[-2::-1], strict=True):
        seat = position.turn
        found.append(with_chance(chances, seat, max(chances[seat], found[-1][seat])))
    return found[::-1]


def with_chance(chances: Chances, seat: Seat, chance: float) -> Chances:
    """The same with that chance of a seat; the others share what is left as before."""
    others = 1 - chances[seat]
    share = (1 - chance) / others if others else 0.0
    spread = (1 - chance) / (len(chances) - 1)
    return tuple(
        chance if other == seat else known * share if others else spread for other, known in enumerate(chances)
    )


def left_after(line: Sequence[Position], chances: Sequence[Chances], ply: int) -> float:
    """The chance of who made the move at that ply, after it: the lowest until they move again."""
    seat = line[ply].turn
    again = next((later for later in range(ply + 1, len(line)) if line[later].turn == seat), len(line) - 1)
    return min(one[seat] for one in chances[ply + 1 : again + 1])


def suspect(line: Sequence[Position], chances: Sequence[Chances], known: Collection[int]) -> int | None:
    """The ply whose move seems to have cost its player most, without those known; None where none has cost much."""
    cost = {
        ply: chances[ply][line[ply].turn] - left_after(line, chances, ply)
        for ply in range(len(line) - 1)
        if ply not in known
    }
    worst = max(cost, key=lambda ply: (cost[ply], -ply), default=None)
    return worst if worst is not None and cost[worst] >= _least(line) else None


def chosen(turnings: Sequence[Turning], line: Sequence[Position], chances: Sequence[Chances]) -> tuple[Turning, ...]:
    """Those of them that cost most by what is known of the chances now, in the order of the game."""
    known = [one._replace(played_chance=left_after(line, chances, one.ply)) for one in turnings]
    worst = sorted((one for one in known if one.lost >= _least(line)), key=lambda one: -one.lost)[:TURNINGS]
    return tuple(sorted(worst))


def format_review(review: Review, line: Sequence[Position]) -> str:
    """The review as a line of JSON, which `parse_review` reads."""
    board = line[0].variant.board
    told = [
        (
            one.ply,
            format_move(one.better, board),
            one.played_chance,
            one.better_chance,
            [format_move(move, board) for move in one.line],
        )
        for one in review.turnings
    ]
    return json.dumps({"chances": [[round(one, 3) for one in seats] for seats in review.chances], "turnings": told})


def parse_review(text: str, line: Sequence[Position], moves: Sequence[Move]) -> Review:
    """The review of that line of JSON, of a game that went through those positions, by those moves.

    Raises ValueError, LookupError or TypeError where it is none: it may have been made by other rules.
    """
    told = json.loads(text)
    if len(told["chances"]) != len(line):
        raise ValueError(len(line))
    turnings = [
        # What follows begins right after the move, before somebody may have left.
        Turning(ply, parse_move(line[ply], better), played, best, _parse_line(line[ply].after(moves[ply]), *followed))
        for ply, better, played, best, *followed in told["turnings"]  # those of earlier versions tell of no line
    ]
    return Review(tuple(tuple(seats) for seats in told["chances"]), tuple(turnings))


def _parse_line(position: Position, moves: Sequence[str] = ()) -> tuple[Move, ...]:
    found = []
    for typed in moves:
        position = settle(position)[0]
        found.append(parse_move(position, typed))
        position = position.after(found[-1])
    return tuple(found)


def _least(line: Sequence[Position]) -> float:
    return LEAST / len(line[0].variant.seats)
