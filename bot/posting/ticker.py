"""The tick: what must happen without anybody asking. Late, doubled or after days down, it gives the same result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any

import structlog
from discord.ext import commands

from bot.kit.permissions import Obstacle
from bot.kit.reply import now
from bot.posting.announcer import Announcer
from bot.posting.desk import Desk
from bot.posting.ladders import LadderAnnouncer
from bot.posting.outbox import Outbox, Subject

log = structlog.get_logger()

EVERY = 30
"""Seconds between ticks."""

REST = 3600
"""Seconds for which a game is left alone whose place cannot be posted to; its players' next move tries again."""


class Ticker(commands.Cog):
    """Does what is due by itself, and posts what a crash or an outage has kept from being posted."""

    def __init__(
        self, desk: Desk, announcer: Announcer, ladder_announcer: LadderAnnouncer, connected: Callable[[], bool]
    ) -> None:
        self._desk = desk
        self._announcer = announcer
        self._ladder_announcer = ladder_announcer
        self._connected = connected
        self._resting: dict[Hashable, int] = {}
        self._ticking: asyncio.Task[None] | None = None
        self._due = 0.0

    @property
    def overdue(self) -> float:
        """For how many seconds a tick has been due; below 0 while none is. Only once it has been started."""
        return asyncio.get_running_loop().time() - self._due

    async def cog_load(self) -> None:
        """Start ticking; the first tick waits for the gateway."""
        self._due = asyncio.get_running_loop().time()
        self._ticking = asyncio.create_task(self._go_on())

    async def cog_unload(self) -> None:
        """Stop ticking."""
        if self._ticking is not None:
            self._ticking.cancel()

    async def _go_on(self) -> None:
        """Tick for ever.

        By the monotonic clock: discord.py's own loop reckons with the wall clock, so that after an hour's jump back it
        would rest for an hour, and after a jump forward tick without a pause until it has caught up.
        """
        await self._desk.client.wait_until_ready()  # channels are not known before, and the bot is not there
        self._put_off()
        while True:
            await self.tick()
            self._put_off()
            await asyncio.sleep(EVERY)

    def _put_off(self) -> None:
        self._due = asyncio.get_running_loop().time() + EVERY

    async def _note_presence(self) -> None:
        try:
            await self._desk.service.upkeep.note_presence(now())
        except Exception:  # the next tick will note it; ticking must go on
            log.exception("presence not noted")

    async def tick(self) -> None:
        """Tick, then announce, each game and ladder in its own try: one that fails must not keep the others waiting."""
        if not self._connected():
            return  # nobody can move now, and nobody could be told of it
        service = self._desk.service
        try:
            await service.upkeep.note_presence(now())
            await service.upkeep.tick(now())
            await service.ladders.tick(now())
            ladders, due = await service.ladders.unannounced(), await service.unannounced()
        except Exception:  # the next one may not fail; ticking must go on
            log.exception("tick failed")
            return
        # What brings a ladder game about is told before its board is posted.
        for ladder in ladders:
            await self._announce(self._ladder_announcer, ladder)
        for match_id in due:
            await self._announce(self._announcer, match_id)

    async def _announce(self, outbox: Outbox[Subject, Any], subject: Subject) -> None:
        """Announce it unless it rests."""
        if self._resting.get(subject, 0) > now():
            return
        self._put_off()  # to tell of much takes long: it is no absence, and no standstill
        if self._connected():
            await self._note_presence()
        named = outbox.named(subject)
        try:
            trouble = await outbox.announce(subject)
        except Exception:  # this one waits; the others must not
            log.exception("not announced", **named)
            return
        if trouble and trouble.obstacle is not Obstacle.OUTAGE:
            log.warning("cannot post", where=trouble.where, missing=trouble.missing, **named)
            self._resting[subject] = now() + REST
        else:
            self._resting.pop(subject, None)
