"""SQL for the doctor: lists the channels in which the bot has to post."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.core.events import parse_numbers
from bot.store import Reader

_POSTING_PLACES_SQL = (
    "SELECT guild, channel, thread IS NOT NULL FROM matches WHERE phase IN ('open', 'live')",
    # Every game can do without a thread, so missing threads are reported only if the server's settings demand them.
    "SELECT guild, channels, threads = 'yes' FROM guild_settings",
    "SELECT guild, ladder_channel, threads = 'yes' FROM guild_settings WHERE ladder_channel IS NOT NULL",
    "SELECT guild, announcements, FALSE FROM guild_settings WHERE announcements IS NOT NULL",
    "SELECT guild, forum, FALSE FROM guild_settings WHERE forum IS NOT NULL",
    "SELECT guild, puzzle_channel, FALSE FROM guild_settings WHERE puzzle_channel IS NOT NULL",
    "SELECT guild, audit, FALSE FROM guild_settings WHERE audit IS NOT NULL",
)
"""Queries that return a server, its channels ("11,22"), and whether games there have threads."""


class StoredPlace(NamedTuple):
    """A channel in which the bot has to post."""

    guild: int
    channel: int
    threads: bool
    """Whether games there are played in threads."""


async def posting_places(reader: Reader, others: Iterable[StoredPlace] = ()) -> list[StoredPlace]:
    """Returns the channels in which the bot has to post, sorted: those of open tables, live games and settings, and the
    others."""
    threads_by_place: dict[tuple[int, int], bool] = {}
    places = [*others]
    for query in _POSTING_PLACES_SQL:
        for guild, channels, threads in await reader.run_sql(query):
            places += [StoredPlace(guild, channel, bool(threads)) for channel in parse_numbers(str(channels))]
    for guild, channel, threads in places:
        threads_by_place[guild, channel] = threads_by_place.get((guild, channel), False) or threads
    return [StoredPlace(guild, channel, threads) for (guild, channel), threads in sorted(threads_by_place.items())]
