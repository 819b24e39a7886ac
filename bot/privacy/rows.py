"""The statements by which somebody is forgotten: in their place stands a number that is nobody's, the same everywhere.

One for each person, and no other's: else two who are forgotten would be one in what is computed from the stories.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.core.events import Event, anonymize_event
from bot.ladder.entries import EntryKind, LadderEntry, Score, format_score, parse_score
from bot.ladder.row_codec import LadderId, write_entry
from bot.ladder.rows import load_entries
from bot.store import Reader, Writer

_COUNT_KEY = "forgotten"
"""Where it is noted how many have been forgotten."""

_UNDER_WAY_PREFIX = "forgetting:"
"""How the keys of notes begin that say who is being forgotten: their values, by which number, and `note_rerated`."""

_UNDER_WAY_END = "forgetting;"
"""Comes after all of them in the order of keys."""

_MATCH_NOTE_PREFIXES = ("draft", "undone", "asks", "rematch")
"""How the keys of notes about a match begin: a move in the making, what annulling took back, buttons that are open, and
the table at which it is played again."""

UNSCRUBBED_KEY = "unscrubbed"
"""Where it is noted that the files still have something of somebody who has been forgotten."""

_NAMES_USER_SQL = (
    "(instr(',' || users || ',', ',' || :user || ',') > 0"
    f" OR kind = {EntryKind.FINISHED.value}"
    " AND instr(',' || replace(replace(body, ':', ','), ' ', ',') || ',', ',' || :user || ',') > 0)"
)
"""Whether an entry names a user: among its own, or in the score of a game that ended. No other's number will do."""


async def begin_forgetting(writer: Writer, user: int) -> int:
    """The number below 0, which has never stood for anybody else, that is to stand for a user from now on.

    That it is so stays noted until `forget_person`: whoever goes on after a crash gets the same number.
    """
    note = await writer.get_meta(f"{_UNDER_WAY_PREFIX}{user}")
    if note is None:
        count = int(await writer.get_meta(_COUNT_KEY) or 0) + 1
        await writer.set_meta(_COUNT_KEY, str(count))
        note = str(-count)
        await writer.set_meta(f"{_UNDER_WAY_PREFIX}{user}", note)
    return int(note.split()[0])


async def forgetting_under_way(reader: Reader) -> list[int]:
    """Those of whom not everything is forgotten yet."""
    keys = await reader.read_column(
        "SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", (_UNDER_WAY_PREFIX, _UNDER_WAY_END)
    )
    return [int(key.removeprefix(_UNDER_WAY_PREFIX)) for key in keys]


async def note_rerated(writer: Writer, guild: int, variant: str) -> None:
    """Notes that games of that server and variant were rated anew: half of them may name who is being forgotten."""
    await writer.run_sql(
        "UPDATE meta SET value = value || ? WHERE key >= ? AND key < ?",
        (f" {guild}:{variant}", _UNDER_WAY_PREFIX, _UNDER_WAY_END),
    )


async def is_over(reader: Reader, match_id: int) -> bool:
    """Whether nothing can happen in a match any more."""
    rows = await reader.run_sql("SELECT phase IN ('over', 'closed') FROM matches WHERE id = ?", (match_id,))
    return bool(rows[0][0])


async def delete_match(writer: Writer, match_id: int) -> None:
    """Strikes out a match with all that is told of it and derived from it. Its number is never given again."""
    by_match = (
        "ladder_games",
        "rating_changes",
        "shares",
        "results",
        "follows",
        "tables_called",
        "plans",
        "trees",
        "reviews",
        "puzzles_made",
        "daily_puzzles",
        "players",
        "events",
    )
    await writer.run_batch(
        [
            *((f"DELETE FROM {table} WHERE match = ?", (match_id,)) for table in by_match),
            ("DELETE FROM matches WHERE id = ?", (match_id,)),
            *(("DELETE FROM meta WHERE key = ?", (f"{kind}:{match_id}",)) for kind in _MATCH_NOTE_PREFIXES),
        ]
    )


