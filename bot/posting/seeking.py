"""Calling those who look for a game to a table that has stayed open for an hour."""

from __future__ import annotations

import discord
import structlog

from bot.kit.components import Button, button
from bot.kit.permissions import Obstacle, may_look, obstacle_of, timed_out
from bot.kit.reply import calling
from bot.match.match import Match
from bot.posting.desk import Desk
from bot.posting.outbox import UNSENT
from bot.posting.people import UNHEARD
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import mentions, message_url, variant_name

log = structlog.get_logger()

MOST = 25
"""People who are called to one table."""


def seek_button(locale: Language, *, looking: bool = False) -> Button:
    """Puts whoever presses it on the list, or takes them off; `looking` for somebody who stands on it."""
    return button(locale, "seek", label="seek-no-more" if looking else "seek")


async def call_seekers(desk: Desk, now: int) -> None:
    """Call them to every table that waits for them, each once. What is in one table's way keeps no other waiting."""
    attempts = desk.service.attempts
    with attempts.of("seekers"):
        for match in await desk.service.seekers.tables(now):
            with attempts.of("seekers", game=match.id):
                await _call(desk, match, now)


async def _call(desk: Desk, match: Match, now: int) -> None:
    service = desk.service
    users = await service.seekers.in_turn(match, now)
    guild = desk.client.get_guild(match.guild)
    place = guild.get_channel_or_thread(match.where) if guild else None
    if not users or guild is None or place is None or timed_out(guild, match.where):
        return
    if isinstance(place, discord.Thread) and place.is_private():
        await service.seekers.note_called(match, (), now)
        return
    try:
        members = await desk.names.members(match.guild, users)
    except UNHEARD as error:
        log.info("members not told", match=match.id, error=str(error) or type(error).__name__)
        return
    lookers = [user for user in users if user in members and may_look(guild, members[user], match)][:MOST]
    gone = [user for user in users if user not in members]
    try:
        if lookers:
            await _post(desk, match, lookers)
    except UNSENT as error:
        if obstacle_of(error) is Obstacle.OUTAGE:
            return
        lookers = []  # who have not been called
    await service.seekers.note_called(match, lookers, now, gone)


async def _post(desk: Desk, match: Match, users: list[int]) -> None:
    locale = desk.language(match.guild)
    post = (await desk.service.posts(match.id)).table
    url = message_url(match.guild, post) if post else ""
    said = text(
        locale,
        "seek.call" if post else "seek.call-here",
        variant=variant_name(locale, match.variant),
        id=match.id,
        players=join(locale, mentions(locale, users)),
        url=url,
    )
    await desk.send(
        match.where,
        said,
        f"s{match.created:x}:{match.id}",  # so that a crash before the note calls nobody twice
        guild=match.guild,
        ping=calling(users),
        buttons=[seek_button(locale)],
    )
