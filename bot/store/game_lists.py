"""SQL that lists and counts the games of a server, a person or a channel."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from bot.core.events import EventKind
from bot.core.listings import GamePlace, MatchSummary
from bot.store import MAX_SUMMARIES, Reader
from bot.store.reading import REACHABLE_SQL


class GameCounts(NamedTuple):
    """Numbers of games."""

    live: int
    unannounced: int


async def count_games(reader: Reader) -> GameCounts:
    """Returns the number of live games, and of games with unannounced news in servers that can be reached."""
    live = await reader.run_sql("SELECT count(*) FROM matches WHERE phase = 'live'")
    unannounced = await reader.run_sql(f"SELECT count(*) FROM matches WHERE newsworthy > announced AND {REACHABLE_SQL}")
    return GameCounts(live[0][0], unannounced[0][0])


async def games_begun(
    reader: Reader, guild: int | None, match_id: int | None = None
) -> list[tuple[int, int, int | None]]:
    """Returns id, beginning and end (None while live) of started games that meet the given conditions."""
    conditions = {"match": "id = :match", "guild": "matches.guild = :guild"}
    values = {"match": match_id, "guild": guild}
    # The statement has only the given conditions, because SQLite uses no index for an optional condition.
    wanted = "".join(f" AND {conditions[name]}" for name, value in values.items() if value is not None)
    rows = await reader.run_sql(
        "SELECT id, coalesce(began_at,"
        f" (SELECT at FROM events WHERE events.match = id AND kind = {EventKind.STARTED.value})), ended_at"
        " FROM matches LEFT JOIN results ON results.match = id WHERE phase IN ('live', 'over')"
        f"{wanted} ORDER BY id",
        values,
    )
    return [(match_id, began, ended) for match_id, began, ended in rows]


async def games_in_server(reader: Reader, guild: int, *, live: bool) -> list[MatchSummary]:
    """Returns the started games of a server, or only the live ones. Live games come first, and in each group the game
    with the latest move."""
    return await reader.load_summaries(await reader.latest_games("guild = ?", (guild,), live=live))


async def places_of_live_games(reader: Reader, guild: int) -> list[GamePlace]:
    """Returns the places of all live games of a server, without a limit."""
    rows = await reader.run_sql(
        "SELECT id, guild, channel, thread, homeless FROM matches WHERE guild = ? AND phase = 'live' ORDER BY id",
        (guild,),
    )
    return [GamePlace(number, at, channel, thread, bool(lost)) for number, at, channel, thread, lost in rows]


async def games_without_place(reader: Reader) -> list[GamePlace]:
    """Returns the live games whose place takes no post."""
    rows = await reader.run_sql(
        "SELECT id, guild, channel, thread FROM matches INDEXED BY matches_unfinished"
        " WHERE phase IN ('open', 'live') AND homeless = 1 ORDER BY id"
    )
    return [GamePlace(number, guild, channel, thread, True) for number, guild, channel, thread in rows]


async def started_games(reader: Reader, guild: int, match_ids: Iterable[int]) -> list[MatchSummary]:
    """Returns the given matches that have started in a server, by id."""
    return await _summaries_in_phase(reader, guild, match_ids, "('live', 'over')")


async def unfinished_games(reader: Reader, guild: int, match_ids: Iterable[int]) -> list[MatchSummary]:
    """Returns the given matches that are open tables or live games in a server, by id."""
    return await _summaries_in_phase(reader, guild, match_ids, "('open', 'live')")


async def _summaries_in_phase(reader: Reader, guild: int, match_ids: Iterable[int], phases: str) -> list[MatchSummary]:
    numbers = await reader.read_column(
        "SELECT value FROM json_each(?)"
        f" WHERE (SELECT guild = ? AND phase IN {phases} FROM matches WHERE id = value) ORDER BY value LIMIT ?",
        (json.dumps([*{*match_ids}]), guild, MAX_SUMMARIES),
    )
    return await reader.load_summaries(numbers)


async def has_matches(reader: Reader, guild: int) -> bool:
    """True if a server has ever had a table."""
    return bool(await reader.run_sql("SELECT 1 FROM matches WHERE guild = ? LIMIT 1", (guild,)))


async def matches_in_place(reader: Reader, guild: int, place: int) -> list[int]:
    """Returns the open tables and live games in a channel or thread."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        " AND (channel = :place OR thread = :place) ORDER BY id",
        {"guild": guild, "place": place},
    )
