"""Writing, editing and deleting messages: limits, files, mentions, pings, threads waking up, and who is told."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import limits, message_payloads, payloads
from .errors import invalid
from .gateway import Intent
from .limits import Flag, Upload
from .parts import Parts
from .permissions import Permission, can_see, permissions
from .things import Attachment, Channel, Json, Message, Person
from .world import changed

Files = Mapping[int, tuple[str, bytes]]
"""Uploaded files: number -> name, bytes."""
_SENDABLE = Flag.SUPPRESS_EMBEDS | Flag.SUPPRESS_NOTIFICATIONS | Flag.COMPONENTS_V2
_ALL_KINDS = ("users", "roles", "everyone")
_USERS_ONLY = ("users",)
_UNSAFE = re.compile(r"[^\w.\-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a new message comes from. `interaction_id` set: it is an answer or follow-up, sent by that token."""

    author: Person
    type: int = 0
    only_for: int | None = None
    interaction_id: int | None = None
    reply_to: int | None = None
    nonce: str | None = None
    loading: bool = False


def post(parts: Parts, channel: Channel, body: Json, files: Files, origin: Origin) -> Message:
    """A new message, checked, put, told to everybody; it pings whom it may. Errors: as `limits` says."""
    world = parts.world
    flags = int(body.get("flags") or 0) & _SENDABLE
    attachments, uploads = _attachments(parts, body, files, ())
    if not origin.loading:
        limits.check_message(body, [one.filename for one in attachments], v2=bool(flags & Flag.COMPONENTS_V2))
    if origin.only_for is not None:
        flags |= Flag.EPHEMERAL
    mentions, pinged = _mentions(parts, channel, body, origin)
    message = Message(
        id=world.next_id(),
        channel_id=channel.id,
        author_id=origin.author.id,
        at=world.clock(),
        content=(body.get("content") or "").strip(),
        type=origin.type,
        flags=flags | (Flag.LOADING if origin.loading else 0),
        nonce=origin.nonce,
        embeds=tuple(body.get("embeds") or ()),
        attachments=attachments,
        components=numbered(body.get("components") or ()),
        mentions=mentions.people,
        pinged=() if flags & Flag.SUPPRESS_NOTIFICATIONS else pinged,
        everyone=mentions.everyone,
        reply_to=origin.reply_to,
        only_for=origin.only_for,
        interaction_id=origin.interaction_id,
    )
    _store(parts, uploads)
    world.put(message)
    if origin.only_for is None:
        _wake(parts, channel, (origin.author.id, *pinged))
    _announce(parts, message, "MESSAGE_CREATE")
    parts.live.message(message, new=True)
    return message


def edit(parts: Parts, message: Message, body: Json, files: Files, *, default: Sequence[str] = _ALL_KINDS) -> Message:
    """The message with the fields that `body` names changed. It never pings anybody, whatever it mentions.

    `default`: the kinds of mentions that are let through where `allowed_mentions` is absent. Errors: 50083 in
    an archived thread, and as `limits` says of the message as it would stand.
    """
    world = parts.world
    channel = world.channel(message.channel_id)
    if message.only_for is None:
        limits.check_may_edit(archived=channel.archived)
    flags = message.flags & ~Flag.LOADING
    if "flags" in body:
        kept = message.flags & (Flag.EPHEMERAL | Flag.HAS_THREAD | Flag.COMPONENTS_V2)
        flags = kept | int(body["flags"] or 0) & (Flag.SUPPRESS_EMBEDS | Flag.COMPONENTS_V2)
    attachments, uploads = _attachments(parts, body, files, message.attachments)
    whole: Json = {
        "content": message.content,
        "embeds": list(message.embeds),
        "components": list(message.components),
        "allowed_mentions": body.get("allowed_mentions"),
    } | {name: body[name] for name in ("content", "embeds", "components") if name in body}
    limits.check_message(whole, [one.filename for one in attachments], v2=bool(flags & Flag.COMPONENTS_V2))
    words = _words(whole)
    shown = limits.permitted(limits.read_mentions(words), body.get("allowed_mentions"), default=tuple(default))
    edited = replace(
        message,
        content=(whole["content"] or "").strip(),
        embeds=tuple(whole["embeds"] or ()),
        components=numbered(whole["components"] or ()),
        attachments=attachments,
        mentions=tuple(number for number in shown.people if number in world.people),
        flags=int(flags),
        edited=None if message.has(Flag.LOADING) else world.clock(),
    )
    _store(parts, uploads)
    world.put(edited)
    for file in set(message.attachments) - set(attachments):
        if file.id not in {one.id for one in attachments}:
            world.shelf.drop_file(file.id)
    _announce(parts, edited, "MESSAGE_UPDATE")
    parts.live.message(edited, new=False)
    return edited


def delete(parts: Parts, message: Message) -> None:
    """Removes a message."""
    parts.world.drop_message(message)
    if message.only_for is None:
        where = parts.world.channel(message.channel_id)
        gone = {"id": str(message.id), "channel_id": str(message.channel_id)}
        if where.guild_id is not None:
            gone["guild_id"] = str(where.guild_id)
        intent = Intent.GUILD_MESSAGES if where.guild_id is not None else Intent.DIRECT_MESSAGES
        parts.gateway.dispatch("MESSAGE_DELETE", gone, intent)
    parts.live.message_deleted(message)


