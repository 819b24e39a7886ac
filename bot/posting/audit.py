"""The audit channel: every act of a referee is entered there once, also when a crash comes between.

What has been entered is noted behind each entry. A crash between the two repeats the entry at the next start, and
within minutes its nonce makes Discord drop the repeat.
"""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

import aiohttp
import discord
import structlog

from bot.kit.permissions import Obstacle, Trouble, missing_for, obstacle_of
from bot.kit.reply import NO_MENTIONS
from bot.match.refereeing import Ruling
from bot.posting.desk import Desk
from bot.posting.telling.referee import audit_text

log = structlog.get_logger()


class Auditor:
    """Writes into the servers' audit channels."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._busy: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def report(self, match_id: int) -> Trouble | None:
        """Enter what referees have done to that match since the last time. What has kept an entry out, if anything.

        After an outage the next report has another try; an entry that Discord refuses is given up, since the channel
        may be gone for good. The players are told of the act all the same, and it stays in the game's story.
        """
        trouble = None
        async with self._busy.setdefault(match_id, asyncio.Lock()):
            for ruling in await self._desk.service.unaudited(match_id):
                trouble = await self._enter(ruling)
                if trouble and trouble.obstacle is Obstacle.OUTAGE:
                    return trouble
                await self._desk.service.mark_audited(match_id, ruling.event.seq)
        return trouble

    async def _enter(self, ruling: Ruling) -> Trouble | None:
        match = ruling.match
        channel = self._desk.servers.settings(match.guild).audit
        if channel is None:
            return None
        entry = audit_text(self._desk.servers.language(match.guild), ruling)
        nonce = f"a{match.created:x}:{match.id}:{ruling.event.seq}"
        try:
            place = self._desk.client.get_partial_messageable(channel)
            await place.send(entry, allowed_mentions=NO_MENTIONS, nonce=nonce)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.warning("not audited", match=match.id, channel=channel, error=str(error))
            return Trouble(obstacle_of(error), channel, self._missing(match.guild, channel))
        return None

    def _missing(self, guild: int, channel: int) -> tuple[str, ...]:
        """The permissions that an entry needs and that are missing there, as far as the client knows."""
        server = self._desk.client.get_guild(guild)
        place = server.get_channel_or_thread(channel) if server else None
        if server is None or place is None:
            return ()
        is_thread = isinstance(place, discord.Thread)
        missing = missing_for(place.permissions_for(server.me), is_thread=is_thread)
        return tuple(name for name in missing if name not in ("attach_files", "read_message_history"))
