"""Where a live game can continue: in its thread, else in its channel, else nowhere for now, so that its clock
stands.

The answer is computed from the permissions that the client knows. Discord is only asked about what the client
cannot know: archived threads, and what was deleted while the bot was away.
"""

from __future__ import annotations

from typing import NamedTuple

import discord
import structlog

from bot.core.listings import GamePlace
from bot.core.match import Match
from bot.discordkit.permissions import Obstacle, Trouble, trouble_at, trouble_in
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.context import BotContext

log = structlog.get_logger()


class PostingPlace(NamedTuple):
    """Where a live game can continue."""

    trouble: Trouble | None
    """The reason why the bot can post neither in the thread nor in the channel; None if it can post in one of them."""
    may_use_thread: bool = False
    """True if the bot may post in the thread, which comes first."""
    is_thread_gone: bool = False
    """True if the thread has been deleted."""


async def find_posting_place(context: BotContext, game: GamePlace | Match) -> PostingPlace | None:
    """Returns where that game can continue; None while that is unknown: its server is away, or Discord
    does not answer.
    """
    guild = context.client.get_guild(game.guild)
    if guild is None or guild.unavailable:
        return None
    try:
        shut = await _trouble_at_place(context, guild, game.thread, game.channel) if game.thread else None
        if game.thread and shut is None:
            return PostingPlace(None, may_use_thread=True)
        above = await _trouble_at_place(context, guild, game.channel)
    except UNSENT_ERRORS as error:
        log.info("place not known", match=game.id, error=str(error))
        return None
    gone = shut is not None and shut.obstacle is Obstacle.GONE
    return PostingPlace(above and (above if gone or shut is None else shut), is_thread_gone=gone)


async def is_place_gone(context: BotContext, guild: int, number: int) -> bool:
    """True if that channel or thread of a server has been deleted; False also while that is unknown."""
    server = context.client.get_guild(guild)
    if server is None or server.unavailable:
        return False
    try:
        trouble = await _trouble_at_place(context, server, number)
    except UNSENT_ERRORS:
        return False
    return trouble is not None and trouble.obstacle is Obstacle.GONE


async def _trouble_at_place(
    context: BotContext, guild: discord.Guild, number: int, parent: int | None = None
) -> Trouble | None:
    """Returns why the bot cannot post there. Raises discord.py's error if a request to Discord fails."""
    if number in context.deleted:
        return Trouble(Obstacle.GONE, number)
    place = guild.get_channel_or_thread(number)
    if place is None:
        try:
            place = await guild.fetch_channel(number)
        except (discord.NotFound, discord.InvalidData):
            context.deleted[number] = True
            return Trouble(Obstacle.GONE, number)
        except discord.Forbidden as error:
            return trouble_at(context.client, guild.id, number, error, parent)
    return trouble_in(guild, place)


def is_known_shut(context: BotContext, game: GamePlace | Match) -> bool:
    """True if the client already knows that the bot can post neither in the game's thread nor in its channel."""
    guild = context.client.get_guild(game.guild)
    if guild is None:
        return False
    places = [
        guild.get_channel_or_thread(number)
        for number in (game.thread_or_channel, game.channel)
        if number not in context.deleted
    ]
    return all(place is not None and trouble_in(guild, place) for place in places)
