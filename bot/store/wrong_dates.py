"""SQL about rows that a wrong clock dated in the future: they are dated now instead.

The caller rebuilds what is derived from the stories of matches.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.core import events as match_events
from bot.core.events import Event
from bot.store import Reader, Writer
from bot.store.absences import add_absence
from bot.store.connection import upsert_statement
from bot.store.database_tables import Table

_NOTES = (("ticked", "ticked;"), ("removed:", "removed;"))
"""Ranges of keys, the end excluded, of notes that say when something happened."""

_PART = 500
"""Matches whose stories one statement reads: some milliseconds."""

_OLD_DEADLINES = "deadlines"
"""Key of the note that absences have been cut and not all deadlines recomputed yet."""


async def unfinished_matches(reader: Reader) -> list[int]:
    """The open tables and live games of this worker."""
    return await reader.read_column(
        "SELECT id FROM matches INDEXED BY matches_unfinished"
        f" WHERE phase IN ('open', 'live'){reader.own_servers_sql()}"
    )


async def find_future_matches(reader: Reader, after: int) -> list[int]:
    """The matches of this worker with events later than `after`.

    Reads all stories, in portions so that other statements can run in between.
    """
    match_ids = list[int]()
    for [last] in await reader.run_sql("SELECT coalesce(max(id), 0) FROM matches"):
        for first in range(0, last, _PART):
            match_ids += await reader.read_column(
                "SELECT DISTINCT id FROM events JOIN matches ON id = match"
                f" WHERE id > ? AND id <= ? AND at > ?{reader.own_servers_sql()} ORDER BY id",
                (first, first + _PART, after),
            )
    return match_ids


async def date_match_back(writer: Writer, match_id: int, after: int, now: int) -> tuple[Event, ...]:
    """Dates events of the match that are later than `after` now. Returns the whole changed story."""
    story = await writer.load_events(match_id)
    changed = tuple(match_events.redate_event(event, now) if event.at > after else event for event in story)
    sql = "UPDATE events SET at = ?, body = ? WHERE match = ? AND seq = ?"
    pairs = zip(story, changed, strict=True)
    await writer.run_batch([(sql, (new.at, new.body, match_id, new.seq)) for old, new in pairs if new != old])
    return changed


async def set_match_dates(writer: Writer, match_id: int, moved_at: int, updated: int) -> None:
    """Notes when the last move of a match was made, and when anything last happened in it."""
    await writer.run_sql("UPDATE matches SET moved_at = ?, updated = ? WHERE id = ?", (moved_at, updated, match_id))


async def cut_absences(writer: Writer, after: int, now: int) -> int:
    """Ends absences now that end later than `after`, and moves vacations that start later to now. Returns their
    number."""
    ended = await writer.run_sql(
        "UPDATE absences SET until = ? WHERE until > ? AND since <= ? RETURNING 1", (now, after, after)
    )
    begun = await writer.run_sql("DELETE FROM absences WHERE since > ? RETURNING guild, until", (after,))
    for guild, until in begun:
        if until is None:
            await add_absence(writer, guild, now)
    planned = await writer.run_sql(
        "DELETE FROM vacations WHERE start > ? RETURNING user, start, vacations.end", (after,)
    )
    for user, start, end in planned:
        back = now + end - start
        await writer.run_sql(*upsert_statement("vacations", {"user": user, "start": now}, {"end": back}))
    if ended or begun or planned:
        await writer.set_meta(_OLD_DEADLINES, "1")
    return len(ended) + len(begun) + len(planned)


async def has_old_deadlines(reader: Reader) -> bool:
    """True if absences have been cut and not all deadlines recomputed since."""
    return await reader.get_meta(_OLD_DEADLINES) is not None


async def clear_old_deadlines(writer: Writer) -> None:
    """Notes that all deadlines have been recomputed."""
    await writer.set_meta(_OLD_DEADLINES, None)


async def cut_other_rows(writer: Writer, tables: Iterable[Table], after: int, now: int) -> int:
    """Dates the rows of these tables now that are dated later than `after`, and notes. Returns their number."""
    changed = 0
    for table in tables:
        if table.dated_by:
            sql = f"UPDATE {table.name} SET {table.dated_by} = ? WHERE {table.dated_by} > ? RETURNING 1"
            changed += len(await writer.run_sql(sql, (now, after)))
    for first, end in _NOTES:
        for key, value in await writer.run_sql("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (first, end)):
            if value.isdecimal() and int(value) > after:
                await writer.set_meta(key, str(now))
                changed += 1
    return changed
