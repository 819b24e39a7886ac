"""SQL about what the audit channel has been told of a match."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bot.core.events import EventKind
from bot.store import Reader, Writer


async def unaudited_since(reader: Reader, match_id: int, kinds: Iterable[EventKind]) -> int | None:
    """The last event reported to the audit channel; None if no event of these kinds follows it."""
    row = await reader.read_row(
        "SELECT audited FROM matches WHERE id = ? AND EXISTS (SELECT 1 FROM events WHERE match = id AND seq > audited"
        " AND kind IN (SELECT value FROM json_each(?)))",
        (match_id, json.dumps([kind.value for kind in kinds])),
    )
    return row[0] if row else None


async def mark_audited(writer: Writer, match_id: int, seq: int) -> None:
    """Notes that the audit channel has reports of everything up to an event."""
    await writer.run_sql("UPDATE matches SET audited = max(audited, ?) WHERE id = ?", (seq, match_id))
