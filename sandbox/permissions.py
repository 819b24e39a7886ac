"""Who may do what where: Discord's permission bits, and how roles and overwrites combine."""

from __future__ import annotations

from enum import IntFlag

from .discord_types import PRIVATE_THREAD, STAGE, VOICE, Channel, Guild, User
from .errors import Code, Refusal
from .world import World


class Permission(IntFlag):
    """The permission bits that the sandbox looks at, as Discord numbers them."""

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    CONNECT = 1 << 20
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_ROLES = 1 << 28
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    SEND_MESSAGES_IN_THREADS = 1 << 38


INVITE_PERMISSIONS = Permission(309237746688)
"""The bot's permissions in a new world: see, send (also in threads), open public threads, attach, read history."""
EVERYONE = INVITE_PERMISSIONS | Permission.CONNECT | Permission.USE_APPLICATION_COMMANDS
"""The @everyone role of the sandbox's servers."""
MANAGER = (
    Permission.MANAGE_GUILD
    | Permission.MANAGE_CHANNELS
    | Permission.MANAGE_MESSAGES
    | Permission.MANAGE_ROLES
    | Permission.MANAGE_THREADS
    | Permission.MENTION_EVERYONE
)
"""The moderator's role."""
EVERYTHING = Permission((1 << 53) - 1)
"""The role of administrators."""
STEWARD, BOT_ROLE, LORD = 1 << 20, 2 << 20, 3 << 20
"""What is added to a server's id to get the ids of its roles of moderators, the bot and administrators.

It is more than the ids of one millisecond.
"""
_ONLY_LOOKING = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
_NEEDS_SENDING = Permission.MENTION_EVERYONE | Permission.ATTACH_FILES
_IN_DIRECT_MESSAGES = EVERYONE & ~Permission.CREATE_PUBLIC_THREADS & ~Permission.SEND_MESSAGES_IN_THREADS


def permissions(world: World, person: User, channel: Channel) -> Permission:
    """Returns a person's or the bot's permissions in a channel, without those that depend on a missing one."""
    if channel.guild_id is None:
        return _IN_DIRECT_MESSAGES if person.id in channel.members else Permission(0)
    guild = world.guild(channel.guild_id)
    if guild.away or person.id not in guild.members:
        return Permission(0)
    if person.id in guild.administrators:
        return EVERYTHING
    found = _overwritten(server_permissions(guild, person), guild, person, world.place(channel))
    if person.id not in guild.managers and in_timeout(world, person, guild):
        found &= _ONLY_LOOKING
    if channel.type == PRIVATE_THREAD and person.id not in channel.members and Permission.MANAGE_THREADS not in found:
        return Permission(0)
    if Permission.VIEW_CHANNEL not in found:
        return Permission(0)
    return found if sending_in(channel) in found else found & ~_NEEDS_SENDING


def roles_of(guild: Guild, person: User) -> tuple[int, ...]:
    """Returns the ids of a member's roles, without @everyone, whose id is the server's."""
    held = {
        STEWARD: person.id in guild.managers,
        BOT_ROLE: person.bot,
        LORD: person.id in guild.administrators,
    }
    made = (role.id for role in guild.roles if person.id in role.holders)
    return (*(guild.id + number for number, is_one in held.items() if is_one), *made)


def server_permissions(guild: Guild, person: User) -> Permission:
    """Returns a member's permissions in the server, before the overwrites of its channels."""
    if person.id in guild.administrators:
        return EVERYTHING
    found = EVERYONE
    if person.id in guild.managers:
        found |= MANAGER
    for role in guild.roles:
        if person.id in role.holders:
            found |= Permission(role.permissions)
    return found | INVITE_PERMISSIONS | Permission(guild.granted) if person.bot else found


def _overwritten(found: Permission, guild: Guild, person: User, place: Channel) -> Permission:
    """Applies overwrites in Discord's order: @everyone's, those of roles, the member's own."""
    there, roles = place.overwrites, roles_of(guild, person)
    for wanted in (
        [one for one in there if one.id == guild.id],
        [one for one in there if not one.member and one.id in roles],
        [one for one in there if one.member and one.id == person.id],
    ):
        for one in wanted:
            found &= ~Permission(one.deny)
        for one in wanted:
            found |= Permission(one.allow)
    return found


def require(world: World, person: User, channel: Channel, *needed: Permission) -> Permission:
    """Returns the person's permissions there. Refusals: 50001 if they do not see the channel, 50013 if one is missing.

    A bot gets a 503 if an outage has made the server unavailable.
    """
    if person.bot and channel.guild_id is not None and world.guild(channel.guild_id).away:
        raise Refusal(Code.SERVER_AWAY)
    held = permissions(world, person, channel)
    if Permission.VIEW_CHANNEL not in held:
        raise Refusal(Code.MISSING_ACCESS)
    if any(one not in held for one in needed):
        raise Refusal(Code.MISSING_PERMISSIONS)
    return held


def require_in_server(guild: Guild, person: User, needed: Permission) -> None:
    """Refuses what a member may not do in the whole server (50013)."""
    if needed not in server_permissions(guild, person):
        raise Refusal(Code.MISSING_PERMISSIONS)


def may_use(held: Permission, needed: int) -> bool:
    """Returns whether those who hold `held` may use a command; one that needs "0" is for administrators only."""
    return Permission.ADMINISTRATOR in held or (needed != 0 and held & needed == needed)


def sending_in(channel: Channel) -> Permission:
    """Returns the permission that sending there needs; threads have their own."""
    return Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES


def may_listen(channel: Channel, held: Permission) -> bool:
    """Returns whether messages there may be read; the chat of a voice channel also needs Connect."""
    return channel.type not in (VOICE, STAGE) or Permission.CONNECT in held


def in_timeout(world: World, person: User, guild: Guild) -> bool:
    """Returns whether that member is in timeout, and can only look."""
    return world.clock() < guild.timeouts.get(str(person.id), 0)


def can_see(world: World, person: User, channel: Channel) -> bool:
    """Returns whether the person sees the channel."""
    return Permission.VIEW_CHANNEL in permissions(world, person, channel)
