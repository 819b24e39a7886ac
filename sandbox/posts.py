"""Writes, edits and deletes messages: limits, files, mentions, pings, waking threads, events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import payloads
from .discord_types import FORUM, Channel, Json, Message, User
from .errors import Code, Refusal
from .files import Files, attach
from .limits.components import texts, walk
from .limits.mentions import Mentions, permitted, read_mentions
from .limits.messages import Flag, check_message
from .limits.threads import check_may_edit
from .parts import Parts
from .permissions import Permission, can_see, permissions
from .world import changed

_SENDABLE = Flag.SUPPRESS_EMBEDS | Flag.SUPPRESS_NOTIFICATIONS | Flag.COMPONENTS_V2
_ALL_KINDS = ("users", "roles", "everyone")
USERS_ONLY = ("users",)
"""The kinds of mentions in an answer to an interaction without `allowed_mentions`."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a new message. With `interaction_id` it is an answer or follow-up by that interaction's token.

    `number` is its id if that is fixed: the first message of a forum's post has the id of its thread.
    """

    author: User
    type: int = 0
    only_for: int | None = None
    interaction_id: int | None = None
    reply_to: int | None = None
    nonce: str | None = None
    loading: bool = False
    number: int | None = None


def require_place(parts: Parts, channel: Channel) -> None:
    """Refuses a message in a forum itself (50008), and one that would wake a thread too many (160006)."""
    if channel.type == FORUM:
        raise Refusal(Code.NOT_TEXT)
    if channel.archived:
        parts.world.require_thread_room(channel.guild_id)


def post(parts: Parts, channel: Channel, body: Json, files: Files, origin: Origin) -> Message:
    """Checks and stores a new message, sends its events, and returns it. Refusals: those of `limits`."""
    world = parts.world
    flags = int(body.get("flags") or 0) & _SENDABLE
    attached = attach(world, body, files)
    if not origin.loading:
        check_message(body, attached.names, v2=bool(flags & Flag.COMPONENTS_V2))
    if origin.only_for is not None:
        flags |= Flag.EPHEMERAL
    mentions, pinged = _mentions(parts, channel, body, origin)
    message = Message(
        id=origin.number or world.next_id(),
        channel_id=channel.id,
        author_id=origin.author.id,
        at=world.clock(),
        content=(body.get("content") or "").strip(),
        type=origin.type,
        flags=flags | (Flag.LOADING if origin.loading else 0),
        nonce=origin.nonce,
        attachments=attached.files,
        components=numbered(body.get("components") or ()),
        mentions=mentions.people,
        pinged=() if flags & Flag.SUPPRESS_NOTIFICATIONS else pinged,
        everyone=mentions.everyone,
        reply_to=origin.reply_to,
        only_for=origin.only_for,
        interaction_id=origin.interaction_id,
    )
    attached.store(world)
    world.put(message)
    if origin.only_for is None:
        _wake(parts, channel, (origin.author.id, *pinged))
    parts.live.message(message, new=True)
    return message


def edit(parts: Parts, message: Message, body: Json, files: Files, *, default: Sequence[str] = _ALL_KINDS) -> Message:
    """Changes the fields that `body` names, and returns the message. An edit never pings anybody, but those it mentions
    become members of the thread.

    `default`: the kinds of mentions that are allowed without `allowed_mentions`. Refusals: 50083 in an
    archived thread, and those of `limits` for the whole message after the edit.
    """
    world = parts.world
    if message.only_for is None:
        check_may_edit(archived=world.channel(message.channel_id).archived)
    flags = _edited_flags(message, body)
    attached = attach(world, body, files, message.attachments)
    whole = {name: body.get(name, getattr(message, name)) for name in ("content", "components")}
    check_message({**body, **whole}, attached.names, v2=bool(flags & Flag.COMPONENTS_V2))
    shown = permitted(read_mentions(_words(whole)), body.get("allowed_mentions"), default=tuple(default))
    edited = replace(
        message,
        content=(whole["content"] or "").strip(),
        components=numbered(whole["components"] or ()),
        attachments=attached.files,
        mentions=tuple(number for number in shown.people if number in world.people),
        flags=flags,
        edited=None if message.has(Flag.LOADING) else world.clock(),
    )
    attached.store(world)
    world.put(edited)
    if message.only_for is None:
        channel, named = world.channel(message.channel_id), [world.people[number] for number in edited.mentions]
        _wake(parts, channel, [one.id for one in named if can_see(world, one, world.place(channel))])
    for gone in {one.id for one in message.attachments} - {one.id for one in attached.files}:
        world.files.drop_file(gone)
    parts.live.message(edited, new=False)
    return edited


def _edited_flags(message: Message, body: Json) -> int:
    """Returns the flags after an edit: V2 can be set but not removed, and LOADING goes."""
    if "flags" not in body:
        return message.flags & ~Flag.LOADING
    kept = message.flags & (Flag.EPHEMERAL | Flag.HAS_THREAD | Flag.COMPONENTS_V2)
    return kept | int(body["flags"] or 0) & (Flag.SUPPRESS_EMBEDS | Flag.COMPONENTS_V2)


def delete(parts: Parts, message: Message) -> None:
    """Removes a message."""
    parts.world.drop_message(message)
    parts.live.message_deleted(message)


def tell_channel(parts: Parts, channel: Channel, event: str = "UPDATE", **more: object) -> Json:
    """Sends the bot and the page the event of a new or changed channel or thread; returns the channel's payload."""
    payload, kind = payloads.channel(parts.world, channel), "THREAD" if channel.is_thread else "CHANNEL"
    parts.gateway.dispatch(f"{kind}_{event}", {**payload, **more})
    parts.live.channel(channel)
    return payload


