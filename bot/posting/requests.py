"""Messages with buttons that wait for somebody: noted when they are posted, and cleared when nobody is waited for.

A button that is left over does no harm, because it carries the number of what it was made for; so all this is done as
well as it can be, and a crash in between costs only tidiness.
"""

from __future__ import annotations

from typing import NamedTuple

import aiohttp
import discord
import structlog

from bot.kit.reply import LONGEST, NO_MENTIONS
from bot.ladder.entries import EntryKind
from bot.ladder.standings import LadderNews
from bot.match.events import EventKind
from bot.match.match import Match
from bot.match.news import News
from bot.match.offers import fate, is_pending
from bot.match.results import Post
from bot.posting.desk import Desk
from bot.texts.i18n import text
from bot.texts.ladder import RULES

log = structlog.get_logger()


ANSWERED = frozenset(
    {EventKind.DRAW_OFFERED, EventKind.TAKEBACK_ASKED, EventKind.HANDOVER_ASKED, EventKind.VACATED, EventKind.VOTE}
)
"""What stands until it is answered. Whatever else has buttons, has them for the present turn."""

TURN, GRACE = 0, -1
"""In the place of an event: what belongs to a turn, and what to its grace, which ends also when time is given."""


class Ask(NamedTuple):
    """A message whose buttons wait for somebody."""

    event: int
    """The event that is to be answered; or `TURN` or `GRACE`."""
    board_version: int
    """Of the match whose turn it was."""
    post: Post

    def stands(self, match: Match) -> bool:
        """Whether somebody is still waited for."""
        if not match.is_live:
            return False
        if self.event == GRACE and match.pings.grace is None:
            return False
        if self.event in (TURN, GRACE):
            return match.board_version == self.board_version
        return is_pending(match, self.event)


async def note_ask(desk: Desk, news: News, message: discord.Message) -> None:
    """Keep in mind that this message has buttons."""
    event = (
        news.event.seq
        if news.kind in ANSWERED
        else GRACE
        if news.kind in (EventKind.GRACE, EventKind.OVERDUE)
        else TURN
    )
    if news.match.vacancy and news.match.to_move is None:  # a board at which a vacant seat is to move
        event = news.match.vacancy.seq
    asks = await _asks(desk, news.match.id)
    await _keep(
        desk, news.match.id, [*asks, Ask(event, news.match.board_version, Post(message.channel.id, message.id))]
    )


async def clear_asks(desk: Desk, match: Match) -> None:
    """Take the buttons off the messages of a match that wait for nobody any more."""
    asks = await _asks(desk, match.id)
    standing = [ask for ask in asks if ask.stands(match)]
    if len(standing) == len(asks):
        return
    await _keep(desk, match.id, standing)
    for ask in asks:
        if ask not in standing:
            await _close(desk, match, ask)


async def _close(desk: Desk, match: Match, ask: Ask) -> None:
    """Take the buttons off, and say below a request what has become of it. Best effort: the message may be gone."""
    said = None if ask.event in (TURN, GRACE) else await _outcome(desk, match, ask)
    if said is None:
        return await take_buttons_off(desk, match.id, ask.post)
    message = desk.client.get_partial_messageable(ask.post.channel).get_partial_message(ask.post.message)
    try:
        content = f"{(await message.fetch()).content}\n-# {said}"
        if len(content) > LONGEST:
            return await take_buttons_off(desk, match.id, ask.post)
        await message.edit(content=content, view=None, allowed_mentions=NO_MENTIONS)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        log.info("request not closed", match=match.id, error=str(error))


async def _outcome(desk: Desk, match: Match, ask: Ask) -> str | None:
    """What has become of a request, in the language of the server."""
    _, events = await desk.service.history(match.id, match.guild)
    found = fate(match.id, events, ask.event)
    return found and text(desk.servers.language(match.guild), f"fate.{found.value}")


