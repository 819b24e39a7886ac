"""Prepares a database file before use: locks it, checks it, backs it up if migrations are due, and migrates it.

The migrations are the numbered .sql files beside this one. The first, the baseline, makes the whole
schema. `PRAGMA user_version` is the number of the last migration that a file has had. Once one is released, only its
comments may be edited.
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

from bot.store.connection import Database

PRIVATE = 0o600
"""The mode of files with games: only their owner may read and write them, whatever the umask is."""

APPLICATION_ID = 0x526E6454
"""The mark that the first migration writes into a file."""

BASELINE = 23
"""The number of the first migration. Databases of lower versions are refused."""

_ENTRIES_SQL = """
SELECT type, entry.name, (SELECT group_concat(name) FROM pragma_table_info(entry.name)) FROM sqlite_schema AS entry
WHERE type NOT IN ('table', 'index') OR name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*'
"""
"""Each entry of the schema with its columns, but for the tables and indices of SQLite itself and of Litestream."""


class Fault(Enum):
    """Why a database cannot be used. The values are catalogue keys."""

    IN_USE = "in-use"  # another instance of the program holds it
    NO_ACCESS = "no-access"  # missing folder or permission, a disk that is full or fails
    NOT_A_DATABASE = "not-a-database"
    OTHER_PROGRAM = "other-program"  # a database of another program
    OTHER_SCHEMA = "other-schema"  # ours, but with foreign tables, triggers or views
    DAMAGED = "damaged"
    NEWER = "newer"  # written by a later version of this program
    TOO_OLD = "too-old"  # from before the baseline
    MIGRATION_FAILED = "step-failed"  # a migration that would bring it up to date is broken
    NOT_EMPTY = "not-empty"  # the target of a copy
    DIFFERS = "differs"  # the copy, read back
    POOLED = "pooled"  # a pooler before PostgreSQL shares its sessions
    UNKNOWN = "unknown"  # the connection was lost during a commit, and is not back yet


class StoreError(Exception):
    """The database cannot be used, for the reason `fault`. It is unchanged, but UNKNOWN leaves that open."""

    def __init__(self, fault: Fault, path: Database, detail: str = "") -> None:
        self.fault = fault
        self.path = path
        self.detail = detail
        super().__init__(f"{fault.value}: {path}" + (f" ({detail})" if detail else ""))

    @property
    def is_temporary(self) -> bool:
        """True if the database server may just be away for a while."""
        return self.fault in (Fault.NO_ACCESS, Fault.UNKNOWN)


def lock_file_of(database: Path) -> Path:
    """Returns the lock file of a database; all links to the database have the same one."""
    real = database.resolve()
    return real.with_name(real.name + ".lock")


def journals_of(real: Path) -> tuple[Path, Path]:
    """Returns the files that SQLite keeps beside a database in use. `real` is the path with all links resolved."""
    return real.with_name(f"{real.name}-wal"), real.with_name(f"{real.name}-shm")


def lock_database(database: Path) -> AbstractContextManager[object]:
    """Locks a database until the block ends or the process dies. Creates its folder.

    Raises StoreError: IN_USE, or NO_ACCESS. The latter also if the file system has no locks.
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
def migration_scripts() -> tuple[str, ...]:
    """Returns the SQL of every migration, in order. It is cached, so new files do not affect a running program."""
    names = sorted(file.name for file in files(__name__).iterdir() if file.name.endswith(".sql"))
    assert [int(name[:3]) for name in names] == list(range(BASELINE, BASELINE + len(names))), names
    return tuple((files(__name__) / name).read_text(encoding="utf-8") for name in names)


def last_version(scripts: Sequence[str] | None = None) -> int:
    """Returns the number of the last of these migrations, by default of all."""
    return BASELINE - 1 + len(migration_scripts() if scripts is None else scripts)


def split_scripts(
    version: int, database: Database, scripts: Sequence[str] | None = None
) -> tuple[Sequence[str], Sequence[str]]:
    """Returns the migrations that a database of that version has had, and the due ones. Version 0 is an empty one.

    Raises StoreError: TOO_OLD or NEWER.
    """
    scripts = migration_scripts() if scripts is None else scripts
    if 0 < version < BASELINE:
        raise StoreError(Fault.TOO_OLD, database, f"{version} < {BASELINE}")
    if version > last_version(scripts):
        raise StoreError(Fault.NEWER, database, f"{version} > {last_version(scripts)}")
    count = version and version - BASELINE + 1
    return scripts[:count], scripts[count:]


