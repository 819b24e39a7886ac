"""What the store must know of each table: its key, and the rows that are deleted with a match, a server or a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.store.connection import Statement


@dataclass(frozen=True)
class Table:
    """A table. A feature names its own in its `StoredFeature`; those here belong to every bot."""

    name: str
    key: tuple[str, ...]
    """The columns of the primary key."""
    is_numbered: bool = False
    """True if the database numbers the rows; no number is given twice."""
    of_match: bool = False
    """True if rows go with the match in the column `match`."""
    of_server: bool = False
    """True if rows go with the server in the column `guild`, once its matches are deleted."""
    of_person: bool = False
    """True if rows go when the person in the column `user` is forgotten."""
    lists_servers: bool = False
    """True if a server without matches may have rows here: the table is searched for abandoned servers."""
    names_variant: bool = False
    """True if the column `variant` of a row names one."""
    dated_by: str | None = None
    """The column that says when something happened, if nothing derives it: see `bot.store.wrong_dates`."""


CORE_TABLES = (
    Table("matches", ("id",), is_numbered=True, names_variant=True),
    Table("events", ("match", "seq"), of_match=True),
    Table("players", ("match", "user"), of_match=True),
    Table("meta", ("key",)),
    Table("preferences", ("user", "key"), of_person=True),
    Table("user_settings", ("user",), of_person=True),
    Table("vacations", ("user", "start"), of_person=True),
    Table("guild_settings", ("guild",), of_server=True, lists_servers=True),
    Table("follows", ("match", "user"), of_match=True, of_person=True),
    Table("results", ("match",), of_match=True),
    Table("shares", ("match", "user"), of_match=True),
    Table("ratings", ("guild", "variant", "user"), of_server=True),
    Table("rating_changes", ("match", "user"), of_match=True),
    Table("archive", ("id",), is_numbered=True, of_server=True, lists_servers=True, dated_by="imported_at"),
    Table("absences", ("guild", "since"), of_server=True),
)
"""The tables of every bot; a table comes before the tables that refer to it."""

_MATCH_NOTE_PREFIXES = ("draft", "undone", "asks", "rematch")
"""Key prefixes of the notes about a match: a draft, what annulling took back, open confirmation buttons, and the
rematch's table."""


def statements_to_delete_match(tables: Sequence[Table], match_id: int) -> list[Statement]:
    """Deletes a match with its story and everything derived from it. Its number is never given again."""
    return [
        *((f"DELETE FROM {table.name} WHERE match = ?", (match_id,)) for table in reversed(tables) if table.of_match),
        ("DELETE FROM matches WHERE id = ?", (match_id,)),
        *(("DELETE FROM meta WHERE key = ?", (f"{kind}:{match_id}",)) for kind in _MATCH_NOTE_PREFIXES),
    ]


def statements_to_delete_server(tables: Sequence[Table], guild: int) -> list[Statement]:
    """Deletes the rows of a server that belong to no match."""
    return [(f"DELETE FROM {table.name} WHERE guild = ?", (guild,)) for table in reversed(tables) if table.of_server]


def statements_to_forget_person(tables: Iterable[Table], user: int) -> list[Statement]:
    """Deletes the rows of a person that name nobody else."""
    return [(f"DELETE FROM {table.name} WHERE user = ?", (user,)) for table in tables if table.of_person]
