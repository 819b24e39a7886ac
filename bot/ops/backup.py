"""Backups of the database file: made and verified while the bot runs, pruned, and restored.

A backup uses its own connection of plain sqlite3, and needs neither the writer's lock nor the instance's.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from glob import escape
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import structlog

from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.wall_clock import WALL_CLOCK, WallClock
from bot.store.migrations import Fault, StoreError, journals_of, lock_database, make_private
from bot.store.sqlite import check_database, copy_database, empty_journal

log = structlog.get_logger()

BACKUP_TIME = timedelta(hours=3)
"""The time after midnight UTC at which a day's backup is due."""

_STAMP_FORMAT = "%Y%m%d-%H%M%SZ"
_STALE_DRAFT_AGE = timedelta(days=1)


class Backup(NamedTuple):
    """A dated copy."""

    made: datetime
    path: Path


def back_up(database: Path, target: Path) -> None:
    """Copies the database to `target`, replacing an existing file, and verifies the copy by reading it whole.

    Raises StoreError, and leaves no partial copy.
    """
    with draft_file(target) as draft:
        _copy_verified(database, draft)
        move_into_place(draft, target)


def format_timestamp(now: datetime) -> str:
    """Returns the time in the form in which the names of backups contain it."""
    return f"{now.astimezone(UTC):{_STAMP_FORMAT}}"


def dated_path(folder: Path, database: Path, now: datetime) -> Path:
    """Returns the path of a backup made now."""
    return folder / f"{database.stem}-{format_timestamp(now)}.db"


def list_backups(folder: Path, database: Path, now: datetime | None = None) -> list[Backup]:
    """Returns the dated backups of that database, the latest first; other files are ignored. With `now`, without those
    dated later, which were made while the clock was ahead."""
    name = re.compile(rf"{re.escape(database.stem)}-(\d{{8}}-\d{{6}}Z)\.db")
    copies = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := name.fullmatch(path.name):
            with suppress(ValueError):  # digits that are no date: not a backup
                copies.append(Backup(datetime.strptime(match[1], _STAMP_FORMAT).replace(tzinfo=UTC), path))
    return sorted((copy for copy in copies if now is None or copy.made <= now), reverse=True)


def prune_backups(folder: Path, database: Path, keep: int, now: datetime) -> list[Path]:
    """Removes all dated backups until now but the latest `keep`, and the remains of killed processes. Returns the
    removed files.
    """
    assert keep > 0
    removed = [copy.path for copy in list_backups(folder, database, now)[keep:]]
    for path in removed:
        path.unlink(missing_ok=True)
    for draft in folder.glob(f"{escape(database.stem)}-*.part"):
        if datetime.fromtimestamp(draft.stat().st_mtime, UTC) < datetime.now(UTC) - _STALE_DRAFT_AGE:
            draft.unlink(missing_ok=True)
    return removed


def is_due(latest: datetime | None, now: datetime) -> bool:
    """Returns True if no backup has been made since the last `BACKUP_TIME`."""
    night = (now.astimezone(UTC) - BACKUP_TIME).replace(hour=0, minute=0, second=0, microsecond=0) + BACKUP_TIME
    return latest is None or latest < night


def restore_backup(file: Path, database: Path, now: datetime) -> Path | None:
    """Replaces the database by a backup. Returns where the old database is kept; None if there was none.

    Raises StoreError, and leaves everything as it was: IN_USE while the bot runs, and for a file that is damaged,
    newer than this program, or not ours. A copy of an older version is brought up to date at the next start.
    The restored file gets the owner of the current database.
    """
    real = database.resolve()
    with lock_database(database), draft_file(real) as draft:  # the lock keeps the bot from starting
        _copy_verified(file, draft)
        _give_to_owner(draft, real)
        with _as_store_error(database):
            aside = _set_aside(real, now)
        move_into_place(draft, real)
    return aside


@contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
    """Turns errors of the disk in the block into StoreError, NO_ACCESS to that path."""
    try:
        yield
    except OSError as error:
        raise StoreError(Fault.NO_ACCESS, path, str(error)) from error


