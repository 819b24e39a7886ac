"""REST: channels, threads and their members, servers and their members."""

from __future__ import annotations

from dataclasses import replace

from . import message_payloads, payloads, posts
from .discord_types import FORUM, NEW_THREAD, NEWS, NEWS_THREAD, PUBLIC_THREAD, STARTER, TEXT, Channel, Json, Message
from .errors import Code, Refusal, invalid
from .limits.messages import Flag, check_message
from .limits.threads import check_tags, check_thread
from .permissions import Permission, require
from .posts import Origin
from .rest import CHANNEL_PATH, Call, Routes
from .world import BOT_ID, changed

_CHANGES = {"name", "archived", "applied_tags"}


def _get_channel(call: Call) -> Json:
    require(call.parts.world, call.bot, call.channel)
    return payloads.channel(call.parts.world, call.channel)


def _start_thread(call: Call) -> Json:
    """Starts a public thread without a message. As in the real API it would be private without a `type`."""
    parent, body = call.channel, call.form
    if parent.type == FORUM:
        return _start_post(call, parent)
    kind = body.get("type")
    if kind not in (NEWS_THREAD, PUBLIC_THREAD):
        raise invalid("type", "BASE_TYPE_CHOICES", "The sandbox starts no private threads: 10 or 11.")
    thread = _open(call, parent, kind)
    line = {"content": thread.name, "allowed_mentions": {"parse": []}}
    said = posts.post(call.parts, parent, line, {}, Origin(call.bot, type=NEW_THREAD))
    _link(call, said, thread)
    return payloads.channel(call.parts.world, thread)


def _start_post(call: Call, forum: Channel) -> Json:
    """Starts a forum's post: a public thread with the id of its first message."""
    body, world = call.form, call.parts.world
    if not isinstance(body.get("message"), dict):
        raise invalid("message", "BASE_TYPE_REQUIRED", "This field is required")
    rights = [Permission.SEND_MESSAGES, *([Permission.ATTACH_FILES] if call.files else [])]
    moderator = Permission.MANAGE_THREADS in require(world, call.bot, forum, *rights)
    applied = body.get("applied_tags") or ()
    check_tags(applied, forum.tags, needed=forum.needs_tag and not moderator, moderator=moderator)
    check_message(body["message"], [name for name, _ in call.files.values()], v2=False)
    thread = _open(call, forum, PUBLIC_THREAD, applied=tuple(int(one) for one in applied))
    origin = Origin(call.bot, number=thread.id)
    said = posts.post(call.parts, thread, body["message"], call.files, origin)
    found = payloads.channel(world, world.channel(thread.id))
    return {**found, "message": message_payloads.message(world, said)}


def _start_thread_from(call: Call) -> Json:
    """Starts a thread of a message, with the message's id."""
    parent, message = call.channel, call.message
    if message.thread_id is not None:
        raise Refusal(Code.THREAD_EXISTS)
    kind = NEWS_THREAD if parent.type == NEWS else PUBLIC_THREAD
    thread = _open(call, parent, kind, number=message.id)
    world = call.parts.world
    world.put(Message(world.next_id(), thread.id, message.author_id, world.clock(), type=STARTER, reply_to=message.id))
    _link(call, message, thread)
    return payloads.channel(world, thread)


def _open(call: Call, parent: Channel, kind: int, number: int | None = None, applied: tuple[int, ...] = ()) -> Channel:
    body, world = call.form, call.parts.world
    if parent.type != FORUM:  # a forum's post needs Send Messages, which is checked already
        require(world, call.bot, parent, Permission.CREATE_PUBLIC_THREADS)
    if parent.type not in (TEXT, NEWS, FORUM) or (parent.type == NEWS) != (kind == NEWS_THREAD):
        raise Refusal(Code.WRONG_CHANNEL_TYPE)
    check_thread(body)
    world.require_thread_room(parent.guild_id)
    thread = Channel(
        id=number or world.next_id(),
        guild_id=parent.guild_id,
        name=body["name"],
        type=kind,
        parent_id=parent.id,
        owner_id=call.bot.id,
        members=(call.bot.id,),
        auto_archive=body.get("auto_archive_duration") or 1440,
        applied=applied,
    )
    world.put(thread)
    posts.tell_channel(call.parts, thread, "CREATE", newly_created=True)
    return thread


