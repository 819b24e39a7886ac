"""The facts that the store needs about each table: its key, and which rows go with a match, a server or a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.store.connection import Statement


@dataclass(frozen=True)
class Table:
    """A table of the database. A feature lists its tables in its `StoredFeature`; every bot has those listed here."""

    name: str
    key: tuple[str, ...]
    """The columns of the primary key."""
    is_numbered: bool = False
    """True if the database numbers the rows. No number is given twice."""
    of_match: bool = False
    """True if rows are deleted with the match in the column `match`."""
    of_server: bool = False
    """True if rows are deleted with the server in the column `guild`, after its matches."""
    of_person: bool = False
    """True if rows are deleted when the person in the column `user` is forgotten."""
    lists_servers: bool = False
    """True if a server without matches may have rows here. Then abandoned servers are looked for here, too."""


CORE_TABLES = (
    Table("matches", ("id",), is_numbered=True),
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
    Table("archive", ("id",), is_numbered=True, of_server=True, lists_servers=True),
    Table("absences", ("guild", "since"), of_server=True),
)
"""The tables of every bot. A table comes before the tables that refer to it."""

_MATCH_NOTE_PREFIXES = ("draft", "undone", "asks", "rematch")
"""The prefixes of the keys of notes about a match: its draft, the effects of annulling it, open confirmation buttons,
and the table of its rematch."""


def statements_to_delete_match(tables: Sequence[Table], match_id: int) -> list[Statement]:
    """Returns statements that delete a match with its events and everything derived. Its number is never used again."""
    return [
        *((f"DELETE FROM {table.name} WHERE match = ?", (match_id,)) for table in reversed(tables) if table.of_match),
        ("DELETE FROM matches WHERE id = ?", (match_id,)),
        *(("DELETE FROM meta WHERE key = ?", (f"{kind}:{match_id}",)) for kind in _MATCH_NOTE_PREFIXES),
    ]


def statements_to_delete_server(tables: Sequence[Table], guild: int) -> list[Statement]:
    """Returns statements that delete the rows of a server that belong to no match."""
    return [(f"DELETE FROM {table.name} WHERE guild = ?", (guild,)) for table in reversed(tables) if table.of_server]


def statements_to_forget_person(tables: Iterable[Table], user: int) -> list[Statement]:
    """Returns statements that delete the rows that concern a person and nobody else."""
    return [(f"DELETE FROM {table.name} WHERE user = ?", (user,)) for table in tables if table.of_person]
