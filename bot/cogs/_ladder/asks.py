"""The messages in which challenges are answered: what has become of one, in the place of its buttons.

A button that is left over does no harm, because it carries the number of its challenge; so all this is done as well as
it can be, and a crash in between costs only tidiness.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import aiohttp
import discord
import structlog

from bot.cogs._answers.reply import NOBODY
from bot.cogs._ladder.words import RULES
from bot.i18n import text
from bot.ladder.entries import Kind
from bot.standings import LadderNews
from bot.store import Post

if TYPE_CHECKING:
    from bot.client import RoundTable

log = structlog.get_logger()

ENDS = {
    Kind.ACCEPTED: "ladder.fate.accepted",
    Kind.REFUSED: "ladder.fate.refused",
    Kind.LAPSED: "ladder.fate.lapsed",
    Kind.LEFT: "ladder.fate.left",
}
"""What is said of a challenge, by the entry that ended it."""


class Ask(NamedTuple):
    """A message whose buttons answer the challenge of that entry."""

    entry: int
    post: Post


async def note_ask(client: RoundTable, news: LadderNews, message: discord.Message) -> None:
    """Keep in mind that this message has the buttons of that challenge."""
    asks = [ask for ask in await _asks(client, news.guild, news.variant) if ask.entry != news.entry.seq]
    asks.append(Ask(news.entry.seq, Post(message.channel.id, message.id)))
    await _keep(client, news.guild, news.variant, asks)


async def clear_asks(client: RoundTable, guild: int, variant: str) -> None:
    """Take the buttons off the challenges that wait no longer, and say below each what has become of it."""
    asks = await _asks(client, guild, variant)
    ends = await client.service.challenges_ended(guild, variant, [ask.entry for ask in asks])
    if not ends:
        return
    await _keep(client, guild, variant, [ask for ask in asks if ask.entry not in ends])
    locale = client.servers.language(guild)
    for entry, post in asks:
        if entry in ends:
            end = ends[entry]
            await _close(client, post, text(locale, ENDS[end], **RULES) if end else "")


async def _close(client: RoundTable, post: Post, said: str) -> None:
    """Best effort: the message may be gone."""
    message = client.get_partial_messageable(post.channel).get_partial_message(post.message)
    try:
        content = (await message.fetch()).content
        await message.edit(content=f"{content}\n-# {said}" if said else content, view=None, allowed_mentions=NOBODY)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        log.info("challenge not closed", channel=post.channel, error=str(error))


def _key(guild: int, variant: str) -> str:
    return f"asks:{guild}:{variant}"


async def _asks(client: RoundTable, guild: int, variant: str) -> list[Ask]:
    kept = await client.service.meta(_key(guild, variant)) or ""
    numbers = [[int(number) for number in ask.split(":")] for ask in kept.split()]
    return [Ask(entry, Post(channel, message)) for entry, channel, message in numbers]


async def _keep(client: RoundTable, guild: int, variant: str, asks: list[Ask]) -> None:
    """Note them: "entry:channel:message", a blank between two; nothing is kept where no challenge waits."""
    kept = " ".join(f"{entry}:{channel}:{message}" for entry, (channel, message) in asks)
    await client.service.set_meta(_key(guild, variant), kept or None)
