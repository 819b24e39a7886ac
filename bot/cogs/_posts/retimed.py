"""Boards that have been posted already, and whose deadline has changed since: more time, a vacation, other habits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import aiohttp
import discord
import structlog

from bot.cogs._answers.reply import NOBODY, now
from bot.cogs._clocks import clock_lines
from bot.match import Match
from bot.news import News, Topic

if TYPE_CHECKING:
    from bot.client import RoundTable

log = structlog.get_logger()

SMALL, DEADLINE = "-# ", "-# ⏳"
"""How a line in small print begins, and the first of those that `clock_lines` makes, in every language."""

WATCHERS = "-# 👀"
"""How the line for those who follow begins, which may come right behind."""


async def show_deadline(client: RoundTable, match: Match) -> None:
    """Let the latest board of that match say when the time is up by now. Best effort, and nobody is pinged."""
    post = (await client.service.posts(match.id)).turn
    lines = clock_lines(client.servers.language(match.guild), match, now(), await client.service.people(match.players))
    if post is None or not lines:
        return
    message = client.get_partial_messageable(post.channel).get_partial_message(post.message)
    try:
        shown = (await message.fetch()).content
        if (said := retimed(shown, lines)) != shown:
            await message.edit(content=said, allowed_mentions=NOBODY)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        log.info("deadline not brought up to date", match=match.id, error=str(error))


def retimed(shown: str, lines: Sequence[str]) -> str:
    """The message with those lines in the place of what it says of the clock; the same where it says nothing of it."""
    before = shown.split("\n")
    first = next((place for place, line in enumerate(before) if line.startswith(DEADLINE)), None)
    if first is None:
        return shown
    last = first + 1
    while last < len(before) and before[last].startswith(SMALL) and not before[last].startswith(WATCHERS):
        last += 1
    return "\n".join([*before[:first], *lines, *before[last:]])


def changes_deadline(news: News) -> bool:
    """Whether the board that stands above that news says something else of the clock than what holds now."""
    if news.kind in (Topic.AWAY, Topic.BACK):
        return news.user == news.match.to_move
    return news.kind in (Topic.GIVEN, Topic.CLOCK_SET, Topic.GRACE, Topic.PROLONGED)
