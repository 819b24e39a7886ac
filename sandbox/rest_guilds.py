"""REST: roles of members."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from . import payloads
from .discord_types import Guild, Role
from .errors import Code, Refusal
from .permissions import BOT_ROLE, Permission, require_in_server
from .rest import Call, Routes

_ROLE = "/guilds/{guild_id}/members/{user_id}/roles/{role_id}"


def _set_holder(call: Call, *, holds: bool) -> None:
    """Gives a member a role, or takes it: one below the bot's own. Both may be repeated."""
    world, guild = call.parts.world, call.guild
    person = world.person(call.number("user_id"))
    require_in_server(guild, call.bot, Permission.MANAGE_ROLES)
    if person.id not in guild.members:
        raise Refusal(Code.UNKNOWN_MEMBER)
    role = _role(guild, call.number("role_id"))
    if role.above:
        raise Refusal(Code.MISSING_PERMISSIONS)
    others = tuple(number for number in role.holders if number != person.id)
    changed = replace(role, holders=(*others, person.id) if holds else others)
    world.put(replace(guild, roles=tuple(changed if one.id == role.id else one for one in guild.roles)))
    if role.permissions:
        call.parts.live.state(person)


def _role(guild: Guild, number: int) -> Role:
    """Returns a role that somebody has made. Refusals: 10011, 50028 for @everyone and the bot's own, else 50013."""
    if number in (guild.id, guild.id + BOT_ROLE):
        raise Refusal(Code.INVALID_ROLE)
    for role in guild.roles:
        if role.id == number:
            return role
    known = any(role["id"] == str(number) for role in payloads.roles(guild))
    raise Refusal(Code.MISSING_PERMISSIONS if known else Code.UNKNOWN_ROLE)


GUILD_ROUTES: Routes = {
    ("PUT", _ROLE): partial(_set_holder, holds=True),
    ("DELETE", _ROLE): partial(_set_holder, holds=False),
}
