"""Which permissions a game needs where it is played, and which of them are missing."""

from __future__ import annotations

from enum import Enum
from math import ceil
from typing import NamedTuple, TypeAlias

import discord

from bot.core.match import Match
from bot.core.results import MatchSummary
from bot.discordkit.reply import now
from bot.texts.clocks import absolute_time
from bot.texts.i18n import Language, join_list, text


class Obstacle(Enum):
    """Why something cannot be posted. The values are catalogue keys."""

    FORBIDDEN = "missing"
    UNINVITED = "uninvited"  # a private thread into which nobody has brought the bot
    GONE = "gone"  # the channel or thread has been deleted
    SHUT = "shut"  # a thread that is locked, or one too many
    TIMED_OUT = "timed-out"  # the moderators let the bot only look, until a time that is known
    OUTAGE = "outage"  # Discord's own; it passes
    SLOW = "slow"  # it is on its way, and Discord takes its time
    FAILED = "failed"  # a mistake of ours, or the disk; it is tried again
    REFUSED = "refused"  # Discord does not take it, for a reason of its own

    @property
    def is_temporary(self) -> bool:
        """Whether waiting is all that is needed."""
        return self in (Obstacle.OUTAGE, Obstacle.SLOW, Obstacle.FAILED, Obstacle.TIMED_OUT)


TIMEOUT_END_SLACK_S = 5
"""Seconds for which a timeout still counts after its end: a refusal may be on its way, and clocks differ."""

MISSING_ACCESS_CODE = 50001
"""Discord's code for a place that the bot cannot see."""

NO_TEXT_CODE, ARCHIVED_CODE, LOCKED_CODE, TOO_MANY_THREADS_CODE = 50008, 50083, 160005, 160006
"""Discord's codes for places that take no posts, whatever they say and whoever may do what there."""


def obstacle_of(error: Exception) -> Obstacle:
    """What a failed request to Discord means."""
    code = error.code if isinstance(error, discord.HTTPException) else None
    if code in (NO_TEXT_CODE, ARCHIVED_CODE, LOCKED_CODE, TOO_MANY_THREADS_CODE):
        return Obstacle.SHUT
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
    until: int | None = None
    """When it ends by itself, where that is known."""


CHANNEL_PERMISSIONS = ("view_channel", "send_messages", "attach_files", "read_message_history")
VOICE_PERMISSIONS = (*CHANNEL_PERMISSIONS, "connect")
"""Only who may connect to a voice channel reads back what stands in its chat."""
THREAD_PERMISSIONS = ("view_channel", "send_messages_in_threads", "attach_files", "read_message_history")
FORUM_PERMISSIONS = ("send_messages", *THREAD_PERMISSIONS)
"""A post is opened by who may send, and no more is needed for it."""
THREAD_OPENING_PERMISSIONS = ("create_public_threads", "send_messages_in_threads")

PlaceLike: TypeAlias = discord.abc.Snowflake
"""A channel or thread, as far as it is known."""


def missing_for(
    granted: discord.Permissions, place: PlaceLike | None = None, *, wants_thread: bool = False
) -> tuple[str, ...]:
    """The permissions, of those that a game needs in a place of that type, that are not granted."""
    needed: tuple[str, ...] = CHANNEL_PERMISSIONS
    match place:
        case discord.Thread():
            needed = THREAD_PERMISSIONS
        case discord.ForumChannel():
            needed = FORUM_PERMISSIONS
        case discord.VoiceChannel() | discord.StageChannel():
            needed = VOICE_PERMISSIONS
    return tuple(
        name for name in (*needed, *(THREAD_OPENING_PERMISSIONS if wants_thread else ())) if not getattr(granted, name)
    )


def missing_to_bot(
    guild: discord.Guild, place: discord.abc.GuildChannel | discord.Thread, *, wants_thread: bool = False
) -> tuple[str, ...]:
    """The same of the bot, as far as the client knows."""
    return missing_for(place.permissions_for(guild.me), place, wants_thread=wants_thread)


def trouble_in(guild: discord.Guild, place: discord.abc.GuildChannel | discord.Thread) -> Trouble | None:
    """What keeps the bot from posting in that channel or thread, as far as the client knows; None where nothing does.

    Whether a game's clock may run is decided by this and by nothing else.
    """
    if isinstance(place, discord.Thread) and place.parent is None:  # its channel has been deleted
        return Trouble(Obstacle.GONE, place.id)
    if trouble := timeout_trouble(guild, place.id):
        return trouble
    granted = place.permissions_for(guild.me)
    missing = tuple(name for name in missing_for(granted, place) if name != "read_message_history")  # only tidies up
    if missing:
        return Trouble(Obstacle.FORBIDDEN, place.id, missing)
    locked = isinstance(place, discord.Thread) and place.locked and not granted.manage_threads
    return Trouble(Obstacle.SHUT, place.id) if locked else None


