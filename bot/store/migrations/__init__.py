"""The database file before anybody uses it: locked, checked, copied if it is to be changed, and brought up to date.

The steps are the numbered .sql files beside this one. `PRAGMA user_version` counts those that a file has had. A
landed step is never edited; the next one is added.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, suppress
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path

from filelock import FileLock, Timeout

from bot.store.address import Database
from bot.store.schema import find_schema_difference, split_statements

PRIVATE = 0o600
"""What may be done to a file with games in it, and by whom: its owner alone reads and writes it, whatever the umask."""

APPLICATION_ID = 0x526E6454
"""What the first step writes into a file to mark it as ours."""

QUICK_CHECK_MAX_BYTES = 512 << 20
"""Bytes of a database that are read in about two seconds: some hundreds of thousands of games."""

_FILE_ERROR_CODES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)
"""SQLite's codes for what the machine or the file does to a step. Any other error is a mistake in the step."""


class Fault(Enum):
    """Why a database cannot be used. The values are catalogue keys."""

    IN_USE = "in-use"  # another instance of the program holds it
    NO_ACCESS = "no-access"  # missing folder or permission, a disk that is full or fails
    NOT_A_DATABASE = "not-a-database"
    OTHER_PROGRAM = "other-program"  # a database, of a program that is not this one
    OTHER_SCHEMA = "other-schema"  # ours, with tables, triggers or views that are not
    DAMAGED = "damaged"
    NEWER = "newer"  # written by a later version of this program
    STEP_FAILED = "step-failed"  # a step that would bring it up to date is broken
    OLDER_RUN = "older-run"  # workers run on it that could not live with a step that is due
    OTHER_SHARDS = "other-shards"  # workers run on it that go by another number of shards
    POOLED = "pooled"  # something stands before PostgreSQL that hands its sessions to others
    MISSING = "missing"  # no file, where an earlier one was
    UNKNOWN = "unknown"  # it went away while something was being stored, and is not back yet


class StoreError(Exception):
    """The database cannot be used, and is as it was, unless that is UNKNOWN. `fault` says why."""

    def __init__(self, fault: Fault, path: Database, detail: str = "") -> None:
        self.fault = fault
        self.path = path
        self.detail = detail
        super().__init__(f"{fault.value}: {path}" + (f" ({detail})" if detail else ""))

    @property
    def is_temporary(self) -> bool:
        """Whether a server that is only away for a while may be all there is to it."""
        return self.fault in (Fault.NO_ACCESS, Fault.UNKNOWN)


def lock_file_of(database: Path) -> Path:
    """The file that is locked for a database: one, whatever links lead to the database."""
    real = database.resolve()
    return real.with_name(real.name + ".lock")


def lock_database(database: Path) -> AbstractContextManager[object]:
    """The lock on that database, whose folder is there then: held until the block is left, or the process dies.

    Raises StoreError: IN_USE, or NO_ACCESS, as where the file system has no locks.
    """
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(
            lock_file_of(database), timeout=0, mode=PRIVATE, thread_local=False, fallback_to_soft=False
        ).acquire()
    except Timeout as error:
        raise StoreError(Fault.IN_USE, database) from error
    except (OSError, NotImplementedError) as error:
        raise StoreError(Fault.NO_ACCESS, database, str(error)) from error


@cache
def migration_steps() -> tuple[str, ...]:
    """The SQL of every step, in order: those of this program, also where an update brings more while it runs."""
    names = sorted(file.name for file in files(__name__).iterdir() if file.name.endswith(".sql"))
    assert [int(name[:3]) for name in names] == list(range(1, len(names) + 1)), names
    return tuple((files(__name__) / name).read_text(encoding="utf-8") for name in names)


