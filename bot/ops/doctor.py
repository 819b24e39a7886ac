"""`python -m bot doctor`: what can be wrong on this machine, and what to do about it.

It needs no lock and no gateway, so it can run beside the bot. The questions to the database and to Discord are in
`bot.ops.doctor_database` and `bot.ops.doctor_discord`; the sentences are in `bot.ops.doctor_checks`.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from glob import escape
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from bot.config import Settings
from bot.ops.backup import find_earlier_trace, list_backups, list_rescued, split_by_date
from bot.ops.doctor_checks import Finding, finding
from bot.ops.sentences import fault_sentence
from bot.store.database_note import last_opened_file
from bot.store.guard import journals_of
from bot.store.inspection import check_database
from bot.store.migrations import Fault, StoreError, last_version, lock_database, lock_file_of

_FREE_SPACE_FACTOR = 3
"""Times the database's size that should be free on its disk: for the journal, a migration's copy and a night's
backup."""

_MIN_FREE_BYTES = 50 * 1024 * 1024
_FILES_NAMED = 5
_OLD_BACKUP_AGE = timedelta(days=2)


def check_machine(settings: Settings) -> Iterator[Finding]:
    """Yields the findings that need no Discord."""
    yield finding(
        "versions",
        ours=version("round-table"),
        python=platform.python_version(),
        discord=version("discord.py"),
        sqlite=sqlite3.sqlite_version,
        pillow=version("Pillow"),
    )
    yield finding("token" if settings.token else "no-token")
    if isinstance(settings.database, Path):
        exposed = list(_open_to_others(settings.database, settings.backups))  # before the next check makes journals
        yield from _check_database(settings.database, settings.backups)
        yield from _rescued(settings.database, settings.backups)
        yield from exposed
        yield _check_disk(settings.database)
        if _is_visible(settings.database):
            yield from _check_backups(settings, settings.database)


def _check_database(path: Path, copies: Path) -> Iterator[Finding]:
    if not _is_visible(path):
        if trace := find_earlier_trace(path, copies):
            yield finding("database", False, why=fault_sentence(StoreError(Fault.MISSING, path, str(trace))))
            if lock_file_of(path).exists() and _check_instance(path) == finding("running"):
                yield finding("running", False, path=path)
            return
        folder = next(parent for parent in path.absolute().parents if _is_visible(parent))
        can_be_made = folder.is_dir() and os.access(folder, os.W_OK)
        yield finding("first-start" if folder.is_dir() else "folder", can_be_made, path=path, folder=folder)
        return
    size = format_megabytes(sum(part.stat().st_size for part in (path, *journals_of(path)) if part.exists()))
    try:
        version = check_database(path)
    except StoreError as error:
        yield finding("database", False, why=fault_sentence(error))
        return
    yield finding("database", path=path, size=size, version=version)
    if version < last_version():
        yield finding("older", version=version, present=last_version())
    parts = [path, path.parent, *(part for part in journals_of(path) if part.exists())]
    if read_only := [part for part in parts if not os.access(part, os.W_OK)]:
        yield finding("write-access", False, path=read_only[0])
        return
    yield _check_instance(path)


def _is_visible(path: Path) -> bool:
    """True if the path exists and may be inspected."""
    return os.path.exists(path)  # pathlib raises an error in an unreadable folder


def _rescued(path: Path, folder: Path) -> Iterator[Finding]:
    with suppress(OSError):  # the finding about backups reports it
        if rescued := list_rescued(folder, path):
            yield finding("rescued", False, path=rescued[0], count=len(rescued))


def _open_to_others(path: Path, folder: Path) -> Iterator[Finding]:
    if os.name != "posix":
        return
    real = path.resolve()
    with suppress(OSError):  # an unreadable folder is closed to others, too
        ours = chain(real.parent.glob(f"{escape(real.name)}*"), folder.glob(f"{escape(path.stem)}-*.db"))
        if files := sorted(str(file) for file in ours if file.is_file() and file.stat().st_mode & 0o077):
            yield finding("file-modes", False, count=len(files), files=shlex.join(files[:_FILES_NAMED]))


def _check_instance(path: Path) -> Finding:
    """Reports whether a bot runs on the database. Holds the lock only long enough to see that it is free."""
    try:
        with lock_database(path):
            return finding("not-running")
    except StoreError as error:
        if error.fault is Fault.IN_USE:
            opened = last_opened_file(path)
            if opened and _is_visible(path) and path.stat().st_ino != opened:
                return finding("running", False, path=path)
            return finding("running")
        return finding("lock", False, path=path, detail=error.detail)


def _check_disk(path: Path) -> Finding:
    folder = next(parent for parent in path.absolute().parents if _is_visible(parent))
    free = shutil.disk_usage(folder).free
    needed = max(_MIN_FREE_BYTES, _FREE_SPACE_FACTOR * path.stat().st_size if _is_visible(path) else 0)
    return finding("disk", free >= needed, free=format_megabytes(free), needed=format_megabytes(needed))


def _check_backups(settings: Settings, database: Path) -> Iterator[Finding]:
    if not settings.keep_backups:
        yield finding("nightly-backups", False)
        return
    now = datetime.now(UTC)
    try:
        made, ahead = split_by_date(list_backups(settings.backups, database), now)
    except OSError as error:
        yield finding("backup-folder", False, folder=settings.backups, detail=error.strerror)
        return
    if ahead:
        yield finding("backup-dates", False, count=len(ahead), path=ahead[0].path)
    if not made:
        yield finding("any-backup", False, folder=settings.backups)
        return
    age = now - made[0].made
    try:
        check_database(made[0].path)
    except StoreError as error:
        yield finding("backup", False, why=fault_sentence(error))
        return
    hours = round(age.total_seconds() / 3600)
    yield finding("backup-age", age < _OLD_BACKUP_AGE, path=made[0].path, hours=hours, count=len(made))


def format_megabytes(size: int) -> str:
    """Returns the size in bytes as text for people."""
    return f"{size / 1024 / 1024:.1f} MB"
