"""The statements for those who watch over a server. They take the reader or writer whose connection they use."""

from __future__ import annotations

import json
from collections.abc import Iterable

from bot.events import Kind
from bot.settings import GuildSettings
from bot.store import MOST_SUMMARIES, Reader, Summary, Writer
from bot.store.people import GUILD_SETTINGS, read_guild_settings


async def games_at(reader: Reader, guild: int, *, live: bool) -> list[Summary]:
    """The started games of a server, all or only those that are on: those first, the latest move first in each."""
    rows = await reader.run(
        "SELECT id FROM matches WHERE guild = :guild AND (phase = 'live' OR phase = 'over' AND NOT :live)"
        " ORDER BY phase = 'live' DESC, moved_at DESC, id DESC LIMIT :most",
        {"guild": guild, "live": live, "most": MOST_SUMMARIES},
    )
    return await reader.summaries([match_id for (match_id,) in rows])


async def started(reader: Reader, guild: int, match_ids: Iterable[int]) -> list[Summary]:
    """Those of the matches that have started in that server, in order of their numbers."""
    rows = await reader.run(
        "SELECT id FROM matches WHERE guild = ? AND phase IN ('live', 'over')"
        " AND id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?",
        (guild, json.dumps(list(match_ids)), MOST_SUMMARIES),
    )
    return await reader.summaries([match_id for (match_id,) in rows])


async def played_in(reader: Reader, guild: int, place: int) -> list[int]:
    """The open tables and live games whose channel or thread that is."""
    rows = await reader.run(
        "SELECT id FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        " AND (channel = :place OR thread = :place) ORDER BY id",
        {"guild": guild, "place": place},
    )
    return [match_id for (match_id,) in rows]


async def unaudited_since(reader: Reader, match_id: int, kinds: Iterable[Kind]) -> int | None:
    """The last event that the audit channel has been told of, if there are events of these kinds behind it."""
    rows = await reader.run(
        "SELECT audited FROM matches WHERE id = ? AND EXISTS (SELECT 1 FROM events WHERE match = id AND seq > audited"
        " AND kind IN (SELECT value FROM json_each(?)))",
        (match_id, json.dumps([kind.value for kind in kinds])),
    )
    return int(rows[0][0]) if rows else None


async def mark_audited(writer: Writer, match_id: int, seq: int) -> None:
    """Notes that the audit channel has been told of everything up to that event."""
    await writer.run("UPDATE matches SET audited = max(audited, ?) WHERE id = ?", (seq, match_id))


async def all_guild_settings(reader: Reader) -> dict[int, GuildSettings]:
    """What has been asked for, by server; those where nothing has are left out."""
    rows = await reader.run(f"SELECT guild, {GUILD_SETTINGS} FROM guild_settings")  # noqa: S608 - names of ours
    return {guild: read_guild_settings(row) for guild, *row in rows}
