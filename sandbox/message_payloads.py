"""Messages as Discord's API shows them; the page gets the same components and attachments."""

from __future__ import annotations

from typing import Any

from .discord_types import STARTER, Attachment, Interaction, Json, Message
from .limits.components import attachment_urls
from .limits.interactions import Kind
from .payloads import channel, user, when
from .world import BOT_ID, World


def message(world: World, one: Message) -> Json:
    """Returns a message object as the bot gets it."""
    base = world.url
    where = world.channel(one.channel_id)
    found: Json = {
        "id": str(one.id),
        "channel_id": str(one.channel_id),
        "author": user(world.person(one.author_id)),
        "type": one.type,
        "content": one.content,
        "timestamp": when(one.at),
        "edited_timestamp": when(one.edited),
        "tts": False,
        "pinned": False,
        "mention_everyone": one.everyone,
        "mentions": [user(world.people[number]) for number in one.mentions if number in world.people],
        "mention_roles": [],
        "attachments": [attachment(base, one, file) for file in unshown(one)],
        "embeds": [],
        "components": components(base, one),
        "flags": one.flags,
    }
    if where.guild_id is not None:
        found["guild_id"] = str(where.guild_id)
    if one.nonce:
        found["nonce"] = one.nonce
    if one.thread_id in world.channels:
        found["thread"] = channel(world, world.channel(one.thread_id or 0))
    return found | _origin(world, one)


def _origin(world: World, one: Message) -> Json:
    """Returns the fields about what a message answers: another message, or an interaction."""
    found: Json = {}
    if one.reply_to is not None:
        where = world.channel(one.channel_id)
        place = where.parent_id if one.type == STARTER else where.id
        found["message_reference"] = {"type": 0, "message_id": str(one.reply_to), "channel_id": str(place)}
    asked = world.interactions.get(one.interaction_id or 0)
    if asked is not None:
        found |= {
            "application_id": str(BOT_ID),
            "webhook_id": str(BOT_ID),
            "interaction_metadata": _metadata(world, asked),
        }
        if asked.kind is Kind.COMMAND:
            who = user(world.person(asked.person_id))
            found["interaction"] = {"id": str(asked.id), "type": 2, "name": asked.command, "user": who}
    return found


def _metadata(world: World, asked: Interaction) -> Json:
    """Returns the metadata of an interaction, for a submitted form with that of the interaction that opened it."""
    who = world.person(asked.person_id)
    found: Json = {
        "id": str(asked.id),
        "type": int(asked.kind),
        "user": user(who),
        "authorizing_integration_owners": world.owners(world.channel(asked.channel_id), who),
    }
    if asked.kind is Kind.COMPONENT:
        found["interacted_message_id"] = str(asked.message_id)
    opened_by = world.interactions.get(asked.opened_by or 0)
    if opened_by is not None:
        found["triggering_interaction_metadata"] = _metadata(world, opened_by)
    return found


def attachment(base: str, one: Message, file: Attachment) -> Json:
    """Returns an attachment object; `base` is the start of its address."""
    url = f"{base}/attachments/{one.channel_id}/{file.id}/{file.filename}"
    found = {"id": str(file.id), "filename": file.filename, "size": file.size, "url": url, "proxy_url": url}
    for name in ("content_type", "description", "width", "height"):
        if getattr(file, name) is not None:
            found[name] = getattr(file, name)
    return found


def unshown(one: Message) -> list[Attachment]:
    """Returns the files that no component shows; Discord lists only these as attachments."""
    return [file for file in one.attachments if file.filename not in attachment_urls(one.components)]


def components(base: str, one: Message) -> list[Json]:
    """Returns the message's components with the addresses of their files."""
    return [_resolved(base, one, component) for component in one.components] if one.attachments else [*one.components]


def _resolved(base: str, one: Message, tree: Any) -> Any:
    """Returns a copy of a JSON tree in which every `attachment://` is an address."""
    if isinstance(tree, list | tuple):
        return [_resolved(base, one, part) for part in tree]
    if not isinstance(tree, dict):
        return tree
    found = {name: _resolved(base, one, part) for name, part in tree.items()}
    url = tree.get("url")
    if isinstance(url, str) and url.startswith("attachment://"):
        name = url.removeprefix("attachment://")
        for file in one.attachments:
            if file.filename == name:
                described = attachment(base, one, file)
                found |= {key: described.get(key) for key in ("url", "proxy_url", "width", "height")}
                found |= {"id": described["id"], "attachment_id": described["id"], "content_type": file.content_type}
    return found
