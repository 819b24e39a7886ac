"""The order in which house players think about their games: servers take turns, and people within a server."""

from __future__ import annotations

from collections.abc import Sequence

from cachetools import LRUCache

from bot.house.rows import WaitingGame

FAIR_QUEUE_SIZE = 1000
"""Most servers and people whose last turn is remembered."""


class FairQueue:
    """Chooses the next game to think about: servers take turns, and people within a server."""

    def __init__(self) -> None:
        self._served: LRUCache[tuple[int, ...], int] = LRUCache(FAIR_QUEUE_SIZE)
        self._count = 0

    def take_next(self, waiting: Sequence[WaitingGame]) -> WaitingGame:
        """Returns the game that is next in turn, and notes that its server and person have had theirs."""
        served = self._served
        chosen = min(
            waiting,
            key=lambda game: (
                served.get((game.guild,), 0),
                served.get((game.guild, game.person), 0),
                game.since,
                game.match,
            ),
        )
        self._count += 1
        served[(chosen.guild,)] = served[(chosen.guild, chosen.person)] = self._count
        return chosen
