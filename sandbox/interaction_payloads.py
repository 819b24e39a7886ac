"""Interactions as the gateway sends them to the bot."""

from __future__ import annotations

import contextlib

from .discord_types import Channel, Guild, Interaction, Json, User
from .errors import Refusal
from .limits.messages import LARGEST_FILE
from .message_payloads import message
from .options import Named
from .payloads import channel, member, roles, user
from .permissions import permissions
from .world import BOT_ID, World


def interaction(world: World, asked: Interaction, given: Json) -> Json:
    """Returns the payload of INTERACTION_CREATE; `given` is its `data`."""
    where = world.channel(asked.channel_id)
    who = world.person(asked.person_id)
    bots = permissions(world, world.people[BOT_ID], where)
    found: Json = {
        "id": str(asked.id),
        "application_id": str(BOT_ID),
        "type": int(asked.kind),
        "token": asked.token,
        "version": 1,
        "data": given,
        "channel_id": str(where.id),
        "channel": _channel_for(world, who, where),
        "app_permissions": str(int(bots)),
        "locale": who.locale,
        "entitlements": [],
        "entitlement_sku_ids": [],
        "attachment_size_limit": LARGEST_FILE,
        "authorizing_integration_owners": world.owners(where, who),
    }
    if asked.message_id is not None:
        with contextlib.suppress(Refusal):  # a form can be submitted after the message that opened it is deleted
            found["message"] = message(world, world.message(asked.channel_id, asked.message_id))
    if where.guild_id is None:
        return {**found, "user": user(who), "context": 1}
    guild = world.guild(where.guild_id)
    return {
        **found,
        "guild_id": str(guild.id),
        "guild": {"id": str(guild.id), "locale": guild.locale, "features": guild.features},
        "guild_locale": guild.locale,
        "member": {**member(guild, who), "permissions": str(int(permissions(world, who, where)))},
        "context": 0,
    }


def resolved(world: World, where: Channel, named: Named) -> Json:
    """Returns the `resolved` objects of what an interaction names; empty if it names nothing."""
    found: Json = {}
    people, channels = named.people, named.channels
    if people:
        found["users"] = {str(number): user(world.person(number)) for number in people}
    if people and where.guild_id is not None:
        guild = world.guild(where.guild_id)
        here = [number for number in people if number in guild.members]  # people who are not members can be named by id
        found["members"] = {str(number): _member_for(world, guild, world.person(number), where) for number in here}
    if channels:
        bot = world.people[BOT_ID]
        found["channels"] = {str(number): _channel_for(world, bot, world.channel(number)) for number in channels}
    if named.roles:
        known = {role["id"]: role for role in roles(world.guild(where.guild_id or 0))}
        found["roles"] = {str(number): known[str(number)] for number in named.roles}
    return found


def _member_for(world: World, guild: Guild, who: User, where: Channel) -> Json:
    """Returns a resolved member: with permissions, and without the user, which `users` has."""
    found = member(guild, who)
    for name in ("user", "deaf", "mute"):
        del found[name]
    return {**found, "permissions": str(int(permissions(world, who, where)))}


def _channel_for(world: World, who: User, where: Channel) -> Json:
    """Returns a channel with the permissions of the person and the bot in it."""
    return {
        **channel(world, where),
        "permissions": str(int(permissions(world, who, where))),
        "app_permissions": str(int(permissions(world, world.people[BOT_ID], where))),
    }
