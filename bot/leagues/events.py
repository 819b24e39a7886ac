"""Discord's scheduled events that announce the seasons of leagues: switched by managers, kept up to date by the bot."""

from __future__ import annotations

from datetime import UTC, datetime
from operator import attrgetter

import discord
import structlog

from bot.discordkit.permissions import trouble_at
from bot.leagues import event_rows, rows
from bot.leagues.announcement import Announcement, announcement_of, is_called_off
from bot.leagues.event_rows import AnnouncedSeason
from bot.leagues.league import RETRY_S, League
from bot.leagues.service import require_league
from bot.leagues.words import league_name
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.context import BotContext
from bot.play.service.matches import ServicePart
from bot.texts.i18n import text

log = structlog.get_logger()

EVENT_LENGTH_S = 3600
"""The length of a scheduled event in seconds. Discord requires an end."""
INVALID_FORM_CODE = 50035
"""Discord's code for values that it does not accept."""


class SeasonEvents(ServicePart):
    """The scheduled events about leagues."""

    async def switch_events(self, guild: int, number: int, *, events: bool) -> League:
        """Notes whether scheduled events announce the seasons of a league. Raises NO_LEAGUE."""
        async with self._store.write_transaction() as tx:
            await require_league(tx, guild, number)
            await rows.set_events(tx, number, events=events)
            await event_rows.watch_event(tx, number, guild)
            return await require_league(tx, guild, number)

    async def due_events(self, now: int) -> list[AnnouncedSeason]:
        """Returns the leagues that have to be compared with their scheduled events now."""
        return await event_rows.due_events(self._reader, now)

    async def claim_event(self, number: int, now: int) -> League | None:
        """Notes that a league is being compared with its event, and returns the league; None if there is none."""
        async with self._store.write_transaction() as tx:
            await event_rows.try_event_at(tx, number, now + RETRY_S)
            return await rows.load_league(tx, number)

    async def note_event(self, number: int, event: int | None, shown: Announcement | None) -> None:
        """Notes which event of a league is up, and what it announces."""
        async with self._store.write_transaction() as tx:
            await event_rows.set_event(tx, number, event, shown)

    async def settle_event(self, number: int, claimed_at: int) -> None:
        """Notes that the event of a league is up to date, unless the league has changed since `claimed_at`."""
        async with self._store.write_transaction() as tx:
            await event_rows.settle_event(tx, number, claimed_at + RETRY_S)

    async def give_up_event(self, number: int, claimed_at: int) -> None:
        """Notes that Discord refuses the event of a league, and queues one message about it to the managers.

        The event is tried again once somebody chooses events again, or at once if the league has just changed.
        """
        async with self._store.write_transaction() as tx:
            if await event_rows.settle_event(tx, number, claimed_at + RETRY_S, event_rows.NEVER_AGAIN):
                await rows.add_refusal(tx, number, "no-event", claimed_at)


async def announce_seasons(context: BotContext, now: int) -> None:
    """Brings the scheduled events about leagues up to date."""
    season_events = context.service.part(SeasonEvents)
    for announced in await season_events.due_events(now):
        server = context.client.get_guild(announced.guild)
        if server is None or not context.reaches_server(server.id):
            continue
        with context.service.attempts.contain_failures("events of leagues", league=announced.league):
            league = await season_events.claim_event(announced.league, now)
            assert league is not None, announced.league
            try:
                await _update_event(context, server, league, announced, now)
            except UNSENT_ERRORS as error:
                obstacle = trouble_at(context.client, server.id, server.id, error).obstacle
                log.warning("event of a league left", league=league.id, obstacle=obstacle.value, error=str(error))
                if not obstacle.is_temporary and not _is_too_late(error):
                    await season_events.give_up_event(league.id, now)
                    context.announcements_due.set()
            else:
                await season_events.settle_event(league.id, now)


def _is_too_late(error: Exception) -> bool:
    """True if Discord refuses the event because its time passed during the request. Nothing is announced then."""
    return isinstance(error, discord.HTTPException) and error.code == INVALID_FORM_CODE


async def _update_event(
    context: BotContext, server: discord.Guild, league: League, announced: AnnouncedSeason, now: int
) -> None:
    """Deletes, moves or adds the event. Notes each step, so that a repetition skips the steps that are done."""
    season_events, shown = context.service.part(SeasonEvents), announced.announcement
    wanted = announcement_of(league, now)
    if shown == wanted:
        return
    if announced.event is not None and shown is not None:
        if wanted is not None and wanted[:2] == shown[:2] and shown.at > now:
            await _move_event(server, announced.event, wanted.at)
            await season_events.note_event(league.id, announced.event, wanted)
            return
        if is_called_off(league, shown, now):
            await _delete_event(server, announced.event)
        await season_events.note_event(league.id, None, None)
    if wanted is not None:
        await season_events.note_event(league.id, await _add_event(context, server, league, wanted), wanted)


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
    """Returns the id of the event that announces this. Adds one unless it was already added before a crash."""
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
