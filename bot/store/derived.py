"""SQL about the rows that are derived from matches and that a rebuild computes again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.core.match import Phase
from bot.store import Reader, Writer

DERIVED_TABLES = ("rating_changes", "ratings", "shares", "results")
"""The tables that hold only rows derived from matches; a table comes before the tables it refers to."""


DERIVED_QUERIES: Mapping[str, str] = {table: f"SELECT * FROM {table}" for table in DERIVED_TABLES}
"""By table, a query for all its rows."""


async def snapshot_rows(reader: Reader, queries: Mapping[str, str]) -> dict[str, frozenset[tuple[Any, ...]]]:
    """Returns the rows that the queries return, by table."""
    return {table: frozenset(tuple(row) for row in await reader.run_sql(sql)) for table, sql in queries.items()}


async def drop_derived(writer: Writer) -> None:
    """Empties the tables derived from matches."""
    await writer.run_batch([(f"DELETE FROM {table}", ()) for table in DERIVED_TABLES])


async def matches_begun(reader: Reader) -> list[tuple[int, int, Phase]]:
    """Returns the id, server and phase of each match that is live or over."""
    rows = await reader.run_sql("SELECT id, guild, phase FROM matches WHERE phase IN ('live', 'over') ORDER BY id")
    return [(match_id, guild, Phase(phase)) for match_id, guild, phase in rows]
