"""Inspects an SQLite file from outside, without our lock: a bot may be running on it. Uses plain sqlite3."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from bot.store.connection import Row
from bot.store.migrations import APPLICATION_ID, Fault, StoreError, fault_of, split_steps
from bot.store.schema import find_schema_difference
from rules.terminal import require_plain_file

_TARGET_ERROR_CODES = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)
"""SQLite's codes for errors of the file that is being written, if the other file is only read."""


@contextmanager
def _connect_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a connection that cannot write to the file. Turns errors in the block into StoreError."""
    try:
        require_plain_file(path)
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)) as base:
            base.execute("PRAGMA trusted_schema = OFF")  # a file to be restored may come from anywhere
            yield base
    except (sqlite3.Error, OSError) as error:
        raise StoreError(fault_of(error), path, str(error)) from error


def check_database(path: Path) -> int:
    """Reads every page of a database. Returns its version.

    Raises StoreError, with the reason, if the database is not sound or not ours.
    """
    with _connect_read_only(path) as base:
        version = _read_whole(base, path)
        if broken := base.execute("PRAGMA foreign_key_check").fetchone():
            raise StoreError(Fault.DAMAGED, path, f"foreign key: {tuple(broken)}")
    return version


def ask(path: Path, sql: str) -> list[Row]:
    """Opens the file afresh, reads it whole, and returns the rows of a statement. Raises StoreError."""
    with _connect_read_only(path) as base:
        _read_whole(base, path)
        return base.execute(sql).fetchall()


def copy_database(path: Path, target: Path) -> None:
    """Copies the state of a database at one moment over an empty file, even while the bot writes.

    Raises StoreError, which names the target if the target cannot be written.
    """
    with _connect_read_only(path) as base:
        try:
            base.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode in _TARGET_ERROR_CODES:
                raise StoreError(Fault.NO_ACCESS, target, str(error)) from error
            raise


def empty_journal(path: Path) -> None:
    """Moves the content of the journal into the file, as far as possible."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _read_whole(base: sqlite3.Connection, path: Path) -> int:
    """Checks all pages of an open database and returns its version. Raises StoreError."""
    version = _version_of(base, path)
    (verdict,) = base.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(Fault.DAMAGED, path, verdict)
    return version


def _version_of(base: sqlite3.Connection, path: Path) -> int:
    """Returns the version of an open database. Raises StoreError if it is not ours, too old or too new."""
    (version,) = base.execute("PRAGMA user_version").fetchone()
    (application,) = base.execute("PRAGMA application_id").fetchone()
    (tables,) = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if not (tables or version or application):
        raise StoreError(Fault.NOT_A_DATABASE, path, "empty")
    if application != APPLICATION_ID:
        raise StoreError(Fault.OTHER_PROGRAM, path)
    past, _ = split_steps(version, path)
    if strange := find_schema_difference(base, tuple(past)):
        raise StoreError(Fault.OTHER_SCHEMA, path, strange)
    return int(version)
