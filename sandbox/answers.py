"""The bot's answers to interactions: the first answer, its edits, and follow-ups."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from functools import partial

from . import posts
from .discord_types import ANSWER, REPLY, Interaction, Json, Message
from .errors import Code, Refusal
from .files import Files
from .limits.commands import check_choices
from .limits.interactions import TOKEN_LIVES, Answer, Kind, check_answer
from .limits.messages import Flag
from .limits.modals import check_modal
from .parts import Parts
from .posts import Origin
from .world import BOT_ID

_GIVEN_UP = "The application did not respond"
MAX_FOLLOW_UPS = 5
"""Follow-ups of one interaction in a server that the bot is not a member of."""


def answer(parts: Parts, asked: Interaction, body: Json, files: Files) -> Interaction:
    """Gives an interaction its first answer, and returns the interaction. Refusals: 10062, 40060, 50035."""
    kind = check_answer(
        asked.kind,
        body.get("type"),
        age=parts.world.clock() - asked.at,
        answered=asked.answer is not None,
        on_message=asked.message_id is not None,
        within=parts.faults.hardness.answer_within,
    )
    if asked.failed:
        raise Refusal(Code.UNKNOWN_INTERACTION)
    given = body.get("data") or {}
    result = replace(asked, answer=kind, answer_id=asked.message_id)
    match kind:
        case Answer.CHOICES:
            check_choices(given.get("choices") or [])
            _reply_to_question(parts, asked, given.get("choices") or [])
        case Answer.MODAL:
            check_modal(given)
            numbered = posts.numbered(given["components"])
            result = replace(asked, answer=kind, modal={**given, "components": numbered})
        case Answer.MESSAGE | Answer.THINKING:
            is_thinking = kind is Answer.THINKING
            sent = _send(parts, asked, given, files, loading=is_thinking)
            result = replace(asked, answer=kind, answer_id=sent.id, placeholder=is_thinking)
        case Answer.UPDATE:
            posts.edit(parts, original(parts, result), given, files, default=posts.USERS_ONLY)
    if result.placeholder:
        watch_placeholder(parts, result)
    parts.conclude(result)
    if kind is Answer.MODAL:
        parts.live.modal(result)
    return result


def original(parts: Parts, asked: Interaction) -> Message:
    """Returns the message that `@original` means. Refusal: 10008 if there is none."""
    return parts.world.message(asked.channel_id, asked.answer_id or 0)


def edit(parts: Parts, asked: Interaction, message: Message, body: Json, files: Files) -> Message:
    """Edits a message of this interaction; a "thinking" message becomes the answer."""
    edited = posts.edit(parts, message, body, files, default=posts.USERS_ONLY)
    if asked.placeholder and message.id == asked.answer_id:
        parts.world.put(replace(asked, placeholder=False))
    return edited


def follow_up(parts: Parts, asked: Interaction, body: Json, files: Files) -> Message:
    """Sends a follow-up. The first one after "thinking" replaces the placeholder and is as visible as it.

    Refusal: 40094.
    """
    if asked.placeholder:
        return edit(parts, asked, original(parts, asked), body, files)
    sent = [one for one in parts.world.messages(asked.channel_id) if one.interaction_id == asked.id]
    if not parts.world.has_bot(parts.world.channel(asked.channel_id)) and len(sent) > MAX_FOLLOW_UPS:
        raise Refusal(Code.TOO_MANY_FOLLOW_UPS)
    return _send(parts, asked, body, files, further=True)


def watch(parts: Parts, asked: Interaction) -> None:
    """Fails the interaction when its time for a first answer is over and none has come."""
    left = asked.at + parts.faults.hardness.answer_within - parts.world.clock()
    parts.world.after(max(left, 0), partial(_expire, parts, asked.id))


def watch_placeholder(parts: Parts, asked: Interaction) -> None:
    """Ends a "thinking" answer when the token that could fill it is dead."""
    left = asked.at + TOKEN_LIVES - parts.world.clock()
    parts.world.after(max(left, 0), partial(_give_up, parts, asked.id))


def _send(
    parts: Parts, asked: Interaction, body: Json, files: Files, *, loading: bool = False, further: bool = False
) -> Message:
    hidden = int(body.get("flags") or 0) & Flag.EPHEMERAL
    clicked = None if further or asked.kind is Kind.MODAL else asked.message_id
    kind = ANSWER if asked.kind is Kind.COMMAND and not further else 0
    origin = Origin(
        author=parts.world.people[BOT_ID],
        type=kind if clicked is None else REPLY,
        only_for=asked.person_id if hidden else None,
        interaction_id=asked.id,
        reply_to=clicked,
        loading=loading,
    )
    return posts.post(parts, parts.world.channel(asked.channel_id), body, files, origin)


def _reply_to_question(parts: Parts, asked: Interaction, choices: list[Json]) -> None:
    question = parts.questions.pop(asked.id, None)
    if question is not None and not question.done():
        question.set_result(choices)


def _expire(parts: Parts, number: int) -> None:
    asked = parts.world.interactions[number]
    if asked.answer is not None or asked.failed:
        return
    question = parts.questions.pop(number, None)
    if question is not None and not question.done():
        question.set_result(None)
    parts.conclude(replace(asked, failed=True))


def _give_up(parts: Parts, number: int) -> None:
    asked = parts.world.interactions[number]
    if not asked.placeholder:
        return
    parts.world.put(replace(asked, placeholder=False))
    with contextlib.suppress(Refusal):  # its channel may be deleted or archived by now
        posts.edit(parts, original(parts, asked), {"content": _GIVEN_UP}, {})
