"""SQL to repair ladders: rebuilds rows derived from entries, and dates future entries now."""

from __future__ import annotations

from collections.abc import Mapping

from bot.ladder.entries import redate_entry
from bot.ladder.part_rows import LadderId, write_entry
from bot.ladder.rows import load_entries
from bot.store import Reader, Writer

_DERIVED_TABLES = ("ladder_steps", "ladder_meetings", "ladder_games", "ladder_challenges", "climbers")

_HEAD_COLUMNS = "guild, variant, seq, newsworthy, season, season_began, season_until, seasons, digested_at"
"""The derived columns of `ladders`. Not `wake`, which depends on the time of the last look."""

LADDER_QUERIES: Mapping[str, str] = {table: f"SELECT * FROM {table}" for table in _DERIVED_TABLES} | {
    "ladders": f"SELECT {_HEAD_COLUMNS} FROM ladders"
}
"""By table, a query for all rows derived from the entries of ladders."""


async def drop_derived(tx: Writer) -> None:
    """Empties the derived tables, and resets the derived columns of `ladders`."""
    await tx.run_batch([(f"DELETE FROM {table}", ()) for table in _DERIVED_TABLES])
    await tx.run_sql(
        "UPDATE ladders SET seq = 0, newsworthy = 0, season = NULL, season_began = NULL, season_until = NULL,"
        " seasons = 0, digested_at = NULL"
    )


async def find_future_ladders(reader: Reader, after: int) -> list[LadderId]:
    """The ladders of this worker with entries later than `after`."""
    ours = reader.own_servers_sql()
    rows = await reader.run_sql(f"SELECT DISTINCT guild, variant FROM ladder_entries WHERE at > ?{ours}", (after,))
    return [LadderId(*row) for row in rows]


async def date_ladder_back(writer: Writer, place: LadderId, after: int, now: int) -> None:
    """Dates entries of the ladder that are later than `after` now. The caller must then rebuild the ladder's other
    rows."""
    for entry in await load_entries(writer, place):
        if entry.at > after:
            named = (*place, entry.seq)
            await writer.run_sql("DELETE FROM ladder_entries WHERE guild = ? AND variant = ? AND seq = ?", named)
            await writer.run_batch([write_entry(place, redate_entry(entry, now))])
