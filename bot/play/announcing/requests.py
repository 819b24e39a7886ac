"""Messages with buttons that wait for an answer: noted when posted, and closed when the answer no longer matters.

A leftover button does no harm, because it carries the number of the request it was made for. So all of this is best
effort, and a crash in between only leaves untidy messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import discord

from bot.core.events import EventKind, number_in
from bot.core.listings import MessageRef
from bot.core.match import Match
from bot.core.news import News
from bot.core.offers import is_pending, request_end
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, RESOLVED
from bot.play.announcing.outbox import best_effort
from bot.play.context import BotContext
from bot.texts.i18n import text
from bot.texts.markup import relative_time

ANSWERED_EVENTS = frozenset({EventKind.DRAW_OFFERED, EventKind.TAKEBACK_ASKED, EventKind.HANDOVER_ASKED}) | {
    EventKind.VACATED,
    EventKind.VOTE_PROPOSED,
    EventKind.VOTE,
}
"""Events whose buttons stand until they are answered. All other buttons are for the current turn."""

TURN_MARK, GRACE_MARK = 0, -1
"""Instead of an event: marks of buttons for a turn, and for its grace, which also ends when time is given."""


class WaitingMessage(NamedTuple):
    """A message whose buttons wait for an answer."""

    event: int
    """The event of the match to be answered, or the number of a feature's own; or `TURN_MARK` or `GRACE_MARK`."""
    board_version: int
    """The match's board version; 0 for a feature's message."""
    post: MessageRef

    def still_waits_in(self, match: Match) -> bool:
        """True if the match still waits for the answer."""
        if not match.is_live:
            return False
        if self.event == GRACE_MARK and match.pings.grace_ends_at is None:
            return False
        if self.event in (TURN_MARK, GRACE_MARK):
            return match.board_version == self.board_version
        return is_pending(match, self.event)


async def note_request(context: BotContext, news: News, message: discord.Message) -> None:
    """Notes that this message about a match has buttons."""
    event, match = TURN_MARK, news.match
    if match.vacancy and match.to_move is None:  # a board on which a vacant seat is to move
        event = match.vacancy.seq
    elif news.kind in ANSWERED_EVENTS:
        event = news.event.seq
    elif news.kind in (EventKind.GRACE, EventKind.OVERDUE, EventKind.STILL):
        event = GRACE_MARK
    await note_request_for(context, match, event, message)


async def note_request_for(context: BotContext, match: Match, event: int, message: discord.Message) -> None:
    """Notes that this message has buttons for that event of the match, or for its turn."""
    await note_message(context, _match_key(match.id), event, match.board_version, message)


async def close_requests(context: BotContext, match: Match) -> None:
    """Takes the buttons off messages of a match that no longer wait, and adds below each how it ended."""
    requests = await load_requests(context, _match_key(match.id))
    over = [request for request in requests if not request.still_waits_in(match)]
    words = dict.fromkeys(over, "")
    answered = [request for request in over if request.event > 0]
    if answered:
        _, events = await context.service.match_history(match.id, match.guild)
        for request in answered:
            end = request_end(match.id, events, request.event)
            words[request] = text(context.server_language(match.guild), f"request-end.{end.value}") if end else ""
    await close_messages(context, _match_key(match.id), words)


async def retime_requests(context: BotContext, news: News) -> None:
    """Replaces the end of a grace, call or vote that has been prolonged, in the messages that wait for an answer."""
    assert news.match_before is not None, news
    before, until = news.match_before, relative_time(number_in(news.event.body, "until"))
    ended_at = before.vacancy.until if before.vacancy else before.pings.grace_ends_at
    if ended_at is None:  # an open table, which is edited whole
        return
    for request in await load_requests(context, _match_key(news.match.id)):
        edit = partial(_replace_words, context, request.post, relative_time(ended_at), until)
        context.background.queue_edit(request.post.channel, edit, request.post.message)


async def _replace_words(context: BotContext, post: MessageRef, old: str, new: str) -> None:
    message = context.partial_message(post)
    with best_effort("words not replaced", channel=post.channel):
        shown = (await message.fetch()).content
        if old in shown:
            await message.edit(content=shown.replace(old, new), allowed_mentions=RESOLVED)


def take_buttons_off(context: BotContext, post: MessageRef, words: str = "") -> None:
    """Queues the removal of a message's buttons, with `words` added in small print. The message may be gone."""
    context.background.queue_edit(post.channel, lambda: _take_buttons_off(context, post, words), post.message)


async def _take_buttons_off(context: BotContext, post: MessageRef, words: str) -> None:
    message = context.partial_message(post)
    with best_effort("buttons not taken off", channel=post.channel):
        content = f"{(await message.fetch()).content}\n-# {words}" if words else None
        if content is None or len(content) > MAX_MESSAGE_LENGTH:
            content = discord.utils.MISSING  # leaves the content as it is
        await message.edit(content=content, view=None, allowed_mentions=RESOLVED)


def _match_key(match_id: int) -> str:
    return f"asks:{match_id}"


async def note_message(context: BotContext, key: str, event: int, board_version: int, message: discord.Message) -> None:
    """Notes under that key that this message has buttons."""
    request = WaitingMessage(event, board_version, MessageRef(message.channel.id, message.id))
    # A post repeated after a crash is the same message.
    await _change_requests(context, key, lambda requests: requests if request in requests else [*requests, request])


async def close_messages(context: BotContext, key: str, words: Mapping[WaitingMessage, str]) -> None:
    """Closes the messages in `words` and keeps the others."""
    if words:
        await _change_requests(context, key, lambda requests: [request for request in requests if request not in words])
    for request, text_below in words.items():
        take_buttons_off(context, request.post, text_below)


async def load_requests(context: BotContext, key: str) -> list[WaitingMessage]:
    """Returns the messages noted under that key."""
    return parse_requests(await context.service.get_meta(key) or "")


async def _change_requests(
    context: BotContext, key: str, change: Callable[[list[WaitingMessage]], Sequence[WaitingMessage]]
) -> None:
    """Changes the noted requests in one transaction; stores nothing if none are left."""
    await context.service.change_meta(key, lambda noted: format_requests(change(parse_requests(noted or ""))) or None)


def format_requests(requests: Sequence[WaitingMessage]) -> str:
    """Returns the stored form of requests: "event:version:channel:message", separated by blanks."""
    return " ".join(f"{event}:{version}:{channel}:{message}" for event, version, (channel, message) in requests)


def parse_requests(text: str) -> list[WaitingMessage]:
    """Returns the requests that `format_requests` wrote. Older versions stored challenges without a version."""
    numbers = [[int(number) for number in request.split(":")] for request in text.split()]
    return [
        WaitingMessage(event, version[0] if version else 0, MessageRef(channel, message))
        for event, *version, channel, message in numbers
    ]
