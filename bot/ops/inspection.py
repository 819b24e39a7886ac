"""A database seen from outside, beside a bot that may be running on it: plain sqlite3, read only, no lock.

This module and `bot/ops/backup.py` are the only ones but the store's that speak SQL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from bot.match.events import parse_numbers
from bot.store.migrations import APPLICATION_ID, Fault, StoreError, fault_of, steps

_PLACES = (
    "SELECT guild, channel, thread IS NOT NULL FROM matches WHERE phase IN ('open', 'live')",
    # Every game does without a thread where it must: only the server's own settings make threads something to report.
    "SELECT guild, channels, threads = 'yes' FROM guild_settings",
    "SELECT guild, ladder_channel, threads = 'yes' FROM guild_settings WHERE ladder_channel IS NOT NULL",
    "SELECT guild, announcements, 0 FROM guild_settings WHERE announcements IS NOT NULL",
    "SELECT guild, forum, 0 FROM guild_settings WHERE forum IS NOT NULL",
    "SELECT guild, puzzle_channel, 0 FROM guild_settings WHERE puzzle_channel IS NOT NULL",
    "SELECT guild, audit, 0 FROM guild_settings WHERE audit IS NOT NULL",
    "SELECT guild, channel, coalesce(threads = 'yes', 0) FROM ladders LEFT JOIN guild_settings USING (guild)"
    " WHERE ladder_channel IS NULL",
)
"""The questions to which the answers are a server, its channels ("11,22"), and whether games there have threads."""


class Place(NamedTuple):
    """A channel in which the bot is to post."""

    guild: int
    channel: int
    threads: bool
    """Whether games there are played in threads."""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write to that file. Raises StoreError for whatever fails within."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as base:
            base.execute("PRAGMA trusted_schema = OFF")  # a file to be restored may come from anywhere
            yield base
    except (sqlite3.Error, OSError) as error:
        raise StoreError(fault_of(error), path, str(error)) from error


def inspect(path: Path) -> int:
    """How many steps a whole and sound database of ours has behind it; every page of it is read.

    Raises StoreError that says what is wrong with it.
    """
    with opened(path) as base:
        version = version_of(base, path)
        (verdict,) = base.execute("PRAGMA integrity_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(Fault.DAMAGED, path, verdict)
        if broken := base.execute("PRAGMA foreign_key_check").fetchone():
            raise StoreError(Fault.DAMAGED, path, f"foreign key: {tuple(broken)}")
    return version


def version_of(base: sqlite3.Connection, path: Path) -> int:
    """How many steps an open database has behind it. Raises StoreError where it is not ours, or newer than we are."""
    (version,) = base.execute("PRAGMA user_version").fetchone()
    (application,) = base.execute("PRAGMA application_id").fetchone()
    (tables,) = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not (tables or version or application):
        raise StoreError(Fault.NOT_A_DATABASE, path, "empty")
    if application != APPLICATION_ID:
        raise StoreError(Fault.OTHER_PROGRAM, path)
    if version > len(steps()):
        raise StoreError(Fault.NEWER, path, f"{version} > {len(steps())}")
    return int(version)


def noted(path: Path, key: str) -> str | None:
    """What the bot has noted under that key; None if nothing."""
    with opened(path) as base:
        row = base.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def places(path: Path) -> list[Place]:
    """Where the bot is to post, in order: open tables and live games, the servers' settings, and ladders."""
    found: dict[tuple[int, int], bool] = {}
    with opened(path) as base:
        for query in _PLACES:
            for guild, channels, threads in base.execute(query):
                for channel in parse_numbers(str(channels)):
                    found[guild, channel] = found.get((guild, channel), False) or bool(threads)
    return [Place(guild, channel, threads) for (guild, channel), threads in sorted(found.items())]
