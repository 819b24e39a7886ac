"""Measures how fair a steward is to the two remaining players when one of three leaves in the middle of a game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from engine.levels import Level, choose_at_level
from engine.tools.match import make_opening
from rules import Game, Variant

EQUAL_LEVEL = Level(depth=2, nodes=1_000, max_loss=10, temperature=6, sees_wins=True)
"""The level at every seat. It knows how a steward plays."""
FEW, MANY = 15, 26
"""The fewest and the most plies after which a player leaves."""
MIN_PIECES = 4
"""The fewest pieces of each seat at that time."""
MAX_TRIAL_PLIES = 200
"""A game counts as a draw after this many further moves."""


class StewardTrial(NamedTuple):
    """The result of a game that one of three left; both fields are 0 in a draw."""

    hunter: int
    """1 if the winner is the seat that attacks the leaver's castle, else 0."""
    other: int
    """1 if the winner is the other remaining seat, else 0."""


def iter_middle_games(variant: Variant, number: int, seed: int = 1) -> Iterator[Game]:
    """Yields that many games between equal players, each stopped in its middle."""
    yielded, tried = 0, 0
    while yielded < number:
        tried += 1
        dice = random.Random(f"{variant.key} middle {seed} {tried}")  # noqa: S311 - to be the same again
        plies = dice.randint(FEW, MANY)
        game = make_opening(variant, 10_000 * seed + tried)
        while not game.outcome and len(game.moves) < plies:
            game = game.apply(choose_at_level(game.position, EQUAL_LEVEL, tried))
        if not game.outcome and all(game.position.count_pieces(seat) >= MIN_PIECES for seat in variant.seats):
            yielded += 1
            yield game


def finish_without_third(game: Game, number: int, *, steward: bool) -> StewardTrial:
    """Removes a random player, plays the game to its end, and returns the result.

    A steward plays the vacant seat if `steward` is true; otherwise the seat is skipped.
    """
    variant = game.variant
    gone = random.Random(f"{variant.key} leaver {number}").choice(variant.seats)  # noqa: S311 - to be the same again
    hunter = next(seat for seat in variant.seats if variant.armies[seat].goal == variant.armies[gone].castle)
    game = game.resign(gone, steward=steward)
    history = [game.position]
    begun = len(game.moves)
    while not game.outcome and len(game.moves) < begun + MAX_TRIAL_PLIES:
        game = game.apply(choose_at_level(game.position, EQUAL_LEVEL, number, history=history))
        history.append(game.position)
    winners = game.outcome.winners if game.outcome else ()
    return StewardTrial(int(hunter in winners), int(bool(winners) and hunter not in winners))
