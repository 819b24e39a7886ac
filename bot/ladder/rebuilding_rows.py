"""SQL that rebuilds the rows derived from a ladder's entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.ladder.fold import replay_history
from bot.ladder.rows import load_entries, set_next_tick
from bot.ladder.state import Ladder, LadderEntry, LadderId
from bot.ladder.state_rows import (
    write_challenges,
    write_climber,
    write_games,
    write_head,
    write_meetings,
    write_steps,
)
from bot.store import Reader, Writer
from bot.store.connection import Statement
from rules import VARIANTS

_DERIVED_TABLES = ("ladder_steps", "ladder_meetings", "ladder_games", "ladder_challenges", "climbers")

_HEAD_COLUMNS = "guild, variant, seq, newsworthy, season, season_began, season_until, seasons"
"""The derived columns of `ladders`, except `wake`, which depends on the time of the last tick."""

LADDER_QUERIES: Mapping[str, str] = {table: f"SELECT * FROM {table}" for table in _DERIVED_TABLES} | {
    "ladders": f"SELECT {_HEAD_COLUMNS} FROM ladders"
}
"""By table, a query for all rows derived from the entries of ladders."""


async def drop_derived(tx: Writer) -> None:
    """Empties the derived tables, and resets the derived columns of `ladders`."""
    await tx.run_batch([(f"DELETE FROM {table}", ()) for table in _DERIVED_TABLES])
    await tx.run_sql(
        "UPDATE ladders SET seq = 0, newsworthy = 0, season = NULL, season_began = NULL, season_until = NULL,"
        " seasons = 0"
    )


async def _last_moves(reader: Reader, ladder_id: LadderId) -> dict[int, int]:
    """Returns when each user who was ever on the ladder last moved, from the existing rows."""
    rows = await reader.run_sql("SELECT user, moved_at FROM climbers WHERE guild = ? AND variant = ?", ladder_id)
    return {row[0]: row[1] for row in rows}


async def rebuild_rows(writer: Writer, ladder_id: LadderId, last_moved_at: Mapping[int, int] | None = None) -> None:
    """Rebuilds all derived rows of a ladder from its entries.

    `last_moved_at` is the time of each user's last move; None keeps the times of the existing rows.
    """
    if last_moved_at is None:
        last_moved_at = await _last_moves(writer, ladder_id)
    ladder = Ladder(len(VARIANTS[ladder_id.variant].seats))
    story = list(replay_history(ladder, await load_entries(writer, ladder_id)))
    statements: list[Statement] = [
        (f"DELETE FROM {table} WHERE guild = ? AND variant = ?", ladder_id) for table in _DERIVED_TABLES
    ]
    for entry, changes in story:
        statements += write_steps(ladder_id, entry, changes)
    statements += [
        write_climber(ladder_id, climber, last_moved_at.get(climber.user, 0)) for climber in ladder.climbers.values()
    ]
    statements += write_challenges(ladder_id, {}, ladder.challenges)
    statements += write_games(ladder_id, {}, ladder.games)
    statements += write_meetings(ladder_id, {}, ladder.meetings)
    statements += [write_head(ladder_id, ladder, entry) for entry in _last_of_each_kind(entry for entry, _ in story)]
    await writer.run_batch(statements)
    if story:
        await set_next_tick(writer, ladder_id, story[-1][0].at)


def _last_of_each_kind(story: Iterable[LadderEntry]) -> list[LadderEntry]:
    """Returns the last entry of each kind, in order. The ladder's own row depends on no other entries."""
    return sorted({entry.kind: entry for entry in story}.values(), key=lambda entry: entry.seq)
