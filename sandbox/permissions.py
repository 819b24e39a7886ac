"""Who may do what where: Discord's permission bits, and how roles and overwrites combine."""

from __future__ import annotations

from enum import IntFlag

from .errors import Code, Refusal
from .things import CATEGORY, PRIVATE_THREAD, STAGE, VOICE, Channel, Guild, Overwrite, User
from .world import World


class Permission(IntFlag):
    """The permission bits that the sandbox looks at, as Discord numbers them."""

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    CONNECT = 1 << 20
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38


INVITED_WITH = Permission(309237746688)
"""What the invite link asks for: see, send (in threads too), open public threads, attach, read history."""
EVERYONE = INVITED_WITH | Permission.EMBED_LINKS | Permission.CONNECT | Permission.USE_APPLICATION_COMMANDS
"""The @everyone role of the sandbox's servers."""
MANAGER = (
    Permission.MANAGE_GUILD
    | Permission.MANAGE_CHANNELS
    | Permission.MANAGE_MESSAGES
    | Permission.MANAGE_THREADS
    | Permission.MENTION_EVERYONE
    | Permission.CREATE_PRIVATE_THREADS
)
"""The moderator's role."""
EVERYTHING = Permission((1 << 53) - 1)
"""What administrators hold."""
STEWARD, BOT_ROLE, LORD = 1 << 20, 2 << 20, 3 << 20
"""By how much the numbers of moderators', the bot's and administrators' roles lie beyond their server's.

Which is beyond the numbers that one millisecond can bring.
"""
_ONLY_LOOKING = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY
_NEEDS_SENDING = Permission.MENTION_EVERYONE | Permission.ATTACH_FILES | Permission.EMBED_LINKS
_IN_DIRECT_MESSAGES = EVERYONE & ~Permission.CREATE_PUBLIC_THREADS & ~Permission.SEND_MESSAGES_IN_THREADS


def permissions(world: World, person: User, channel: Channel) -> Permission:
    """What a person (or the bot) may do in a channel or thread, with Discord's implications worked in."""
    if channel.guild_id is None:
        return _IN_DIRECT_MESSAGES if person.id in channel.members else Permission(0)
    guild = world.guild(channel.guild_id)
    if person.id not in guild.members:
        return Permission(0)
    if guild.away:
        return Permission(0)
    if person.id in guild.administrators:
        return EVERYTHING
    found = _overwritten(_in_server(guild, person), guild, person, world.place(channel))
    if person.id in guild.pending or (person.id not in guild.managers and in_timeout(world, person, guild)):
        found &= _ONLY_LOOKING
    if channel.type == PRIVATE_THREAD and person.id not in channel.members and Permission.MANAGE_THREADS not in found:
        return Permission(0)
    if Permission.VIEW_CHANNEL not in found:
        return Permission(0)
    sending = Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES
    return found if sending in found else found & ~_NEEDS_SENDING


def roles_of(guild: Guild, person: User) -> tuple[int, ...]:
    """The numbers of the roles that a member holds, but for @everyone's, which is the server's."""
    held = {
        STEWARD: person.id in guild.managers,
        BOT_ROLE: person.bot,
        LORD: person.id in guild.administrators,
    }
    return tuple(guild.id + number for number, is_one in held.items() if is_one)


def _in_server(guild: Guild, person: User) -> Permission:
    found = EVERYONE
    if person.id in guild.managers:
        found |= MANAGER
    return found | INVITED_WITH if person.bot else found


def _overwritten(found: Permission, guild: Guild, person: User, place: Channel) -> Permission:
    """In Discord's order: what @everyone has is changed by its overwrite, by those of roles, by the member's own."""
    own = Overwrite(person.id, member=True, allow=place.allow, deny=place.deny)
    there = (*place.overwrites, own) if person.bot else place.overwrites
    roles = roles_of(guild, person)
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
    """What the person may do there. Refused if they do not see the channel (50001) or lack what is needed (50013).

    Where an outage has taken the server away, a bot gets a 503.
    """
    if person.bot and channel.guild_id is not None and world.guild(channel.guild_id).away:
        raise Refusal(Code.SERVER_AWAY)
    held = permissions(world, person, channel)
    if Permission.VIEW_CHANNEL not in held:
        raise Refusal(Code.MISSING_ACCESS)
    if any(one not in held for one in needed):
        raise Refusal(Code.MISSING_PERMISSIONS)
    return held


def may_use(held: Permission, needed: int) -> bool:
    """Whether a command is for those who hold that much; one that names no right ("0") is for administrators only."""
    return Permission.ADMINISTRATOR in held or (needed != 0 and held & needed == needed)


def sending_in(channel: Channel) -> Permission:
    """The permission that sending needs there: threads have their own."""
    return Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES


def may_listen(channel: Channel, held: Permission) -> bool:
    """Whether the messages there may be read: in the chat of a voice channel only by those who may connect."""
    return channel.type not in (VOICE, STAGE) or Permission.CONNECT in held


def in_timeout(world: World, person: User, guild: Guild) -> bool:
    """Whether the moderators have put that member in timeout: they may look, and do nothing."""
    return world.clock() < guild.timeouts.get(str(person.id), 0)


def can_see(world: World, person: User, channel: Channel) -> bool:
    """Whether the person sees the channel at all; of a category there is nothing to see."""
    return channel.type != CATEGORY and Permission.VIEW_CHANNEL in permissions(world, person, channel)
