"""SQL about the scheduled events that announce the seasons of leagues."""

from __future__ import annotations

from typing import NamedTuple

from bot.leagues.announcement import Announcement
from bot.leagues.league import RETRY_S
from bot.store import Reader, Writer
from bot.store.connection import upsert_statement

NEVER_AGAIN = -1
"""The `try_at` of an event that Discord has refused. It is left alone until `watch_event`."""


class AnnouncedSeason(NamedTuple):
    """A league and its scheduled event, to be compared."""

    league: int
    guild: int
    event: int | None = None
    """Discord's id of the event that exists; None if there is none."""
    announcement: Announcement | None = None
    """What that event announces."""


async def watch_event(writer: Writer, league: int, guild: int) -> None:
    """Queues a comparison of the league with its event. Adds a row if the league has none."""
    key, values = {"league": league}, {"guild": guild, "try_at": 0}
    await writer.run_sql(*upsert_statement("league_scheduled_events", key, values))


async def check_event(writer: Writer, league: int) -> None:
    """Queues a comparison of the league with its event, because either may have changed. Adds no row."""
    await writer.run_sql(
        "UPDATE league_scheduled_events SET try_at = 0 WHERE league = ? AND coalesce(try_at, 0) <> ?",
        (league, NEVER_AGAIN),
    )


async def due_events(reader: Reader, now: int) -> list[AnnouncedSeason]:
    """Returns this worker's leagues that have to be compared with their scheduled events now."""
    rows = await reader.run_sql(
        "SELECT league, guild, event, season, kind, at FROM league_scheduled_events"
        f" WHERE (try_at BETWEEN 0 AND :now OR try_at > :latest){reader.own_servers_sql()} ORDER BY league",
        {"now": now, "latest": now + RETRY_S},
    )
    return [
        AnnouncedSeason(league, guild, event, None if event is None else Announcement(*shown))
        for league, guild, event, *shown in rows
    ]


async def try_event_at(writer: Writer, league: int, at: int) -> None:
    """Notes when the league is to be compared with its event again."""
    await writer.run_sql("UPDATE league_scheduled_events SET try_at = ? WHERE league = ?", (at, league))


async def set_event(writer: Writer, league: int, event: int | None, shown: Announcement | None) -> None:
    """Notes which event exists, and what it announces; None if there is none."""
    season, kind, at = shown or (None, None, None)
    await writer.run_sql(
        "UPDATE league_scheduled_events SET event = ?, season = ?, kind = ?, at = ? WHERE league = ?",
        (event, season, kind, at, league),
    )


async def settle_event(writer: Writer, league: int, tried_at: int, to: int | None = None) -> bool:
    """Ends the comparison that was to be repeated at `tried_at`, and returns True; False if a change of the league has
    queued another. `to`: None if the event is up to date, or NEVER_AGAIN.
    """
    return bool(
        await writer.run_sql(
            "UPDATE league_scheduled_events SET try_at = ? WHERE league = ? AND try_at = ? RETURNING league",
            (to, league, tried_at),
        )
    )
