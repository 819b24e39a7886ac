"""Changes of the world that its people cannot make: for tests and development."""

from __future__ import annotations

from dataclasses import replace

from . import payloads, posts, views
from .discord_types import FORUM, NEWS, STAGE, TEXT, VOICE, Channel, Guild, Json, Overwrite, Role, User
from .founding import tags
from .options import ActError
from .page_requests import PageRequest
from .permissions import BOT_ROLE, STEWARD
from .world import BOT_ID, changed

_KINDS_OF_MEMBERS = {"managers": "manages", "administrators": "administers"}
"""Fields of a server that name members, and the keys that change them."""
_ROLES = {"everyone": 0, "steward": STEWARD, "bot": BOT_ROLE}


def add_person(ask: PageRequest) -> Json:
    """Adds a person, as a member of the servers in `guilds`, or of all servers without it.

    With `installed` they have installed the bot for themselves.
    """
    name = ask.name
    if any(one.name == name for one in ask.world.people.values()):
        raise ActError("bad_name", "A person needs a name of their own.")
    locale = ask.locale if ask.body.get("locale") is not None else "en-US"
    who = User(ask.world.next_id(), name, locale, installed=bool(ask.body.get("installed")))
    ask.world.put(who)
    managed = {*ask.numbers("manages")}
    joined = {*(ask.numbers("guilds") or ask.world.guilds)}
    for guild in [one for one in ask.world.guilds.values() if one.id in joined]:
        managers = (*guild.managers, who.id) if guild.id in managed else guild.managers
        ask.world.put(replace(guild, members=(*guild.members, who.id), managers=managers))
    ask.parts.live.person(who)
    return views.person(ask.world, who)


def change_person(ask: PageRequest) -> Json:
    """Changes a person's language (`locale`), `name`, and whether they are `closed`, `installed` or a `stranger`."""
    known: Json = {name: bool(ask.body[name]) for name in ("closed", "installed", "stranger") if name in ask.body}
    if name := ask.words("name").strip():
        known["name"] = name
    if ask.body.get("locale") is not None or not known:
        known["locale"] = ask.locale
    me = replace(ask.me, **known)
    ask.world.put(me)
    ask.parts.live.person(me)
    ask.parts.live.commands()
    if "stranger" in known:
        ask.parts.live.state(me)
    return views.person(ask.world, me)


def set_member(ask: PageRequest) -> Json:
    """Changes whether a person is a `member` of a server and `manages` it, and their `nick` there.

    `administers`: they or the bot become administrators.
    `timeout`: seconds for which they can only look; 0 lifts it.
    """
    who, guild = ask.me, ask.guild
    if "nick" in ask.body:
        others = tuple(one for one in guild.nicks if one[0] != who.id)
        nick = ask.words("nick").strip()
        guild = replace(guild, nicks=(*others, (who.id, nick)) if nick else others)
    is_member = bool(ask.body.get("member", True))
    guild = replace(guild, members=_set_person(guild.members, who, is_one=is_member), timeouts=_timeouts(ask, guild))
    for name, key in _KINDS_OF_MEMBERS.items():
        people = getattr(guild, name)
        is_one = is_member and bool(ask.body.get(key, who.id in people))
        changes: Json = {name: _set_person(people, who, is_one=is_one)}
        guild = replace(guild, **changes)
    ask.world.put(guild)
    # Bots without the privileged intent for members get events of themselves only.
    if who.bot:
        own = {**payloads.member(guild, who), "guild_id": str(guild.id)}
        ask.parts.gateway.dispatch("GUILD_MEMBER_UPDATE", own)
    ask.parts.live.state(who)
    ask.parts.live.person(who)
    return views.person(ask.world, who)


def _set_person(people: tuple[int, ...], who: User, *, is_one: bool) -> tuple[int, ...]:
    """Returns the people with that person, or without."""
    others = tuple(number for number in people if number != who.id)
    return people if is_one and who.id in people else (*others, who.id) if is_one else others


def _timeouts(ask: PageRequest, guild: Guild) -> dict[str, float]:
    timeouts = {**guild.timeouts}
    if "timeout" in ask.body:
        timeouts.pop(str(ask.me.id), None)
        if seconds := ask.number("timeout"):
            timeouts[str(ask.me.id)] = ask.world.clock() + seconds
    return timeouts


def add_channel(ask: PageRequest) -> Json:
    """Adds a channel to a server: a text channel unless `type` is given; a forum offers `tags`."""
    kind = ask.number("type") if "type" in ask.body else TEXT
    if kind not in (TEXT, VOICE, NEWS, STAGE, FORUM):
        raise ActError("bad_type", "There are no such channels.")
    offered, needs_tag = tags(ask.world, *(ask.texts("tags") or ())), bool(ask.body.get("needs_tag"))
    made = Channel(ask.world.next_id(), ask.guild.id, ask.name, kind, tags=offered, needs_tag=needs_tag)
    ask.world.put(made)
    posts.tell_channel(ask.parts, made, "CREATE")
    return {"id": str(made.id), "name": made.name}


