"""Plays matches between levels and baseline players from varied openings, with rotating seats."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import NamedTuple

from engine.evaluation import steps_to_nearest
from engine.levels import LEVELS, Level, choose_at_level, choose_move, evaluate_chances
from rules import Game, Move, Position, Seat, Variant, legal_moves

Player = Callable[[Position, int, Sequence[Position]], Move]
"""Chooses a move from the position, a seed and the positions so far."""

MAX_MATCH_PLIES = 300
"""A game with this many moves counts as a draw."""
RANDOM_OPENING_LEVEL = Level(depth=1, nodes=1_000, max_loss=150, temperature=60, sees_wins=False)
"""The level that plays the openings."""
EVEN, TRIES = 0.62, 30
"""The largest chance that a seat may have after an opening, and the number of openings to try."""


class MatchGame(NamedTuple):
    """A finished game of a match, with the player's name by seat."""

    seating: tuple[str, ...]
    game: Game

    def score_of(self, name: str) -> float:
        """The share of the game that the seats of that player won; all seats share a draw."""
        winners = self.game.outcome.winners if self.game.outcome else ()
        seats: Sequence[Seat] = winners or self.game.variant.seats
        return sum(self.seating[seat] == name for seat in seats) / len(seats)

    @property
    def is_drawn(self) -> bool:
        """Whether nobody won."""
        return not (self.game.outcome and self.game.outcome.winners)


def find_player(name: str) -> Player:
    """The player with that name: a level, `random` or `greedy`. Raises KeyError for any other name."""
    if name in BASELINES:
        return BASELINES[name]
    if name not in LEVELS:
        raise KeyError(name)
    return lambda position, seed, history: choose_move(position, name, seed, history=history)


def choose_randomly(position: Position, seed: int, history: Sequence[Position]) -> Move:
    """A random legal move."""
    return random.Random(f"{seed} {len(history)}").choice(legal_moves(position))  # noqa: S311 - to be the same again


def choose_greedily(position: Position, seed: int, history: Sequence[Position]) -> Move:
    """A move with the most captures; among those, one that ends nearest to the attacked castle. Ties are random."""
    ways = steps_to_nearest(position.variant.board, position.variant.armies[position.turn].goal)
    moves = legal_moves(position)
    best = min((-len(move.captures), ways[move.end]) for move in moves)
    equal = [move for move in moves if (-len(move.captures), ways[move.end]) == best]
    return random.Random(f"{seed} {len(history)}").choice(equal)  # noqa: S311 - to be the same again


BASELINES: dict[str, Player] = {"random": choose_randomly, "greedy": choose_greedily}
"""Simple players to compare the levels with, by name."""


def make_opening(variant: Variant, seed: int) -> Game:
    """A game of one to six random moves in which no seat is far ahead; the start if no such game is found."""
    dice = random.Random(f"{variant.key} opening {seed}")  # noqa: S311 - to be the same again
    for _ in range(TRIES):
        game = Game.start(variant)
        for _ in range(dice.randint(1, 6)):
            if not game.outcome:
                game = game.apply(choose_at_level(game.position, RANDOM_OPENING_LEVEL, dice.getrandbits(30)))
        if not game.outcome and max(evaluate_chances(game.position, nodes=1_000)) <= EVEN:
            return game
    return Game.start(variant)


def play_game(variant: Variant, names: Sequence[str], players: Sequence[Player], number: int) -> MatchGame:
    """The game with that number. Seats rotate with each game; the opening changes after a full rotation."""
    seats = len(names)
    shift = number % seats
    seating = tuple(names[(seat + shift) % seats] for seat in variant.seats)
    game = make_opening(variant, number // seats)
    history = [game.position]
    while not game.outcome and len(game.moves) < MAX_MATCH_PLIES:
        seat = game.position.turn
        move = players[(seat + shift) % seats](game.position, number * 1_000 + len(game.moves), history)
        game = game.apply(move)
        history.append(game.position)
    return MatchGame(seating, game)


def play_match(variant: Variant, names: Sequence[str], games: int) -> Iterator[MatchGame]:
    """Yields that many games between the named players, one name per seat."""
    players = [find_player(name) for name in names]
    for number in range(games):
        yield play_game(variant, names, players, number)


def wilson_interval(score: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % confidence interval for the share `score` of that many games.

    >>> [round(bound, 3) for bound in wilson_interval(0.5, 100)]
    [0.404, 0.596]
    """
    z2 = 1.96**2
    middle = (score + z2 / (2 * games)) / (1 + z2 / games)
    half = 1.96 * sqrt(score * (1 - score) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    return max(0.0, middle - half), min(1.0, middle + half)
