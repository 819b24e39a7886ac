"""SQL about the games and tables in which a person sits, which servers limit."""

from __future__ import annotations

from bot.core.events import EventKind
from bot.core.house_seats import MAX_HOUSE_ID, MIN_HOUSE_ID
from bot.store import Reader

HOUSE_IDS_SQL = f"BETWEEN {MIN_HOUSE_ID} AND {MAX_HOUSE_ID}"
"""A condition: the number is a house player's. It is spelled exactly as in the index, so that the index is used."""


_HOUSE_PROMISED_SQL = (
    "(phase = 'open' AND '' <> coalesce((SELECT body FROM events WHERE events.match = id"
    f" AND kind = {EventKind.HOUSE_PROMISED.value} ORDER BY events.seq DESC LIMIT 1), ''))"
)
"""A condition: house players will take the table's empty seats later. The last event about that decides."""


_UNFINISHED_SEAT_SQL = "user = :user AND ended = 0"
"""A condition of `players`. Each match is then looked up by its id alone: in a join, PostgreSQL could begin with all
unfinished matches."""


async def count_house_games(reader: Reader, guild: int, user: int | None = None) -> int:
    """Returns the number of open and live games with house players in a server, or those of one person there.

    Includes tables at which house players will sit down later.
    """
    [count] = await reader.read_column(
        "SELECT count(*) FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        f" AND (EXISTS (SELECT 1 FROM players WHERE match = id AND user {HOUSE_IDS_SQL} AND ended = 0)"
        f" OR {_HOUSE_PROMISED_SQL})"
        " AND (:user IS NULL OR EXISTS (SELECT 1 FROM players WHERE match = id AND user = :user AND resigned = 0))",
        {"guild": guild, "user": user},
    )
    return int(count)


async def live_games(reader: Reader, user: int) -> list[int]:
    """Returns the live matches in which the user has a seat."""
    return await reader.read_column(
        f"SELECT match FROM players WHERE {_UNFINISHED_SEAT_SQL}"
        " AND resigned = 0 AND (SELECT phase FROM matches WHERE id = match) = 'live' ORDER BY match",
        {"user": user},
    )


async def count_open_tables(reader: Reader, user: int, guild: int) -> int:
    """Returns the number of open tables that a user hosts in a server."""
    return await _count_seats(reader, user, guild, "seat = 0", "phase = 'open'")


async def count_seats(reader: Reader, user: int, guild: int) -> int:
    """Returns the number of seats a user has in a server, in live games and at open tables."""
    return await _count_seats(reader, user, guild, "resigned = 0", "phase IN ('open', 'live')")


async def _count_seats(reader: Reader, user: int, guild: int, seat: str, match: str) -> int:
    """Returns the number of a user's seats in a server that meet the conditions for the seat and for its match."""
    [count] = await reader.read_column(
        f"SELECT count(*) FROM players WHERE {_UNFINISHED_SEAT_SQL} AND {seat}"
        f" AND (SELECT guild = :guild AND {match} FROM matches WHERE id = match)",
        {"user": user, "guild": guild},
    )
    return int(count)
