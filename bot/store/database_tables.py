"""The tables: the key of each, which rows go with a match, a server or a person; and a copy of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from bot.store import Fault, Reader, Store, StoreError
from bot.store.connection import Database, Row, Statement
from bot.store.dialect import without_nul


@dataclass(frozen=True)
class Table:
    """A table of the database. A feature lists its tables in its `Feature`; every bot has those listed here."""

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
    is_derived: bool = False
    """True if a rebuild computes all rows from the events of matches and ladders."""
    places_sql: str = ""
    """A query for the channels, other than those of games and settings, in which the bot posts: their servers, the
    channels, and whether games there are played in threads."""
    ends_sql: str = ""
    """A query for matches that have to be over at some time, and these times, given a JSON list of matches."""
    count_sql: str = ""
    """A query for the number of things that a deletion takes from `:user`. Its sentence has the key "data.NAME"."""


CORE_TABLES = (
    Table("matches", ("id",), is_numbered=True),
    Table("events", ("match", "seq"), of_match=True),
    Table("players", ("match", "user"), of_match=True),
    Table("meta", ("key",)),
    Table("preferences", ("user", "key"), of_person=True),
    Table("user_settings", ("user",), of_person=True),
    Table("vacations", ("user", "start"), of_person=True),
    Table("blocks", ("user", "blocked"), of_person=True),
    Table("guild_settings", ("guild",), of_server=True, lists_servers=True),
    Table("servers", ("guild",), of_server=True, lists_servers=True),
    Table("forgetting", ("user",)),
    Table("forgetting_rerated", ("user", "guild", "variant")),
    Table("follows", ("match", "user"), of_match=True, of_person=True),
    Table("plans", ("id",), is_numbered=True, of_match=True, of_person=True),
    Table("results", ("match",), of_match=True, is_derived=True),
    Table("shares", ("match", "user"), of_match=True, is_derived=True),
    Table("ratings", ("guild", "variant", "user"), of_server=True, is_derived=True),
    Table("rating_changes", ("match", "user"), of_match=True, is_derived=True),
    Table("archive", ("id",), is_numbered=True, of_server=True, lists_servers=True),
    Table("seekers", ("guild", "user"), of_server=True, of_person=True),
    Table("tables_called", ("match",), of_match=True),
    Table("absences", ("guild", "since"), of_server=True),
    Table("jobs", ("kind", "key"), of_match=True, of_server=True),
)
"""The tables of every bot. A table comes before the tables that refer to it."""


def statements_to_delete_match(tables: Sequence[Table], match_id: int) -> list[Statement]:
    """Returns statements that delete a match with its events and everything derived. Its number is never used again."""
    return [
        *((f"DELETE FROM {table.name} WHERE match = ?", (match_id,)) for table in reversed(tables) if table.of_match),
        ("DELETE FROM matches WHERE id = ?", (match_id,)),
    ]


def statements_to_delete_server(tables: Sequence[Table], guild: int) -> list[Statement]:
    """Returns statements that delete the rows of a server that belong to no match."""
    return [(f"DELETE FROM {table.name} WHERE guild = ?", (guild,)) for table in reversed(tables) if table.of_server]


def statements_to_forget_person(tables: Iterable[Table], user: int) -> list[Statement]:
    """Returns statements that delete the rows that concern a person and nobody else."""
    return [(f"DELETE FROM {table.name} WHERE user = ?", (user,)) for table in tables if table.of_person]


# A verified copy of a whole database, even into one of the other engine


_ROWS_PER_PORTION = 2000
"""Rows read and written at a time."""

_ROWS_PER_REPORT = 50 * _ROWS_PER_PORTION
"""Rows between two progress reports."""


async def copy_all_tables(
    source: Database, target: Database, tables: Sequence[Table], report_progress: Callable[[str, int], None]
) -> dict[str, int]:
    """Copies everything in one transaction. Returns the number of rows by table.

    `tables`: all tables, each before the tables that refer to it. `report_progress` gets the name of a table and the
    number of its rows copied so far. Raises StoreError, also NOT_EMPTY and DIFFERS. After an error or an
    interruption, the target is unchanged.
    """
    copied: dict[str, int] = {}
    async with Store.open(source, no_timeouts=True) as old, Store.open(target, no_timeouts=True) as new:
        async with new.write_transaction() as tx:
            for table in tables:
                if await tx.run_sql(f"SELECT 1 FROM {table.name} LIMIT 1"):
                    raise StoreError(Fault.NOT_EMPTY, target)
            for table in tables:
                count, width, last = 0, len(table.key), Row()
                while portion := await _read_portion(old.reader, table, last):
                    rows = [without_nul(row) for row in portion]
                    await tx.insert_rows(table.name, [row[width:] for row in rows])
                    if await _read_portion(tx, table, last) != rows:
                        raise StoreError(Fault.DIFFERS, target, table.name)
                    count, last = count + len(rows), portion[-1][:width]
                    if count % _ROWS_PER_REPORT == 0:
                        report_progress(table.name, count)
                copied[table.name] = count
                report_progress(table.name, count)
            for table in tables:
                if table.is_numbered and (number := await old.reader.last_number(table.name)):
                    await tx.set_last_number(table.name, number)
        await new.scrub_deleted()  # also gathers the statistics for query plans
    return copied


async def _read_portion(reader: Reader, table: Table, last: Row) -> list[Row]:
    """Returns the next rows of a table, those whose keys come after `last`, each with its key before it."""
    columns, marks = ", ".join(table.key), ", ".join("?" * len(table.key))
    after = f" WHERE ({columns}) > ({marks})" if last else ""
    sql = f"SELECT {columns}, {table.name}.* FROM {table.name}{after} ORDER BY {columns} LIMIT {_ROWS_PER_PORTION}"
    return await reader.run_sql(sql, last)
