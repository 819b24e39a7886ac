"""SQL about servers that have removed the bot, including the deletion of everything stored about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.store import Reader, Writer
from bot.store.absences import ladders_of
from bot.store.database_tables import Table, statements_to_delete_match, statements_to_delete_server

_REMOVED_PREFIX = "removed:"
"""The prefix of the keys of notes that say when a server removed the bot."""

_REMOVED_END = "removed;"
"""Sorts after all keys with that prefix."""

_MET_PREFIX, _MET_END = "met:", "met;"
"""The prefix, and the end of the keys, of notes about servers that the bot has met, so that it welcomes each once."""

_ALL_MET_KEY = "meets"
"""The key of the note that all servers of the bot have been met."""

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
    stored = {*await reader.read_column(_PLAYED_SERVERS_SQL), *await reader.read_column(named)}
    return stored | await servers_met(reader)


async def servers_met(reader: Reader) -> set[int]:
    """Returns the servers that the bot has met."""
    keys = await reader.read_column("SELECT key FROM meta WHERE key >= ? AND key < ?", (_MET_PREFIX, _MET_END))
    return {int(key.removeprefix(_MET_PREFIX)) for key in keys}


async def note_met(writer: Writer, guilds: Collection[int]) -> list[int]:
    """Notes that the servers have been met. Returns the ones that were new."""
    met_before = await servers_met(writer)
    unmet = [guild for guild in guilds if guild not in met_before]
    for guild in unmet:
        await writer.set_meta(f"{_MET_PREFIX}{guild}", "1")
    return unmet


async def note_all_met(writer: Writer, unmet: Sequence[int]) -> list[int]:
    """Notes that all servers have been met. Returns the new ones of `unmet`: none at the first note."""
    noted_before = await writer.get_meta(_ALL_MET_KEY)
    await writer.set_meta(_ALL_MET_KEY, "1")
    return [*unmet] if noted_before else []


async def removed_servers(reader: Reader) -> dict[int, int]:
    """Returns the servers that have removed the bot, with the time of removal."""
    rows = await reader.run_sql(
        "SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_REMOVED_PREFIX, _REMOVED_END)
    )
    return {int(key.removeprefix(_REMOVED_PREFIX)): int(value) for key, value in rows}


async def note_removed(writer: Writer, guild: int, now: int) -> None:
    """Notes that the bot has been removed from a server, unless that is already noted."""
    if await writer.get_meta(f"{_REMOVED_PREFIX}{guild}") is None:
        await writer.set_meta(f"{_REMOVED_PREFIX}{guild}", str(now))


async def note_back(writer: Writer, guild: int) -> None:
    """Notes that the bot is in the server again."""
    await writer.set_meta(f"{_REMOVED_PREFIX}{guild}", None)


async def servers_removed_until(reader: Reader, at: int) -> list[int]:
    """Returns the servers that removed the bot at that time or earlier."""
    return [guild for guild, since in (await removed_servers(reader)).items() if since <= at]


async def matches_in_server(reader: Reader, guild: int) -> list[int]:
    """Returns the ids of all matches of a server."""
    return await reader.read_column("SELECT id FROM matches WHERE guild = ? ORDER BY id", (guild,))


async def delete_matches(writer: Writer, guild: int, match_ids: Collection[int], tables: Sequence[Table]) -> list[int]:
    """Deletes the matches unless the bot is back in the server. Returns the ids of the deleted matches."""
    if await writer.get_meta(f"{_REMOVED_PREFIX}{guild}") is None:
        return []
    for match_id in match_ids:
        await writer.run_batch(statements_to_delete_match(tables, match_id))
    return list(match_ids)


async def delete_rest(writer: Writer, guild: int, tables: Sequence[Table]) -> bool:
    """Deletes all data of the server that belong to no match, and the note of the removal.

    Returns False, and deletes nothing, if the bot is back in the server or the server still has a match.
    """
    if await writer.get_meta(f"{_REMOVED_PREFIX}{guild}") is None or await matches_in_server(writer, guild):
        return False
    await writer.run_batch(statements_to_delete_server(tables, guild))
    await writer.run_sql("DELETE FROM absences WHERE guild = ?", (ladders_of(guild),))
    await writer.run_sql("DELETE FROM meta WHERE key >= ? AND key < ?", (f"asks:{guild}:", f"asks:{guild};"))
    await writer.set_meta(f"{_MET_PREFIX}{guild}", None)
    await note_back(writer, guild)
    return True
