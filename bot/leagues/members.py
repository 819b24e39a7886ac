"""Looks up, before a season, who of the people who have signed up has left the server."""

from __future__ import annotations

import discord
import structlog

from bot.leagues.season_service import Seasons
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.context import BotContext

log = structlog.get_logger()

NOT_THERE_CODES = (10007, 10013)
"""Discord's codes for a person who is no member of a server, and for one who does not exist any more."""


async def look_up_members(context: BotContext, now: int) -> None:
    """Looks up the people of seasons that begin soon, one after another, and signs off who has left the server."""
    seasons = context.service.part(Seasons)
    for league, users in await seasons.leagues_to_look_up(now):
        server = context.client.get_guild(league.guild)
        if server is None or not context.reaches_server(server.id):
            continue
        with context.service.attempts.contain_failures("members of leagues", league=league.id):
            gone = [user for user in users if await _has_left(server, user)]
            await seasons.note_looked_up(league, gone, now)
            context.announcements_due.set()


async def _has_left(server: discord.Guild, user: int) -> bool:
    """True if Discord says that a person is not in the server. If it cannot say, they count as a member."""
    try:
        await server.fetch_member(user)
    except UNSENT_ERRORS as error:
        if isinstance(error, discord.NotFound) and error.code in NOT_THERE_CODES:
            return True
        log.info("person of a league not looked up", guild=server.id, error=str(error))
    return False
