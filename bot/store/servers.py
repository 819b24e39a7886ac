"""SQL about servers: their settings, the channels in which the bot posts, and those that have removed the bot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.core.events import parse_numbers
from bot.core.setting_kinds import ChannelKind
from bot.core.settings import SETTINGS, GuildSettings
from bot.store import Reader, Writer
from bot.store.database_tables import Table, statements_to_delete_match, statements_to_delete_server
from bot.store.people import read_settings, settings_columns

_SETTINGS_COLUMNS = [column for setting in SETTINGS[GuildSettings].values() for column in setting.columns]


async def load_guild_settings(reader: Reader, guild: int) -> GuildSettings:
    """Returns the settings of a server; the defaults if none are stored."""
    return (await all_guild_settings(reader, " WHERE guild = ?", guild)).get(guild, GuildSettings())


async def all_guild_settings(reader: Reader, condition: str = "", *values: int) -> dict[int, GuildSettings]:
    """Returns the stored settings by server; servers that have only defaults are left out."""
    rows = await reader.run_sql(f"SELECT guild, {', '.join(_SETTINGS_COLUMNS)} FROM guild_settings{condition}", values)
    return {guild: read_settings(GuildSettings, dict(zip(_SETTINGS_COLUMNS, row, strict=True))) for guild, *row in rows}


async def servers_without_house(reader: Reader) -> frozenset[int]:
    """Returns the servers that have switched house players off."""
    return frozenset(await reader.read_column("SELECT guild FROM guild_settings WHERE house = 0"))


async def set_guild_settings(writer: Writer, guild: int, settings: GuildSettings) -> None:
    """Stores a server's settings."""
    await writer.save_row("guild_settings", {"guild": guild}, settings_columns(settings))


# The channels in which the bot has to post, for the doctor


_POSTING_PLACES_SQL = (
    "SELECT guild, channel, thread IS NOT NULL FROM matches WHERE phase IN ('open', 'live')",
    # Every game can do without a thread, so missing threads are reported only if the server's settings demand them.
    *(
        f"SELECT guild, {setting.field}, {setting.kind.hosts_games} AND threads = 'yes' FROM guild_settings"
        f" WHERE {setting.field} IS NOT NULL"
        for setting in SETTINGS[GuildSettings].values()
        if isinstance(setting.kind, ChannelKind)
    ),
)
"""Queries that return a server, its channels ("11,22"), and whether games there have threads."""


class StoredPlace(NamedTuple):
    """A channel in which the bot has to post."""

    guild: int
    channel: int
    threads: bool
    """Whether games there are played in threads."""


async def posting_places(reader: Reader, tables: Iterable[Table]) -> list[StoredPlace]:
    """Returns the channels in which the bot has to post, sorted: those of open tables, live games and settings, and of
    those tables."""
    threads_by_place = defaultdict[tuple[int, int], bool](bool)
    for query in (*_POSTING_PLACES_SQL, *(table.places_sql for table in tables if table.places_sql)):
        for guild, channels, threads in await reader.run_sql(query):
            for channel in parse_numbers(str(channels)):
                threads_by_place[guild, channel] |= bool(threads)
    return [StoredPlace(guild, channel, threads) for (guild, channel), threads in sorted(threads_by_place.items())]


# Servers that have removed the bot, and the deletion of everything stored about them


_PLAYED_SERVERS_SQL = (
    "WITH RECURSIVE one (guild) AS (SELECT min(guild) FROM matches"
    " UNION ALL SELECT (SELECT min(guild) FROM matches WHERE guild > one.guild) FROM one WHERE guild IS NOT NULL)"
    " SELECT guild FROM one WHERE guild IS NOT NULL"
)
"""A query for the servers with any match. It jumps from server to server in the index and does not read all matches."""


async def stored_servers(reader: Reader, tables: Sequence[Table]) -> set[int]:
    """Returns every server about which anything is stored."""
    named = " UNION ".join(
        f"SELECT guild FROM {table.name} WHERE guild IS NOT NULL" for table in tables if table.lists_servers
    )
    return {*await reader.read_column(_PLAYED_SERVERS_SQL), *await reader.read_column(named)}


async def removed_servers(reader: Reader) -> dict[int, int]:
    """Returns the servers that have removed the bot, with the time of removal."""
    return dict(
        await reader.run_sql("SELECT guild, removed_at FROM servers WHERE removed_at IS NOT NULL ORDER BY guild")
    )


async def note_removed(writer: Writer, guild: int, now: int) -> None:
    """Notes that the bot has been removed from a server, unless that is already noted."""
    first = "coalesce(servers.removed_at, excluded.removed_at)"
    await writer.save_row("servers", {"guild": guild}, {"removed_at": now}, removed_at=first)


async def delete_portion(writer: Writer, guild: int, tables: Sequence[Table], most: int) -> list[int] | None:
    """Deletes some matches of a server or, if it has none, all other data of it and the notes about it.

    Returns the ids of the deleted matches; None, and deletes nothing, if the bot is back in the server.
    """
    if not await writer.run_sql("SELECT 1 FROM servers WHERE guild = ? AND removed_at IS NOT NULL", (guild,)):
        return None
    some = "SELECT id FROM matches WHERE guild = ? ORDER BY id LIMIT ?"
    match_ids = await writer.read_column(some, (guild, most))
    for match_id in match_ids:
        await writer.run_batch(statements_to_delete_match(tables, match_id))
    if not match_ids:
        await writer.run_batch(statements_to_delete_server(tables, guild))
    return match_ids
