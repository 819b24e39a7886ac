"""People, servers, channels and commands as Discord's API shows them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from .discord_types import FORUM, PRIVATE_THREAD, STAGE, TEXT, VOICE, Channel, Command, Guild, Json, User
from .permissions import (
    BOT_ROLE,
    EVERYONE,
    INVITE_PERMISSIONS,
    LORD,
    MANAGER,
    STEWARD,
    Permission,
    permissions,
    roles_of,
)
from .world import BOT_ID, World

_NEEDS_TAG = 1 << 4  # a forum's flag
_SAME_IN_ALL_GUILDS: Json = {
    **dict.fromkeys(("icon", "splash", "banner", "description", "discovery_splash", "home_header", "application_id")),
    **dict.fromkeys(("afk_channel_id", "rules_channel_id", "public_updates_channel_id", "safety_alerts_channel_id")),
    **dict.fromkeys(("widget_channel_id", "vanity_url_code", "incidents_data", "max_presences")),
    **dict.fromkeys(("verification_level", "explicit_content_filter", "mfa_level", "nsfw_level", "premium_tier"), 0),
    **dict.fromkeys(("system_channel_flags", "premium_subscription_count"), 0),
    **dict.fromkeys(("premium_progress_bar_enabled", "nsfw", "widget_enabled"), False),
    "emojis": [],
    "stickers": [],
    "default_message_notifications": 1,
    "afk_timeout": 300,
    "max_members": 500000,
    "max_stage_video_channel_users": 50,
    "max_video_channel_users": 25,
    "region": "deprecated",
}
"""What a server's owner sets in Discord, and nobody here."""


