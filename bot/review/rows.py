"""The statements about reviews, which are thought out once."""

from __future__ import annotations

from bot.store import Reader, Writer
from bot.store.connection import upsert_statement


async def load_review(reader: Reader, match_id: int, board: int) -> str | None:
    """The review of that match, if it is one of that version of its board."""
    row = await reader.read_row("SELECT review FROM reviews WHERE match = ? AND board = ?", (match_id, board))
    return row[0] if row else None


async def set_review(writer: Writer, match_id: int, board: int, text: str) -> None:
    """Notes it, in the place of one of an earlier board."""
    await writer.run_sql(*upsert_statement("reviews", {"match": match_id}, {"board": board, "review": text}))