def _words(body: Json) -> str:
    """Returns the text of a message whose mentions count: content and text displays."""
    return f"{body.get('content') or ''}\n{texts(body.get('components') or [])}"


def _mentions(parts: Parts, channel: Channel, body: Json, origin: Origin) -> tuple[Mentions, tuple[int, ...]]:
    """Returns who is mentioned by a new message, and who of them is notified."""
    world = parts.world
    allowed = body.get("allowed_mentions")
    default = _ALL_KINDS if origin.interaction_id is None else USERS_ONLY
    found = permitted(read_mentions(_words(body)), allowed, default=default)
    may_shout = Permission.MENTION_EVERYONE in permissions(world, origin.author, channel)
    people = [number for number in found.people if number in world.people]
    mentions = Mentions(tuple(dict.fromkeys(people)), found.everyone and may_shout)
    if origin.only_for is not None or origin.loading:
        return mentions, ()
    reached = dict.fromkeys(mentions.people)
    if channel.guild_id is None:
        reached = dict.fromkeys(channel.members)  # direct messages always notify
    else:
        guild = world.guild(channel.guild_id)
        called = [role for role in guild.roles if role.id in found.roles and (role.mentionable or may_shout)]
        reached |= dict.fromkeys(guild.members if mentions.everyone else ())
        reached |= dict.fromkeys(user for role in called for user in role.holders)
    pinged = [world.people[number] for number in reached if number != origin.author.id]
    place = world.place(channel)  # a mention adds people to a private thread if they see its parent
    return mentions, tuple(one.id for one in pinged if not one.bot and can_see(world, one, place))


def _wake(parts: Parts, channel: Channel, people: Sequence[int]) -> None:
    """Wakes an archived thread for a new message, and adds its author and those it mentions as members."""
    if not channel.is_thread:
        return
    members = tuple(dict.fromkeys((*channel.members, *people)))
    if channel.archived or members != channel.members:
        awake = changed(parts.world, channel, archived=False, members=members)
        if channel.archived:
            tell_channel(parts, awake)
        else:
            parts.live.channel(awake)


def numbered(components: Sequence[Json]) -> tuple[Json, ...]:
    """Returns the component tree as Discord has it: each component has an id, and ids of what is chosen are texts."""
    taken = {part["id"] for _, part in walk(components) if part.get("id")}
    free = (number for number in range(1, 1000) if number not in taken)

    def with_id(part: Json) -> Json:
        found = {**part, "id": part.get("id") or next(free)}
        if "components" in part:
            found["components"] = [with_id(one) for one in part["components"]]
        if part.get("default_values"):
            found["default_values"] = [{**one, "id": str(one["id"])} for one in part["default_values"]]
        for name in ("accessory", "component"):
            if part.get(name):
                found[name] = with_id(part[name])
        return found

    return tuple(with_id(part) for part in components)
