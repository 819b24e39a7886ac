"""Telling the players: one new message a turn, posted after the move is stored and marked when it is out.

A crash between storing and marking repeats the post at the next start. Within minutes the nonce makes Discord drop the
repeat; after a longer stop it may be seen twice, which is the right way to fail: nothing is lost.
"""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Literal
from weakref import WeakValueDictionary

import aiohttp
import discord
import structlog

from bot.cogs._buttons import turn_buttons
from bot.cogs._permissions import Obstacle, Trouble, missing_in
from bot.cogs._record import record_text
from bot.cogs._reply import NOBODY, now, picture
from bot.cogs._table import table_text, table_view
from bot.cogs._turn import has_board, notice, pinged, turn_text, turn_view, turn_words
from bot.i18n import Language, language, text
from bot.match import Match
from bot.news import News, Topic
from bot.store import Post
from bot.words import variant_name

if TYPE_CHECKING:
    from bot.client import RoundTable

log = structlog.get_logger()

ARCHIVE_AFTER: Literal[10080] = 10080
"""Minutes without a message until Discord hides a thread from the list: a week, the longest there is."""


THREAD_EXISTS = 160004
"""Discord's code for a message that has a thread already."""


class Announcer:
    """Posts what has happened in a game and not been told yet, in order and one at a time."""

    def __init__(self, client: RoundTable) -> None:
        self._client = client
        self._busy: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def locale(self, guild: int) -> Language:
        """The language of public posts in that server."""
        known = self._client.get_guild(guild)
        return language(known.preferred_locale.value if known else None)

    async def announce(self, match_id: int) -> Trouble | None:
        """Post everything that is due. What keeps it from being posted, if anything does; the ticker tries again."""
        async with self._busy.setdefault(match_id, asyncio.Lock()):
            return await self._tell_all(match_id)

    async def _tell_all(self, match_id: int) -> Trouble | None:
        due = await self._client.service.news(match_id)
        for news in due:
            try:
                if news.kind is Topic.STARTED and await self._move_to_thread(news.match):
                    return await self._tell_all(match_id)
                await self._tell(news, latest=news is due[-1])
            except discord.NotFound:
                if news.match.thread is None:
                    return Trouble(Obstacle.GONE, news.match.where)
                # The thread has been deleted, so the game goes on in its channel.
                await self._client.service.set_thread(match_id, None, now())
                return await self._tell_all(match_id)
            except discord.Forbidden:
                return Trouble(Obstacle.FORBIDDEN, news.match.where, missing_in(self._client, news.match))
            except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
                obstacle = Obstacle.REFUSED if _is_refusal(error) else Obstacle.OUTAGE
                log.warning("not announced", match=match_id, obstacle=obstacle.value, error=str(error))
                return Trouble(obstacle, news.match.where)
        return None

    async def _tell(self, news: News, *, latest: bool) -> None:
        locale = self.locale(news.match.guild)
        if news.kind in (Topic.STARTED, Topic.CLOSED):
            await self._edit_table(locale, news)
        if not has_board(news):
            await self._remark(locale, news, latest=latest)
            await self._client.service.mark_announced(news.match.id, news.seq)
            return
        before = (await self._client.service.posts(news.match.id)).turn
        message = await self._post(locale, news, latest=latest)
        await self._client.service.mark_announced(news.match.id, news.seq, message.id, message.channel.id)
        await self._tidy(news.match, before)

    async def _post(self, locale: Language, news: News, *, latest: bool) -> discord.Message:
        match, game = news.match, news.match.game
        assert game is not None
        files = [picture(await self._client.pictures.draw(turn_view(news)), _name(match), turn_words(locale, news))]
        record = None
        if game.outcome:
            record = await record_text(self._client, match)
            files.append(discord.File(io.BytesIO(record.encode()), filename=f"game-{match.id}.txt"))
        name = await self._client.names.of(match.guild, news.user) if news.user is not None else ""
        return await self._client.get_partial_messageable(match.where).send(
            turn_text(locale, news, name, record),
            files=files,
            view=turn_buttons(locale, match) or discord.utils.MISSING,
            allowed_mentions=pinged(news, latest=latest),
            nonce=_nonce(news),
        )

    async def _remark(self, locale: Language, news: News, *, latest: bool) -> None:
        """Post a line below the board that stands, if there is anything to say."""
        line = notice(locale, news)
        if line is not None:
            place = self._client.get_partial_messageable(news.match.where)
            await place.send(line, allowed_mentions=pinged(news, latest=latest), nonce=_nonce(news))

    async def _move_to_thread(self, match: Match) -> bool:
        """Give a game that begins the thread it asked for, below its table; False if it stays where it is."""
        place = (await self._client.service.posts(match.id)).table
        if not match.wants_thread or match.thread or place is None:
            return False
        channel = self._client.get_channel(match.channel)
        if not isinstance(channel, discord.TextChannel):
            return False
        locale = self.locale(match.guild)
        name = text(locale, "turn.thread", variant=variant_name(locale, match.variant), id=match.id)
        table = channel.get_partial_message(place.message)
        try:
            await table.create_thread(name=name, auto_archive_duration=ARCHIVE_AFTER)
        except discord.HTTPException as error:
            if error.code != THREAD_EXISTS:  # which is one that a crash kept us from noting
                if not _is_refusal(error):
                    raise
                log.warning("no thread", match=match.id, channel=match.channel, code=error.code)
                return False
        # A thread below a message has the message's own number.
        await self._client.service.set_thread(match.id, place.message, now())
        return True

    async def _edit_table(self, locale: Language, news: News) -> None:
        """Bring the table's message up to date. It may have been deleted, which is no loss."""
        match = news.match
        place = (await self._client.service.posts(match.id)).table
        if place is None:
            return
        message = self._client.get_partial_messageable(place.channel).get_partial_message(place.message)
        try:
            content = table_text(locale, match, expired=news.user is None)
            await message.edit(content=content, view=table_view(locale, match), allowed_mentions=NOBODY)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.info("table not edited", match=match.id, error=str(error))

    async def _tidy(self, match: Match, before: Post | None) -> None:
        """Take the buttons off the turn before, and put a finished game's thread away. Best effort."""
        try:
            if before is not None:
                message = self._client.get_partial_messageable(before.channel).get_partial_message(before.message)
                await message.edit(view=None, allowed_mentions=NOBODY)
            if match.thread and match.game and match.game.outcome:
                thread = self._client.get_channel(match.thread) or await self._client.fetch_channel(match.thread)
                if isinstance(thread, discord.Thread):
                    await thread.edit(archived=True)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            log.info("not tidied", match=match.id, error=str(error))


def _is_refusal(error: Exception) -> bool:
    """Whether asking again would be answered the same: Discord has understood, and does not want it."""
    return isinstance(error, discord.HTTPException) and 400 <= error.status < 500 and error.status != 429


def _nonce(news: News) -> str:
    """The same for the same news, so that Discord drops what a crash makes us post again."""
    return f"{news.match.created:x}:{news.match.id}:{news.seq}"


def _name(match: Match) -> str:
    return f"game-{match.id}-{match.ply}"