def _link(call: Call, message: Message, thread: Channel) -> None:
    """Links the thread from its message."""
    flags = int(message.flags | Flag.HAS_THREAD)
    linked = replace(message, thread_id=thread.id, flags=flags)
    call.parts.world.put(linked)
    call.parts.live.message(linked, new=False)


def _change_thread(call: Call) -> Json:
    """Renames, archives, tags or wakes a thread. Its owner may while it is not locked, a moderator always."""
    thread, body, world = call.channel, call.form, call.parts.world
    if not thread.is_thread or set(body) - _CHANGES:
        raise invalid("", "NOT_SERVED", f"The sandbox changes these fields of threads only: {sorted(_CHANGES)}.")
    moderator = Permission.MANAGE_THREADS in require(world, call.bot, thread)
    archived = body.get("archived", thread.archived)
    wakes = thread.archived and not archived
    if wakes:
        world.require_thread_room(thread.guild_id)
    if wakes and not thread.locked:
        require(world, call.bot, thread, Permission.SEND_MESSAGES_IN_THREADS)
    elif not moderator and (thread.owner_id != call.bot.id or thread.locked):
        raise Refusal(Code.MISSING_PERMISSIONS)
    if thread.archived and archived and set(body) - {"archived"}:
        raise Refusal(Code.THREAD_ARCHIVED)
    check_thread({"name": thread.name, **body})
    applied = tuple(body.get("applied_tags", thread.applied))
    forum = world.place(thread)
    if "applied_tags" in body:
        check_tags(applied, forum.tags, needed=forum.needs_tag and not moderator, moderator=moderator)
    since = world.clock() if archived and not thread.archived else thread.archived_at
    name, numbers = body.get("name", thread.name), tuple(int(one) for one in applied)
    result = changed(world, thread, name=name, archived=archived, archived_at=since, applied=numbers)
    return posts.tell_channel(call.parts, result)


def _get_guild(call: Call) -> Json:
    guild = call.guild
    channels = call.parts.world.channels.values()
    return {**payloads.guild_settings(guild, channels), "approximate_member_count": len(guild.members)}


def _get_guild_channels(call: Call) -> list[Json]:
    world, guild = call.parts.world, call.guild
    found = [one for one in world.channels.values() if one.guild_id == guild.id and not one.is_thread]
    return [payloads.channel(world, one) for one in found]


def _get_active_threads(call: Call) -> Json:
    world = call.parts.world
    found = [one for one in world.threads_of(call.guild.id) if not one.archived]
    return {
        "threads": [payloads.channel(world, one) for one in found],
        "members": [payloads.bot_in(one) for one in found if BOT_ID in one.members],
        "has_more": False,
    }


def _get_member(call: Call) -> object:
    guild = call.guild
    person = call.parts.world.person(call.number("user_id"))
    if person.id not in guild.members:
        raise Refusal(Code.UNKNOWN_MEMBER)
    return payloads.member(guild, person)


THREAD_ROUTES: Routes = {
    ("GET", CHANNEL_PATH): _get_channel,
    ("PATCH", CHANNEL_PATH): _change_thread,
    ("POST", CHANNEL_PATH + "/threads"): _start_thread,
    ("POST", CHANNEL_PATH + "/messages/{message_id}/threads"): _start_thread_from,
    ("GET", "/guilds/{guild_id}"): _get_guild,
    ("GET", "/guilds/{guild_id}/channels"): _get_guild_channels,
    ("GET", "/guilds/{guild_id}/threads/active"): _get_active_threads,
    ("GET", "/guilds/{guild_id}/members/{user_id}"): _get_member,
}