def tell_thread(parts: Parts, channel: Channel, event: str = "THREAD_UPDATE", **more: Any) -> None:
    """Tells bot and people that a thread was made or changed."""
    parts.gateway.dispatch(event, {**payloads.channel(parts.world, channel), **more}, Intent.GUILDS)
    parts.live.channel(channel)


def _words(body: Json) -> str:
    """The text of a message whose mentions count: content and text displays, not embeds."""
    return f"{body.get('content') or ''}\n{limits.texts(body.get('components') or [])}"


def _mentions(parts: Parts, channel: Channel, body: Json, origin: Origin) -> tuple[limits.Mentions, tuple[int, ...]]:
    """Who is mentioned by a new message, and who of them is notified by it."""
    world = parts.world
    allowed = body.get("allowed_mentions")
    default = _ALL_KINDS if origin.interaction_id is None else _USERS_ONLY
    found = limits.permitted(limits.read_mentions(_words(body)), allowed, default=default)
    may_shout = Permission.MENTION_EVERYONE in permissions(world, origin.author, channel)
    people = [number for number in found.people if number in world.people]
    if origin.reply_to is not None and (allowed is None or allowed.get("replied_user")):
        people.append(world.message(channel.id, origin.reply_to).author_id)
    mentions = limits.Mentions(tuple(dict.fromkeys(people)), found.everyone and may_shout)
    if origin.only_for is not None or origin.loading:
        return mentions, ()
    reached = dict.fromkeys(mentions.people)
    if mentions.everyone and channel.guild_id is not None:
        reached |= dict.fromkeys(world.guild(channel.guild_id).members)
    pinged = [world.people[number] for number in reached if number != origin.author.id]
    place = world.place(channel)  # a mention brings people into a private thread, if they see where it hangs
    return mentions, tuple(one.id for one in pinged if not one.bot and can_see(world, one, place))


def _wake(parts: Parts, channel: Channel, people: Sequence[int]) -> None:
    """A new message wakes an archived thread, and makes those who write or are called members of it."""
    if not channel.is_thread:
        return
    members = tuple(dict.fromkeys((*channel.members, *people)))
    if channel.archived or members != channel.members:
        awake = changed(parts.world, channel, archived=False, members=members)
        if channel.archived:
            tell_thread(parts, awake)
        else:
            parts.live.channel(awake)


def _attachments(
    parts: Parts, body: Json, files: Files, before: tuple[Attachment, ...]
) -> tuple[tuple[Attachment, ...], dict[int, bytes]]:
    """The files that the message will have, and the bytes of the new ones by their ids.

    `attachments` in the body lists what stays (by id) and describes what is new (by number); without it everything
    stays. A file that is uploaded without being listed is added.
    """
    listed = body.get("attachments")
    stays = {str(one.id): one for one in before}
    described: dict[str, Json] = {str(one.get("id")): one for one in listed or ()}
    for number in described:
        if number not in stays and not (number.isdigit() and int(number) in files):
            raise invalid("attachments", "ATTACHMENT_NOT_FOUND", f"There is no attachment {number}")
    new = [Upload(*file, described.get(str(number), {}).get("description")) for number, file in files.items()]
    kept = [one for number, one in stays.items() if listed is None or number in described]
    limits.check_files(new, kept=len(kept))
    kept = [replace(one, **_redescribed(described.get(str(one.id), {}))) for one in kept]
    made = [(_attachment(parts, upload), upload.content) for upload in new]
    return (*kept, *(one for one, _ in made)), {one.id: content for one, content in made}


def _redescribed(given: Json) -> Json:
    return {"description": given["description"]} if "description" in given else {}


def _attachment(parts: Parts, upload: Upload) -> Attachment:
    name = _UNSAFE.sub("_", upload.name) or "unknown"
    width, height = picture_size(upload.content)
    kind = mimetypes.guess_type(name)[0]
    number = parts.world.next_id()
    return Attachment(number, name, len(upload.content), kind, upload.description, width, height)


def picture_size(content: bytes) -> tuple[int, int] | tuple[None, None]:
    """Width and height of a PNG or GIF from its header; None for everything else."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if content[:4] == b"GIF8" and len(content) >= 10:
        return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    return None, None


def _store(parts: Parts, uploads: Mapping[int, bytes]) -> None:
    for number, content in uploads.items():
        parts.world.shelf.put_file(number, content)


def numbered(components: Sequence[Json]) -> tuple[Json, ...]:
    """The component tree with an id for every component that has none, as Discord numbers them."""
    taken = {part["id"] for _, part in limits.walk(components) if part.get("id")}
    free = (number for number in range(1, 1000) if number not in taken)

    def with_id(part: Json) -> Json:
        found = {**part, "id": part.get("id") or next(free)}
        if "components" in part:
            found["components"] = [with_id(one) for one in part["components"]]
        for name in ("accessory", "component"):
            if part.get(name):
                found[name] = with_id(part[name])
        return found

    return tuple(with_id(part) for part in components)


def _announce(parts: Parts, message: Message, event: str) -> None:
    """Tells the bot of a message that everybody sees; ephemeral ones are never dispatched."""
    if message.only_for is None:
        author = parts.world.person(message.author_id)
        parts.gateway.dispatch_message(event, message_payloads.message(parts.world, message), own=author.bot)
