"""Which permissions a game needs where it is played, and which of them are missing."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import discord

from bot.match.match import Match
from bot.match.results import Summary
from bot.texts.i18n import Language, join, text


class Obstacle(Enum):
    """Why something cannot be posted. The values are catalogue keys."""

    FORBIDDEN = "missing"
    GONE = "gone"  # the channel or thread has been deleted
    OUTAGE = "outage"  # Discord's own; it passes
    SLOW = "slow"  # it is on its way, and Discord takes its time
    REFUSED = "refused"  # Discord does not take it, for a reason of its own


def obstacle_of(error: Exception) -> Obstacle:
    """What a failed request to Discord means."""
    if isinstance(error, discord.NotFound):
        return Obstacle.GONE
    if isinstance(error, discord.Forbidden):
        return Obstacle.FORBIDDEN
    # Asking again would be answered the same where Discord has understood, and does not want it.
    understood = isinstance(error, discord.HTTPException) and 400 <= error.status < 500 and error.status != 429
    return Obstacle.REFUSED if understood else Obstacle.OUTAGE


class Trouble(NamedTuple):
    """What keeps a game from being announced, where, and which permissions are missing there."""

    obstacle: Obstacle
    where: int
    missing: tuple[str, ...] = ()


IN_CHANNEL = ("view_channel", "send_messages", "attach_files", "read_message_history")
IN_THREAD = ("view_channel", "send_messages_in_threads", "attach_files", "read_message_history")
FOR_THREADS = ("create_public_threads", "send_messages_in_threads")


def missing_for(
    granted: discord.Permissions, *, is_thread: bool = False, wants_thread: bool = False
) -> tuple[str, ...]:
    """The permissions, of those that a game needs there, that are not granted."""
    needed = (IN_THREAD if is_thread else IN_CHANNEL) + (FOR_THREADS if wants_thread else ())
    return tuple(name for name in needed if not getattr(granted, name))


class CannotPost(Exception):
    """The bot cannot do what was asked where it was asked."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        super().__init__(f"{trouble.obstacle.value} in {trouble.where}: {', '.join(trouble.missing)}")


def require_permissions(
    granted: discord.Permissions, where: int, *, is_thread: bool = False, wants_thread: bool = False
) -> None:
    """Raises CannotPost where the bot lacks what a game in that channel needs."""
    if missing := missing_for(granted, is_thread=is_thread, wants_thread=wants_thread):
        raise CannotPost(Trouble(Obstacle.FORBIDDEN, where, missing))


def missing_in(client: discord.Client, match: Match) -> tuple[str, ...]:
    """The permissions that are missing where that game is played, as far as the client knows."""
    guild = client.get_guild(match.guild)
    if guild is None:
        return ()
    channel = guild.get_channel_or_thread(match.where) or guild.get_channel(match.channel)
    if channel is None:
        return ("view_channel",)
    return missing_for(channel.permissions_for(guild.me), is_thread=isinstance(channel, discord.Thread))


def may_look(guild: discord.Guild, member: discord.Member, game: Match | Summary) -> bool:
    """Whether the member may look into the place where that game is played, as far as the client knows.

    The client knows no private thread that is put away, so that nobody may look into it: that is why the games of one
    have it as their channel, and not the channel above.
    """
    place = guild.get_channel_or_thread(game.where) or guild.get_channel(game.channel)
    if place is None:
        return False
    granted = place.permissions_for(member)
    # Who has been invited into a private thread is not worth a request for each: those who manage it see it anyway.
    hidden = isinstance(place, discord.Thread) and place.is_private() and not granted.manage_threads
    return granted.view_channel and not hidden


def complaint(locale: Language, trouble: Trouble) -> str:
    """What is in the way and who can mend it, in words."""
    channel = f"<#{trouble.where}>"
    if trouble.obstacle is Obstacle.FORBIDDEN and trouble.missing:
        names = join(locale, [f"**{text(locale, f'permission.{name}')}**" for name in trouble.missing])
        return text(locale, "permission.missing", channel=channel, permissions=names)
    key = "refused" if trouble.obstacle is Obstacle.FORBIDDEN else trouble.obstacle.value
    return text(locale, f"permission.{key}", channel=channel)


def unposted(locale: Language, trouble: Trouble, match: Match) -> str:
    """The complaint to a player of that match, with the way on where its channel is gone."""
    said = complaint(locale, trouble)
    leads_on = trouble.obstacle is Obstacle.GONE and match.is_live
    return f"{said} {text(locale, 'permission.elsewhere')}" if leads_on else said


def is_open(place: discord.abc.GuildChannel) -> bool:
    """Whether everybody in the server may look into the channel."""
    return place.permissions_for(place.guild.default_role).view_channel