async def take_buttons_off(desk: Desk, match_id: int, post: Post) -> None:
    """Leave a message of that match without buttons. Best effort: it may be gone."""
    message = desk.client.get_partial_messageable(post.channel).get_partial_message(post.message)
    try:
        await message.edit(view=None, allowed_mentions=NO_MENTIONS)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        log.info("buttons not taken off", match=match_id, error=str(error))


def _key(match_id: int) -> str:
    return f"asks:{match_id}"


async def _asks(desk: Desk, match_id: int) -> list[Ask]:
    kept = await desk.service.meta(_key(match_id)) or ""
    numbers = [[int(number) for number in ask.split(":")] for ask in kept.split()]
    return [Ask(event, board_version, Post(channel, message)) for event, board_version, channel, message in numbers]


async def _keep(desk: Desk, match_id: int, asks: list[Ask]) -> None:
    """Note them: "event:changes:channel:message", a blank between two; nothing is kept where nobody is waited for."""
    kept = " ".join(f"{event}:{board_version}:{channel}:{message}" for event, board_version, (channel, message) in asks)
    await desk.service.set_meta(_key(match_id), kept or None)


ENDS = {
    EntryKind.ACCEPTED: "ladder.fate.accepted",
    EntryKind.REFUSED: "ladder.fate.refused",
    EntryKind.LAPSED: "ladder.fate.lapsed",
    EntryKind.LEFT: "ladder.fate.left",
}
"""What is said of a challenge, by the entry that ended it."""


class ChallengeAsk(NamedTuple):
    """A message whose buttons answer the challenge of that entry."""

    entry: int
    post: Post


async def note_challenge(desk: Desk, news: LadderNews, message: discord.Message) -> None:
    """Keep in mind that this message has the buttons of that challenge."""
    asks = [ask for ask in await _challenge_asks(desk, news.guild, news.variant) if ask.entry != news.entry.seq]
    asks.append(ChallengeAsk(news.entry.seq, Post(message.channel.id, message.id)))
    await _keep_challenges(desk, news.guild, news.variant, asks)


async def clear_challenges(desk: Desk, guild: int, variant: str) -> None:
    """Take the buttons off the challenges that wait no longer, and say below each what has become of it."""
    asks = await _challenge_asks(desk, guild, variant)
    ends = await desk.service.ladders.challenges_ended(guild, variant, [ask.entry for ask in asks])
    if not ends:
        return
    await _keep_challenges(desk, guild, variant, [ask for ask in asks if ask.entry not in ends])
    locale = desk.servers.language(guild)
    for entry, post in asks:
        if entry in ends:
            end = ends[entry]
            await _close_challenge(desk, post, text(locale, ENDS[end], **RULES) if end else "")


async def _close_challenge(desk: Desk, post: Post, said: str) -> None:
    """Best effort: the message may be gone."""
    message = desk.client.get_partial_messageable(post.channel).get_partial_message(post.message)
    try:
        content = (await message.fetch()).content
        await message.edit(
            content=f"{content}\n-# {said}" if said else content, view=None, allowed_mentions=NO_MENTIONS
        )
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        log.info("challenge not closed", channel=post.channel, error=str(error))


def _challenge_key(guild: int, variant: str) -> str:
    return f"asks:{guild}:{variant}"


async def _challenge_asks(desk: Desk, guild: int, variant: str) -> list[ChallengeAsk]:
    kept = await desk.service.meta(_challenge_key(guild, variant)) or ""
    numbers = [[int(number) for number in ask.split(":")] for ask in kept.split()]
    return [ChallengeAsk(entry, Post(channel, message)) for entry, channel, message in numbers]


async def _keep_challenges(desk: Desk, guild: int, variant: str, asks: list[ChallengeAsk]) -> None:
    """Note them: "entry:channel:message", a blank between two; nothing is kept where no challenge waits."""
    kept = " ".join(f"{entry}:{channel}:{message}" for entry, (channel, message) in asks)
    await desk.service.set_meta(_challenge_key(guild, variant), kept or None)
