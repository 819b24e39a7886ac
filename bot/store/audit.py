"""SQL about the events of a match that have been reported to the audit channel."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bot.core.events import EventKind
from bot.store import Reader, Writer


async def unaudited_since(reader: Reader, match_id: int, kinds: Iterable[EventKind]) -> int | None:
    """Returns the number of the last event reported to the audit channel; None if no event of these kinds follows."""
    row = await reader.read_row(
        "SELECT audited FROM matches WHERE id = ? AND EXISTS (SELECT 1 FROM events WHERE match = id AND seq > audited"
        " AND kind IN (SELECT value FROM json_each(?)))",
        (match_id, json.dumps([kind.value for kind in kinds])),
    )
    return row[0] if row else None


async def mark_audited(writer: Writer, match_id: int, seq: int) -> None:
    """Notes that everything up to an event has been reported to the audit channel."""
    await writer.run_sql("UPDATE matches SET audited = max(audited, ?) WHERE id = ?", (seq, match_id))
