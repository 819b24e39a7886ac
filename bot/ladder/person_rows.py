"""SQL about one person in the entries of ladders: finds the entries that name them, and replaces them there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.ladder.rows import load_entries, replace_entry
from bot.ladder.state import EntryKind, LadderEntry, LadderId, Score, format_score, parse_score
from bot.store import Reader, Writer
from bot.store.people import export_rows

_NAMES_USER_SQL = (
    "(instr(',' || users || ',', ',' || :user || ',') > 0"
    f" OR kind = {EntryKind.FINISHED.value}"
    " AND instr(',' || replace(replace(body, ':', ','), ' ', ',') || ',', ',' || :user || ',') > 0)"
)
"""A condition: the entry names the user, as one of its users or in the score of a finished game. Only whole numbers
match."""


async def ladders_of(reader: Reader, user: int) -> list[LadderId]:
    """Returns the ladders whose entries name a user. Slow, because it reads all entries."""
    rows = await reader.run_sql(
        f"SELECT DISTINCT guild, variant FROM ladder_entries WHERE {_NAMES_USER_SQL}",
        {"user": user},
    )
    return [LadderId(*row) for row in rows]


async def forget_in_ladder(writer: Writer, ladder_id: LadderId, user: int, stand_in: int) -> None:
    """Replaces a user by `stand_in` in the entries of a ladder. The caller must then rebuild the ladder's rows."""
    for entry in await load_entries(writer, ladder_id):
        changed = _without_user(entry, user, stand_in)
        if changed != entry:
            await replace_entry(writer, ladder_id, changed)
    await writer.run_sql(
        "UPDATE climbers SET user = ? WHERE guild = ? AND variant = ? AND user = ?", (stand_in, *ladder_id, user)
    )


async def entries_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Returns all ladder entries that name a user. Slow, because it reads all entries."""
    named = f"ladder_entries WHERE {_NAMES_USER_SQL} ORDER BY guild, variant, seq"
    rows = await export_rows(reader, "variant, at, kind, matches, body", named, user)
    return [entry | {"kind": EntryKind(entry["kind"]).name.lower()} for entry in rows]


def _without_user(entry: LadderEntry, user: int, stand_in: int) -> LadderEntry:
    def replace_user(named: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(stand_in if member == user else member for member in named)

    if entry.kind is EntryKind.FINISHED:
        score = parse_score(entry.body)
        changed = Score(
            replace_user(score.won), replace_user(score.drew), replace_user(score.lost), replace_user(score.late)
        )
        return replace(entry, users=replace_user(entry.users), body=format_score(changed))
    return replace(entry, users=replace_user(entry.users))
