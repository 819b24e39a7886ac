"""SQL that lists stored names with a meaning outside the database, such as zones, themes and variants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.store.database_tables import Table
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
    ("language", "user_settings", "language"),
    ("language", "guild_settings", "language"),
    ("event", "events", "kind"),
)
"""The kind, table and column of each stored name."""


async def stored_names(reader: Reader, tables: Iterable[Table]) -> list[StoredName]:
    """Returns all stored names with the numbers of their rows. The kind of a preference is its key."""
    names = list[StoredName]()
    variants = [("variant", table.name, "variant") for table in tables if table.names_variant]
    for kind, table, column in (*_NAMES, *variants):
        rows = await reader.run_sql(
            f"SELECT {column}, count(*) FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}"
        )
        names += [StoredName(kind, str(name), count) for name, count in rows]
    rows = await reader.run_sql("SELECT key, value, count(*) FROM preferences GROUP BY key, value")
    return names + [StoredName(key, value, count) for key, value, count in rows]
