"""Where a live game can go on: in its thread, else in its channel, else nowhere for now, and its clock stands.

By what the bot may do there as far as the client knows. Discord is asked only about what the client does not know: a
thread that has been put away, or what was deleted while the bot was not there.
"""

from __future__ import annotations

from typing import NamedTuple

import discord
import structlog

from bot.kit.permissions import Obstacle, Trouble, trouble_at, trouble_in
from bot.match.match import Match
from bot.match.results import Whereabouts
from bot.posting.desk import Desk
from bot.posting.outbox import UNSENT

log = structlog.get_logger()


class Footing(NamedTuple):
    """Where a live game can go on."""

    trouble: Trouble | None
    """What keeps the bot from posting in its thread and in its channel; None where it may post in one of them."""
    in_thread: bool = False
    """Whether it may in its thread, which comes first."""
    thread_gone: bool = False
    """Whether its thread has been deleted."""


async def find_footing(desk: Desk, game: Whereabouts | Match) -> Footing | None:
    """Where that game can go on; None while nobody can tell: its server is away, or Discord does not answer."""
    guild = desk.client.get_guild(game.guild)
    if guild is None or guild.unavailable:
        return None
    try:
        shut = await _trouble(desk, guild, game.thread, game.channel) if game.thread else None
        if game.thread and shut is None:
            return Footing(None, in_thread=True)
        above = await _trouble(desk, guild, game.channel)
    except UNSENT as error:
        log.info("place not known", match=game.id, error=str(error))
        return None
    gone = shut is not None and shut.obstacle is Obstacle.GONE
    return Footing(above and (above if gone or shut is None else shut), thread_gone=gone)


async def _trouble(desk: Desk, guild: discord.Guild, number: int, parent: int | None = None) -> Trouble | None:
    """What keeps the bot from posting there. Raises what discord.py raises where Discord has to be asked."""
    if number in desk.deleted:
        return Trouble(Obstacle.GONE, number)
    place = guild.get_channel_or_thread(number)
    if place is None:
        try:
            place = await guild.fetch_channel(number)
        except (discord.NotFound, discord.InvalidData):
            desk.deleted[number] = True
            return Trouble(Obstacle.GONE, number)
        except discord.Forbidden as error:
            return trouble_at(desk.client, guild.id, number, error, parent)
    return trouble_in(guild, place)


def is_shut(desk: Desk, game: Whereabouts | Match) -> bool:
    """Whether it is known without a request that the bot can post neither in the game's thread nor in its channel."""
    guild = desk.client.get_guild(game.guild)
    if guild is None:
        return False
    unsure = [guild.get_channel_or_thread(one) for one in (game.where, game.channel) if one not in desk.deleted]
    return all(place is not None and trouble_in(guild, place) for place in unsure)


async def note_ladders(desk: Desk, now: int) -> None:
    """Note where challenges wait in a channel in which the bot may not post: no time for an answer runs there."""

    def is_shut(server: int, channel: int) -> bool | None:
        guild = desk.client.get_guild(server)
        if guild is None or guild.unavailable:  # which is an absence already
            return None
        place = guild.get_channel_or_thread(desk.servers.settings(server).ladder_channel or channel)
        return place is None or trouble_in(guild, place) is not None

    await desk.service.ladders.note_shut(is_shut, now)
