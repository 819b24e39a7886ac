"""SQL that redates rows from the future, where a wrong clock has put them, to now.

The caller rebuilds the rows that are derived from the events of matches.
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
"""Ranges of the keys of notes that say when something happened. The end is excluded."""

_PART = 500
"""The matches whose events one statement reads, which takes some milliseconds."""

_OLD_DEADLINES = "deadlines"
"""The key of the note that absences have been cut, but not all deadlines have been recomputed yet."""


async def unfinished_matches(reader: Reader) -> list[int]:
    """Returns the open tables and live games of this worker."""
    return await reader.read_column(
        "SELECT id FROM matches INDEXED BY matches_unfinished"
        f" WHERE phase IN ('open', 'live'){reader.own_servers_sql()}"
    )


async def find_future_matches(reader: Reader, after: int) -> list[int]:
    """Returns the matches of this worker with events later than `after`.

    Reads the events of all matches, in portions, so that other statements can run in between.
    """
    match_ids = list[int]()
    for [last] in await reader.run_sql("SELECT max(id) FROM matches"):
        for first in range(0, last or 0, _PART):
            match_ids += await reader.read_column(
                "SELECT DISTINCT id FROM events JOIN matches ON id = match"
                f" WHERE id > ? AND id <= ? AND at > ?{reader.own_servers_sql()} ORDER BY id",
                (first, first + _PART, after),
            )
    return match_ids


async def date_match_back(writer: Writer, match_id: int, after: int, now: int) -> tuple[Event, ...]:
    """Redates events of the match later than `after` to `now`. Returns all events of the changed match."""
    story = await writer.load_events(match_id)
    changed = tuple(match_events.redate_event(event, now) if event.at > after else event for event in story)
    sql = "UPDATE events SET at = ?, body = ? WHERE match = ? AND seq = ?"
    pairs = zip(story, changed, strict=True)
    await writer.run_batch([(sql, (new.at, new.body, match_id, new.seq)) for old, new in pairs if new != old])
    return changed


async def set_match_dates(writer: Writer, match_id: int, moved_at: int, updated: int) -> None:
    """Notes the times of the last move and of the last event of a match."""
    await writer.run_sql("UPDATE matches SET moved_at = ?, updated = ? WHERE id = ?", (moved_at, updated, match_id))


async def cut_absences(writer: Writer, after: int, now: int) -> int:
    """Corrects absences and vacations with times later than `after`, and returns their number.

    An absence that ends later ends now. One that starts later is deleted or, if it still lasts, starts now. A vacation
    that starts later starts now, and keeps its length.
    """
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
    """True if absences have been cut, and not all deadlines have been recomputed since."""
    return await reader.get_meta(_OLD_DEADLINES) is not None


async def clear_old_deadlines(writer: Writer) -> None:
    """Notes that all deadlines have been recomputed."""
    await writer.set_meta(_OLD_DEADLINES, None)


async def cut_other_rows(writer: Writer, tables: Iterable[Table], after: int, now: int) -> int:
    """Redates rows of these tables, and notes, that are later than `after` to `now`. Returns their number."""
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
