"""Who is to be told of a game besides its players."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import discord

from bot.cogs._answers.permissions import may_look
from bot.cogs._answers.steady import BROKEN
from bot.match import Match
from bot.news import News, Topic

if TYPE_CHECKING:
    from bot.client import RoundTable


async def followers_of(client: RoundTable, news: News) -> tuple[int, ...]:
    """The followers whom that news concerns, the players left out, who may still look into the game's place."""
    match = news.match
    ended = news.was is not None and news.was.is_live and not match.is_live
    if not ended and news.kind is not Topic.MOVED:
        return ()
    follows = await client.service.followers(match.id)
    concerned = [follow.user for follow in follows if (ended or follow.every_move) and follow.user not in match.players]
    may_look = await asyncio.gather(*(_may_look(client, match, user) for user in concerned))  # the players wait for it
    return tuple(user for user, may in zip(concerned, may_look, strict=True) if may)


async def _may_look(client: RoundTable, match: Match, user: int) -> bool:
    """Whether that person, who is asked of Discord anew, may look into the place. Where Discord does not say, not."""
    guild = client.get_guild(match.guild)
    if guild is None:
        return False
    try:
        member = await guild.fetch_member(user)
    except (discord.HTTPException, *BROKEN):
        return False
    return may_look(guild, member, match)
