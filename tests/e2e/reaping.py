"""Kills the bot at chosen requests."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.e2e.house import House

LIFE = 1.3
"""The longest time online before a kill, in multiples of the time that the first start took."""

REQUESTS = 40
"""The most requests to Discord before a kill."""


@dataclass
class Death:
    """When to kill the bot: after so many seconds, or at a request, which is then `lost` or carried out."""

    early: bool
    after: float
    request: int | None
    lost: bool

    @classmethod
    def draw(cls, chance: random.Random, start: float) -> Death:
        """Returns a random one; `start` is the seconds that a start takes.

        An early one counts from the start of the process, any other from when the bot was online.
        """
        early = chance.random() < 0.2
        request = 1 + int(REQUESTS * chance.random() ** 1.5) if chance.random() < 0.5 else None
        return cls(early, start * chance.uniform(0, 1.1 if early else LIFE), request, chance.random() < 0.5)


class Reaper:
    """Kills the bot in a house at the moment that a `Death` names."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._left: int | None = None
        self._lost = False
        self.struck = asyncio.Event()
        self.kinds: Counter[str] = Counter()
        house.meddle = self._see

    def wait_for(self, death: Death) -> None:
        """Prepares the next kill, counted from now on."""
        self.struck.clear()
        self._left, self._lost = death.request, death.lost

    def strike(self, kind: str) -> None:
        """Kills the bot and counts the kill under `kind`."""
        if not self.struck.is_set():
            self.kinds[kind] += 1
            self._house.bot.kill_now()
            self.struck.set()

    def _see(self, method: str, template: str, payload: Any) -> None:
        if self.struck.is_set() or self._left is None:
            return
        self._left -= 1
        if self._left <= 0:
            self.strike(f"{'lost' if self._lost else 'done'} {method} {template}")
            if self._lost:
                raise ValueError("lost with the process")
