"""The statements about many games at once: those of a server, the archive, counts, and what a rebuild needs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from bot.match.events import EventKind
from bot.match.match import Phase
from bot.match.results import Summary, Whereabouts
from bot.people.settings import GuildSettings
from bot.store import MOST_SUMMARIES, Reader, Writer
from bot.store.connection import Row, insert
from bot.store.people import GUILD_SETTINGS, read_guild_settings

DERIVED = (
    *("rating_changes", "ratings", "shares", "results"),
    *("ladder_steps", "ladder_meetings", "ladder_games", "ladder_challenges", "climbers"),
)
"""The tables that hold nothing else, those that refer to others first."""

_HEADS = "guild, variant, seq, newsworthy, season, season_began, season_until, seasons, digested_at"
"""What is derived of the ladders' own rows. When one is due again depends on when it was last looked at."""


PORTION = 100_000
"""Matches that are looked at in one statement: some tenth of a second's worth."""


async def snapshot(reader: Reader) -> dict[str, frozenset[tuple[Any, ...]]]:
    """All rows of what is derived, by table."""
    found = {table: f"SELECT * FROM {table}" for table in DERIVED}
    found["ladders"] = f"SELECT {_HEADS} FROM ladders"
    return {table: frozenset(tuple(row) for row in await reader.run(sql)) for table, sql in found.items()}


async def drop_derived(writer: Writer) -> None:
    """Empties all that is derived, but for the ladders' own rows, of which only a part is."""
    await writer.write(
        [(f"DELETE FROM {table}", ()) for table in DERIVED]
        + [
            (
                "UPDATE ladders SET seq = 0, newsworthy = 0, season = NULL, season_began = NULL, season_until = NULL,"
                " seasons = 0, digested_at = NULL",
                (),
            )
        ]
    )


async def matches_begun(reader: Reader) -> list[tuple[int, int, Phase]]:
    """Number, server and phase of the matches that are on or over."""
    rows = await reader.run("SELECT id, guild, phase FROM matches WHERE phase IN ('live', 'over') ORDER BY id")
    return [(match_id, guild, Phase(phase)) for match_id, guild, phase in rows]


async def without_result(reader: Reader) -> list[int]:
    """The matches that are over and of which no result is noted, in the order in which they ended.

    In portions, for it looks at every match there is.
    """
    found: list[Row] = []
    [last] = await reader.column("SELECT coalesce(max(id), 0) FROM matches")
    for first in range(0, last, PORTION):
        found += await reader.run(
            "SELECT updated, id FROM matches WHERE id > ? AND id <= ? AND phase = 'over'"
            " AND NOT EXISTS (SELECT 1 FROM results WHERE match = id)",
            (first, first + PORTION),
        )
    return [match_id for _, match_id in sorted(found)]


class Archived(NamedTuple):
    """A game that was played elsewhere."""

    id: int
    variant: str
    players: str
    """As the record tells them."""
    result: str
    moves: int
    record: str


_ARCHIVED = "SELECT id, variant, players, result, moves, record FROM archive WHERE (guild IS NULL OR guild = ?)"


async def begun(
    reader: Reader, guild: int | None, user: int | None, match_id: int | None = None
) -> list[tuple[int, int, int | None]]:
    """Number, beginning and end (None while it is on) of started games: of a server, of a user, one, or all."""
    conditions = {
        "match": "id = :match",
        "guild": "matches.guild = :guild",
        "user": "EXISTS (SELECT 1 FROM players WHERE players.match = id AND user = :user)",
    }
    values = {"match": match_id, "guild": guild, "user": user}
    # Only those that hold, for SQLite takes no index where a condition may not.
    wanted = "".join(f" AND {conditions[name]}" for name, value in values.items() if value is not None)
    rows = await reader.run(
        "SELECT id, coalesce(began_at,"
        f" (SELECT at FROM events WHERE events.match = id AND kind = {EventKind.STARTED.value})), ended_at"
        " FROM matches LEFT JOIN results ON results.match = id WHERE phase IN ('live', 'over')"
        f"{wanted} ORDER BY id",
        values,
    )
    return [(match_id, began, ended) for match_id, began, ended in rows]


