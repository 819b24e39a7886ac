"""What a database of several workers says by shard becomes what it says by server."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from bot.store.migrations import BASELINE, migration_steps

STEP = next(number for number, step in enumerate(migration_steps(), BASELINE) if step.startswith("-- One process"))
SHARDS = 3
GUILD, FAR = 600 << 22, 601 << 22
"""Servers of the first shard and of the second."""


def key(shard: int) -> int:
    """The number that stood for a shard."""
    return -(SHARDS << 16 | shard)


def test_absences_and_notes_of_shards_become_those_of_their_servers() -> None:
    before, step = migration_steps()[: STEP - BASELINE], migration_steps()[STEP - BASELINE]
    with closing(sqlite3.connect(":memory:")) as base:
        for script in before:
            base.executescript(script)
        for guild in (GUILD, FAR):
            base.execute(
                "INSERT INTO ladders (guild, variant, channel) VALUES (?, 'camelot', 1)",
                (guild,),
            )
        spans = [(key(0), 10, 20), (key(1), 10, 30), (FAR, 10, 25), (FAR, 50, None), (0, 5, 6), (-GUILD, 7, 8)]
        base.executemany("INSERT INTO absences (guild, since, until) VALUES (?, ?, ?)", spans)
        notes = [("ticked:0", "90"), ("ticked:1", "80"), ("meets:0", "1"), ("shards", "1 3"), ("met:7", "1")]
        base.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", notes)
        base.executescript(step)
        found = base.execute("SELECT guild, since, until FROM absences ORDER BY guild, since").fetchall()
        assert found == [(-GUILD, 7, 8), (0, 5, 6), (GUILD, 10, 20), (FAR, 10, 30), (FAR, 50, None)]
        stored = dict(base.execute("SELECT key, value FROM meta").fetchall())
        assert stored == {"ticked": "80", "meets": "1", "met:7": "1"}
