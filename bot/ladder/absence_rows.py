"""SQL about where ladders are posted, and about their absences: times in which the bot could not post there."""

from __future__ import annotations

from bot.core.clock import Span
from bot.store import Reader, Writer
from bot.store.absences import end_absence, ladders_of
from bot.store.connection import upsert_statement
from bot.store.servers import StoredPlace


async def set_ladders_shut(writer: Writer, guild: int, now: int, *, shut: bool) -> None:
    """Notes whether the bot may post in the channels of a server's ladders. While it may not, these are absent."""
    if shut:
        row = {"guild": ladders_of(guild), "since": now}
        await writer.run_sql(*upsert_statement("absences", row, {"until": None}))
    else:
        await end_absence(writer, ladders_of(guild), now)


async def ladder_absences(reader: Reader, guild: int, now: int) -> tuple[Span, ...]:
    """Returns the spans before `now` in which the bot could not post in the channels of a server's ladders."""
    rows = await reader.run_sql(
        "SELECT since, coalesce(until, ?) FROM absences WHERE guild = ? ORDER BY since", (now, ladders_of(guild))
    )
    return tuple((since, until) for since, until in rows)


async def challenged_ladders(reader: Reader) -> list[tuple[int, int, bool]]:
    """Returns server and channel of each ladder on which a challenge waits, and whether the ladder is noted as shut."""
    rows = await reader.run_sql(
        "SELECT guild, channel, EXISTS (SELECT 1 FROM absences WHERE absences.guild = -ladders.guild AND until IS NULL)"
        " FROM ladders WHERE EXISTS (SELECT 1 FROM ladder_challenges WHERE ladder_challenges.guild = ladders.guild"
        " AND ladder_challenges.variant = ladders.variant) ORDER BY guild"
    )
    return [(guild, channel, bool(shut)) for guild, channel, shut in rows]


async def posting_places(reader: Reader) -> list[StoredPlace]:
    """Returns the channels of ladders, except in servers that have set one channel for all of them."""
    rows = await reader.run_sql(
        "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM ladders LEFT JOIN guild_settings USING (guild)"
        " WHERE ladder_channel IS NULL"
    )
    return [StoredPlace(guild, channel, bool(threads)) for guild, channel, threads in rows]
