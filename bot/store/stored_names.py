"""SQL that lists stored names whose meaning is defined elsewhere: zones, themes, variants and the like."""

from __future__ import annotations

from typing import NamedTuple

from bot.store.reading import Reader


class StoredName(NamedTuple):
    """A stored name, its kind, and the number of rows that contain it."""

    kind: str
    name: str
    rows: int


_NAMES = (
    ("zone", "user_settings", "zone"),
    ("zone", "guild_settings", "zone"),
    ("reminders", "user_settings", "reminders"),
    ("pace", "guild_settings", "pace"),
    ("threads", "guild_settings", "threads"),
    ("viewpoint", "guild_settings", "viewpoint"),
    ("language", "user_settings", "language"),
    ("language", "guild_settings", "language"),
    ("variant", "matches", "variant"),
    ("variant", "ladders", "variant"),
    ("event", "events", "kind"),
)
"""Kind, table and column of each stored name."""


async def stored_names(reader: Reader) -> list[StoredName]:
    """All stored names with the number of rows; preferences have their key as kind."""
    found = []
    for kind, table, column in _NAMES:
        rows = await reader.run_sql(
            f"SELECT {column}, count(*) FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}"
        )
        found += [StoredName(kind, str(name), rows) for name, rows in rows]
    rows = await reader.run_sql("SELECT key, value, count(*) FROM preferences GROUP BY key, value")
    return found + [StoredName(key, value, count) for key, value, count in rows]
