"""The statements by which somebody is forgotten: in their place stands a number that is nobody's, the same everywhere.

One for each person, and no other's: else two who are forgotten would be one in what is computed from the stories.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.ladder.entries import Entry, EntryKind, Score, format_score, parse_score
from bot.match.events import Event, anonymous
from bot.store import Reader, Writer
from bot.store.ladder import entries
from bot.store.ladder_rows import LadderId, write_entry

_COUNT = "forgotten"
"""Where it is noted how many have been forgotten."""

_UNDER_WAY = "forgetting:"
"""How the keys of notes begin that say who is being forgotten: their values, by which number, and `note_rerated`."""

_AFTER = "forgetting;"
"""Comes after all of them in the order of keys."""

_NOTES = ("draft", "undone", "asks", "rematch")
"""How the keys of notes about a match begin: a move in the making, what annulling took back, buttons that are open, and
the table at which it is played again."""

UNSCRUBBED = "unscrubbed"
"""Where it is noted that the files still have something of somebody who has been forgotten."""

_NAMED = (
    "(instr(',' || users || ',', ',' || :user || ',') > 0"
    f" OR kind = {EntryKind.FINISHED.value}"
    " AND instr(',' || replace(replace(body, ':', ','), ' ', ',') || ',', ',' || :user || ',') > 0)"
)
"""Whether an entry names a user: among its own, or in the score of a game that ended. No other's number will do."""


async def begin(writer: Writer, user: int) -> int:
    """The number below 0, which has never stood for anybody else, that is to stand for a user from now on.

    That it is so stays noted until `forget_person`: whoever goes on after a crash gets the same number.
    """
    noted = await writer.meta(f"{_UNDER_WAY}{user}")
    if noted is None:
        count = int(await writer.meta(_COUNT) or 0) + 1
        await writer.set_meta(_COUNT, str(count))
        noted = str(-count)
        await writer.set_meta(f"{_UNDER_WAY}{user}", noted)
    return int(noted.split()[0])


async def under_way(reader: Reader) -> list[int]:
    """Those of whom not everything is forgotten yet."""
    keys = await reader.column("SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key", (_UNDER_WAY, _AFTER))
    return [int(key.removeprefix(_UNDER_WAY)) for key in keys]


async def note_rerated(writer: Writer, guild: int, variant: str) -> None:
    """Notes that games of that server and variant were rated anew: half of them may name who is being forgotten."""
    await writer.run(
        "UPDATE meta SET value = value || ? WHERE key >= ? AND key < ?", (f" {guild}:{variant}", _UNDER_WAY, _AFTER)
    )


async def is_over(reader: Reader, match_id: int) -> bool:
    """Whether nothing can happen in a match any more."""
    rows = await reader.run("SELECT phase IN ('over', 'closed') FROM matches WHERE id = ?", (match_id,))
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
    await writer.write(
        [
            *((f"DELETE FROM {table} WHERE match = ?", (match_id,)) for table in by_match),
            ("DELETE FROM matches WHERE id = ?", (match_id,)),
            *(("DELETE FROM meta WHERE key = ?", (f"{kind}:{match_id}",)) for kind in _NOTES),
        ]
    )


async def forget_in_match(writer: Writer, match_id: int, user: int, former: int) -> tuple[Event, ...]:
    """Puts `former` in the place of a user in the whole story of a match, and in its derived rows.

    But for the result, which has to be noted anew. Returns the story as it is then; empty where they were not in it.
    """
    story = await writer.events(match_id)
    changed = tuple(anonymous(event, user, former) for event in story)
    if changed == story:
        return ()
    sql = "UPDATE events SET user = ?, body = ? WHERE match = ? AND seq = ?"
    await writer.write(
        [
            *(
                (sql, (after.user, after.body, match_id, after.seq))
                for before, after in zip(story, changed, strict=True)
                if after != before
            ),
            ("UPDATE players SET user = ? WHERE match = ? AND user = ?", (former, match_id, user)),
            ("UPDATE matches SET to_move = ? WHERE id = ? AND to_move = ?", (former, match_id, user)),
            ("UPDATE rating_changes SET user = ? WHERE match = ? AND user = ?", (former, match_id, user)),
        ]
    )
    return changed


async def ladders_of(reader: Reader, user: int) -> list[LadderId]:
    """Every ladder in whose story a user is named. Reads all entries: for rare requests only."""
    rows = await reader.run(
        f"SELECT DISTINCT guild, variant FROM ladder_entries WHERE {_NAMED}",
        {"user": user},
    )
    return [LadderId(*row) for row in rows]


async def forget_in_ladder(writer: Writer, place: LadderId, user: int, former: int) -> None:
    """Puts `former` in the place of a user in the story of a ladder, whose rows are to be made anew then."""
    for entry in await entries(writer, place):
        changed = _without(entry, user, former)
        if changed != entry:
            await writer.run(
                "DELETE FROM ladder_entries WHERE guild = ? AND variant = ? AND seq = ?", (*place, entry.seq)
            )
            await writer.write([write_entry(place, changed)])
    await writer.run(
        "UPDATE climbers SET user = ? WHERE guild = ? AND variant = ? AND user = ?", (former, *place, user)
    )


async def forget_person(writer: Writer, user: int, former: int) -> list[LadderId]:
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
    _, *rerated = (await writer.meta(f"{_UNDER_WAY}{user}") or str(former)).split()
    if rerated:  # half by one number, half by the other
        await writer.run("DELETE FROM ratings WHERE user = ?", (former,))
    await writer.write(
        [
            *((f"DELETE FROM {table} WHERE user = ?", (user,)) for table in tables),
            ("UPDATE ratings SET user = ? WHERE user = ?", (former, user)),
            ("DELETE FROM meta WHERE key = ?", (f"{_UNDER_WAY}{user}",)),
        ]
    )
    await writer.set_meta(UNSCRUBBED, "1")
    places = (place.partition(":") for place in dict.fromkeys(rerated))
    return [LadderId(int(guild), variant) for guild, _, variant in places]


async def ratings_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Somebody's ratings everywhere."""
    return await _told(reader, "variant, mu, sigma, games, played_at", "ratings WHERE user = :user ORDER BY 1, 2", user)


async def memberships_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Since when somebody has been in each server in which they have climbed."""
    return await _told(reader, "since", "members WHERE user = :user ORDER BY 1", user)


async def entries_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """Everything in the stories of ladders that names somebody. Reads all entries, as above."""
    named = f"ladder_entries WHERE {_NAMED} ORDER BY guild, variant, seq"
    told = await _told(reader, "variant, at, kind, matches, body", named, user)
    return [entry | {"kind": EntryKind(entry["kind"]).name.lower()} for entry in told]


async def _told(reader: Reader, columns: str, rows: str, user: int) -> list[dict[str, Any]]:
    """What those rows say of somebody, by server and column."""
    found = await reader.run(f"SELECT guild, {columns} FROM {rows}", {"user": user})
    return [dict(zip(("server", *columns.split(", ")), row, strict=True)) for row in found]


def _without(entry: Entry, user: int, former: int) -> Entry:
    def users(named: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(former if one == user else one for one in named)

    if entry.kind is EntryKind.FINISHED:
        score = parse_score(entry.body)
        changed = Score(users(score.won), users(score.drew), users(score.lost), users(score.late))
        return replace(entry, users=users(entry.users), body=format_score(changed))
    return replace(entry, users=users(entry.users))