def invite_bot(ask: PageRequest) -> Json:
    """Adds the bot to a server, or removes it."""
    others = tuple(number for number in ask.guild.members if number != BOT_ID)
    member = bool(ask.body.get("member"))
    guild = replace(ask.guild, members=(BOT_ID, *others) if member else others)
    ask.world.put(guild)
    if member:
        # Discord sends `unavailable` only for a server that the bot knew before.
        joined = {
            name: value for name, value in payloads.whole_guild(ask.world, guild).items() if name != "unavailable"
        }
        ask.parts.gateway.dispatch("GUILD_CREATE", joined)
    else:
        ask.parts.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id)})
    return {}


def add_role(ask: PageRequest) -> Json:
    """Adds a role to a server, below the bot's own role, or `above` it; its members may do what `allow` says. If it is
    `mentionable`, everybody may mention it.
    """
    allow = ask.number("allow") if "allow" in ask.body else 0
    above, mentionable = bool(ask.body.get("above")), bool(ask.body.get("mentionable"))
    made = Role(ask.world.next_id(), ask.name, allow, above=above, mentionable=mentionable)
    _change_roles(ask, replace(ask.guild, roles=(*ask.guild.roles, made)), made.id, "GUILD_ROLE_CREATE")
    return {"id": str(made.id), "name": made.name}


def grant_to_bot(ask: PageRequest) -> Json:
    """Sets what the bot's role allows in the whole server, beyond the permissions of its invitation."""
    number = ask.guild.id + BOT_ROLE
    _change_roles(ask, replace(ask.guild, granted=ask.number("allow")), number, "GUILD_ROLE_UPDATE")
    return {}


def _change_roles(ask: PageRequest, guild: Guild, number: int, event: str) -> None:
    """Stores a server's roles, and tells of one; those above it have moved up if it is new."""
    ask.world.put(guild)
    for role in payloads.roles(guild):
        if role["id"] == str(number) or event == "GUILD_ROLE_CREATE":
            name = event if role["id"] == str(number) else "GUILD_ROLE_UPDATE"
            ask.parts.gateway.dispatch(name, {"guild_id": str(guild.id), "role": role})
    _show_members(ask, guild)


def _show_members(ask: PageRequest, guild: Guild) -> None:
    """Shows a server's people the world as they see it now."""
    for who in (ask.world.people[number] for number in guild.members if number != BOT_ID):
        ask.parts.live.state(who)


def set_outage(ask: PageRequest) -> Json:
    """Makes a server unavailable by an outage (`away`), or available again."""
    guild = replace(ask.guild, away=bool(ask.body.get("away")))
    ask.world.put(guild)
    if BOT_ID in guild.members and guild.away:
        ask.parts.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id), "unavailable": True})
    elif BOT_ID in guild.members:
        ask.parts.gateway.dispatch("GUILD_CREATE", payloads.whole_guild(ask.world, guild))
    _show_members(ask, guild)
    return {}


def set_overwrite(ask: PageRequest) -> Json:
    """Sets the overwrite of a role ("everyone", "steward", "bot"), a person or the bot itself (by id) in a channel."""
    place = ask.channel
    role = _ROLES.get(ask.words("of")) if not ask.words("of").isdecimal() else None
    number = ask.number("of") if role is None else (place.guild_id or 0) + role
    made = Overwrite(number, member=role is None, allow=ask.number("allow"), deny=ask.number("deny"))
    kept = tuple(one for one in place.overwrites if one.id != number)
    posts.tell_channel(ask.parts, changed(ask.world, place, overwrites=(*kept, made)))
    return {}


def change_channel(ask: PageRequest) -> Json:
    """Renames a channel; archives or locks a thread."""
    known: Json = {name: bool(ask.body[name]) for name in ("archived", "locked") if name in ask.body}
    if name := ask.words("name"):
        known["name"] = name
    posts.tell_channel(ask.parts, changed(ask.world, ask.channel, **known))
    return {}


def remove_channel(ask: PageRequest) -> Json:
    """Deletes a channel or thread."""
    gone = ask.channel
    payload = payloads.channel(ask.world, gone)
    ask.world.drop_channel(gone)
    ask.parts.gateway.dispatch("THREAD_DELETE" if gone.is_thread else "CHANNEL_DELETE", payload)
    ask.parts.live.channel_deleted(gone)
    return {}


def remove_message(ask: PageRequest) -> Json:
    """Deletes a message, as a moderator would."""
    posts.delete(ask.parts, ask.message)
    return {}
