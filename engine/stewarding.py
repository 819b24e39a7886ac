"""How fair a steward is: what the two who stay get when one of three leaves in the middle of a game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from engine.levels import Level, pick
from engine.match import opening
from rules import Game, Variant

EQUALS = Level(depth=2, nodes=1_000, within=10, heat=6, careful=True)
"""Who plays on all seats; those who stay know what a steward does."""
FEW, MANY = 15, 26
"""After how many plies somebody leaves."""
PIECES = 4
"""How many pieces each seat has then at the least."""
LONGEST = 200
"""After so many moves a game is given up as drawn."""


class Left(NamedTuple):
    """What became of a game that one of three left: whose share the win was."""

    hunter: int
    """1 if the seat won that attacks the castle of the one who left."""
    other: int
    """1 if the third seat won."""


def middles(variant: Variant, number: int, seed: int = 1) -> Iterator[Game]:
    """So many games among equals, each of them stopped in its middle."""
    found, tried = 0, 0
    while found < number:
        tried += 1
        dice = random.Random(f"{variant.key} middle {seed} {tried}")  # noqa: S311 - to be the same again
        plies = dice.randint(FEW, MANY)
        game = opening(variant, 10_000 * seed + tried)
        while not game.outcome and len(game.moves) < plies:
            game = game.apply(pick(game.position, EQUALS, tried))
        if not game.outcome and all(game.position.count(seat) >= PIECES for seat in variant.seats):
            found += 1
            yield game


def play_on(game: Game, number: int, *, steward: bool) -> Left:
    """The game after one of three, drawn by chance whoever's turn it is, has left, with a steward or skipped."""
    variant = game.variant
    gone = random.Random(f"{variant.key} leaver {number}").choice(variant.seats)  # noqa: S311 - to be the same again
    hunter = next(seat for seat in variant.seats if variant.armies[seat].goal == variant.armies[gone].castle)
    game = game.resign(gone, steward=steward)
    history = [game.position]
    begun = len(game.moves)
    while not game.outcome and len(game.moves) < begun + LONGEST:
        game = game.apply(pick(game.position, EQUALS, number, history=history))
        history.append(game.position)
    winners = game.outcome.winners if game.outcome else ()
    return Left(int(hunter in winners), int(bool(winners) and hunter not in winners))
