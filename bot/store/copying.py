"""Copies a whole database into another, even of the other engine, and verifies the copy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from hashlib import sha256
from typing import Any

from bot.store import Reader, Store
from bot.store.address import Database
from bot.store.connection import Row
from bot.store.database_tables import Table
from bot.store.dialect import without_nul

_ROWS_PER_PORTION = 2000
"""Rows read and written at a time."""

_ROWS_PER_REPORT = 50 * _ROWS_PER_PORTION
"""Rows between two progress reports."""


class NotEmptyError(Exception):
    """The target database is not empty."""


class DiffersError(Exception):
    """The copy, read back, differs from the source. `table` names the table."""

    def __init__(self, table: str) -> None:
        self.table = table
        super().__init__(table)


async def copy_all_tables(
    source: Database, target: Database, tables: Sequence[Table], report_progress: Callable[[str, int], None]
) -> dict[str, int]:
    """Copies everything in one transaction. Returns the number of rows by table.

    `tables`: all tables, each before the tables that refer to it. `report_progress` gets the name of a table and the
    number of its rows copied so far. Raises StoreError, NotEmptyError and DiffersError. After an error or an
    interruption, the target is unchanged.
    """
    copied: dict[str, int] = {}
    async with Store.open(source, no_timeouts=True) as old, Store.open(target, no_timeouts=True) as new:
        async with new.write_transaction() as tx:
            for table in tables:
                if await tx.run_sql(f"SELECT 1 FROM {table.name} LIMIT 1"):
                    raise NotEmptyError
            for table in tables:
                source_hash, count = sha256(), 0
                async for portion in _read_portions(old.reader, table):
                    rows = [without_nul(row) for row in portion]
                    await tx.insert_rows(table.name, rows)
                    source_hash.update(_encode_rows(rows))
                    count += len(rows)
                    if count % _ROWS_PER_REPORT == 0:
                        report_progress(table.name, count)
                target_hash = sha256()
                async for rows in _read_portions(tx, table):
                    target_hash.update(_encode_rows(rows))
                if target_hash.digest() != source_hash.digest():
                    raise DiffersError(table.name)
                copied[table.name] = count
                report_progress(table.name, count)
            for table in tables:
                if table.is_numbered and (number := await old.reader.last_number(table.name)):
                    await tx.set_last_number(table.name, number)
        await new.scrub_deleted()  # also gathers the statistics for query plans
    return copied


async def _read_portions(reader: Reader, table: Table) -> AsyncIterator[list[Row]]:
    """Yields the rows of a table in order of their keys, in portions."""
    key = table.key
    columns, marks = ", ".join(key), ", ".join("?" * len(key))
    last: tuple[Any, ...] = ()
    while True:
        after = f" WHERE ({columns}) > ({marks})" if last else ""
        sql = f"SELECT {columns}, {table.name}.* FROM {table.name}{after} ORDER BY {columns} LIMIT {_ROWS_PER_PORTION}"
        rows = await reader.run_sql(sql, last)
        if rows:
            yield [row[len(key) :] for row in rows]
        if len(rows) < _ROWS_PER_PORTION:
            return
        last = rows[-1][: len(key)]


def _encode_rows(rows: list[Row]) -> bytes:
    return "".join(f"{row!r}\n" for row in rows).encode()
