"""The statements of a rebuild: what is derived, whole."""

from __future__ import annotations

from typing import Any

from bot.match import Phase
from bot.store import Reader, Writer

DERIVED = (
    *("rating_changes", "ratings", "shares", "results"),
    *("ladder_steps", "ladder_meetings", "ladder_games", "ladder_challenges", "climbers"),
)
"""The tables that hold nothing else, those that refer to others first."""

_HEADS = "guild, variant, seq, newsworthy, season, season_began, season_until, seasons, digested_at"
"""What is derived of the ladders' own rows. When one is due again depends on when it was last looked at."""


async def snapshot(reader: Reader) -> dict[str, frozenset[tuple[Any, ...]]]:
    """All rows of what is derived, by table."""
    found = {table: f"SELECT * FROM {table}" for table in DERIVED}  # noqa: S608 - names from above
    found["ladders"] = f"SELECT {_HEADS} FROM ladders"  # noqa: S608 - as above
    return {table: frozenset(tuple(row) for row in await reader.run(sql)) for table, sql in found.items()}


async def drop_derived(writer: Writer) -> None:
    """Empties all that is derived, but for the ladders' own rows, of which only a part is."""
    await writer.run_all(
        [(f"DELETE FROM {table}", ()) for table in DERIVED]  # noqa: S608 - as above
        + [
            (
                "UPDATE ladders SET seq = 0, newsworthy = 0, season = NULL, season_began = NULL, season_until = NULL,"
                " seasons = 0, digested_at = NULL",
                (),
            )
        ]
    )


async def matches_begun(reader: Reader) -> list[tuple[int, int, Phase]]:
    """Number, server and phase of the matches that are on or over."""
    rows = await reader.run("SELECT id, guild, phase FROM matches WHERE phase IN ('live', 'over') ORDER BY id")
    return [(match_id, guild, Phase(phase)) for match_id, guild, phase in rows]


async def unreckoned(reader: Reader) -> list[int]:
    """The matches that are over and of which no result is noted, in the order in which they ended."""
    rows = await reader.run(
        "SELECT id FROM matches WHERE phase = 'over' AND id NOT IN (SELECT match FROM results) ORDER BY updated, id"
    )
    return [match_id for (match_id,) in rows]
