"""SQL to find what is stored about a person: for exports, and to forget them."""

from __future__ import annotations

from typing import Any

from bot.store import Reader

MATCHES_PER_SEARCH = 500
"""The matches whose events one statement reads, which takes some hundredths of a second."""


async def matches_naming(reader: Reader, user: int) -> list[int]:
    """Returns every match whose events may name the user. Reads all events, in portions, so that other statements can
    run in between."""
    [(last,)] = await reader.run_sql("SELECT max(match) FROM events")
    match_ids: list[int] = []
    for first in range(1, (last or 0) + 1, MATCHES_PER_SEARCH):
        match_ids += await reader.read_column(
            "SELECT DISTINCT match FROM events WHERE match >= :first AND match < :first + :part"
            " AND (user = :user OR instr(body, CAST(:user AS TEXT)) > 0) ORDER BY match",
            {"user": user, "first": first, "part": MATCHES_PER_SEARCH},
        )
    return match_ids


async def export_rows(reader: Reader, columns: str, rows: str, user: int) -> list[dict[str, Any]]:
    """Returns the rows about a user as dictionaries, with server and columns as keys."""
    records = await reader.run_sql(f"SELECT guild, {columns} FROM {rows}", {"user": user})
    return [dict(zip(("server", *columns.split(", ")), row, strict=True)) for row in records]