async def forget_in_match(writer: Writer, match_id: int, user: int, stand_in: int) -> tuple[Event, ...]:
    """Puts `stand_in` in the place of a user in the whole story of a match, and in its derived rows.

    But for the result, which has to be noted anew. Returns the story as it is then; empty where they were not in it.
    """
    story = await writer.load_events(match_id)
    changed = tuple(anonymize_event(event, user, stand_in) for event in story)
    if changed == story:
        return ()
    sql = "UPDATE events SET user = ?, body = ? WHERE match = ? AND seq = ?"
    await writer.run_batch(
        [
            *(
                (sql, (after.user, after.body, match_id, after.seq))
                for before, after in zip(story, changed, strict=True)
                if after != before
            ),
            ("UPDATE players SET user = ? WHERE match = ? AND user = ?", (stand_in, match_id, user)),
            ("UPDATE matches SET to_move = ? WHERE id = ? AND to_move = ?", (stand_in, match_id, user)),
            ("UPDATE rating_changes SET user = ? WHERE match = ? AND user = ?", (stand_in, match_id, user)),
        ]
    )
    return changed


async def ladders_of(reader: Reader, user: int) -> list[LadderId]:
    """Every ladder in whose story a user is named. Reads all entries: for rare requests only."""
    rows = await reader.run_sql(
        f"SELECT DISTINCT guild, variant FROM ladder_entries WHERE {_NAMES_USER_SQL}",
        {"user": user},
    )
    return [LadderId(*row) for row in rows]


async def forget_in_ladder(writer: Writer, place: LadderId, user: int, stand_in: int) -> None:
    """Puts `stand_in` in the place of a user in the story of a ladder, whose rows are to be made anew then."""
    for entry in await load_entries(writer, place):
        changed = _without_user(entry, user, stand_in)
        if changed != entry:
            await writer.run_sql(
                "DELETE FROM ladder_entries WHERE guild = ? AND variant = ? AND seq = ?", (*place, entry.seq)
            )
            await writer.run_batch([write_entry(place, changed)])
    await writer.run_sql(
        "UPDATE climbers SET user = ? WHERE guild = ? AND variant = ? AND user = ?", (stand_in, *place, user)
    )


async def forget_person(writer: Writer, user: int, stand_in: int) -> list[LadderId]:
    """Deletes what a person has asked for, and what they follow; their ratings are nobody's, and all of it is over.

    Returns where games were rated anew meanwhile: it has to be done once more.
    """
    tables = (
        "preferences",
        "user_settings",
        "vacations",
        "follows",
        "members",
        "seekers",
        "plans",
        "trees",
        "puzzle_results",
    )
    _, *rerated = (await writer.get_meta(f"{_UNDER_WAY_PREFIX}{user}") or str(stand_in)).split()
    if rerated:  # half by one number, half by the other
        await writer.run_sql("DELETE FROM ratings WHERE user = ?", (stand_in,))
    await writer.run_batch(
        [
            *((f"DELETE FROM {table} WHERE user = ?", (user,)) for table in tables),
            ("UPDATE ratings SET user = ? WHERE user = ?", (stand_in, user)),
            ("DELETE FROM meta WHERE key = ?", (f"{_UNDER_WAY_PREFIX}{user}",)),
        ]
    )
    await writer.set_meta(UNSCRUBBED_KEY, "1")
    places = (place.partition(":") for place in dict.fromkeys(rerated))
    return [LadderId(int(guild), variant) for guild, _, variant in places]


async def ratings_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Somebody's ratings everywhere."""
    return await _export_rows(
        reader, "variant, mu, sigma, games, played_at", "ratings WHERE user = :user ORDER BY 1, 2", user
    )


async def memberships_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Since when somebody has been in each server in which they have climbed."""
    return await _export_rows(reader, "since", "members WHERE user = :user ORDER BY 1", user)


async def entries_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Everything in the stories of ladders that names somebody. Reads all entries, as above."""
    named = f"ladder_entries WHERE {_NAMES_USER_SQL} ORDER BY guild, variant, seq"
    rows = await _export_rows(reader, "variant, at, kind, matches, body", named, user)
    return [entry | {"kind": EntryKind(entry["kind"]).name.lower()} for entry in rows]


async def _export_rows(reader: Reader, columns: str, rows: str, user: int) -> list[dict[str, Any]]:
    """What those rows say of somebody, by server and column."""
    records = await reader.run_sql(f"SELECT guild, {columns} FROM {rows}", {"user": user})
    return [dict(zip(("server", *columns.split(", ")), row, strict=True)) for row in records]


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
