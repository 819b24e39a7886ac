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
from bot.ops.backup import backups, earlier, rescued, split_by_date
from bot.store.guard import journals_of
from bot.store.inspection import inspect
from bot.store.migrations import Fault, StoreError, lock_of, secure, steps
from bot.store.trace import opened_file

_ROOM = 3
"""How many times the database's size should be free on its disk: its journal, a migration's copy, a night's backup."""

_LEAST_ROOM = 50 * 1024 * 1024
_FILES_NAMED = 5
_OLD_BACKUP = timedelta(days=2)


class Level(Enum):
    """How bad it is. The values are what is printed."""

    OK = "ok"
    WARNING = "warning"  # the bot works, but not for long, or not for everybody
    FAULT = "fault"  # it cannot work


class Finding(NamedTuple):
    """One line of the doctor's."""

    level: Level
    words: str

    def __str__(self) -> str:
        return f"{self.level.value:<7}  {self.words}"


def ok(words: str, **values: object) -> Finding:
    """All is well there."""
    return Finding(Level.OK, words.format_map(values))


def warning(words: str, **values: object) -> Finding:
    """Somebody should look at it."""
    return Finding(Level.WARNING, words.format_map(values))


def fault(words: str, **values: object) -> Finding:
    """The bot cannot work like that."""
    return Finding(Level.FAULT, words.format_map(values))


def look_around(settings: Settings) -> Iterator[Finding]:
    """What can be found without asking Discord."""
    yield ok(
        sentences.VERSIONS,
        ours=version("round-table"),
        python=platform.python_version(),
        discord=version("discord.py"),
        sqlite=sqlite3.sqlite_version,
        pillow=version("Pillow"),
    )
    yield ok(sentences.FOR_DISCORD if settings.token else sentences.FOR_SANDBOX)
    if isinstance(settings.database, Path):
        exposed = list(_open_to_others(settings.database, settings.backups))  # before the next look makes journals
        yield from _database(settings.database, settings.backups)
        yield from _rescued(settings.database, settings.backups)
        yield from exposed
        yield _disk(settings.database)
        if _there(settings.database):
            yield from _backups(settings, settings.database)


def _database(path: Path, copies: Path) -> Iterator[Finding]:
    if not _there(path):
        if trace := earlier(path, copies):
            yield fault("{why}", why=sentences.fault(StoreError(Fault.MISSING, path, str(trace))))
            if lock_of(path).exists() and _instance(path).words == sentences.RUNNING:
                yield fault(sentences.RUNS_ELSEWHERE, path=path)
            return
        folder = next(parent for parent in path.absolute().parents if _there(parent))
        if not folder.is_dir():
            yield fault(sentences.NOT_A_FOLDER, path=path, folder=folder)
        elif os.access(folder, os.W_OK):
            yield ok(sentences.NO_DATABASE, path=path)
        else:
            yield fault(sentences.NO_WAY, path=path, folder=folder)
        return
    size = megabytes(sum(part.stat().st_size for part in (path, *journals_of(path)) if part.exists()))
    try:
        found = inspect(path)
    except StoreError as error:
        yield fault("{why}", why=sentences.fault(error))
        return
    yield ok(sentences.DATABASE, path=path, size=size, version=found)
    if found < len(steps()):
        yield ok(sentences.OLDER, version=found, present=len(steps()))
    parts = [path, path.parent, *(part for part in journals_of(path) if part.exists())]
    if shut := [part for part in parts if not os.access(part, os.W_OK)]:
        yield fault(sentences.READ_ONLY, path=shut[0])
        return
    yield _instance(path)


def _there(path: Path) -> bool:
    """Whether it is there and may be looked at."""
    return os.path.exists(path)  # pathlib raises an error in a folder that is shut


def _rescued(path: Path, folder: Path) -> Iterator[Finding]:
    with suppress(OSError):  # the backups' own finding says so
        if found := rescued(folder, path):
            yield warning(sentences.RESCUED, path=found[0], count=len(found))


def _open_to_others(path: Path, folder: Path) -> Iterator[Finding]:
    if os.name != "posix":
        return
    real = path.resolve()
    with suppress(OSError):  # a folder that is shut is shut to others, too
        ours = chain(real.parent.glob(f"{escape(real.name)}*"), folder.glob(f"{escape(path.stem)}-*.db"))
        if files := sorted(str(file) for file in ours if file.is_file() and file.stat().st_mode & 0o077):
            yield warning(sentences.OPEN_TO_OTHERS, count=len(files), files=shlex.join(files[:_FILES_NAMED]))


def _instance(path: Path) -> Finding:
    """Whether a bot runs on the database. The lock is held for no longer than it takes to see that it is free."""
    try:
        with secure(path):
            return ok(sentences.NOT_RUNNING)
    except StoreError as error:
        if error.fault is Fault.IN_USE:
            opened = opened_file(path)
            if opened and _there(path) and path.stat().st_ino != opened:
                return fault(sentences.RUNS_ELSEWHERE, path=path)
            return ok(sentences.RUNNING)
        return fault(sentences.NO_LOCK, path=path, detail=error.detail)


def _disk(path: Path) -> Finding:
    folder = next(parent for parent in path.absolute().parents if _there(parent))
    free = shutil.disk_usage(folder).free
    needed = max(_LEAST_ROOM, _ROOM * path.stat().st_size if _there(path) else 0)
    say, sentence = (ok, sentences.ROOM) if free >= needed else (warning, sentences.LITTLE_ROOM)
    return say(sentence, free=megabytes(free), needed=megabytes(needed))


def _backups(settings: Settings, database: Path) -> Iterator[Finding]:
    if not settings.keep_backups:
        yield warning(sentences.NO_NIGHTLY)
        return
    now = datetime.now(UTC)
    try:
        made, ahead = split_by_date(backups(settings.backups, database), now)
    except OSError as error:
        yield fault(sentences.NO_FOLDER, folder=settings.backups, detail=error.strerror)
        return
    if ahead:
        yield warning(sentences.FUTURE_BACKUPS, count=len(ahead), path=ahead[0].path)
    if not made:
        yield warning(sentences.NO_BACKUP, folder=settings.backups)
        return
    age = now - made[0].made
    try:
        inspect(made[0].path)
    except StoreError as error:
        yield fault(sentences.BAD_BACKUP, why=sentences.fault(error))
        return
    say, sentence = (ok, sentences.BACKUP) if age < _OLD_BACKUP else (warning, sentences.OLD_BACKUP)
    yield say(sentence, path=made[0].path, hours=round(age.total_seconds() / 3600), count=len(made))


def megabytes(size: int) -> str:
    """So many bytes, for people."""
    return f"{size / 1024 / 1024:.1f} MB"
