"""What changes the world from outside, as its owner would: for tests, and for who plays with the sandbox."""

from __future__ import annotations

from dataclasses import replace

from . import posts, views
from .asks import Ask
from .gateway import Intent
from .options import ActError
from .payloads import channel as channel_payload
from .payloads import whole_guild
from .things import Channel, Json, Person
from .world import BOT_ID, changed


def add_person(ask: Ask) -> Json:
    """A further person, member of every server."""
    name = str(ask.body.get("name", "")).strip()
    if not name or any(one.name == name for one in ask.world.people.values()):
        raise ActError("bad_name", "A person needs a name of his own.")
    who = Person(ask.world.next_id(), name, str(ask.body.get("locale", "en-US")))
    ask.world.put(who)
    managed = {int(number) for number in ask.body.get("manages") or ()}
    for guild in tuple(ask.world.guilds.values()):
        managers = (*guild.managers, who.id) if guild.id in managed else guild.managers
        ask.world.put(replace(guild, members=(*guild.members, who.id), managers=managers))
    ask.parts.live.person(who)
    return views.person(ask.world, who)


def add_channel(ask: Ask) -> Json:
    """A further channel of a server."""
    made = Channel(ask.world.next_id(), ask.guild.id, str(ask.body["name"]))
    ask.world.put(made)
    ask.parts.gateway.dispatch("CHANNEL_CREATE", channel_payload(ask.world, made), Intent.GUILDS)
    ask.parts.live.channel(made)
    return {"id": str(made.id), "name": made.name}


def invite_bot(ask: Ask) -> Json:
    """The bot joins a server, or is thrown out of it."""
    others = tuple(number for number in ask.guild.members if number != BOT_ID)
    member = bool(ask.body.get("member"))
    guild = replace(ask.guild, members=(BOT_ID, *others) if member else others)
    ask.world.put(guild)
    if member:
        ask.parts.gateway.dispatch("GUILD_CREATE", whole_guild(ask.world, guild), Intent.GUILDS)
    else:
        ask.parts.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id)}, Intent.GUILDS)
    return {}


def set_bot_permissions(ask: Ask) -> Json:
    """The bot's own permission overwrite in a channel."""
    overwritten = changed(ask.world, ask.channel, allow=int(ask.body["allow"]), deny=int(ask.body["deny"]))
    ask.parts.gateway.dispatch("CHANNEL_UPDATE", channel_payload(ask.world, overwritten), Intent.GUILDS)
    return {}


def change_channel(ask: Ask) -> Json:
    """A channel renamed, a thread archived or locked, as by a moderator."""
    known = {name: ask.body[name] for name in ("archived", "locked", "name") if name in ask.body}
    result = changed(ask.world, ask.channel, **known)
    if result.is_thread:
        posts.tell_thread(ask.parts, result)
    else:
        ask.parts.gateway.dispatch("CHANNEL_UPDATE", channel_payload(ask.world, result), Intent.GUILDS)
        ask.parts.live.channel(result)
    return {}


def remove_channel(ask: Ask) -> Json:
    """A channel or thread deleted."""
    gone = ask.channel
    payload = channel_payload(ask.world, gone)
    ask.world.drop_channel(gone)
    ask.parts.gateway.dispatch("THREAD_DELETE" if gone.is_thread else "CHANNEL_DELETE", payload, Intent.GUILDS)
    ask.parts.live.channel_deleted(gone)
    return {}


def remove_message(ask: Ask) -> Json:
    """A message deleted, as by a moderator."""
    posts.delete(ask.parts, ask.message)
    return {}
