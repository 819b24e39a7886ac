"""The tick: what must happen without anybody asking. Late, doubled or after days down, it gives the same result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from discord.ext import commands, tasks

from bot.cogs._permissions import Obstacle
from bot.cogs._reply import now

if TYPE_CHECKING:
    from bot.client import RoundTable

log = structlog.get_logger()

EVERY = 30
"""Seconds between ticks."""

REST = 3600
"""Seconds for which a game is left alone whose place cannot be posted to; its players' next move tries again."""


class Ticker(commands.Cog):
    """Closes tables that have waited too long, and posts what a crash or an outage has kept from being posted."""

    def __init__(self, client: RoundTable) -> None:
        self._client = client
        self._resting: dict[int, int] = {}

    async def cog_load(self) -> None:
        """Start ticking; the first tick waits for the gateway."""
        self.tick.start()

    async def cog_unload(self) -> None:
        """Stop ticking."""
        self.tick.cancel()

    @tasks.loop(seconds=EVERY)
    async def tick(self) -> None:
        """Expire, then announce, each game in its own try: one that fails must not keep the others waiting."""
        service = self._client.service
        try:
            await service.expire(now())
            due = await service.unannounced()
        except Exception:
            log.exception("tick failed")  # discord.py's loop would die of it for good
            return
        for match_id in due:
            if self._resting.get(match_id, 0) <= now():
                await self._announce(match_id)

    @tick.before_loop
    async def ready(self) -> None:
        """Channels are not known before."""
        await self._client.wait_until_ready()

    async def _announce(self, match_id: int) -> None:
        try:
            trouble = await self._client.announcer.announce(match_id)
        except Exception:
            log.exception("not announced", match=match_id)  # this game waits; the others must not
            return
        if trouble and trouble.obstacle is not Obstacle.OUTAGE:
            log.warning("cannot post", match=match_id, where=trouble.where, missing=trouble.missing)
            self._resting[match_id] = now() + REST
        else:
            self._resting.pop(match_id, None)
