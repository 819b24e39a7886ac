"""SQL that forgets a person: replaces their user id everywhere by one number that belongs to nobody.

Each forgotten person gets a number of their own. Otherwise the results computed from the stories would merge two
people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.core.events import replace_number
from bot.store import Reader, Writer
from bot.store.database_tables import Table, statements_to_forget_person
from bot.store.forgetting import end_forgetting

UNSCRUBBED_KEY = "unscrubbed"
"""Key of the note that the database files may still contain traces of a forgotten person."""


async def is_over(reader: Reader, match_id: int) -> bool:
    """True if nothing can happen in the match any more."""
    rows = await reader.run_sql("SELECT phase IN ('over', 'closed') FROM matches WHERE id = ?", (match_id,))
    return bool(rows[0][0])


async def forget_in_match(writer: Writer, match_id: int, user: int, stand_in: int) -> bool:
    """Replaces a user by `stand_in` in all events of a match and in its derived rows, except those of its result.

    The caller must store the result again, or call `forget_in_result`. Returns False if the user was not in the match.
    Works on the stored text, so that it also forgets people in matches that this version cannot read.
    """
    events = await writer.run_sql("SELECT user, body, seq FROM events WHERE match = ?", (match_id,))
    changed = [
        (stand_in if named == user else named, replace_number(body, user, stand_in), seq) for named, body, seq in events
    ]
    updates = [
        (*after[:2], match_id, after[2])
        for before, after in zip(events, changed, strict=True)
        if after != tuple(before)
    ]
    if not updates:
        return False
    sql = "UPDATE events SET user = ?, body = ? WHERE match = ? AND seq = ?"
    await writer.run_batch(
        [
            *((sql, values) for values in updates),
            ("UPDATE players SET user = ? WHERE match = ? AND user = ?", (stand_in, match_id, user)),
            ("UPDATE matches SET to_move = ? WHERE id = ? AND to_move = ?", (stand_in, match_id, user)),
            ("UPDATE rating_changes SET user = ? WHERE match = ? AND user = ?", (stand_in, match_id, user)),
        ]
    )
    return True


async def forget_in_result(writer: Writer, match_id: int, user: int, stand_in: int) -> None:
    """Replaces a user by `stand_in` in the stored result of a match whose events cannot be read."""
    columns = ("players", "winners", "leavers", "substitutes", "company")
    row = await writer.read_row(f"SELECT {', '.join(columns)} FROM results WHERE match = ?", (match_id,))
    if row is None:
        return
    values = [replace_number(value, user, stand_in) for value in row]
    assignments = ", ".join(f"{column} = ?" for column in columns)
    await writer.run_batch(
        [
            (f"UPDATE results SET {assignments} WHERE match = ?", (*values, match_id)),
            ("UPDATE shares SET user = ? WHERE match = ? AND user = ?", (stand_in, match_id, user)),
        ]
    )


async def export_unreadable(reader: Reader, match_id: int, user: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns what is stored of a match that this version cannot read, and the user's events in it as they are."""
    [(guild, variant, phase)] = await reader.run_sql(
        "SELECT guild, variant, phase FROM matches WHERE id = ?", (match_id,)
    )
    events = await reader.run_sql(
        "SELECT seq, at, kind, body FROM events WHERE match = ? AND user = ? ORDER BY seq", (match_id, user)
    )
    game = {"match": match_id, "server": str(guild), "variant": variant, "colour": None, "phase": phase, "record": None}
    return game, [
        {"match": match_id, "seq": seq, "at": at, "kind": str(kind), "body": body} for seq, at, kind, body in events
    ]


async def forget_person(writer: Writer, user: int, stand_in: int, tables: Sequence[Table]) -> list[tuple[int, str]]:
    """Deletes what is the person's alone, gives their ratings to the stand-in, and ends the forgetting.

    Returns server and variant of games rated in the meantime: the caller must rerate those once more.
    """
    rerated = await end_forgetting(writer, user)
    # A game that ended in the meantime has rated the stand-in like a newcomer.
    rated = await writer.run_sql("SELECT guild, variant FROM ratings WHERE user = ? ORDER BY 1, 2", (stand_in,))
    rerated = list(dict.fromkeys([*rerated, *map(tuple, rated)]))
    if rerated:  # part under the user, part under the stand-in
        await writer.run_sql("DELETE FROM ratings WHERE user = ?", (stand_in,))
    await writer.run_batch(
        [
            *statements_to_forget_person(tables, user),
            ("UPDATE ratings SET user = ? WHERE user = ?", (stand_in, user)),
        ]
    )
    await writer.set_meta(UNSCRUBBED_KEY, "1")
    return rerated
