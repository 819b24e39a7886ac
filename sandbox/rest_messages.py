"""REST: messages and direct messages."""

from __future__ import annotations

from . import acts, message_payloads, payloads, posts
from .discord_types import Channel, Json
from .errors import Code, Refusal, invalid
from .limits.messages import check_nonce
from .limits.threads import check_may_edit, check_may_send
from .permissions import Permission, may_listen, require, sending_in
from .posts import Origin
from .rest import CHANNEL_PATH, Call, Routes, snowflake

_MESSAGE = "/channels/{channel_id}/messages/{message_id}"


def _send(call: Call) -> Json:
    channel, body, world = call.channel, call.form, call.parts.world
    if body.get("message_reference"):
        raise invalid("message_reference", "NOT_SERVED", "The sandbox has no replies of the bot.")
    moderator = Permission.MANAGE_THREADS in _require_rights(call, channel, sending_in(channel))
    check_may_send(locked=channel.locked, archived=channel.archived, moderator=moderator)
    if channel.guild_id is None and any(world.person(one).closed for one in channel.members):
        raise Refusal(Code.CANNOT_MESSAGE_USER)
    posts.require_place(call.parts, channel)
    nonce = check_nonce(body)
    if nonce is not None and body.get("enforce_nonce"):
        within = call.parts.faults.hardness.nonce_lives
        earlier = world.with_nonce(channel.id, call.bot.id, nonce, within)
        if earlier is not None:
            return message_payloads.message(world, earlier)
    origin = Origin(call.bot, nonce=nonce)
    return message_payloads.message(world, posts.post(call.parts, channel, body, call.files, origin))


def _require_rights(call: Call, channel: Channel, *needed: Permission) -> Permission:
    """Returns the bot's permissions there. Refusals: 50001, 50013. Files need a permission of their own."""
    files = [Permission.ATTACH_FILES] if call.files else []
    return require(call.parts.world, call.bot, channel, *needed, *files)


def _get(call: Call) -> Json:
    channel = call.channel
    held = require(call.parts.world, call.bot, channel)
    if Permission.READ_MESSAGE_HISTORY not in held or not may_listen(channel, held):
        raise Refusal(Code.MISSING_ACCESS)
    return message_payloads.message(call.parts.world, call.message)


def _list(call: Call) -> list[Json]:
    channel = call.channel
    held = require(call.parts.world, call.bot, channel)
    if not may_listen(channel, held):
        raise Refusal(Code.MISSING_ACCESS)
    if Permission.READ_MESSAGE_HISTORY not in held:
        return []
    if set(call.query) - {"limit"}:
        raise invalid("limit", "NOT_SERVED", "The sandbox lists the newest messages only.")
    limit = int(call.query.get("limit", 50))
    if not 1 <= limit <= 100:
        raise invalid("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.")
    found = [message for message in call.parts.world.messages(channel.id) if message.only_for is None]
    return [message_payloads.message(call.parts.world, one) for one in reversed(found[-limit:])]


def _edit(call: Call) -> Json:
    _require_rights(call, call.channel)
    message = call.message
    if message.author_id != call.bot.id:
        raise Refusal(Code.NOT_THE_AUTHOR)
    return message_payloads.message(call.parts.world, posts.edit(call.parts, message, call.form, call.files))


def _delete(call: Call) -> None:
    channel, message = call.channel, call.message
    own = message.author_id == call.bot.id
    require(call.parts.world, call.bot, channel, *([] if own else [Permission.MANAGE_MESSAGES]))
    check_may_edit(archived=channel.archived)
    posts.delete(call.parts, message)


def _open_direct(call: Call) -> object:
    person = call.parts.world.person(snowflake("recipient_id", str(call.form.get("recipient_id"))))
    if person.bot:
        raise Refusal(Code.CANNOT_MESSAGE_USER)
    return payloads.channel(call.parts.world, acts.direct(call.parts, person))


MESSAGE_ROUTES: Routes = {
    ("POST", CHANNEL_PATH + "/messages"): _send,
    ("GET", CHANNEL_PATH + "/messages"): _list,
    ("GET", _MESSAGE): _get,
    ("PATCH", _MESSAGE): _edit,
    ("DELETE", _MESSAGE): _delete,
    ("POST", "/users/@me/channels"): _open_direct,
}
