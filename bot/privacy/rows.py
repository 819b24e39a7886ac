"""SQL that forgets a person: replaces their user id everywhere by one number that belongs to nobody.

Each forgotten person gets a number of their own. Otherwise the results computed from the stories would merge two
people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.core.events import Event, anonymize_event
from bot.store import Reader, Writer
from bot.store.forgetting import end_forgetting
from bot.store.people import export_rows
from bot.store.tables import Table, statements_to_forget_person

UNSCRUBBED_KEY = "unscrubbed"
"""Key of the note that the database files may still contain traces of a forgotten person."""


async def is_over(reader: Reader, match_id: int) -> bool:
    """True if nothing can happen in the match any more."""
    rows = await reader.run_sql("SELECT phase IN ('over', 'closed') FROM matches WHERE id = ?", (match_id,))
    return bool(rows[0][0])


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


async def forget_person(writer: Writer, user: int, stand_in: int, tables: Sequence[Table]) -> list[tuple[int, str]]:
    """Deletes what is the person's alone, gives their ratings to the stand-in, and ends the forgetting.

    Returns server and variant of games rerated in the meantime: the caller must rerate those once more.
    """
    rerated = await end_forgetting(writer, user)
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


async def ratings_of(reader: Reader, user: int) -> list[dict[str, Any]]:
    """A user's ratings in all servers."""
    return await export_rows(
        reader, "variant, mu, sigma, games, played_at", "ratings WHERE user = :user ORDER BY 1, 2", user
    )
