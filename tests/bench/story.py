"""Random games ready to be stored, for the benches of the store and of the whole program."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from bot.core.clock import Pace
from bot.core.events import Event
from bot.core.fold import replay_match
from bot.core.match import Match
from render import View
from tests.bot.playing import NOW, followed, play_typed, random_move, started


@dataclass(frozen=True)
class Story:
    """A game move by move: the events before the first move, then each move's events with the match after them."""

    beginning: tuple[Event, ...]
    moves: tuple[tuple[Match, tuple[Event, ...]], ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """All events of the game."""
        return (*self.beginning, *(event for _, told in self.moves for event in told))

    def numbered(self, match_id: int) -> Iterable[tuple[Match, tuple[Event, ...]]]:
        """Returns the moves with that match's number."""
        return ((replace(match, id=match_id), told) for match, told in self.moves)


@cache
def story(seed: int, plies: int, key: str = "camelot") -> Story:
    """Returns a random game that is still running after that many plies."""
    rng = random.Random(f"{key} {seed}")
    while True:
        beginning = tuple(started(key, pace=Pace.STANDARD))
        match = replay_match(1, beginning)
        moves = []
        while match.to_move is not None and match.ply < plies:
            told = play_typed(match, match.to_move, random_move(match, rng), NOW + match.ply)
            match = followed(match, told)
            moves.append((match, tuple(told)))
        if match.is_live:
            return Story(beginning, tuple(moves))


def boards() -> list[View]:
    """Returns the views after the moves of a few games; every tenth is Tri-Camelot, as in a crowd."""
    shown = [
        View(game.position, last_move=game.moves[-1], before=before.started_game.position)
        for key, most in (("camelot", 30), ("chivalry", 30), ("cam-3d", 30), ("tri-camelot", 10))
        for (before, _), (after, _) in pairwise(story(1, 30, key).moves[:most])
        for game in (after.started_game,)
    ]
    random.Random(1).shuffle(shown)
    return shown
