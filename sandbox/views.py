"""The world as one person sees it, in the shapes of the page's API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from . import message_payloads, payloads
from .discord_types import (
    DIRECT,
    FORUM,
    NEW_THREAD,
    NEWS,
    NEWS_THREAD,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    STAGE,
    STARTER,
    TEXT,
    VOICE,
    Channel,
    Command,
    Guild,
    Interaction,
    Json,
    Message,
    User,
)
from .errors import Refusal
from .limits.interactions import Answer
from .limits.mentions import read_mentions
from .limits.messages import Flag
from .payloads import when
from .permissions import Permission, can_see, may_use, permissions, sending_in
from .sockets import dumps
from .world import BOT_ID, World

_OPTION_TYPES = {1: "subcommand", 3: "string", 4: "integer", 5: "boolean", 6: "user"}
_CHANNEL_TYPES = {
    TEXT: "text",
    DIRECT: "dm",
    VOICE: "voice",
    NEWS: "announcement",
    NEWS_THREAD: "thread",
    PUBLIC_THREAD: "thread",
    PRIVATE_THREAD: "private_thread",
    STAGE: "stage",
    FORUM: "forum",
}
_BOUNDS = ("min_value", "max_value", "min_length", "max_length")


def person(world: World, one: User) -> Json:
    """Returns a person; `pings` counts the unread messages that pinged them anywhere."""
    manages = any(one.id in guild.managers for guild in world.guilds.values())
    return {
        "id": str(one.id),
        "name": one.name,
        "locale": one.locale,
        "manages": manages,
        "bot": one.bot,
        "stranger": one.stranger,
        "installed": one.installed,
        "pings": world.pings(one.id),
    }


def everybody(world: World) -> list[User]:
    """Returns all people, without the bot."""
    return [one for one in world.people.values() if not one.bot]


def named(one: User) -> Json:
    """Returns a person's id and name."""
    return {"id": str(one.id), "name": one.name}


def guild_settings(one: Guild) -> Json:
    """Returns a server without its channels."""
    roles = [{"id": role["id"], "name": role["name"]} for role in payloads.roles(one)]
    return {"id": str(one.id), "name": one.name, "locale": one.locale, "community": one.community, "roles": roles}


def channel(world: World, me: User, one: Channel) -> Json:
    """Returns a channel, thread or direct messages, with my unread messages in it."""
    held = permissions(world, me, one)
    last = world.last_message(one.id)
    others = [world.person(number).name for number in one.members if number != me.id]
    return {
        "id": str(one.id),
        "guild_id": str(one.guild_id) if one.guild_id else None,
        "parent_id": str(one.parent_id) if one.parent_id and one.is_thread else None,
        "name": ", ".join(others) if one.guild_id is None else one.name,
        "type": _CHANNEL_TYPES[one.type],
        "discord_type": one.type,
        "archived": one.archived,
        "locked": one.locked,
        "joined": me.id in one.members,
        "tags": [tag["name"] for tag in _tags(world, one)],
        "has_bot": world.has_bot(one),
        "can_write": _may_write(one, held),
        "unread": world.unread(me.id, one.id),
        "pings": world.pings(me.id, one.id),
        "last_message_id": str(last.id) if last else None,
    }


def _may_write(one: Channel, held: Permission) -> bool:
    open_to_it = not one.locked or Permission.MANAGE_THREADS in held
    return one.type != FORUM and sending_in(one) in held and open_to_it


def _tags(world: World, one: Channel) -> list[Json]:
    """Returns the names of the tags that a forum offers, or that its post has."""
    if one.type == FORUM:
        return list(one.tags)
    offered = world.channels[one.parent_id].tags if one.parent_id in world.channels else ()
    return [tag for tag in offered if int(tag["id"]) in one.applied]


def visible(world: World, me: User, one: Message) -> bool:
    """Returns whether I may see the message."""
    where = world.channels.get(one.channel_id)
    return where is not None and one.only_for in (None, me.id) and can_see(world, me, where)


def message(world: World, me: User, one: Message) -> Json:
    """Returns a message as I see it. The first message of a thread shows the message that the thread belongs to."""
    if one.type == STARTER:
        one = _hung_on(world, one)
    written = one.content + dumps(one.components)
    mentioned = read_mentions(written).people
    nameable = (*one.mentions, me.id) if me.stranger else mentioned
    return {
        "id": str(one.id),
        "channel_id": str(one.channel_id),
        "author": {**named(world.person(one.author_id)), "bot": world.person(one.author_id).bot},
        "content": one.content,
        "timestamp": when(one.at),
        "edited": when(one.edited),
        "ephemeral": one.has(Flag.EPHEMERAL),
        "pings_me": me.id in one.pinged,
        "mentions_me": me.id in mentioned,
        "state": "thinking" if one.has(Flag.LOADING) else "sent",
        "kind": "thread_created" if one.type == NEW_THREAD else "reply" if one.reply_to is not None else "default",
        "thread_id": str(one.thread_id) if one.thread_id in world.channels else None,
        "reply_to": str(one.reply_to) if one.reply_to is not None else None,
        "interaction": _header(world, one),
        "mentions": {str(number): _called(world, one, number) for number in nameable if number in world.people},
        "attachments": [_attachment(one, file) for file in message_payloads.unshown(one)],
        "components": message_payloads.components("", one),
        "components_v2": one.has(Flag.COMPONENTS_V2),
    }


