"""SQL about absences: times in which nobody could be reached, so that no clock ran.

An absence concerns one server, or all servers (ALL_SERVERS) while the bot itself was away.
"""

from __future__ import annotations

from bot.core.clock import DAY, FOREVER, Span
from bot.core.time_acts import LONG_ABSENCE
from bot.store import Reader, Writer
from bot.store.matches import REACHABLE_SQL

ALL_SERVERS = 0
"""The number that stands for all servers in a column of server ids."""

_PRESENT_KEY = "ticked"
"""The key of the note that says when the bot was last present."""

ABSENCE_RETENTION_S = 365 * DAY
"""Seconds for which every absence is kept: longer than any season of a league. It is kept longer if the turn of a live
game began before it ended."""


async def absences_after(reader: Reader, guild: int, since: int) -> tuple[Span, ...]:
    """Returns the absences of a server that end after `since`. An absence that still lasts ends at FOREVER."""
    rows = await reader.run_sql(
        "SELECT since, coalesce(until, ?) FROM absences WHERE guild IN (?, ?) AND (until IS NULL OR until > ?)"
        " ORDER BY since",
        (FOREVER, guild, ALL_SERVERS, since),
    )
    return tuple((first, last) for first, last in rows)


async def add_absence(writer: Writer, guild: int, since: int, until: int | None = None) -> None:
    """Notes an absence. Without `until` it still lasts; then nothing is noted if another one already lasts."""
    if until is None and await writer.run_sql("SELECT 1 FROM absences WHERE guild = ? AND until IS NULL", (guild,)):
        return
    longer = "max(absences.until, excluded.until)"  # NULL if one of them still lasts
    await writer.save_row("absences", {"guild": guild, "since": since}, {"until": until}, until=longer)


async def end_absence(writer: Writer, guild: int, until: int) -> None:
    """Notes that a server can be reached again. Does nothing if it was reachable."""
    ended = await writer.read_column(
        "UPDATE absences SET until = max(since, ?) WHERE guild = ? AND until IS NULL RETURNING since", (until, guild)
    )
    for since in ended:
        await _renew_deadlines(writer, guild, since, until)


async def _renew_deadlines(writer: Writer, guild: int, since: int, until: int) -> None:
    """Makes the tick compute the deadlines again that a long absence has moved. Stored deadlines only serve display and
    scheduling, because decisions use the absences themselves.
    """
    if until - since >= LONG_ABSENCE:
        await writer.run_sql(
            "UPDATE matches SET deadline = 0 WHERE phase IN ('open', 'live') AND deadline IS NOT NULL"
            " AND moved_at < :until AND (guild = :guild OR :guild = 0)",
            {"guild": guild, "until": until},
        )


async def lasting_absences(reader: Reader) -> dict[int, int]:
    """Returns the servers that cannot be reached now, with the start of the absence."""
    rows = await reader.run_sql("SELECT guild, since FROM absences WHERE until IS NULL")
    return {int(guild): int(since) for guild, since in rows}


async def matches_after_absence(reader: Reader) -> list[int]:
    """Returns the open tables and live games whose deadlines are to be computed again, in servers that are reached."""
    return await reader.read_column(f"SELECT id FROM matches WHERE deadline = 0 AND {REACHABLE_SQL} ORDER BY id")


async def forget_absences(writer: Writer, now: int) -> None:
    """Deletes the old absences on which no clock depends any more."""
    await writer.run_sql(
        "DELETE FROM absences WHERE until < ? AND until < coalesce("
        "(SELECT min(moved_at) FROM matches WHERE phase IN ('open', 'live')), ?)",
        (now - ABSENCE_RETENTION_S, now),
    )


async def last_present_at(reader: Reader) -> int | None:
    """Returns when the bot was last present; None if it never was."""
    noted_at = await reader.get_meta(_PRESENT_KEY)
    return int(noted_at) if noted_at else None


async def note_present(writer: Writer, since: int | None, now: int) -> None:
    """Notes that the bot is present. `since`: the start of an absence that ends now."""
    if since is not None:
        await add_absence(writer, ALL_SERVERS, since, now)
        await _renew_deadlines(writer, ALL_SERVERS, since, now)
    await writer.set_meta(_PRESENT_KEY, str(now))
