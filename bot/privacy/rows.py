"""SQL that forgets a person: replaces their user id everywhere by one number that belongs to nobody.

Each forgotten person gets a number of their own. Otherwise the results computed from the stories would merge two
people.
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
"""Key of the note how many people have been forgotten."""

_UNDER_WAY_PREFIX = "forgetting:"
"""Key prefix of the notes about people being forgotten. The value is the stand-in number, then what `note_rerated`
adds."""

_UNDER_WAY_END = "forgetting;"
"""Sorts after all keys with that prefix."""

_MATCH_NOTE_PREFIXES = ("draft", "undone", "asks", "rematch")
"""Key prefixes of the notes about a match: a draft, what annulling took back, open confirmation buttons, and the
rematch's
table."""

UNSCRUBBED_KEY = "unscrubbed"
"""Key of the note that the database files may still contain traces of a forgotten person."""

_NAMES_USER_SQL = (
    "(instr(',' || users || ',', ',' || :user || ',') > 0"
    f" OR kind = {EntryKind.FINISHED.value}"
    " AND instr(',' || replace(replace(body, ':', ','), ' ', ',') || ',', ',' || :user || ',') > 0)"
)
"""A condition: the entry names the user, among its users or in the score of a finished game. Matches whole numbers
only."""


async def begin_forgetting(writer: Writer, user: int) -> int:
    """Returns the number below 0 that stands for the user from now on, and has never stood for anybody else.

    The number stays noted until `forget_person`, so a run that resumes after a crash gets the same one.
    """
    note = await writer.get_meta(f"{_UNDER_WAY_PREFIX}{user}")
    if note is None:
        count = int(await writer.get_meta(_COUNT_KEY) or 0) + 1
        await writer.set_meta(_COUNT_KEY, str(count))
        note = str(-count)
        await writer.set_meta(f"{_UNDER_WAY_PREFIX}{user}", note)
    return int(note.split()[0])


async def forgetting_under_way(reader: Reader) -> list[int]:
    """The users whose forgetting has begun and is not complete."""
    keys = await reader.read_column(
        "SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", (_UNDER_WAY_PREFIX, _UNDER_WAY_END)
    )
    return [int(key.removeprefix(_UNDER_WAY_PREFIX)) for key in keys]


async def note_rerated(writer: Writer, guild: int, variant: str) -> None:
    """Notes that games of a server and variant were rerated: part of them may still name a person being forgotten."""
    await writer.run_sql(
        "UPDATE meta SET value = value || ? WHERE key >= ? AND key < ?",
        (f" {guild}:{variant}", _UNDER_WAY_PREFIX, _UNDER_WAY_END),
    )


async def is_over(reader: Reader, match_id: int) -> bool:
    """True if nothing can happen in the match any more."""
    rows = await reader.run_sql("SELECT phase IN ('over', 'closed') FROM matches WHERE id = ?", (match_id,))
    return bool(rows[0][0])


async def delete_match(writer: Writer, match_id: int) -> None:
    """Deletes a match with its story and everything derived from it. Its number is never given again."""
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
    """Replaces a user by `stand_in` in the whole story of a match and in its derived rows.

    The caller must store the result again. Returns the changed story; empty if the user was not in it.
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
    """The ladders whose entries name a user. Reads all entries: for rare requests only."""
    rows = await reader.run_sql(
        f"SELECT DISTINCT guild, variant FROM ladder_entries WHERE {_NAMES_USER_SQL}",
        {"user": user},
    )
    return [LadderId(*row) for row in rows]


async def forget_in_ladder(writer: Writer, place: LadderId, user: int, stand_in: int) -> None:
    """Replaces a user by `stand_in` in the entries of a ladder. The caller must then rebuild the ladder's rows."""
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
    """Deletes a person's settings and follows, gives their ratings to the stand-in, and ends the forgetting.

    Returns the ladders whose games were rerated in the meantime: the caller must rerate those once more.
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
    if rerated:  # part under the user, part under the stand-in
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
    """A user's ratings in all servers."""
    return await _export_rows(
        reader, "variant, mu, sigma, games, played_at", "ratings WHERE user = :user ORDER BY 1, 2", user
    )


async def memberships_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Since when a user has been a member, for each server on whose ladder they have climbed."""
    return await _export_rows(reader, "since", "members WHERE user = :user ORDER BY 1", user)


async def entries_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """All ladder entries that name a user. Reads all entries: for rare requests only."""
    named = f"ladder_entries WHERE {_NAMES_USER_SQL} ORDER BY guild, variant, seq"
    rows = await _export_rows(reader, "variant, at, kind, matches, body", named, user)
    return [entry | {"kind": EntryKind(entry["kind"]).name.lower()} for entry in rows]


async def _export_rows(reader: Reader, columns: str, rows: str, user: int) -> list[dict[str, Any]]:
    """The rows about a user as dictionaries, keyed by server and column."""
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
