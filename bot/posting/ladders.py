"""Telling of ladders: challenges and what became of them, pairings, seasons, weeks. Each exactly once, and in order.

As with games: stored first, then posted with a nonce of its own, then marked as told. What a crash or an outage keeps
from being posted, the ticker posts later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

import aiohttp
import discord
import structlog

from bot.kit.components import row
from bot.kit.permissions import Obstacle, Trouble, is_open, missing_for, obstacle_of
from bot.kit.reply import calling, now, picture
from bot.ladder.entries import EntryKind
from bot.ladder.standings import Digest, LadderNews
from bot.posting.desk import Desk
from bot.posting.requests import clear_challenges as clear_asks
from bot.posting.requests import note_challenge as note_ask
from bot.posting.telling.ladder import Told, challenge_told, digest_told, told
from bot.texts.sentences import alt_text
from render import View
from rules import VARIANTS

log = structlog.get_logger()

PUBLIC = (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED, EntryKind.DIGEST)
"""What concerns everybody, and is told in the announcements channel."""

ELSEWHERE = (Obstacle.GONE, Obstacle.FORBIDDEN)
"""Where these keep something from the announcements channel, it is told where the ladder's games are."""


class LadderAnnouncer:
    """Posts what has happened on a ladder and not been told yet."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._busy: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    async def announce(self, guild: int, variant: str) -> Trouble | None:
        """Post everything that is due. What keeps it from being posted, if anything does; the ticker tries again."""
        async with self._busy.setdefault((guild, variant), asyncio.Lock()):
            for news in await self._desk.service.ladders.news(guild, variant):
                if trouble := await self._post(news):
                    log.warning("ladder not announced", guild=guild, variant=variant, obstacle=trouble.obstacle.value)
                    return trouble
                await self._desk.service.ladders.mark_announced(guild, variant, news.entry.seq)
            await clear_asks(self._desk, guild, variant)
        return None

    async def _post(self, news: LadderNews) -> Trouble | None:
        """Post it where it belongs; on trouble with the announcements channel, where the games are."""
        trouble = None
        channels = (news.announcements, news.channel) if news.entry.kind in PUBLIC else (news.channel,)
        for channel in dict.fromkeys(channels):
            trouble = await self._post_in(news, channel)
            if trouble is None or trouble.obstacle not in ELSEWHERE:
                break
        return trouble

    async def _post_in(self, news: LadderNews, channel: int) -> Trouble | None:
        said, files = await self._words(news)
        if said is None:
            return None
        try:
            message = await self._desk.client.get_partial_messageable(channel).send(
                said.text,
                files=files,
                view=row(*said.buttons) if said.buttons else discord.utils.MISSING,
                allowed_mentions=calling(said.ping),
                nonce=_nonce(news),
            )
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            return Trouble(obstacle_of(error), channel, self._missing(news.guild, channel))
        if said.buttons:
            await note_ask(self._desk, news, message)
        return None

    async def _words(self, news: LadderNews) -> tuple[Told | None, list[discord.File]]:
        """What to say of it, with its pictures; None where it is overtaken, or a week in which nothing happened."""
        locale, service = self._desk.servers.language(news.guild), self._desk.service
        if news.entry.kind is EntryKind.CHALLENGED:
            waiting = await service.ladders.challenge_waiting(news.guild, news.variant, news.entry.seq, now())
            return (challenge_told(locale, news, waiting) if waiting else None), []
        if news.entry.kind is EntryKind.DIGEST:
            digest = await service.ladders.digest(news.guild, news.variant, news.entry.seq)
            if digest.empty:
                return None, []
            digest = replace(digest, tables=await self._open_tables(news.guild, digest.tables))
            return digest_told(locale, news, digest), await self._charge(news.guild, digest)
        return told(locale, news), []

    async def _charge(self, guild: int, digest: Digest) -> list[discord.File]:
        """The board right after the longest charge of the week, with its path."""
        charge = digest.charge
        if charge is None:
            return []
        service, locale = self._desk.service, self._desk.servers.language(guild)
        match = await service.match_at(charge.match, guild, charge.ply)
        before = await service.match_at(charge.match, guild, charge.ply - 1)
        earlier, position = before.started_game.position, match.started_game.position
        over = match.started_game.outcome is not None
        view = View(position, earlier.turn, charge.move, earlier, to_move=not over)
        words = alt_text(locale, match.id, match.ply, position, over=over, before=earlier, move=charge.move)
        return [picture(await self._desk.pictures.draw(view), f"game-{match.id}-{match.ply}", words)]

    async def _open_tables(self, guild: int, tables: Sequence[int]) -> tuple[int, ...]:
        """Those of the tables at which everybody could sit down: the others are nobody else's business."""
        server, found = self._desk.client.get_guild(guild), []
        for number in tables:
            match = await self._desk.service.match(number, guild)
            place = server.get_channel_or_thread(match.channel) if server else None
            place = place.parent if isinstance(place, discord.Thread) and not place.is_private() else place
            if match.free_seats and isinstance(place, discord.abc.GuildChannel) and is_open(place):
                found.append(number)
        return tuple(found)

    def _missing(self, guild: int, channel: int) -> tuple[str, ...]:
        """Which permissions the bot lacks there, as far as it knows."""
        server = self._desk.client.get_guild(guild)
        place = server.get_channel(channel) if server else None
        return missing_for(place.permissions_for(place.guild.me)) if place else ()


def _nonce(news: LadderNews) -> str:
    """The same for the same news, so that Discord drops what a crash makes us post again; 25 characters at most."""
    return f"{news.guild:x}:{list(VARIANTS).index(news.variant)}:{news.entry.seq}"