async def add_archived(writer: Writer, game: Archived, guild: int | None, now: int) -> bool:
    """Notes a game that was played elsewhere; whether it is new. Its `id` is not looked at."""
    told = {name: value for name, value in game._asdict().items() if name != "id"}
    sql, values = insert("archive", {**told, "guild": guild, "imported_at": now})
    return bool(await writer.run(f"{sql} ON CONFLICT DO NOTHING RETURNING id", values))


async def archived(reader: Reader, guild: int, first: int, most: int) -> list[Archived]:
    """The games from elsewhere that a server has, those for all servers included; the latest import first."""
    rows = await reader.run(f"{_ARCHIVED} ORDER BY id DESC LIMIT ? OFFSET ?", (guild, most, first))
    return [Archived(*row) for row in rows]


async def archived_game(reader: Reader, guild: int, number: int) -> Archived | None:
    """That game from elsewhere, if the server has it."""
    row = await reader.row(f"{_ARCHIVED} AND id = ?", (guild, number))
    return Archived(*row) if row else None


class Census(NamedTuple):
    """Numbers of games."""

    live: int
    unannounced: int


async def census(reader: Reader) -> Census:
    """The games in progress, and those of which the players have not been told everything, although they could be.

    Those that are looked after here: so the numbers of several workers add up.
    """
    live = await reader.run(f"SELECT count(*) FROM matches WHERE phase = 'live'{reader.share.also()}")
    unannounced = await reader.run(f"SELECT count(*) FROM matches WHERE newsworthy > announced AND {reader.reached}")
    return Census(live[0][0], unannounced[0][0])


async def games_at(reader: Reader, guild: int, *, live: bool) -> list[Summary]:
    """The started games of a server, all or only those that are on: those first, the latest move first in each."""
    return await reader.summaries(await reader.latest("guild = ?", (guild,), live=live))


async def whereabouts(reader: Reader, guild: int) -> list[Whereabouts]:
    """Where each live game of a server is played: all of them, however many."""
    rows = await reader.run(
        "SELECT id, guild, channel, thread, homeless FROM matches WHERE guild = ? AND phase = 'live' ORDER BY id",
        (guild,),
    )
    return [Whereabouts(number, at, channel, thread, bool(lost)) for number, at, channel, thread, lost in rows]


async def started(reader: Reader, guild: int, match_ids: Iterable[int]) -> list[Summary]:
    """Those of the matches that have started in that server, in order of their numbers."""
    rows = await reader.run(
        "SELECT id FROM matches WHERE guild = ? AND phase IN ('live', 'over')"
        " AND id IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT ?",
        (guild, json.dumps(list(match_ids)), MOST_SUMMARIES),
    )
    return await reader.summaries([match_id for (match_id,) in rows])


async def has_matches(reader: Reader, guild: int) -> bool:
    """Whether a table has ever been set in that server."""
    return bool(await reader.run("SELECT 1 FROM matches WHERE guild = ? LIMIT 1", (guild,)))


async def played_in(reader: Reader, guild: int, place: int) -> list[int]:
    """The open tables and live games whose channel or thread that is."""
    return await reader.column(
        "SELECT id FROM matches WHERE guild = :guild AND phase IN ('open', 'live')"
        " AND (channel = :place OR thread = :place) ORDER BY id",
        {"guild": guild, "place": place},
    )


async def unaudited_since(reader: Reader, match_id: int, kinds: Iterable[EventKind]) -> int | None:
    """The last event that the audit channel has been told of, if there are events of these kinds after it."""
    row = await reader.row(
        "SELECT audited FROM matches WHERE id = ? AND EXISTS (SELECT 1 FROM events WHERE match = id AND seq > audited"
        " AND kind IN (SELECT value FROM json_each(?)))",
        (match_id, json.dumps([kind.value for kind in kinds])),
    )
    return row[0] if row else None


async def mark_audited(writer: Writer, match_id: int, seq: int) -> None:
    """Notes that the audit channel has been told of everything up to that event."""
    await writer.run("UPDATE matches SET audited = max(audited, ?) WHERE id = ?", (seq, match_id))


async def all_guild_settings(reader: Reader) -> dict[int, GuildSettings]:
    """What has been asked for, by server; those where nothing has are left out."""
    rows = await reader.run(f"SELECT guild, {GUILD_SETTINGS} FROM guild_settings")
    return {guild: read_guild_settings(guild, row) for guild, *row in rows}
