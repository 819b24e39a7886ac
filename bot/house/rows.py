"""SQL about games that wait for house players."""

from __future__ import annotations

from typing import NamedTuple

from bot.core.house_seats import MAX_HOUSE_ID
from bot.store import Reader
from bot.store.game_lists import HOUSE_IDS_SQL
from bot.store.matches import REACHABLE_SQL

MAX_WAITING_GAMES = 500
"""Most waiting games that one call returns."""


class WaitingGame(NamedTuple):
    """A game in which a house player is to move."""

    match: int
    guild: int
    person: int
    """A person who waits for the move and has not resigned; 0 if there is none."""
    since: int


async def waiting_games(reader: Reader) -> list[WaitingGame]:
    """The games in which a house player is to move and the server can be reached, the longest waiting first."""
    rows = await reader.run_sql(
        "SELECT id, guild, coalesce((SELECT min(user) FROM players WHERE match = id AND resigned = 0"
        f" AND user > {MAX_HOUSE_ID}), 0), moved_at FROM matches WHERE to_move {HOUSE_IDS_SQL}"
        f" AND {REACHABLE_SQL} ORDER BY moved_at, id LIMIT ?",
        (MAX_WAITING_GAMES,),
    )
    return [WaitingGame(*row) for row in rows]
