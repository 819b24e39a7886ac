"""REST: answers to interactions, by the token of each interaction."""

from __future__ import annotations

from . import answers, message_payloads
from .discord_types import Interaction, Json
from .errors import Code, Refusal
from .limits.interactions import Answer, check_token
from .limits.messages import Flag
from .rest import Call, Routes

_WEBHOOK = "/webhooks/{webhook_id}/{webhook_token}"
_WITH_MESSAGE = (Answer.MESSAGE, Answer.THINKING, Answer.UPDATE)


def _answer(call: Call) -> object:
    asked = call.parts.world.interaction(call.ids["interaction_token"])
    if asked is None or asked.id != call.number("interaction_id"):
        raise Refusal(Code.UNKNOWN_INTERACTION)
    answered = answers.answer(call.parts, asked, call.form, call.files)
    return _callback_response(call, answered) if call.query.get("with_response") in ("1", "true") else None


def _callback_response(call: Call, asked: Interaction) -> Json:
    described: Json = {"id": str(asked.id), "type": int(asked.kind)}
    where = call.parts.world.channel(asked.channel_id)
    described["channel_id"] = str(where.id)
    if where.guild_id is not None:
        described["guild_id"] = str(where.guild_id)
    if asked.answer not in _WITH_MESSAGE:
        return {"interaction": described}
    message = answers.original(call.parts, asked)
    described |= {
        "response_message_id": str(message.id),
        "response_message_loading": message.has(Flag.LOADING),
        "response_message_ephemeral": message.has(Flag.EPHEMERAL),
    }
    if asked.answer is Answer.THINKING:
        return {"interaction": described}
    shown = message_payloads.message(call.parts.world, message)
    return {"interaction": described, "resource": {"type": asked.answer, "message": shown}}


def _token(call: Call) -> Interaction:
    """Returns the interaction of the token. Refusals: 10015, 50027."""
    asked = call.parts.world.interaction(call.ids["webhook_token"])
    if asked is None:
        raise Refusal(Code.DEAD_TOKEN)
    check_token(age=call.parts.world.clock() - asked.at, answered=asked.answer is not None)
    return asked


def _edit(call: Call) -> Json:
    asked = _token(call)
    edited = answers.edit(call.parts, asked, answers.original(call.parts, asked), call.form, call.files)
    return message_payloads.message(call.parts.world, edited)


def _follow_up(call: Call) -> Json:
    sent = answers.follow_up(call.parts, _token(call), call.form, call.files)
    return message_payloads.message(call.parts.world, sent)


INTERACTION_ROUTES: Routes = {
    ("POST", "/interactions/{interaction_id}/{interaction_token}/callback"): _answer,
    ("PATCH", _WEBHOOK + "/messages/@original"): _edit,
    ("POST", _WEBHOOK): _follow_up,
}
