"""SQL about the servers and channels in which ladders need the bot."""

from __future__ import annotations

from bot.store import Reader
from bot.store.posting_places import StoredPlace


async def servers_waiting(reader: Reader) -> list[int]:
    """Returns the servers with a ladder that has anything due, now or later."""
    return await reader.read_column("SELECT DISTINCT guild FROM ladders WHERE wake IS NOT NULL")


async def posting_places(reader: Reader) -> list[StoredPlace]:
    """Returns the channels of ladders, except in servers that have set one channel for all of them."""
    rows = await reader.run_sql(
        "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM ladders LEFT JOIN guild_settings USING (guild)"
        " WHERE ladder_channel IS NULL"
    )
    return [StoredPlace(guild, channel, bool(threads)) for guild, channel, threads in rows]