def _called(world: World, one: Message, number: int) -> str:
    """Returns a person's name in the server of that message."""
    guild = world.guilds.get(world.channel(one.channel_id).guild_id or 0)
    return dict(guild.nicks if guild else ()).get(number, world.people[number].name)


def _hung_on(world: World, starter: Message) -> Message:
    """Returns a thread's starting message as the thread shows it: without buttons. Empty if it is deleted."""
    parent_id = world.channel(starter.channel_id).parent_id
    try:
        shown = world.message(parent_id or 0, starter.reply_to or 0)
    except Refusal:
        return replace(starter, reply_to=None)
    return replace(shown, id=starter.id, channel_id=starter.channel_id, components=(), thread_id=None, pinged=())


def _attachment(one: Message, file: Any) -> Json:
    absent: Json = {"description": None, "content_type": None, "width": None, "height": None}
    return absent | message_payloads.attachment("", one, file)


def _header(world: World, one: Message) -> Json | None:
    asked = world.interactions.get(one.interaction_id or 0)
    if asked is None:
        return None
    return {"person": named(world.person(asked.person_id)), "command": asked.command, "kind": asked.kind.name.lower()}


def interaction(asked: Interaction) -> Json:
    """Returns the event about the state of a person's command or click."""
    answer = None if asked.answer is None else Answer(asked.answer).name.lower()
    return {
        "type": "interaction",
        "id": str(asked.id),
        "kind": asked.kind.name.lower(),
        "channel_id": str(asked.channel_id),
        "command": asked.command,
        "message_id": str(asked.message_id) if asked.message_id else None,
        "state": "failed" if asked.failed else "answered" if answer else "sent",
        "answer": answer,
        "answer_id": str(asked.answer_id) if asked.answer_id else None,
        "reason": "no_answer" if asked.failed else None,
    }


def command(world: World, me: User, one: Command) -> Json:
    """Returns a command in my language; `allowed_in` are the servers where I may use it, None if everybody may."""
    needed = one.body.get("default_member_permissions")
    contexts, installs = one.body.get("contexts"), one.body.get("integration_types") or [0]
    return {
        "id": str(one.id),
        **_words(one.body, me.locale),
        "allowed_in": None if needed is None else _servers_for(world, me, int(needed)),
        "server": contexts is None or 0 in contexts,
        "dm": contexts is None or 1 in contexts,
        "installed": me.installed and 1 in installs,
        "on_people": one.body.get("type") == 2,
        "options": [_option(option, me.locale) for option in one.body.get("options") or []],
    }


def _servers_for(world: World, me: User, needed: int) -> list[str]:
    """Returns the servers with a channel in which I have the permissions that a command needs."""
    places = [one for one in world.channels.values() if one.guild_id is not None]
    return sorted({str(one.guild_id) for one in places if may_use(permissions(world, me, one), needed)})


def _words(body: Json, locale: str) -> Json:
    name, description = body["name"], body.get("description", "")
    return {
        "name": name,
        "label": (body.get("name_localizations") or {}).get(locale, name),
        "description": (body.get("description_localizations") or {}).get(locale, description),
    }


def _option(option: Json, locale: str) -> Json:
    return {
        **_words(option, locale),
        "type": _OPTION_TYPES[option["type"]],
        "required": bool(option.get("required")),
        "choices": [choice(one, locale) for one in option.get("choices") or []],
        "autocomplete": bool(option.get("autocomplete")),
        **{name: option.get(name) for name in _BOUNDS},
        "options": [_option(one, locale) for one in option.get("options") or []],
    }


def choice(one: Json, locale: str) -> Json:
    """Returns a choice or suggestion in a language."""
    return {"name": (one.get("name_localizations") or {}).get(locale, one["name"]), "value": one["value"]}


def commands(world: World, me: User) -> list[Json]:
    """Returns all slash commands and those of the menu on people, in my language."""
    return [command(world, me, one) for one in world.commands.values()]


def state(world: World, me: User, *, online: bool) -> Json:
    """Returns all that I see except messages. `last_id`: a client that opens now has no earlier private answers."""
    seen = [one for one in world.channels.values() if can_see(world, me, one)]
    guilds = [guild for guild in world.guilds.values() if me.id in guild.members]
    return {
        "me": person(world, me),
        "people": [person(world, one) for one in everybody(world)],
        "last_id": str(world.last_id),
        "bot": {**named(world.people[BOT_ID]), "online": online},
        "guilds": [
            {**guild_settings(guild), "channels": [channel(world, me, one) for one in seen if one.guild_id == guild.id]}
            for guild in guilds
        ],
        "dms": [channel(world, me, one) for one in seen if one.guild_id is None],
        "commands": commands(world, me),
    }