@contextmanager
def draft_file(target: Path) -> Iterator[Path]:
    """Yields an empty file beside the target for an unfinished copy, and removes it afterwards in any case.

    Raises StoreError that names the target, also if its folder cannot be written to.
    """
    draft = target.with_name(f"{target.name}.{os.getpid()}.part")
    with _as_store_error(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        make_private(draft)
    try:
        yield draft
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _copy_verified(source: Path, draft: Path) -> None:
    """Makes a verified copy as of one moment. Raises StoreError that names the source, or the draft if that is
    unwritable."""
    check_database(source)
    copy_database(source, draft)
    try:
        check_database(draft)
    except StoreError as error:
        raise StoreError(error.fault, source, f"the copy cannot be read back: {error.detail}") from error


def _give_to_owner(draft: Path, database: Path) -> None:
    """Gives the copy to the owner of the current database: the bot must be able to write to what root restores."""
    if os.name == "posix":
        with suppress(OSError):  # there is no database, or this user may not change owners
            present = database.stat()
            os.chown(draft, present.st_uid, present.st_gid, follow_symlinks=False)


def free_path(path: Path) -> Path:
    """Returns that path, or the next free one: two restores in a second must not overwrite the first database."""
    names = (path.with_name(f"{path.name}.{number}") for number in count(2))
    return next(name for name in chain([path], names) if not name.exists())


def move_into_place(draft: Path, target: Path) -> None:
    """Renames the finished copy atomically: a power cut leaves either the old or the new file."""
    with _as_store_error(target):
        _sync_to_disk(draft)
        draft.replace(target)
        if os.name == "posix":  # elsewhere a folder cannot be opened
            _sync_to_disk(target.parent)


def _sync_to_disk(path: Path) -> None:
    # Windows syncs only files open for writing; POSIX opens folders only for reading.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_aside(database: Path, now: datetime) -> Path | None:
    """Renames the current database, and moves its journals out of the way of the next one.

    Returns the new path; None if there was no database. Its journals may exist all the same.
    """
    aside = free_path(database.with_name(f"{database.name}.{format_timestamp(now)}.replaced"))
    if database.exists():
        # The journal may hold the only copy of the last moves. A damaged database keeps its journal, under its new
        # name.
        empty_journal(database)
        try:
            os.link(database, aside)  # a start must never find the database missing
        except OSError:
            make_private(aside)
            shutil.copyfile(database, aside)
    for journal, name in zip(journals_of(database), journals_of(aside), strict=True):
        if journal.exists():
            journal.replace(name)
    return aside if aside.exists() else None


async def back_up_nightly(
    database: Path,
    folder: Path,
    keep: int,
    is_there: Callable[[], bool] = lambda: True,
    clock: WallClock = WALL_CLOCK,
    timings: Timings = DEFAULT_TIMINGS,
) -> None:
    """Backs up the database once a night and keeps the latest `keep` backups. A failed backup stops nothing else.

    Makes none while the path may lead to another database, as `is_there` says, and none before Discord has reported
    the time: until then nothing happens that could be lost.
    """
    while True:
        if clock.seconds_ahead is None:
            await asyncio.sleep(timings.clock_wait_s)
            continue
        if is_there():
            # Not on the event loop: reading and writing the whole file takes long enough for people to notice.
            now = datetime.fromtimestamp(clock.now(), UTC)
            await asyncio.to_thread(back_up_if_due, database, folder, keep, now)
        await asyncio.sleep(timings.backup_check_s)


def back_up_if_due(database: Path, folder: Path, keep: int, now: datetime) -> None:
    """Makes the night's backup if it is missing, and logs errors."""
    try:
        made = list_backups(folder, database, now)
        if not is_due(made[0].made if made else None, now):
            return
        back_up(database, target := dated_path(folder, database, now))
        log.info("backed up", file=str(target), removed=len(prune_backups(folder, database, keep, now)))
    except StoreError as error:
        log.error("backup failed", fault=error.fault.value, file=str(error.path), reason=error.detail)
    except OSError as error:
        log.error("backup failed", folder=str(folder), reason=str(error))
