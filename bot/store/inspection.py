"""A file of SQLite's seen from outside, beside a bot that may be running on it: plain sqlite3, and no lock."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from bot.store.connection import Row
from bot.store.migrations import APPLICATION_ID, Fault, StoreError, fault_of, migration_steps
from bot.store.schema import find_schema_difference

_TARGET_ERROR_CODES = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)
"""SQLite's codes for what happens to the file that is written, where another one is only read."""


@contextmanager
def _connect_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write to that file. Raises StoreError for whatever fails within."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as base:
            base.execute("PRAGMA trusted_schema = OFF")  # a file to be restored may come from anywhere
            yield base
    except (sqlite3.Error, OSError) as error:
        raise StoreError(fault_of(error), path, str(error)) from error


def check_database(path: Path) -> int:
    """How many steps a whole and sound database of ours has had; every page of it is read.

    Raises StoreError that says what is wrong with it.
    """
    with _connect_read_only(path) as base:
        version = _read_whole(base, path)
        if broken := base.execute("PRAGMA foreign_key_check").fetchone():
            raise StoreError(Fault.DAMAGED, path, f"foreign key: {tuple(broken)}")
    return version


def ask(path: Path, sql: str) -> list[Row]:
    """The rows that a statement returns, as somebody finds them who has not had the file open. It is read whole first.

    Raises StoreError.
    """
    with _connect_read_only(path) as base:
        _read_whole(base, path)
        return base.execute(sql).fetchall()


def copy_database(path: Path, target: Path) -> None:
    """A copy of one moment, however much is being written, in the place of an empty file.

    Raises StoreError, which names the copy where that is what cannot be written.
    """
    with _connect_read_only(path) as base:
        try:
            base.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode in _TARGET_ERROR_CODES:
                raise StoreError(Fault.NO_ACCESS, target, str(error)) from error
            raise


def empty_journal(path: Path) -> None:
    """Writes into the file what stands in its journal only, as far as that can be done."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _read_whole(base: sqlite3.Connection, path: Path) -> int:
    """How many steps an open database has had, whose pages are sound. Raises StoreError."""
    version = _version_of(base, path)
    (verdict,) = base.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(Fault.DAMAGED, path, verdict)
    return version


def _version_of(base: sqlite3.Connection, path: Path) -> int:
    """How many steps an open database has had. Raises StoreError where it is not ours, or newer than we are."""
    (version,) = base.execute("PRAGMA user_version").fetchone()
    (application,) = base.execute("PRAGMA application_id").fetchone()
    (tables,) = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not (tables or version or application):
        raise StoreError(Fault.NOT_A_DATABASE, path, "empty")
    if application != APPLICATION_ID:
        raise StoreError(Fault.OTHER_PROGRAM, path)
    if version > len(migration_steps()):
        raise StoreError(Fault.NEWER, path, f"{version} > {len(migration_steps())}")
    if strange := find_schema_difference(base, migration_steps()[:version]):
        raise StoreError(Fault.OTHER_SCHEMA, path, strange)
    return int(version)
