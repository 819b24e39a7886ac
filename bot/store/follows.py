"""SQL about the people who follow games."""

from __future__ import annotations

from typing import NamedTuple

from bot.store import Reader, Writer
from bot.store.connection import upsert_statement


class Follow(NamedTuple):
    """A person who follows a match, and whether they want to hear of every move."""

    match: int
    user: int
    every_move: bool


async def followers_of(reader: Reader, match_id: int) -> tuple[Follow, ...]:
    """Returns the followers of a match."""
    rows = await reader.run_sql(
        "SELECT match, user, every_move FROM follows WHERE match = ? ORDER BY user", (match_id,)
    )
    return tuple(Follow(match, user, bool(every)) for match, user, every in rows)


async def follows_of(reader: Reader, user: int) -> tuple[Follow, ...]:
    """Returns the matches a person follows."""
    rows = await reader.run_sql("SELECT match, user, every_move FROM follows WHERE user = ? ORDER BY match", (user,))
    return tuple(Follow(match, follower, bool(every)) for match, follower, every in rows)


async def set_follow(writer: Writer, follow: Follow) -> None:
    """Stores a follower."""
    key = {"match": follow.match, "user": follow.user}
    await writer.run_sql(*upsert_statement("follows", key, {"every_move": follow.every_move}))


async def end_follow(writer: Writer, match_id: int, user: int) -> bool:
    """Removes a follower. Returns False if there was none."""
    rows = await writer.run_sql("DELETE FROM follows WHERE match = ? AND user = ? RETURNING match", (match_id, user))
    return bool(rows)
