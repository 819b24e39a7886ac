"""Messages with buttons that wait for somebody: noted when they are posted, and closed when nobody is waited for.

A button that is left over does no harm, because it carries the number of what it was made for; so all this is done as
well as it can be, and a crash in between costs only tidiness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import discord

from bot.kit.reply import LONGEST, RESOLVED
from bot.ladder.entries import EntryKind
from bot.ladder.standings import LadderNews
from bot.match.events import EventKind
from bot.match.match import Match
from bot.match.news import News
from bot.match.offers import is_pending, request_end
from bot.match.results import Post
from bot.posting.desk import Desk
from bot.posting.outbox import best_effort
from bot.texts.i18n import text
from bot.texts.ladder import RULES

ANSWERED = frozenset({EventKind.DRAW_OFFERED, EventKind.TAKEBACK_ASKED, EventKind.HANDOVER_ASKED}) | {
    EventKind.VACATED,
    EventKind.VOTE,
}
"""What stands until it is answered. Whatever else has buttons, has them for the present turn."""

TURN, GRACE = 0, -1
"""In the place of an event: what belongs to a turn, and what to its grace, which ends also when time is given."""

ENDS = {
    EntryKind.ACCEPTED: "ladder.challenge-end.accepted",
    EntryKind.REFUSED: "ladder.challenge-end.refused",
    EntryKind.LAPSED: "ladder.challenge-end.lapsed",
    EntryKind.LEFT: "ladder.challenge-end.left",
}
"""What is said of a challenge, by the entry that ended it."""


class Request(NamedTuple):
    """A message whose buttons wait for somebody."""

    event: int
    """The event of the match, or the entry of the ladder, that is to be answered; or `TURN` or `GRACE`."""
    board_version: int
    """Of the match whose turn it was; 0 for a ladder's."""
    post: Post

    def stands(self, match: Match) -> bool:
        """Whether somebody is still waited for, of that match."""
        if not match.is_live:
            return False
        if self.event == GRACE and match.pings.grace is None:
            return False
        if self.event in (TURN, GRACE):
            return match.board_version == self.board_version
        return is_pending(match, self.event)


async def note_ask(desk: Desk, news: News, message: discord.Message) -> None:
    """Keep in mind that this message about a match has buttons."""
    event, match = TURN, news.match
    if match.vacancy and match.to_move is None:  # a board at which a vacant seat is to move
        event = match.vacancy.seq
    elif news.kind in ANSWERED:
        event = news.event.seq
    elif news.kind in (EventKind.GRACE, EventKind.OVERDUE, EventKind.STILL):
        event = GRACE
    await _note(desk, _of_match(match.id), event, match.board_version, message)


async def note_challenge(desk: Desk, news: LadderNews, message: discord.Message) -> None:
    """Keep in mind that this message has the buttons of that challenge."""
    await _note(desk, _of_ladder(news.guild, news.variant), news.entry.seq, 0, message)


async def clear_asks(desk: Desk, match: Match) -> None:
    """Take the buttons off the messages of a match that wait for nobody any more, and say below each how it ended."""
    requests = await _waiting(desk, _of_match(match.id))
    over = [request for request in requests if not request.stands(match)]
    said = dict.fromkeys(over, "")
    answered = [request for request in over if request.event > 0]
    if answered:
        _, events = await desk.service.history(match.id, match.guild)
        for request in answered:
            end = request_end(match.id, events, request.event)
            said[request] = text(desk.language(match.guild), f"request-end.{end.value}") if end else ""
    await _close(desk, _of_match(match.id), said)


async def clear_challenges(desk: Desk, guild: int, variant: str) -> None:
    """The same of the challenges of a ladder."""
    requests = await _waiting(desk, _of_ladder(guild, variant))
    ends = await desk.service.ladders.challenges_ended(guild, variant, [request.event for request in requests])
    locale = desk.language(guild)
    over = {request: ends[request.event] for request in requests if request.event in ends}
    said = {request: text(locale, ENDS[end], **RULES) if end else "" for request, end in over.items()}
    await _close(desk, _of_ladder(guild, variant), said)


def take_buttons_off(desk: Desk, post: Post, said: str = "") -> None:
    """Leave a message without buttons, with those words below in small print. When there is time: it may be gone."""
    desk.errands.tidy(post.channel, lambda: _take_buttons_off(desk, post, said), post.message)


async def _take_buttons_off(desk: Desk, post: Post, said: str) -> None:
    message = desk.message(post)
    with best_effort("buttons not taken off", channel=post.channel):
        content = f"{(await message.fetch()).content}\n-# {said}" if said else None
        if content is None or len(content) > LONGEST:
            content = discord.utils.MISSING  # which leaves it as it is
        await message.edit(content=content, view=None, allowed_mentions=RESOLVED)


def _of_match(match_id: int) -> str:
    return f"asks:{match_id}"


def _of_ladder(guild: int, variant: str) -> str:
    return f"asks:{guild}:{variant}"


async def _note(desk: Desk, key: str, event: int, board_version: int, message: discord.Message) -> None:
    request = Request(event, board_version, Post(message.channel.id, message.id))
    # A post that is repeated after a crash is the same message.
    await _keep(desk, key, lambda requests: requests if request in requests else [*requests, request])


async def _close(desk: Desk, key: str, said: Mapping[Request, str]) -> None:
    """Close those of which something is said, and keep the others."""
    if said:
        await _keep(desk, key, lambda requests: [request for request in requests if request not in said])
    for request, words in said.items():
        take_buttons_off(desk, request.post, words)


async def _waiting(desk: Desk, key: str) -> list[Request]:
    return parse_requests(await desk.service.meta(key) or "")


async def _keep(desk: Desk, key: str, change: Callable[[list[Request]], Sequence[Request]]) -> None:
    """Note what becomes of them, in one transaction; nothing is kept where nobody is waited for."""
    await desk.service.change_meta(key, lambda noted: format_requests(change(parse_requests(noted or ""))) or None)


def format_requests(requests: Sequence[Request]) -> str:
    """Requests as they are noted: "event:version:channel:message", a blank between two."""
    return " ".join(f"{event}:{version}:{channel}:{message}" for event, version, (channel, message) in requests)


def parse_requests(noted: str) -> list[Request]:
    """What `format_requests` wrote. Challenges were once noted without a version."""
    numbers = [[int(number) for number in request.split(":")] for request in noted.split()]
    return [
        Request(event, version[0] if version else 0, Post(channel, message))
        for event, *version, channel, message in numbers
    ]
