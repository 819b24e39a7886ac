"""SQL about games beside their events: lists and counts, seats, present positions, followers, audit and archive."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import NamedTuple

from bot.core.events import EventKind
from bot.core.house_seats import MAX_HOUSE_ID, MIN_HOUSE_ID
from bot.core.match import MatchSummary
from bot.core.running_positions import RunningGame
from bot.store import MAX_SUMMARIES, Reader, Writer
from bot.store.database_tables import Table
from bot.store.matches import REACHABLE_SQL


async def count_games(reader: Reader) -> tuple[int, int]:
    """Returns the number of live games, and of games with unannounced news in servers that can be reached."""
    live = await reader.read_value("SELECT count(*) FROM matches WHERE phase = 'live'")
    return live, await reader.read_value(
        f"SELECT count(*) FROM matches WHERE newsworthy > announced AND {REACHABLE_SQL}"
    )


async def games_begun(reader: Reader, guild: int | None, match_id: int | None) -> list[int]:
    """Returns the started games of a server (None: of all servers), or that one of them. Looks at every match."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE phase IN ('live', 'over') AND guild = coalesce(:guild, guild)"
        " AND id = coalesce(:match, id) ORDER BY id",
        {"guild": guild, "match": match_id},
    )


async def games_in_server(reader: Reader, guild: int, channel: int | None = None, *, live: bool) -> list[MatchSummary]:
    """Returns the started games of a server, or of one of its channels, or only the live ones. Live games come first,
    and in each group the game with the latest move."""
    where, values = ("guild = ?", (guild,)) if channel is None else ("channel = ? AND +guild = ?", (channel, guild))
    match_ids = list[int]()
    for phase in ("live",) if live else ("live", "over"):
        rows = await reader.run_sql(
            # In the order of the index; with `id`, PostgreSQL would have to sort all games.
            f"SELECT moved_at, id FROM matches WHERE {where} AND phase = ? ORDER BY moved_at DESC LIMIT ?",
            (*values, phase, MAX_SUMMARIES - len(match_ids)),
        )
        match_ids += [match_id for _, match_id in sorted(rows, reverse=True)]
    return await reader.load_summaries(match_ids)


async def all_live_games(reader: Reader, guild: int) -> list[MatchSummary]:
    """Returns all live games of a server, without a limit."""
    return await reader.find_summaries(
        "SELECT id, id AS place FROM matches WHERE guild = ? AND phase = 'live'", (guild,)
    )


async def games_without_place(reader: Reader) -> list[MatchSummary]:
    """Returns the live games whose place takes no post, in servers that can be reached."""
    unfinished = "matches INDEXED BY matches_unfinished WHERE phase IN ('open', 'live')"
    return await reader.find_summaries(
        f"SELECT id, id AS place FROM {unfinished} AND place_is_lost = 1 AND {REACHABLE_SQL}"
    )


async def rematch_of(reader: Reader, match_id: int) -> int:
    """Returns the table of the latest rematch of a match; 0 if there was none."""
    return int(await reader.read_value("SELECT coalesce(rematch, 0) FROM matches WHERE id = ?", (match_id,)))


async def summaries_in_phase(reader: Reader, guild: int, match_ids: Iterable[int], *phases: str) -> list[MatchSummary]:
    """Returns those of the given matches that are in that server and in one of these phases, by id."""
    numbers = await reader.read_column(
        "SELECT value FROM json_each(?) WHERE (SELECT guild = ? AND phase IN (?, ?) FROM matches WHERE id = value)"
        " ORDER BY value LIMIT ?",
        (json.dumps([*{*match_ids}]), guild, *phases, MAX_SUMMARIES),
    )
    return await reader.load_summaries(numbers)


async def has_matches(reader: Reader, guild: int) -> bool:
    """True if a server has ever had a table."""
    return bool(await reader.run_sql("SELECT 1 FROM matches WHERE guild = ? LIMIT 1", (guild,)))


async def open_tables(reader: Reader, guild: int) -> list[int]:
    """Returns the open tables of a server, the newest first."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE guild = ? AND phase = 'open' ORDER BY id DESC LIMIT ?", (guild, MAX_SUMMARIES)
    )


# The games and tables in which a person sits, which servers limit


HOUSE_IDS_SQL = f"BETWEEN {MIN_HOUSE_ID} AND {MAX_HOUSE_ID}"
"""A condition: the number is a house player's. It is spelled exactly as in the index, so that the index is used."""


