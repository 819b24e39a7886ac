"""`python -m bot doctor`: what can be wrong on this machine, and what to do about it.

It needs no lock and no gateway, so that it can be asked while the bot runs, and while it does not. What has to be asked
of Discord is in `bot.ops.doctor_discord`.
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
from enum import Enum
from glob import escape
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from bot.config import Settings
from bot.ops import sentences
from bot.ops.backup import find_earlier_trace, list_backups, list_rescued, split_by_date
from bot.store.guard import journals_of
from bot.store.inspection import check_database
from bot.store.migrations import Fault, StoreError, last_version, lock_database, lock_file_of
from bot.store.trace import last_opened_file

_FREE_SPACE_FACTOR = 3
"""How many times the database's size should be free on its disk: its journal, a migration's copy, a night's backup."""

_MIN_FREE_BYTES = 50 * 1024 * 1024
_FILES_NAMED = 5
_OLD_BACKUP_AGE = timedelta(days=2)


class Severity(Enum):
    """How bad it is. The values are what is printed."""

    OK = "ok"
    WARNING = "warning"  # the bot works, but not for long, or not for everybody
    FAULT = "fault"  # it cannot work


class Finding(NamedTuple):
    """One line of the doctor's."""

    level: Severity
    words: str

    def __str__(self) -> str:
        return f"{self.level.value:<7}  {self.words}"


def ok_finding(words: str, **values: object) -> Finding:
    """All is well there."""
    return Finding(Severity.OK, words.format_map(values))


def warning_finding(words: str, **values: object) -> Finding:
    """Somebody should look at it."""
    return Finding(Severity.WARNING, words.format_map(values))


def fault_finding(words: str, **values: object) -> Finding:
    """The bot cannot work like that."""
    return Finding(Severity.FAULT, words.format_map(values))


def check_machine(settings: Settings) -> Iterator[Finding]:
    """The findings that need no Discord."""
    yield ok_finding(
        sentences.VERSIONS,
        ours=version("round-table"),
        python=platform.python_version(),
        discord=version("discord.py"),
        sqlite=sqlite3.sqlite_version,
        pillow=version("Pillow"),
    )
    yield ok_finding(sentences.FOR_DISCORD if settings.token else sentences.FOR_SANDBOX)
    if isinstance(settings.database, Path):
        exposed = list(_open_to_others(settings.database, settings.backups))  # before the next look makes journals
        yield from _check_database(settings.database, settings.backups)
        yield from _rescued(settings.database, settings.backups)
        yield from exposed
        yield _check_disk(settings.database)
        if _is_visible(settings.database):
            yield from _check_backups(settings, settings.database)


def _check_database(path: Path, copies: Path) -> Iterator[Finding]:
    if not _is_visible(path):
        if trace := find_earlier_trace(path, copies):
            yield fault_finding("{why}", why=sentences.fault_sentence(StoreError(Fault.MISSING, path, str(trace))))
            if lock_file_of(path).exists() and _check_instance(path).words == sentences.RUNNING:
                yield fault_finding(sentences.RUNS_ELSEWHERE, path=path)
            return
        folder = next(parent for parent in path.absolute().parents if _is_visible(parent))
        if not folder.is_dir():
            yield fault_finding(sentences.NOT_A_FOLDER, path=path, folder=folder)
        elif os.access(folder, os.W_OK):
            yield ok_finding(sentences.NO_DATABASE, path=path)
        else:
            yield fault_finding(sentences.NO_WAY, path=path, folder=folder)
        return
    size = format_megabytes(sum(part.stat().st_size for part in (path, *journals_of(path)) if part.exists()))
    try:
        version = check_database(path)
    except StoreError as error:
        yield fault_finding("{why}", why=sentences.fault_sentence(error))
        return
    yield ok_finding(sentences.DATABASE, path=path, size=size, version=version)
    if version < last_version():
        yield ok_finding(sentences.OLDER, version=version, present=last_version())
    parts = [path, path.parent, *(part for part in journals_of(path) if part.exists())]
    if read_only := [part for part in parts if not os.access(part, os.W_OK)]:
        yield fault_finding(sentences.READ_ONLY, path=read_only[0])
        return
    yield _check_instance(path)


def _is_visible(path: Path) -> bool:
    """True if the path exists and may be inspected."""
    return os.path.exists(path)  # pathlib raises an error in a folder that is shut


def _rescued(path: Path, folder: Path) -> Iterator[Finding]:
    with suppress(OSError):  # the backups' own finding says so
        if found := list_rescued(folder, path):
            yield warning_finding(sentences.RESCUED, path=found[0], count=len(found))


def _open_to_others(path: Path, folder: Path) -> Iterator[Finding]:
    if os.name != "posix":
        return
    real = path.resolve()
    with suppress(OSError):  # a folder that is shut is shut to others, too
        ours = chain(real.parent.glob(f"{escape(real.name)}*"), folder.glob(f"{escape(path.stem)}-*.db"))
        if files := sorted(str(file) for file in ours if file.is_file() and file.stat().st_mode & 0o077):
            yield warning_finding(sentences.OPEN_TO_OTHERS, count=len(files), files=shlex.join(files[:_FILES_NAMED]))


def _check_instance(path: Path) -> Finding:
    """Whether a bot runs on the database. The lock is held for no longer than it takes to see that it is free."""
    try:
        with lock_database(path):
            return ok_finding(sentences.NOT_RUNNING)
    except StoreError as error:
        if error.fault is Fault.IN_USE:
            opened = last_opened_file(path)
            if opened and _is_visible(path) and path.stat().st_ino != opened:
                return fault_finding(sentences.RUNS_ELSEWHERE, path=path)
            return ok_finding(sentences.RUNNING)
        return fault_finding(sentences.NO_LOCK, path=path, detail=error.detail)


def _check_disk(path: Path) -> Finding:
    folder = next(parent for parent in path.absolute().parents if _is_visible(parent))
    free = shutil.disk_usage(folder).free
    needed = max(_MIN_FREE_BYTES, _FREE_SPACE_FACTOR * path.stat().st_size if _is_visible(path) else 0)
    say, sentence = (ok_finding, sentences.ROOM_ON_DISK) if free >= needed else (warning_finding, sentences.LITTLE_ROOM)
    return say(sentence, free=format_megabytes(free), needed=format_megabytes(needed))


def _check_backups(settings: Settings, database: Path) -> Iterator[Finding]:
    if not settings.keep_backups:
        yield warning_finding(sentences.NO_NIGHTLY)
        return
    now = datetime.now(UTC)
    try:
        made, ahead = split_by_date(list_backups(settings.backups, database), now)
    except OSError as error:
        yield fault_finding(sentences.NO_FOLDER, folder=settings.backups, detail=error.strerror)
        return
    if ahead:
        yield warning_finding(sentences.FUTURE_BACKUPS, count=len(ahead), path=ahead[0].path)
    if not made:
        yield warning_finding(sentences.NO_BACKUP, folder=settings.backups)
        return
    age = now - made[0].made
    try:
        check_database(made[0].path)
    except StoreError as error:
        yield fault_finding(sentences.BAD_BACKUP, why=sentences.fault_sentence(error))
        return
    say, sentence = (ok_finding, sentences.BACKUP) if age < _OLD_BACKUP_AGE else (warning_finding, sentences.OLD_BACKUP)
    yield say(sentence, path=made[0].path, hours=round(age.total_seconds() / 3600), count=len(made))


def format_megabytes(size: int) -> str:
    """So many bytes, for people."""
    return f"{size / 1024 / 1024:.1f} MB"
