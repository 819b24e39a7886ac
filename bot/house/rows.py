"""The statements about games with house players."""

from __future__ import annotations

from typing import NamedTuple

from bot.core.events import EventKind
from bot.core.house_seats import MAX_HOUSE_ID, MIN_HOUSE_ID
from bot.store import Reader

MAX_WAITING_GAMES = 500
"""Games that are looked at at a time, of those that wait."""

_HOUSE_IDS = f"BETWEEN {MIN_HOUSE_ID} AND {MAX_HOUSE_ID}"
"""Whether a number is a house player's. In the words of the index."""

_PROMISED_SQL = (
    "(phase = 'open' AND '' <> coalesce((SELECT body FROM events WHERE events.match = id"
    f" AND kind = {EventKind.HOUSE_PROMISED.value} ORDER BY events.seq DESC LIMIT 1), ''))"
)
"""A condition: house players take the seats of that table that are empty in a while. The last word holds."""


class WaitingGame(NamedTuple):
    """A game in which a house player is to move."""

    match: int
    guild: int
    person: int
    """One of those who wait for it; who has left, is one no longer."""
    since: int


async def waiting_games(reader: Reader) -> list[WaitingGame]:
    """The games in which a house player is to move and people can be told of it, who waits longest first."""
    rows = await reader.run_sql(
        "SELECT id, guild, coalesce((SELECT min(user) FROM players WHERE match = id AND resigned = 0"
        f" AND user > {MAX_HOUSE_ID}), 0), moved_at FROM matches WHERE to_move {_HOUSE_IDS} AND {reader.reachable_sql}"
        " ORDER BY moved_at, id LIMIT ?",
        (MAX_WAITING_GAMES,),
    )
    return [WaitingGame(*row) for row in rows]


async def count_house_games(reader: Reader, guild: int, user: int | None = None) -> int:
    """How many games with house players a server has that are on or about to begin, or one person has there.

    Also the tables at which house players have not sat down yet, but will.
    """
    [count] = await reader.read_column(
        "SELECT count(*) FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        f" AND (EXISTS (SELECT 1 FROM players WHERE match = id AND user {_HOUSE_IDS} AND ended = 0) OR {_PROMISED_SQL})"
        " AND (:user IS NULL OR EXISTS (SELECT 1 FROM players WHERE match = id AND user = :user AND resigned = 0))",
        {"guild": guild, "user": user},
    )
    return int(count)
