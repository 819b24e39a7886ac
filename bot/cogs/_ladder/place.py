"""Where ladder games may be asked for and played: in the open, and where the bot may post."""

from __future__ import annotations

import discord

from bot.cogs._answers.errors import CannotPost, Declined
from bot.cogs._answers.options import is_private, where
from bot.cogs._answers.permissions import Obstacle, Trouble, missing_for
from bot.cogs._answers.reply import Press, now
from bot.problems import MatchError, Problem


def ladder_place(interaction: Press) -> int:
    """The channel in which games that begin now are played: the server's for ladders, else the one at hand.

    Raises Declined where not everybody may look into it, CannotPost where the bot may not post, and MatchError where
    the server wants no games.
    """
    guild, here = where(interaction)
    settings = interaction.client.servers.settings(guild)
    if settings.ladder_channel is not None:
        channel = settings.ladder_channel
    else:
        place = interaction.channel
        channel = (place.parent_id or here) if isinstance(place, discord.Thread) else here
        if settings.channels and channel not in settings.channels:
            raise MatchError(Problem.CHANNEL_NOT_ALLOWED, channels=settings.channels)
    require_open(interaction, channel)
    return channel


def require_open(interaction: Press, channel: int) -> None:
    """Raises Declined unless everybody in the server may look into the channel, and CannotPost if the bot may not post.

    Who could see a ladder's games only in part would have to take its results on trust.
    """
    assert interaction.guild is not None
    place = interaction.guild.get_channel(channel)
    private = channel == interaction.channel_id and is_private(interaction)
    if place is None and not private:
        raise CannotPost(Trouble(Obstacle.GONE, channel))
    if place is None or not is_open(place):
        raise Declined("ladder.private", channel=f"<#{channel}>")
    missing = missing_for(place.permissions_for(interaction.guild.me))
    if missing:
        raise CannotPost(Trouble(Obstacle.FORBIDDEN, channel, missing))


def is_open(place: discord.abc.GuildChannel) -> bool:
    """Whether everybody in the server may look into the channel."""
    return place.permissions_for(place.guild.default_role).view_channel


def member_since(interaction: Press) -> int:
    """When the person came into the server, in unix seconds; 0 where Discord does not say."""
    joined = interaction.user.joined_at if isinstance(interaction.user, discord.Member) else None
    # Discord's clock may be ahead of ours, and nobody has come later than now.
    return min(int(joined.timestamp()), now()) if joined else 0