async def games_awaiting_house(reader: Reader) -> list[tuple[int, int]]:
    """Returns match and server of the games in which a house player is to move and the server can be reached, the
    longest waiting first; at most `MAX_SUMMARIES`.
    """
    waiting = f"to_move {HOUSE_IDS_SQL} AND {REACHABLE_SQL} ORDER BY moved_at, id LIMIT {MAX_SUMMARIES}"
    return await reader.run_sql(f"SELECT id, guild FROM matches WHERE {waiting}")


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
    count = await reader.read_value(
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


async def count_seats(reader: Reader, user: int, guild: int) -> tuple[int, int]:
    """Returns the number of seats a user has in a server, in live games and at open tables, and of open tables that the
    user hosts there."""
    rows = await reader.run_sql(
        "SELECT (SELECT phase FROM matches WHERE id = match AND guild = :guild), seat FROM players"
        f" WHERE {_UNFINISHED_SEAT_SQL} AND resigned = 0",
        {"user": user, "guild": guild},
    )
    return sum(phase is not None for phase, _ in rows), rows.count(("open", 0))


# The present positions of running games: see `bot.core.running_positions`


async def running_games(reader: Reader, user: int, variant: str) -> list[RunningGame]:
    """Returns the user's running games of that variant against people, except those not placed yet."""
    rows = await reader.run_sql(
        "SELECT matches.id, ply, present FROM players CROSS JOIN matches WHERE matches.id = players.match"
        " AND players.user = ? AND ended = 0 AND resigned = 0 AND variant = ? AND present <> '' ORDER BY matches.id",
        (user, variant),
    )
    return [RunningGame(*row) for row in rows]


async def is_any_closed_to_all(reader: Reader, numbers: Sequence[int], but: int | None) -> bool:
    """True if a running game other than `but` closes a position with one of these numbers to everybody."""
    rows = await reader.run_sql(
        # The join begins with the numbers, because there may be far more games.
        "SELECT 1 FROM json_each(?) AS asked CROSS JOIN matches INDEXED BY matches_by_position"
        " WHERE position = asked.value AND matches.id <> ? LIMIT 1",
        (json.dumps(numbers), but or 0),
    )
    return bool(rows)


# The people who follow games


class Follow(NamedTuple):
    """A person who follows a match, and whether they want to hear of every move."""

    match: int
    user: int
    every_move: bool


async def followers_of(reader: Reader, match_id: int) -> tuple[Follow, ...]:
    """Returns the followers of a match."""
    return tuple(await reader.load_all(Follow, "follows WHERE match = ? ORDER BY user", (match_id,)))


async def follows_of(reader: Reader, user: int) -> tuple[Follow, ...]:
    """Returns the matches a person follows."""
    return tuple(await reader.load_all(Follow, "follows WHERE user = ? ORDER BY match", (user,)))


async def end_follow(writer: Writer, match_id: int, user: int) -> bool:
    """Removes a follower. Returns False if there was none."""
    rows = await writer.run_sql("DELETE FROM follows WHERE match = ? AND user = ? RETURNING match", (match_id, user))
    return bool(rows)


# The archive: games that were played elsewhere and are kept as records


async def records_of(reader: Reader, guild: int | None) -> AsyncIterator[str]:
    """Yields the records in the archive of that server, or with None in that of all servers.

    They are in the form of `rules.collection.canonical_text`; as they were written if an earlier version took them.
    """
    sql, last = "SELECT id, record FROM archive WHERE coalesce(guild, 0) = ? AND id > ? ORDER BY id LIMIT 1000", 0
    while rows := await reader.run_sql(sql, (guild or 0, last)):
        for _, record in rows:
            yield record
        last = rows[-1][0]


async def ends_of_matches(reader: Reader, tables: Iterable[Table], matches: Sequence[int]) -> dict[int, int]:
    """Returns when matches have to be over, as far as one of the tables fixes it, by match."""
    queries, listed = [table.ends_sql for table in tables if table.ends_sql], json.dumps([*matches])
    return {match_id: at for query in queries for match_id, at in await reader.run_sql(query, (listed,))}