class CannotPost(Exception):
    """The bot cannot do what was asked where it was asked."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        super().__init__(f"{trouble.obstacle.value} in {trouble.where}: {', '.join(trouble.missing)}")


def timeout_trouble(guild: discord.Guild | None, where: int) -> Trouble | None:
    """The moderators' timeout that keeps the bot from posting in that server; None where there is none."""
    me = guild.me if guild else None
    if not me or not me.timed_out_until or me.guild_permissions.administrator:
        return None
    until = ceil(me.timed_out_until.timestamp())
    return Trouble(Obstacle.TIMED_OUT, where, until=until) if now() < until + TIMEOUT_END_SLACK_S else None


def require_permissions(granted: discord.Permissions, place: PlaceLike, *, wants_thread: bool = False) -> None:
    """Raises CannotPost where the bot lacks what a game in that place needs."""
    missing = missing_for(granted, place, wants_thread=wants_thread)
    if "view_channel" in missing and isinstance(place, discord.Thread) and place.is_private():
        raise CannotPost(Trouble(Obstacle.UNINVITED, place.id))
    if missing:
        trouble = timeout_trouble(getattr(place, "guild", None), place.id)
        raise CannotPost(trouble or Trouble(Obstacle.FORBIDDEN, place.id, missing))


def trouble_at(client: discord.Client, guild: int, where: int, error: Exception, parent: int | None = None) -> Trouble:
    """What keeps a post out of that channel or thread, with the permissions that are missing as the client knows them.

    `parent`: a channel whose permissions count where that is a thread which has been put away.
    """
    obstacle, server = obstacle_of(error), client.get_guild(guild)
    if obstacle is not Obstacle.FORBIDDEN or server is None:
        return Trouble(obstacle, where)
    if trouble := timeout_trouble(server, where):
        return trouble
    unseen = isinstance(error, discord.HTTPException) and error.code == MISSING_ACCESS_CODE
    place = server.get_channel_or_thread(where)
    if unseen and isinstance(place, discord.Thread) and place.is_private():
        return Trouble(Obstacle.UNINVITED, where)
    if place is not None:
        return Trouble(obstacle, where, missing_to_bot(server, place))
    if parent is not None and (above := server.get_channel(parent)) is not None:
        granted = above.permissions_for(server.me)
        return Trouble(obstacle, where, tuple(name for name in THREAD_PERMISSIONS if not getattr(granted, name)))
    # Every channel of a server is known, hidden or not, and so is every thread that is not private.
    return Trouble(Obstacle.UNINVITED if unseen else obstacle, where)


def may_see_game(guild: discord.Guild, member: discord.Member, game: Match | MatchSummary) -> bool:
    """Whether the member may look into the place where that game is played, as far as the client knows.

    The client knows no private thread that is put away, so that nobody may look into it: that is why the games of one
    have it as their channel, and not the channel above.
    """
    place = guild.get_channel_or_thread(game.thread_or_channel) or guild.get_channel(game.channel)
    if place is None:
        return False
    granted = place.permissions_for(member)
    # Who has been invited into a private thread is not worth a request for each: those who manage it see it anyway.
    hidden = isinstance(place, discord.Thread) and place.is_private() and not granted.manage_threads
    return granted.view_channel and not hidden


def trouble_sentence(locale: Language, trouble: Trouble) -> str:
    """What is in the way and who can mend it, in words."""
    channel = f"<#{trouble.where}>"
    if trouble.obstacle is Obstacle.FORBIDDEN and trouble.missing:
        names = join_list(locale, [f"**{text(locale, f'permission.{name}')}**" for name in trouble.missing])
        return text(locale, "permission.missing", channel=channel, permissions=names)
    key = "refused" if trouble.obstacle is Obstacle.FORBIDDEN else trouble.obstacle.value
    return text(locale, f"permission.{key}", channel=channel, until=absolute_time(trouble.until or 0))


def unposted_sentence(locale: Language, trouble: Trouble, match: Match) -> str:
    """The complaint to a player of that match, with the way on where nobody can open its place with a permission."""
    sentence = trouble_sentence(locale, trouble)
    leads_on = trouble.obstacle in (Obstacle.GONE, Obstacle.SHUT, Obstacle.UNINVITED) and match.is_live
    return f"{sentence} {text(locale, 'permission.elsewhere')}" if leads_on else sentence


def is_public_place(place: discord.abc.GuildChannel | discord.Thread) -> bool:
    """Whether everybody in the server may look into the channel or thread."""
    if isinstance(place, discord.Thread) and (place.is_private() or place.parent is None):
        return False
    everyone: discord.Role | None = place.guild.default_role  # None once a GUILD_CREATE could not be parsed to its end
    return everyone is not None and place.permissions_for(everyone).view_channel
