"""SQL about reviews, which are computed once."""

from __future__ import annotations

from bot.store import Reader, Writer
from bot.store.connection import upsert_statement


async def load_review(reader: Reader, match_id: int, board: int) -> str | None:
    """Returns the review of a match; None if there is none for this version of the board."""
    row = await reader.read_row("SELECT review FROM reviews WHERE match = ? AND board = ?", (match_id, board))
    return row[0] if row else None


async def set_review(writer: Writer, match_id: int, board: int, text: str) -> None:
    """Stores the review of a match, replacing one for an earlier version of the board."""
    await writer.run_sql(*upsert_statement("reviews", {"match": match_id}, {"board": board, "review": text}))
