"""SQL that spans many games: the games of a server, the archive, counts, and what a rebuild needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bot.core.events import EventKind
from bot.core.match import Phase
from bot.core.results import GamePlace, MatchSummary
from bot.core.settings import GuildSettings
from bot.store import MAX_SUMMARIES, Reader, Writer
from bot.store.connection import insert_statement
from bot.store.people import GUILD_SETTINGS_COLUMNS, read_guild_settings

DERIVED_TABLES = ("rating_changes", "ratings", "shares", "results")
"""The tables that hold only rows derived from matches; a table comes before the tables it refers to."""

DERIVED_QUERIES: Mapping[str, str] = {table: f"SELECT * FROM {table}" for table in DERIVED_TABLES}
"""A query for all rows of each of them."""


async def snapshot_rows(reader: Reader, queries: Mapping[str, str]) -> dict[str, frozenset[tuple[Any, ...]]]:
    """The rows that the queries return, by table."""
    return {table: frozenset(tuple(row) for row in await reader.run_sql(sql)) for table, sql in queries.items()}


async def drop_derived(writer: Writer) -> None:
    """Empties the tables derived from matches."""
    await writer.run_batch([(f"DELETE FROM {table}", ()) for table in DERIVED_TABLES])


async def matches_begun(reader: Reader) -> list[tuple[int, int, Phase]]:
    """Id, server and phase of the matches that are live or over."""
    rows = await reader.run_sql("SELECT id, guild, phase FROM matches WHERE phase IN ('live', 'over') ORDER BY id")
    return [(match_id, guild, Phase(phase)) for match_id, guild, phase in rows]


class ArchivedGame(NamedTuple):
    """A game that was played elsewhere."""

    id: int
    variant: str
    players: str
    """As in the record."""
    result: str
    moves: int
    record: str


_ARCHIVED_GAMES_SQL = (
    "SELECT id, variant, players, result, moves, record FROM archive WHERE (guild IS NULL OR guild = ?)"
)


async def games_begun(
    reader: Reader, guild: int | None, user: int | None, match_id: int | None = None
) -> list[tuple[int, int, int | None]]:
    """Id, beginning and end (None while live) of started games: of a server, of a user, of one match, or of all."""
    conditions = {
        "match": "id = :match",
        "guild": "matches.guild = :guild",
        "user": "EXISTS (SELECT 1 FROM players WHERE players.match = id AND user = :user)",
    }
    values = {"match": match_id, "guild": guild, "user": user}
    # Only the conditions in use: SQLite takes no index for a condition that is optional.
    wanted = "".join(f" AND {conditions[name]}" for name, value in values.items() if value is not None)
    rows = await reader.run_sql(
        "SELECT id, coalesce(began_at,"
        f" (SELECT at FROM events WHERE events.match = id AND kind = {EventKind.STARTED.value})), ended_at"
        " FROM matches LEFT JOIN results ON results.match = id WHERE phase IN ('live', 'over')"
        f"{wanted} ORDER BY id",
        values,
    )
    return [(match_id, began, ended) for match_id, began, ended in rows]


async def add_archived(writer: Writer, game: ArchivedGame, guild: int | None, now: int) -> bool:
    """Stores a game that was played elsewhere, ignoring its `id`. Returns False if it is stored already."""
    columns = {name: value for name, value in game._asdict().items() if name != "id"}
    sql, values = insert_statement("archive", {**columns, "guild": guild, "imported_at": now})
    return bool(await writer.run_sql(f"{sql} ON CONFLICT DO NOTHING RETURNING id", values))


async def archived_games(reader: Reader, guild: int, first: int, most: int) -> list[ArchivedGame]:
    """The archived games of a server, including those for all servers, the latest import first."""
    rows = await reader.run_sql(f"{_ARCHIVED_GAMES_SQL} ORDER BY id DESC LIMIT ? OFFSET ?", (guild, most, first))
    return [ArchivedGame(*row) for row in rows]


async def archived_game(reader: Reader, guild: int, number: int) -> ArchivedGame | None:
    """An archived game; None if the server does not have it."""
    row = await reader.read_row(f"{_ARCHIVED_GAMES_SQL} AND id = ?", (guild, number))
    return ArchivedGame(*row) if row else None


class GameCounts(NamedTuple):
    """Numbers of games."""

    live: int
    unannounced: int


async def count_games(reader: Reader) -> GameCounts:
    """The numbers of live games, and of games with unannounced news in servers that can be reached.

    Counts this worker's servers only, so the numbers of several workers add up.
    """
    live = await reader.run_sql(f"SELECT count(*) FROM matches WHERE phase = 'live'{reader.own_servers_sql()}")
    unannounced = await reader.run_sql(
        f"SELECT count(*) FROM matches WHERE newsworthy > announced AND {reader.reachable_sql}"
    )
    return GameCounts(live[0][0], unannounced[0][0])


async def games_in_server(reader: Reader, guild: int, *, live: bool) -> list[MatchSummary]:
    """The started games of a server, all or only live ones: live games first, in each group the latest move first."""
    return await reader.load_summaries(await reader.latest_games("guild = ?", (guild,), live=live))


async def places_of_live_games(reader: Reader, guild: int) -> list[GamePlace]:
    """The places of all live games of a server, without a limit."""
    rows = await reader.run_sql(
        "SELECT id, guild, channel, thread, homeless FROM matches WHERE guild = ? AND phase = 'live' ORDER BY id",
        (guild,),
    )
    return [GamePlace(number, at, channel, thread, bool(lost)) for number, at, channel, thread, lost in rows]


async def started_games(reader: Reader, guild: int, match_ids: Iterable[int]) -> list[MatchSummary]:
    """The given matches that have started in a server, by id."""
    rows = await reader.run_sql(
        "SELECT id FROM matches WHERE guild = ? AND phase IN ('live', 'over')"
        " AND id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?",
        (guild, json.dumps(list(match_ids)), MAX_SUMMARIES),
    )
    return await reader.load_summaries([match_id for (match_id,) in rows])


async def has_matches(reader: Reader, guild: int) -> bool:
    """True if a server has ever had a table."""
    return bool(await reader.run_sql("SELECT 1 FROM matches WHERE guild = ? LIMIT 1", (guild,)))


async def matches_in_place(reader: Reader, guild: int, place: int) -> list[int]:
    """The open tables and live games in a channel or thread."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        " AND (channel = :place OR thread = :place) ORDER BY id",
        {"guild": guild, "place": place},
    )


async def unaudited_since(reader: Reader, match_id: int, kinds: Iterable[EventKind]) -> int | None:
    """The last event reported to the audit channel; None if no event of these kinds follows it."""
    row = await reader.read_row(
        "SELECT audited FROM matches WHERE id = ? AND EXISTS (SELECT 1 FROM events WHERE match = id AND seq > audited"
        " AND kind IN (SELECT value FROM json_each(?)))",
        (match_id, json.dumps([kind.value for kind in kinds])),
    )
    return row[0] if row else None


async def mark_audited(writer: Writer, match_id: int, seq: int) -> None:
    """Notes that the audit channel has reports of everything up to an event."""
    await writer.run_sql("UPDATE matches SET audited = max(audited, ?) WHERE id = ?", (seq, match_id))


async def all_guild_settings(reader: Reader) -> dict[int, GuildSettings]:
    """The stored settings by server; servers with defaults only are left out."""
    rows = await reader.run_sql(f"SELECT guild, {GUILD_SETTINGS_COLUMNS} FROM guild_settings")
    return {guild: read_guild_settings(guild, row) for guild, *row in rows}
