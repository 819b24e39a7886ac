"""How fair it is to two equal players where the third has left: who of them wins, from the middle of many games.

Whoever is **behind** attacks the leaver's castle; whoever is **ahead** is attacked from it. Both know what the steward
does, as every search position does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from engine.levels import Level
from engine.match import LONGEST, Player, of_level
from rules import VARIANTS, Game, Position, Seat

TRI = VARIANTS["tri-camelot"]

EARLIEST, LATEST = 15, 26
"""After how many moves the leaver goes. Any number between is as likely, so that nobody is to move for sure."""
FEWEST = 4
"""Pieces that each side has left then."""

VARIED = of_level(Level(depth=2, nodes=400, within=20, heat=8, reach=None, careful=True))
"""Who plays until then: sound games, and no two alike."""
EQUAL = of_level(Level(depth=4, nodes=1_000, within=0, heat=1, reach=None, careful=True))
"""Who plays on, in both seats."""


class Left(NamedTuple):
    """A game that was played on after that seat's player had left."""

    leaver: Seat
    game: Game

    @property
    def winner(self) -> str:
        """ "behind" or "ahead"; "draw" where it is neither."""
        winners = self.game.outcome.winners if self.game.outcome else ()
        if not winners:
            return "draw"
        return "behind" if TRI.armies[winners[0]].goal == TRI.armies[self.leaver].castle else "ahead"


def left_games(count: int, *, steward: bool, until: Player = VARIED, since: Player = EQUAL) -> Iterator[Left]:
    """So many games to their end: with a steward where somebody has left, or with that seat skipped.

    The same games each time up to there, and the same leavers: who leaves does not depend on how it stands.
    """
    seed = 0
    while count:
        seed += 1
        chance = random.Random(f"steward {seed}")  # noqa: S311  # to be the same again
        leaver, plies = chance.randrange(len(TRI.armies)), chance.randint(EARLIEST, LATEST)
        game = played(Game.start(TRI), until, seed, plies)
        if game.outcome is None and all(game.position.count(seat) >= FEWEST for seat in TRI.seats):
            count -= 1
            yield Left(leaver, played(game.resign(leaver, steward=steward), since, seed, LONGEST))


def played(game: Game, player: Player, seed: int, most: int) -> Game:
    """The game after so many further moves of that player in every seat, or at its end. Stewards move as they must."""
    history: list[Position] = []
    for _ in range(most):
        if game.outcome:
            break
        move = player(game.position, seed, history)
        history.append(game.position)
        game = game.apply(move)
    return game
