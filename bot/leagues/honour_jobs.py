"""Gives and takes the roles of leagues' winners, and keeps the scheduled events about leagues up to date."""

from __future__ import annotations

from datetime import UTC, datetime
from operator import attrgetter

import discord
import structlog

from bot.discordkit.permissions import Obstacle, trouble_at
from bot.leagues.honour_rows import AnnouncedSeason, RoleHolder
from bot.leagues.honour_service import Honours
from bot.leagues.honours import Announcement, announcement_of, is_called_off
from bot.leagues.league import League
from bot.leagues.words import league_name
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.context import BotContext
from bot.texts.i18n import text

log = structlog.get_logger()

EVENT_LENGTH_S = 3600
"""The length of a scheduled event in seconds. Discord wants an end."""
INVALID_FORM_CODE = 50035
"""Discord's code for values that it does not accept."""


async def hand_over_roles(context: BotContext, now: int) -> None:
    """Gives and takes the roles that are due."""
    honours, refused = context.service.part(Honours), set[tuple[int, int]]()
    for holder in await honours.due_holders(now):
        server = context.client.get_guild(holder.guild)
        if server is None or not context.reaches_server(server.id) or (holder.league, holder.role) in refused:
            continue
        with context.service.attempts.contain_failures("roles of leagues", league=holder.league, user=holder.user):
            if not await honours.claim_holder(holder, now):
                continue
            try:
                await _set_role(server, holder)
            except UNSENT_ERRORS as error:
                obstacle = _log_obstacle(context, server, error, "role of a league left", league=holder.league)
                if obstacle is Obstacle.GONE:
                    await honours.drop_holder(holder)
                elif not obstacle.is_temporary:
                    refused.add((holder.league, holder.role))
                    await honours.give_up_role(holder.league, holder.role, now)
                    context.announcements_due.set()
            else:
                await honours.settle_holder(holder)


async def _set_role(server: discord.Guild, holder: RoleHolder) -> None:
    member, role = await server.fetch_member(holder.user), discord.Object(holder.role)
    if holder.is_wanted:
        await member.add_roles(role)
    else:
        await member.remove_roles(role)


def _log_obstacle(context: BotContext, server: discord.Guild, error: Exception, event: str, league: int) -> Obstacle:
    """Logs a request that Discord has not granted, and returns why."""
    obstacle = trouble_at(context.client, server.id, server.id, error).obstacle
    log.warning(event, league=league, obstacle=obstacle.value, error=str(error))
    return obstacle


async def announce_seasons(context: BotContext, now: int) -> None:
    """Brings the scheduled events about leagues up to date."""
    honours = context.service.part(Honours)
    for announced in await honours.due_events(now):
        server = context.client.get_guild(announced.guild)
        if server is None or not context.reaches_server(server.id):
            continue
        with context.service.attempts.contain_failures("events of leagues", league=announced.league):
            league = await honours.claim_event(announced.league, now)
            assert league is not None, announced.league
            try:
                await _update_event(context, server, league, announced, now)
            except UNSENT_ERRORS as error:
                obstacle = _log_obstacle(context, server, error, "event of a league left", league=league.id)
                if not obstacle.is_temporary and not _is_too_late(error):
                    await honours.give_up_event(league.id, now)
                    context.announcements_due.set()
            else:
                await honours.settle_event(league.id, now)


def _is_too_late(error: Exception) -> bool:
    """True if Discord refuses a time, which has passed while it was asked. Later nothing is announced any more."""
    return isinstance(error, discord.HTTPException) and error.code == INVALID_FORM_CODE


async def _update_event(
    context: BotContext, server: discord.Guild, league: League, announced: AnnouncedSeason, now: int
) -> None:
    """Deletes, moves or adds the event, and notes each step, so that a repetition finds what is done."""
    honours, shown = context.service.part(Honours), announced.announcement
    wanted = announcement_of(league, now)
    if shown == wanted:
        return
    if announced.event is not None and shown is not None:
        if wanted is not None and wanted[:2] == shown[:2] and shown.at > now:
            await _move_event(server, announced.event, wanted.at)
            await honours.note_event(league.id, announced.event, wanted)
            return
        if is_called_off(league, shown, now):
            await _delete_event(server, announced.event)
        await honours.note_event(league.id, None, None)
    if wanted is not None:
        await honours.note_event(league.id, await _add_event(context, server, league, wanted), wanted)


async def _move_event(server: discord.Guild, number: int, at: int) -> None:
    """Changes the time of an event. One that somebody has deleted stays deleted."""
    try:
        event = await server.fetch_scheduled_event(number)
        await event.edit(start_time=_time(at), end_time=_time(at + EVENT_LENGTH_S))
    except discord.NotFound:
        log.info("event of a league is gone", event=number)


async def _delete_event(server: discord.Guild, number: int) -> None:
    """Deletes an event, unless somebody else has."""
    try:
        event = await server.fetch_scheduled_event(number)
        await event.delete()
    except discord.NotFound:
        log.info("event of a league is gone", event=number)


async def _add_event(context: BotContext, server: discord.Guild, league: League, wanted: Announcement) -> int:
    """Returns the number of the one event that announces this: one that was added before a crash, else a new one."""
    locale, start = context.server_language(league.guild), _time(wanted.at)
    name = text(locale, f"league.event-{wanted.kind}", league=league_name(locale, league), season=wanted.season)
    events = await _own_events(server, name, start)
    if not events:
        added = await server.create_scheduled_event(
            name=name,
            start_time=start,
            end_time=_time(wanted.at + EVENT_LENGTH_S),
            entity_type=discord.EntityType.external,
            privacy_level=discord.PrivacyLevel.guild_only,
            location=f"https://discord.com/channels/{league.guild}/{league.channel}",
        )
        events = await _own_events(server, name, start) or [added]
    for twin in events[1:]:  # discord.py repeats a request whose answer was lost
        await twin.delete()
    return events[0].id


async def _own_events(server: discord.Guild, name: str, start: datetime) -> list[discord.ScheduledEvent]:
    """Returns the bot's own events of that name and time, the oldest first."""
    events = await server.fetch_scheduled_events(with_counts=False)
    own = [event for event in events if (event.creator_id, event.name, event.start_time) == (server.me.id, name, start)]
    return sorted(own, key=attrgetter("id"))


def _time(at: int) -> datetime:
    return datetime.fromtimestamp(at, UTC)
