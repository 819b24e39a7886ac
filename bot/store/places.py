"""The statements by which the doctor finds where the bot is to post."""

from __future__ import annotations

from typing import NamedTuple

from bot.match.events import parse_numbers
from bot.store import Reader

_PLACES = (
    "SELECT guild, channel, thread IS NOT NULL FROM matches WHERE phase IN ('open', 'live')",
    # Every game does without a thread where it must: only the server's own settings make threads something to report.
    "SELECT guild, channels, threads = 'yes' FROM guild_settings",
    "SELECT guild, ladder_channel, threads = 'yes' FROM guild_settings WHERE ladder_channel IS NOT NULL",
    "SELECT guild, announcements, FALSE FROM guild_settings WHERE announcements IS NOT NULL",
    "SELECT guild, forum, FALSE FROM guild_settings WHERE forum IS NOT NULL",
    "SELECT guild, puzzle_channel, FALSE FROM guild_settings WHERE puzzle_channel IS NOT NULL",
    "SELECT guild, audit, FALSE FROM guild_settings WHERE audit IS NOT NULL",
    "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM ladders LEFT JOIN guild_settings USING (guild)"
    " WHERE ladder_channel IS NULL",
)
"""The questions to which the answers are a server, its channels ("11,22"), and whether games there have threads."""


class PostingPlace(NamedTuple):
    """A channel in which the bot is to post."""

    guild: int
    channel: int
    threads: bool
    """Whether games there are played in threads."""


async def places(reader: Reader) -> list[PostingPlace]:
    """Where the bot is to post, in order: open tables and live games, the servers' settings, and ladders."""
    found: dict[tuple[int, int], bool] = {}
    for query in _PLACES:
        for guild, channels, threads in await reader.run(query):
            for channel in parse_numbers(str(channels)):
                found[guild, channel] = found.get((guild, channel), False) or bool(threads)
    return [PostingPlace(guild, channel, threads) for (guild, channel), threads in sorted(found.items())]
