"""How fair a steward is: what the two who stay get when one of three leaves in the middle of a game."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from engine.levels import Level, choose_at_level
from engine.tools.match import make_opening
from rules import Game, Variant

EQUAL_LEVEL = Level(depth=2, nodes=1_000, max_loss=10, temperature=6, avoids_blunders=True)
"""Who plays on all seats; those who stay know what a steward does."""
FEW, MANY = 15, 26
"""After how many plies somebody leaves."""
MIN_PIECES = 4
"""How many pieces each seat has then at the least."""
MAX_TRIAL_PLIES = 200
"""After so many moves a game is given up as drawn."""


class StewardTrial(NamedTuple):
    """What became of a game that one of three left: whose share the win was."""

    hunter: int
    """1 if the seat won that attacks the castle of the one who left."""
    other: int
    """1 if the third seat won."""


def iter_middle_games(variant: Variant, number: int, seed: int = 1) -> Iterator[Game]:
    """So many games among equals, each of them stopped in its middle."""
    found, tried = 0, 0
    while found < number:
        tried += 1
        dice = random.Random(f"{variant.key} middle {seed} {tried}")  # noqa: S311 - to be the same again
        plies = dice.randint(FEW, MANY)
        game = make_opening(variant, 10_000 * seed + tried)
        while not game.outcome and len(game.moves) < plies:
            game = game.apply(choose_at_level(game.position, EQUAL_LEVEL, tried))
        if not game.outcome and all(game.position.count_pieces(seat) >= MIN_PIECES for seat in variant.seats):
            found += 1
            yield game


def finish_without_third(game: Game, number: int, *, steward: bool) -> StewardTrial:
    """The game after one of three, drawn by chance whoever's turn it is, has left, with a steward or skipped."""
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
