"""The statements about servers from which the bot has been removed, and by which what is stored of them is deleted."""

from __future__ import annotations

from collections.abc import Collection

from bot.privacy.rows import delete_match
from bot.store import Reader, Writer

_REMOVED_PREFIX = "removed:"
"""How the keys of notes begin that say since when the bot is not in a server any more."""

_REMOVED_END = "removed;"
"""Comes after all of them in the order of keys."""

_MET_PREFIX, _MET_END = "met:", "met;"
"""The same of notes of the servers that have been met, so that the bot welcomes each once."""

_ALL_MET_KEY = "meets"
"""Where it is noted that all of the bot's servers have been met once; where there are several shards, of each."""

_SERVER_TABLES = ("guild_settings", "ladders", "ladder_entries", "members", "archive")
"""The tables in which a server may stand that has anything stored, beside that of the matches."""

_PLAYED_SERVERS_SQL = (
    "WITH RECURSIVE one (guild) AS (SELECT min(guild) FROM matches"
    " UNION ALL SELECT (SELECT min(guild) FROM matches WHERE guild > one.guild) FROM one WHERE guild IS NOT NULL)"
    " SELECT guild FROM one WHERE guild IS NOT NULL"
)
"""The servers in which anybody has played, each found after the one before, and not among all matches."""

_TABLES_WITHOUT_MATCH = (
    *("ratings", "ladder_steps", "ladder_meetings", "ladder_challenges", "climbers", "ladder_entries", "ladders"),
    *("members", "archive", "guild_settings", "seekers", "absences", "daily_puzzles", "puzzle_results"),
)
"""The tables with rows of a server that belong to no match."""


async def stored_servers(reader: Reader) -> set[int]:
    """Every server that has anything stored, of those that are looked after here."""
    named = " UNION ".join(f"SELECT guild FROM {table} WHERE guild IS NOT NULL" for table in _SERVER_TABLES)
    stored = {*await reader.read_column(_PLAYED_SERVERS_SQL), *await reader.read_column(named)}
    return set(filter(reader.share.has_server, stored | await servers_met(reader)))


async def servers_met(reader: Reader) -> set[int]:
    """The servers that have been met."""
    keys = await reader.read_column("SELECT key FROM meta WHERE key >= ? AND key < ?", (_MET_PREFIX, _MET_END))
    return {int(key.removeprefix(_MET_PREFIX)) for key in keys}


async def note_met(writer: Writer, guilds: Collection[int]) -> list[int]:
    """Notes that the servers have been met; those of them that had not been."""
    met_before = await servers_met(writer)
    unmet = [guild for guild in guilds if guild not in met_before]
    for guild in unmet:
        await writer.set_meta(f"{_MET_PREFIX}{guild}", "1")
    return unmet


async def note_all_met(writer: Writer) -> set[int]:
    """Notes that all servers that are looked after here have been met; the shards of which they had been before."""
    share, before = writer.share, set[int]()
    every = await writer.get_meta(_ALL_MET_KEY)
    for shard in sorted(share.own_shards):
        key = _ALL_MET_KEY if share.shard_count == 1 else f"{_ALL_MET_KEY}:{shard}"
        if every or await writer.get_meta(key):
            before.add(shard)
        await writer.set_meta(key, "1")
    return before


async def removed_servers(reader: Reader) -> dict[int, int]:
    """The servers from which the bot has been removed, of those that are looked after here, and since when."""
    rows = await reader.run_sql(
        "SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_REMOVED_PREFIX, _REMOVED_END)
    )
    removed_since = {int(key.removeprefix(_REMOVED_PREFIX)): int(value) for key, value in rows}
    return {guild: since for guild, since in removed_since.items() if reader.share.has_server(guild)}


async def note_removed(writer: Writer, guild: int, now: int) -> None:
    """Notes that the bot has been removed from that server, unless that is known."""
    if await writer.get_meta(f"{_REMOVED_PREFIX}{guild}") is None:
        await writer.set_meta(f"{_REMOVED_PREFIX}{guild}", str(now))


async def note_back(writer: Writer, guild: int) -> None:
    """Notes that the bot is in that server."""
    await writer.set_meta(f"{_REMOVED_PREFIX}{guild}", None)


async def servers_removed_until(reader: Reader, at: int) -> list[int]:
    """The servers from which the bot was removed at that time or before."""
    return [guild for guild, since in (await removed_servers(reader)).items() if since <= at]


async def matches_in_server(reader: Reader, guild: int) -> list[int]:
    """Every match of a server."""
    return await reader.read_column("SELECT id FROM matches WHERE guild = ? ORDER BY id", (guild,))


async def delete_matches(writer: Writer, guild: int, match_ids: Collection[int]) -> list[int]:
    """Deletes those of the matches, while the bot is still not in that server; which of them."""
    if await writer.get_meta(f"{_REMOVED_PREFIX}{guild}") is None:
        return []
    for match_id in match_ids:
        await delete_match(writer, match_id)
    return list(match_ids)


async def delete_rest(writer: Writer, guild: int) -> bool:
    """Deletes what belongs to no match, and the note; whether the bot is still not in that server, and has no match."""
    if await writer.get_meta(f"{_REMOVED_PREFIX}{guild}") is None or await matches_in_server(writer, guild):
        return False
    await writer.run_batch([(f"DELETE FROM {table} WHERE guild = ?", (guild,)) for table in _TABLES_WITHOUT_MATCH])
    await writer.run_sql("DELETE FROM absences WHERE guild = ?", (-guild,))  # of its ladders
    await writer.run_sql("DELETE FROM meta WHERE key >= ? AND key < ?", (f"asks:{guild}:", f"asks:{guild};"))
    await writer.set_meta(f"{_MET_PREFIX}{guild}", None)
    await note_back(writer, guild)
    return True