def migrate_file(path: Path, scripts: Sequence[str]) -> None:
    """Brings the file up to date, creating it if need be. All steps that are due happen, or none.

    Else the program before would not read what a broken step has left of those before it. Before the first step a file
    with something in it is copied, to `<name>.v<version>.backup` beside it. Raises StoreError. Nobody else may use the
    file meanwhile.
    """
    try:
        doubtful = _is_doubtful(path)
        make_private(path.resolve())
        with closing(sqlite3.connect(path, isolation_level=None)) as base:
            base.execute("PRAGMA trusted_schema = OFF")  # until it is known to be ours
            version = _read_version(base, path)
            if version > len(scripts):
                raise StoreError(Fault.NEWER, path, f"{version} > {len(scripts)}")
            if version and (strange := find_schema_difference(base, tuple(scripts[:version]))):
                raise StoreError(Fault.OTHER_SCHEMA, path, strange)
            if doubtful or version < len(scripts):
                _check_pages(base, path)
            if 0 < version < len(scripts):
                if broken := _broken_reference(base):
                    raise StoreError(Fault.DAMAGED, path, broken)
                _back_up(base, path.with_name(f"{path.name}.v{version}.backup"))
            if version < len(scripts):
                _run_steps(base, version, scripts, path)
            _try_to_write(base, len(scripts))
    except (sqlite3.Error, OSError) as error:
        raise StoreError(fault_of(error), path, str(error)) from error


def make_private(path: Path) -> None:
    """Makes an empty file that only its owner may read; one that is there stays as it is. SQLite's journals follow it.

    Raises OSError.
    """
    with suppress(FileExistsError):
        path.touch(PRIVATE, exist_ok=False)


def fault_of(error: sqlite3.Error | OSError) -> Fault:
    """What an error of SQLite or of the file system means for the database."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_NOTADB:
            return Fault.NOT_A_DATABASE
        case sqlite3.SQLITE_CORRUPT:
            return Fault.DAMAGED
        case _:
            return Fault.NO_ACCESS


def _read_version(base: sqlite3.Connection, path: Path) -> int:
    """How many steps the file has had; 0 for an empty one. Raises for a file that must not be touched."""
    (version,) = base.execute("PRAGMA user_version").fetchone()
    (application,) = base.execute("PRAGMA application_id").fetchone()
    (tables,) = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION_ID and (tables or version or application):
        raise StoreError(Fault.OTHER_PROGRAM, path)
    return int(version)


def _is_doubtful(path: Path) -> bool:
    """Whether every page is to be read before the file is used: it is soon done, or the last stop was not clean.

    A clean one takes the journal away. What becomes of a very large file while it is closed is found by the nightly
    backup, which reads every table.
    """
    real = path.resolve()
    return (
        not real.exists() or real.stat().st_size <= QUICK_CHECK_MAX_BYTES or real.with_name(real.name + "-wal").exists()
    )


def _check_pages(base: sqlite3.Connection, path: Path) -> None:
    """Raises StoreError where a page is damaged."""
    (verdict,) = base.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(Fault.DAMAGED, path, verdict)


def _try_to_write(base: sqlite3.Connection, version: int) -> None:
    """Writes what is there already, and takes it back. Raises sqlite3.Error where that cannot be done."""
    # SQLite opens a file that it may only read, begins to write to it, and complains at the first statement that does.
    base.execute("BEGIN IMMEDIATE")
    base.execute(f"PRAGMA user_version = {version}")
    base.execute("ROLLBACK")


def _back_up(base: sqlite3.Connection, target: Path) -> None:
    # VACUUM INTO wants a file that is empty; a copy cut short must not pass for a backup.
    draft = target.with_name(target.name + ".part")
    draft.unlink(missing_ok=True)
    make_private(draft)
    base.execute("VACUUM INTO ?", (str(draft),))
    draft.replace(target)


def _run_steps(base: sqlite3.Connection, version: int, scripts: Sequence[str], path: Path) -> None:
    """Takes all steps after that version. Raises what the file suffers, and STEP_FAILED for a broken step."""
    try:
        base.execute("BEGIN IMMEDIATE")
        for number, script in enumerate(scripts[version:], version + 1):
            _run_step(base, number, script, path)
        base.execute("COMMIT")
    finally:
        if base.in_transaction:
            base.execute("ROLLBACK")


def _run_step(base: sqlite3.Connection, number: int, script: str, path: Path) -> None:
    try:
        for statement in split_statements(script):
            base.execute(statement)
        base.execute(f"PRAGMA user_version = {number}")
        problem = _broken_reference(base)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _FILE_ERROR_CODES:
            raise
        raise StoreError(Fault.STEP_FAILED, path, f"step {number}: {error}") from error
    if problem:
        raise StoreError(Fault.STEP_FAILED, path, f"step {number}: {problem}")


def _broken_reference(base: sqlite3.Connection) -> str:
    """A row that names another which is not there; empty where there is none."""
    broken = base.execute("PRAGMA foreign_key_check").fetchone()
    return f"foreign key: {tuple(broken)}" if broken else ""
