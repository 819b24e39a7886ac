"""The parts of a sandbox, passed together to everything that acts on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from .buckets import Buckets
from .discord_types import Interaction, Json
from .faults import Faults
from .gateway import Gateway
from .limits.interactions import Kind
from .live import Live
from .request_counts import RequestCounts
from .world import World

PayloadCheck = Callable[[str, str, object], None]
"""Called with method, route template (as in Discord's OpenAPI document) and JSON payload of each request of the bot.

If it raises ValueError, the request is refused with 50035.
"""


@dataclass
class Parts:
    """World, gateway, the page's sockets, faults, rate limits and counts of requests.

    `questions` are the autocompletions that wait for the bot.
    """

    world: World
    gateway: Gateway
    live: Live
    check: PayloadCheck | None = None
    faults: Faults = field(default_factory=Faults)
    buckets: Buckets = field(default_factory=Buckets)
    requests: RequestCounts = field(default_factory=RequestCounts)
    questions: dict[int, asyncio.Future[list[Json] | None]] = field(default_factory=dict)

    def conclude(self, asked: Interaction) -> None:
        """Stores a new, answered or failed interaction; its person gets the event, except of suggestions."""
        self.world.put(asked)
        if asked.kind is not Kind.AUTOCOMPLETE:
            self.live.interaction(asked)

    def close(self) -> None:
        """Stops the timers and closes all connections."""
        self.world.stop_clocks()
        for question in self.questions.values():
            question.cancel()
        self.gateway.close()
        self.live.close()