def migrate_file(path: Path, scripts: Sequence[str]) -> None:
    """Migrates the file, and creates it if needed. Runs all due migrations or none.

    So if one is broken, the previous version of the program can still use the file. A file with content is first
    copied to `<name>.v<version>.backup` beside it. Raises StoreError. Nobody else may use the file during the call.
    """
    try:
        make_private(path.resolve())
        with closing(sqlite3.connect(path, isolation_level=None)) as base:
            base.execute("PRAGMA trusted_schema = OFF")  # until it is known to be ours
            past, due = examine_file(base, path, scripts)
            if past and due:
                _back_up(base, path.with_name(f"{path.name}.v{last_version(past)}.backup"))
            _run_steps(base, BASELINE + len(past), due, path)
            # In a read-only file, SQLite even begins a transaction. Only the first statement that writes fails.
            base.execute(f"PRAGMA user_version = {last_version(scripts)}")
            base.execute("COMMIT" if due else "ROLLBACK")
            for table in ("sqlite_stat1", "sqlite_stat4"):
                # Without statistics a statement has the same plan in a small database and in a large one. With those
                # of five games, SQLite reads whole tables that have had a hundred thousand since.
                base.execute(f"DROP TABLE IF EXISTS {table}")
    except (sqlite3.Error, OSError) as error:
        raise StoreError(fault_of(error), path, str(error)) from error


def make_private(path: Path) -> None:
    """Creates an empty file that only its owner may read. An existing file stays unchanged. Raises OSError.

    SQLite gives its journals the same mode.
    """
    with suppress(FileExistsError):
        path.touch(PRIVATE, exist_ok=False)


def is_own_mistake(error: sqlite3.Error) -> bool:
    """True if the statement itself is wrong. All other errors come from the machine or the file."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH)


def fault_of(error: sqlite3.Error | OSError) -> Fault:
    """Returns the fault to report for an error of SQLite or of the file system."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_NOTADB:
            return Fault.NOT_A_DATABASE
        case sqlite3.SQLITE_CORRUPT:
            return Fault.DAMAGED
        case _:
            return Fault.NO_ACCESS


def examine_file(
    base: sqlite3.Connection, path: Path, scripts: Sequence[str] | None = None, *, whole: bool = False
) -> tuple[Sequence[str], Sequence[str]]:
    """Returns the migrations that the file has had, none for an empty one, and those that are due.

    `whole`: reads every page and reference; otherwise references are read only before migrations, which would be
    blamed for a broken one. Raises StoreError if the file must not be used.
    """
    past, due = split_scripts(_read_version(base, path), path, scripts)
    if past and (strange := find_schema_difference(base, tuple(past))):
        raise StoreError(Fault.OTHER_SCHEMA, path, strange)
    (verdict,) = base.execute(f"PRAGMA {'integrity_check' if whole else 'quick_check'}(1)").fetchone()
    if verdict != "ok":
        raise StoreError(Fault.DAMAGED, path, verdict)
    if past and (due or whole) and (broken := base.execute("PRAGMA foreign_key_check").fetchone()):
        raise StoreError(Fault.DAMAGED, path, f"foreign key: {tuple(broken)}")
    return past, due


def _read_version(base: sqlite3.Connection, path: Path) -> int:
    """The number of the file's last migration; 0 for an empty file. Raises StoreError if it may not be used."""
    (version,) = base.execute("PRAGMA user_version").fetchone()
    (application,) = base.execute("PRAGMA application_id").fetchone()
    (tables,) = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if application != APPLICATION_ID and (tables or version or application):
        raise StoreError(Fault.OTHER_PROGRAM, path)
    return int(version)


def _back_up(base: sqlite3.Connection, target: Path) -> None:
    # VACUUM INTO needs an empty file; an interrupted copy must not pass for a backup.
    draft = target.with_name(target.name + ".part")
    draft.unlink(missing_ok=True)
    make_private(draft)
    base.execute("VACUUM INTO ?", (str(draft),))
    draft.replace(target)


def _run_steps(base: sqlite3.Connection, first: int, due: Sequence[str], path: Path) -> None:
    """Runs the due migrations, numbered from `first` on, in a transaction that is still open afterwards.

    Raises StoreError for a broken one; errors of the file pass.
    """
    noted = (f"{script}\n;PRAGMA user_version = {number};" for number, script in enumerate(due, first))
    try:
        base.executescript("BEGIN IMMEDIATE;" + "".join(noted))
        broken = base.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        if not is_own_mistake(error):
            raise
        (done,) = base.execute("PRAGMA user_version").fetchone()
        raise StoreError(Fault.MIGRATION_FAILED, path, f"step {max(done + 1, first)}: {error}") from error
    if due and broken:
        raise StoreError(Fault.MIGRATION_FAILED, path, f"step {first + len(due) - 1}: foreign key: {tuple(broken)}")


def find_schema_difference(base: sqlite3.Connection, scripts: tuple[str, ...]) -> str | None:
    """Returns an entry of the schema that is missing, foreign or has other columns than the migrations give it; None if
    there is none. A trigger or a view in a foreign backup would run within our own statements."""
    different = {*base.execute(_ENTRIES_SQL)} ^ _expected_entries(scripts)
    return next((f"{kind} {name!r}" for kind, name, _ in sorted(different, key=str, reverse=True)), None)


@cache
def _expected_entries(scripts: tuple[str, ...]) -> frozenset[tuple[str, str, str | None]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as base:
        for script in scripts:
            base.executescript(script)
        return frozenset(base.execute(_ENTRIES_SQL))
