"""Which permissions a game needs in a place, which of them the bot lacks, and the link by which servers grant them."""

from __future__ import annotations

from enum import Enum
from math import ceil
from typing import NamedTuple, TypeAlias

import discord
import structlog

from bot.discordkit.reply import now
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import absolute_time

log = structlog.get_logger()


class Obstacle(Enum):
    """Why the bot cannot post something. The values are catalogue keys."""

    FORBIDDEN = "missing"
    UNINVITED = "uninvited"  # a private thread to which nobody has invited the bot
    GONE = "gone"  # the channel or thread has been deleted
    SHUT = "shut"  # the thread is locked, or the channel has too many threads
    TIMED_OUT = "timed-out"  # the moderators have timed the bot out, until a known time
    OUTAGE = "outage"  # an outage of Discord, which passes
    SLOW = "slow"  # the post is on its way, and Discord takes long
    FAILED = "failed"  # a bug, or the disk; the bot tries again
    REFUSED = "refused"  # Discord does not take it, for a reason of its own

    @property
    def is_temporary(self) -> bool:
        """True if waiting is all that is needed."""
        return self in (Obstacle.OUTAGE, Obstacle.SLOW, Obstacle.FAILED, Obstacle.TIMED_OUT)


TIMEOUT_END_SLACK_S = 5
"""Seconds for which a timeout still counts after its end: a refusal may be under way, and clocks differ."""

MISSING_ACCESS_CODE = 50001
"""Discord's code for a channel or thread that the bot cannot see."""

NO_TEXT_CODE, ARCHIVED_CODE, LOCKED_CODE, TOO_MANY_THREADS_CODE = 50008, 50083, 160005, 160006
"""Discord's codes for places that take no posts at all, whatever the content and permissions."""


def obstacle_of(error: Exception) -> Obstacle:
    """Returns the obstacle that a failed request to Discord reveals."""
    code = error.code if isinstance(error, discord.HTTPException) else None
    if code in (NO_TEXT_CODE, ARCHIVED_CODE, LOCKED_CODE, TOO_MANY_THREADS_CODE):
        return Obstacle.SHUT
    if isinstance(error, discord.NotFound):
        return Obstacle.GONE
    if isinstance(error, discord.Forbidden):
        return Obstacle.FORBIDDEN
    # Discord has understood the request and refuses it, so repeating it would not help.
    understood = isinstance(error, discord.HTTPException) and 400 <= error.status < 500 and error.status != 429
    return Obstacle.REFUSED if understood else Obstacle.OUTAGE


class Trouble(NamedTuple):
    """What keeps a game from being announced: the obstacle, the place, and the permissions missing there."""

    obstacle: Obstacle
    where: int
    missing: tuple[str, ...] = ()
    until: int | None = None
    """Unix seconds when the trouble ends by itself; None if unknown."""


CHANNEL_PERMISSIONS = ("view_channel", "send_messages", "attach_files", "read_message_history")
VOICE_PERMISSIONS = (*CHANNEL_PERMISSIONS, "connect")
"""Only members who may connect to a voice channel can read its chat history."""
THREAD_PERMISSIONS = ("view_channel", "send_messages_in_threads", "attach_files", "read_message_history")
FORUM_PERMISSIONS = ("send_messages", *THREAD_PERMISSIONS)
"""Opening a forum post needs the permission to send messages and nothing more."""
THREAD_OPENING_PERMISSIONS = ("create_public_threads", "send_messages_in_threads")

PlaceLike: TypeAlias = discord.abc.Snowflake
"""A channel or thread, possibly known by its number only."""


def missing_for(
    granted: discord.Permissions, place: PlaceLike | None = None, *, wants_thread: bool = False
) -> tuple[str, ...]:
    """Returns the permissions that a game needs in a place of that type and that are not granted."""
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
    """Returns the permissions that a game needs there and that the bot lacks, as far as the client knows."""
    return missing_for(place.permissions_for(guild.me), place, wants_thread=wants_thread)


