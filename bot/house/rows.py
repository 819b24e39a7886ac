"""SQL about games with house players."""

from __future__ import annotations

from typing import NamedTuple

from bot.core.events import EventKind
from bot.core.house_seats import MAX_HOUSE_ID, MIN_HOUSE_ID
from bot.store import Reader

MAX_WAITING_GAMES = 500
"""Most waiting games that one call returns."""

_HOUSE_IDS = f"BETWEEN {MIN_HOUSE_ID} AND {MAX_HOUSE_ID}"
"""A condition: the number is a house player's. Worded exactly as in the index, so that the index is used."""

_PROMISED_SQL = (
    "(phase = 'open' AND '' <> coalesce((SELECT body FROM events WHERE events.match = id"
    f" AND kind = {EventKind.HOUSE_PROMISED.value} ORDER BY events.seq DESC LIMIT 1), ''))"
)
"""A condition: house players will take the table's empty seats after a while. The last such event counts."""


class WaitingGame(NamedTuple):
    """A game in which a house player is to move."""

    match: int
    guild: int
    person: int
    """A person who waits for the move, among those who have not resigned; 0 if none."""
    since: int


async def waiting_games(reader: Reader) -> list[WaitingGame]:
    """The games in which a house player is to move and the server can be reached, the longest waiting first."""
    rows = await reader.run_sql(
        "SELECT id, guild, coalesce((SELECT min(user) FROM players WHERE match = id AND resigned = 0"
        f" AND user > {MAX_HOUSE_ID}), 0), moved_at FROM matches WHERE to_move {_HOUSE_IDS} AND {reader.reachable_sql}"
        " ORDER BY moved_at, id LIMIT ?",
        (MAX_WAITING_GAMES,),
    )
    return [WaitingGame(*row) for row in rows]


async def count_house_games(reader: Reader, guild: int, user: int | None = None) -> int:
    """The number of open and live games with house players in a server, or of one person there.

    Includes tables at which house players will sit down later.
    """
    [count] = await reader.read_column(
        "SELECT count(*) FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        f" AND (EXISTS (SELECT 1 FROM players WHERE match = id AND user {_HOUSE_IDS} AND ended = 0) OR {_PROMISED_SQL})"
        " AND (:user IS NULL OR EXISTS (SELECT 1 FROM players WHERE match = id AND user = :user AND resigned = 0))",
        {"guild": guild, "user": user},
    )
    return int(count)
