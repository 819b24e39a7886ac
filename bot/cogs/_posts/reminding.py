"""Reminders on their way: the link back to the board, and the direct message for those who want one.

A plain reminder comes directly instead of in the channel. A nudge, and the word that the time is up, come besides: the
opponents hear of them too, and have their buttons there.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import TYPE_CHECKING

import aiohttp
import discord
import structlog

from bot.cogs._answers.lasting import row
from bot.cogs._answers.reply import NOBODY, now
from bot.cogs._telling import notice
from bot.cogs._telling.time import LINKED
from bot.i18n import Language, language, text
from bot.match import Match
from bot.news import News, Topic
from bot.words import plain, titled

if TYPE_CHECKING:
    from bot.client import RoundTable

log = structlog.get_logger()

INSTEAD, BESIDES = frozenset({Topic.REMINDED}), frozenset({Topic.NUDGED, Topic.GRACE})
"""What is told directly instead of in the channel, and besides, where whoever is to move wants that."""

CLOSED_DOOR = (50007, 50278)
"""Discord's codes where somebody takes no direct messages, or shares no server with the bot any more."""


async def linked(client: RoundTable, locale: Language, news: News, said: str) -> str:
    """What is said, with a link to the board that it is about."""
    board = (await client.service.posts(news.match.id)).turn if news.kind in LINKED else None
    if board is None:
        return said
    url = f"https://discord.com/channels/{news.match.guild}/{board.channel}/{board.message}"
    return f"{said} {text(locale, 'time.board', url=url)}"


async def direct_message(client: RoundTable, news: News, name: str, nonce: str) -> discord.Message | None:
    """The reminder, as a direct message to whoever is to move; None where he has closed his door.

    In the language in which he has met the bot last, if that is known, else in the server's.
    Who has closed it gets his reminders in the channel from then on: knocking again and again is what Discord takes for
    spam.
    """
    user = news.match.to_move
    assert user is not None
    locale = await direct_language(client, user, news.match.guild)
    told = notice(locale, news, name)
    assert told is not None, "a reminder has words"
    said = f"{_heading(client, locale, news.match)}\n{await linked(client, locale, news, told.text)}"
    # The buttons of what the channel is told as well are the opponents'.
    view = row(*told.buttons) if news.kind in INSTEAD else discord.utils.MISSING
    try:
        door = await client.create_dm(discord.Object(user))
        return await door.send(said, view=view, allowed_mentions=NOBODY, nonce=nonce)
    except discord.HTTPException as error:
        if error.status >= 500 or error.status == 429:
            raise
        log.info("no direct message", user=user, code=error.code, known=error.code in CLOSED_DOOR)
    await client.service.change_user_settings(
        user, lambda settings: replace(settings, by_dm=False, language=None), now()
    )
    return None


async def write_besides(client: RoundTable, news: News, name: str, nonce: str, post: discord.Message) -> None:
    """The direct message besides that post in the channel, which says so where the player has closed his door."""
    if await direct_message(client, news, name, nonce):
        return
    said = f"{post.content}\n{door_closed(client.servers.language(news.match.guild))}"
    try:
        await post.edit(content=said, allowed_mentions=NOBODY)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        log.info("not told of a closed door", match=news.match.id, error=str(error))


def door_closed(locale: Language) -> str:
    """That the reminders come in the channel from now on, in small print."""
    return f"-# {text(locale, 'time.door-closed')}"


async def direct_language(client: RoundTable, user: int, guild: int) -> Language:
    """In which language that person gets direct messages; noted, so that a restart does not forget it."""
    noted, met = (await client.service.user_settings(user)).language, client.languages.get(user)
    if met is not None and met != noted:
        await client.service.set_language(user, met)
    if met is not None or noted is not None:
        return met or language(noted)
    return client.servers.language(guild)


def _heading(client: RoundTable, locale: Language, match: Match) -> str:
    """Which game it is, and of which server: a direct message stands beside those of other servers."""
    server = client.get_guild(match.guild)
    variant = titled(locale, match.variant, match.title)
    if server is None:
        return f"**{variant}** · #{match.id}"
    return text(locale, "time.direct", variant=variant, id=match.id, server=plain(server.name))


def wanted_directly(news: News, topics: Container[Topic]) -> bool:
    """Whether the news is of those topics, and whoever is to move wants such as direct messages."""
    user = news.match.to_move
    person = news.people.get(user) if user is not None else None
    return news.kind in topics and person is not None and person.settings.by_dm