def trouble_in(guild: discord.Guild, place: discord.abc.GuildChannel | discord.Thread) -> Trouble | None:
    """Returns what keeps the bot from posting in that channel or thread, as far as the client knows; None if nothing
    does.

    This function alone decides whether a game's clock may run.
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


def known_trouble(guild: discord.Guild, where: int) -> Trouble | None:
    """Returns what keeps the bot from posting in the channel or thread of that number, as far as the client knows."""
    place = guild.get_channel_or_thread(where)
    return timeout_trouble(guild, where) if place is None else trouble_in(guild, place)


class CannotPost(Exception):
    """The bot cannot do what was asked in the place where it was asked."""

    def __init__(self, trouble: Trouble) -> None:
        self.trouble = trouble
        super().__init__(f"{trouble.obstacle.value} in {trouble.where}: {', '.join(trouble.missing)}")


def timeout_trouble(guild: discord.Guild | None, where: int) -> Trouble | None:
    """Returns the timeout that keeps the bot from posting in that server; None if there is none."""
    me = guild.me if guild else None
    if not me or not me.timed_out_until or me.guild_permissions.administrator:
        return None
    until = ceil(me.timed_out_until.timestamp())
    return Trouble(Obstacle.TIMED_OUT, where, until=until) if now() < until + TIMEOUT_END_SLACK_S else None


def require_permissions(granted: discord.Permissions, place: PlaceLike, *, wants_thread: bool = False) -> None:
    """Raises CannotPost if the bot lacks a permission that a game in that place needs."""
    missing = missing_for(granted, place, wants_thread=wants_thread)
    if "view_channel" in missing and isinstance(place, discord.Thread) and place.is_private():
        raise CannotPost(Trouble(Obstacle.UNINVITED, place.id))
    if missing:
        trouble = timeout_trouble(getattr(place, "guild", None), place.id)
        raise CannotPost(trouble or Trouble(Obstacle.FORBIDDEN, place.id, missing))


def trouble_at(client: discord.Client, guild: int, where: int, error: Exception, parent: int | None = None) -> Trouble:
    """Returns what keeps a post out of that channel or thread, with the missing permissions as the client knows them.

    `parent` is the channel whose permissions count if the place is an archived thread.
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
    # The client knows every channel of a server, hidden or not, and every thread that is not private.
    return Trouble(Obstacle.UNINVITED if unseen else obstacle, where)


def trouble_sentence(locale: Language, trouble: Trouble) -> str:
    """Returns what is in the way and who can mend it, in words."""
    channel = f"<#{trouble.where}>"
    if trouble.obstacle is Obstacle.FORBIDDEN and trouble.missing:
        names = join_list(locale, [f"**{text(locale, f'permission.{name}')}**" for name in trouble.missing])
        return text(locale, "permission.missing", channel=channel, permissions=names)
    key = "refused" if trouble.obstacle is Obstacle.FORBIDDEN else trouble.obstacle.value
    return text(locale, f"permission.{key}", channel=channel, until=absolute_time(trouble.until or 0))


def is_public_place(place: discord.abc.GuildChannel | discord.Thread) -> bool:
    """True if everybody in the server may see the channel or thread."""
    if isinstance(place, discord.Thread) and (place.is_private() or place.parent is None):
        return False
    everyone: discord.Role | None = place.guild.default_role  # None if a GUILD_CREATE could not be parsed to its end
    return everyone is not None and place.permissions_for(everyone).view_channel


# The invite link, and what is missing in the application's settings and in servers


SCOPES = ("bot", "applications.commands")
INVITED_WITH = discord.Permissions(**dict.fromkeys((*CHANNEL_PERMISSIONS, *THREAD_OPENING_PERMISSIONS), True))
"""The permissions that the link asks for; docs/hosting.md explains each of them."""

ENDPOINT = "General Information > Interactions Endpoint URL is set, so that no command reaches the bot: empty it."
CODE_GRANT = "Bot > Requires OAuth2 Code Grant is on, so that nobody can add the bot: switch it off."
NO_GUILD_INSTALL = "Installation > Guild Install is off, so that no server can add the bot: tick it."
WEAK_LINK = "Installation > Default Install Settings, Guild Install: the scopes or permissions lack {names}."


def invite_link(application_id: int) -> str:
    """Returns the address at which somebody adds the bot to a server."""
    return discord.utils.oauth_url(application_id, permissions=INVITED_WITH, scopes=SCOPES)


def install_problems(application: discord.AppInfo) -> list[str]:
    """Returns what has to be changed in the developer portal, a sentence each."""
    problems = []
    if application.interactions_endpoint_url:
        problems.append(ENDPOINT)
    if application.bot_require_code_grant:
        problems.append(CODE_GRANT)
    # An application without any of the two has the settings of before there were two.
    if application.user_integration_config and not application.guild_integration_config:
        problems.append(NO_GUILD_INSTALL)
    guild_install = application.guild_integration_config
    if parameters := guild_install and guild_install.oauth2_install_params:
        missing = [scope for scope in SCOPES if scope not in parameters.scopes]
        if names := [*missing, *_permission_names(parameters.permissions)]:
            problems.append(WEAK_LINK.format(names=join_list("en", names)))
    return problems


def missing_in_server(granted: discord.Permissions) -> str:
    """Returns the permissions of the link that a server has not granted, in words; empty if it has granted all."""
    return join_list("en", names) if (names := _permission_names(granted)) else ""


def _permission_names(granted: discord.Permissions) -> list[str]:
    missing = () if granted.administrator else missing_for(granted, wants_thread=True)
    return [text("en", f"permission.{name}") for name in missing]


def log_invitation(client: discord.Client) -> None:
    """Logs the invite link, and a line for each install setting and each server that lacks something."""
    assert client.application_id is not None
    log.info("invite", link=invite_link(client.application_id))
    for problem in install_problems(client.application) if client.application else ():
        log.warning("install settings", problem=problem)
    for guild in client.guilds:
        me: discord.Member | None = guild.me  # None if a GUILD_CREATE could not be parsed to its end
        if me and (missing := missing_in_server(me.guild_permissions)):
            log.warning("permissions missing", server=guild.name, id=guild.id, permissions=missing)