def when(seconds: float | None) -> str | None:
    """Returns an ISO 8601 time in UTC; None for None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def born_at(number: int) -> float:
    """Returns the time in a snowflake, in seconds since 1970."""
    return (number >> 22) / 1000 + 1420070400


def born(number: int) -> str:
    """Returns the time in a snowflake as an ISO 8601 time in UTC."""
    return datetime.fromtimestamp(born_at(number), UTC).isoformat()


def user(person: User) -> Json:
    """Returns a user object."""
    return {
        "id": str(person.id),
        "username": person.name.casefold(),
        "global_name": None if person.bot else person.name,
        "discriminator": "0000" if person.bot else "0",
        "avatar": None,
        "primary_guild": None,
        "bot": person.bot,
        "public_flags": 0,
        "flags": 0,
    }


def member(guild: Guild, person: User) -> Json:
    """Returns a guild member object with its user."""
    return {
        "user": user(person),
        "nick": dict(guild.nicks).get(person.id),
        "avatar": None,
        "banner": None,
        "roles": [str(role) for role in roles_of(guild, person)],
        "joined_at": born(guild.id),
        "premium_since": None,
        "communication_disabled_until": when(guild.timeouts.get(str(person.id))),
        "deaf": False,
        "mute": False,
        "flags": 0,
        "pending": False,
    }


def roles(guild: Guild) -> list[Json]:
    """Returns all roles of a server, the lowest first."""
    made = [
        [(one.id, one.name, Permission(one.permissions)) for one in guild.roles if one.above is above]
        for above in (False, True)
    ]
    found = [
        (guild.id, "@everyone", EVERYONE),
        *made[False],
        (guild.id + STEWARD, "Steward", MANAGER),
        (guild.id + BOT_ROLE, "Bot", INVITE_PERMISSIONS | Permission(guild.granted)),
        *made[True],
        (guild.id + LORD, "Lord", Permission.ADMINISTRATOR),
    ]
    return [
        {
            "id": str(number),
            "name": name,
            "permissions": str(int(held)),
            "position": position,
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "managed": number == guild.id + BOT_ROLE,
            "mentionable": any(one.id == number and one.mentionable for one in guild.roles),
            "icon": None,
            "unicode_emoji": None,
            "flags": 0,
            **({"tags": {"bot_id": str(BOT_ID)}} if number == guild.id + BOT_ROLE else {}),
        }
        for position, (number, name, held) in enumerate(found)
    ]


def guild_settings(guild: Guild, channels: Iterable[Channel] = ()) -> Json:
    """Returns a guild object without channels and members. Its first text channel is the system channel."""
    texts = (one.id for one in channels if one.guild_id == guild.id and one.type == TEXT)
    system = min(texts, default=None)
    return {
        "id": str(guild.id),
        "name": guild.name,
        "preferred_locale": guild.locale,
        "owner_id": str(guild.managers[0] if guild.managers else guild.members[-1]),
        "roles": roles(guild),
        "features": guild.features,
        "system_channel_id": None if system is None else str(system),
        **_SAME_IN_ALL_GUILDS,
    }


def whole_guild(world: World, guild: Guild) -> Json:
    """Returns the data of GUILD_CREATE: channels, active threads, and the bot as the only member.

    It has all channels, also those that the bot may not see, but only the threads that it may see.
    """
    bot = world.people[BOT_ID]
    found = [one for one in world.channels.values() if one.guild_id == guild.id]
    return {
        **guild_settings(guild, world.channels.values()),
        "joined_at": born(guild.id),
        "large": False,
        "unavailable": False,
        "member_count": len(guild.members),
        "members": [member(guild, bot)],
        "channels": [channel(world, one) for one in found if not one.is_thread],
        "threads": [
            channel(world, one) for one in found if one.is_thread and not one.archived and permissions(world, bot, one)
        ],
        **{name: [] for name in ("voice_states", "presences", "stage_instances")},
        **{name: [] for name in ("guild_scheduled_events", "soundboard_sounds")},
    }


def channel(world: World, one: Channel) -> Json:
    """Returns a channel, thread or direct-message object."""
    last = world.last_message(one.id)
    common: Json = {
        "id": str(one.id),
        "type": one.type,
        "last_message_id": str(last.id) if last else None,
        "flags": 0,
    }
    if one.guild_id is None:
        others = [world.person(number) for number in one.members if number != BOT_ID]
        return {**common, "recipients": [user(person) for person in others]}
    common |= {"guild_id": str(one.guild_id), "name": one.name, "rate_limit_per_user": 0}
    if one.is_thread:
        return {**common, **_thread(world, one)}
    return {
        **common,
        "position": 0,
        "topic": None,
        "nsfw": False,
        "parent_id": str(one.parent_id) if one.parent_id else None,
        "permission_overwrites": [
            {"id": str(each.id), "type": int(each.member), "allow": str(each.allow), "deny": str(each.deny)}
            for each in one.overwrites
        ],
        **_own_fields(one),
    }


def _own_fields(one: Channel) -> Json:
    """Returns the fields that only channels of its type have."""
    if one.type in (VOICE, STAGE):
        return {"bitrate": 64000, "user_limit": 0, "rtc_region": None, "video_quality_mode": 1}
    if one.type == FORUM:
        return {
            "flags": _NEEDS_TAG if one.needs_tag else 0,
            "available_tags": list(one.tags),
            "default_reaction_emoji": None,
            "default_sort_order": None,
            "default_forum_layout": 0,
            "default_thread_rate_limit_per_user": 0,
        }
    return {}


def _thread(world: World, one: Channel) -> Json:
    said = len(world.messages(one.id))
    found: Json = {
        "parent_id": str(one.parent_id),
        "owner_id": str(one.owner_id),
        "message_count": min(said, 50),
        "total_message_sent": said,
        "member_count": min(len(one.members), 50),
        "thread_metadata": {
            "archived": one.archived,
            "locked": one.locked,
            "auto_archive_duration": one.auto_archive,
            "archive_timestamp": when(one.archived_at) or born(one.id),
            "create_timestamp": born(one.id),
            **({"invitable": True} if one.type == PRIVATE_THREAD else {}),
        },
    }
    if one.parent_id in world.channels and world.channel(one.parent_id).type == FORUM:
        found["applied_tags"] = [str(tag) for tag in one.applied]
    if BOT_ID in one.members:
        found["member"] = bot_in(one)
    return found


def bot_in(one: Channel) -> Json:
    """Returns the thread member object of the bot."""
    return {"id": str(one.id), "user_id": str(BOT_ID), "join_timestamp": born(one.id), "flags": 1}


def command(one: Command) -> Json:
    """Returns an application command object."""
    needed = one.body.get("default_member_permissions")
    return {
        "type": 1,
        "description": "",
        "options": [],
        "nsfw": False,
        **one.body,
        "default_member_permissions": None if needed is None else str(needed),
        "integration_types": one.body.get("integration_types") or [0],
        "id": str(one.id),
        "application_id": str(BOT_ID),
        "version": str(one.version),
    }
