"""Copies of the database: written and verified while the bot runs, thinned out, and put back.

A copy needs neither the writer's turn nor the instance's lock: it is made on a connection of its own.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from glob import escape
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import structlog

from bot.kit.wall_clock import WALL_CLOCK, WallClock
from bot.store import inspection
from bot.store.guard import Guard, is_damage, journals_of
from bot.store.inspection import inspect
from bot.store.migrations import Fault, StoreError, make_private, migrate, secure, steps
from bot.store.trace import trace_of

log = structlog.get_logger()


NIGHT = timedelta(hours=3)
"""When a day's backup is due, after midnight UTC."""

_STAMP = "%Y%m%d-%H%M%SZ"
_STALE = timedelta(days=1)
_SLACK = timedelta(minutes=5)
"""By how much a copy may be dated ahead: whoever made it may have gone by a clock that differs a little."""


class Backup(NamedTuple):
    """A dated copy."""

    made: datetime
    path: Path


def back_up(database: Path, target: Path) -> None:
    """Copies the database into that file, in the place of one that is there. The copy has then been read whole.

    Raises StoreError, and leaves nothing half done.
    """
    with drafted(target) as draft:
        _copy(database, draft)
        settle(draft, target)


def stamped(now: datetime) -> str:
    """That time, as it stands in the names of copies."""
    return f"{now.astimezone(UTC):{_STAMP}}"


def dated(folder: Path, database: Path, now: datetime) -> Path:
    """The name of a copy made now."""
    return folder / f"{database.stem}-{stamped(now)}.db"


def rescued(folder: Path, database: Path) -> list[Path]:
    """The copies that were saved from open files of that database, the latest first; none is ever removed."""
    return sorted(folder.glob(f"{escape(database.stem)}-rescued-*.db"), reverse=True)


def backups(folder: Path, database: Path) -> list[Backup]:
    """The dated copies of that database, the latest first; other files are passed over."""
    name = re.compile(rf"{re.escape(database.stem)}-(\d{{8}}-\d{{6}}Z)\.db")
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := name.fullmatch(path.name):
            with suppress(ValueError):  # digits that are no date are nobody's backup
                found.append(Backup(datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC), path))
    return sorted(found, reverse=True)


def earlier(database: Path, folder: Path) -> Path | None:
    """Returns a file that tells that there has been a database of that name; None where nothing does."""
    if trace := trace_of(database):
        return trace
    with suppress(OSError):  # a folder that is shut tells nothing
        copies = [*(one.path for one in backups(folder, database)), *rescued(folder, database)]
        return next(iter(copies), None)
    return None


def split_by_date(copies: Sequence[Backup], now: datetime) -> tuple[list[Backup], list[Backup]]:
    """Returns those made by now, and those dated in the future, which a wrong clock has made."""
    ahead = [one for one in copies if one.made > now + _SLACK]
    return [one for one in copies if one not in ahead], ahead


def prune(folder: Path, database: Path, keep: int, now: datetime) -> list[Path]:
    """Removes all dated copies but the latest `keep`, and what a killed process has left; what was removed.

    Those dated in the future stay, and do not count among the latest.
    """
    assert keep > 0
    removed = [one.path for one in split_by_date(backups(folder, database), now)[0][keep:]]
    for path in removed:
        path.unlink(missing_ok=True)
    for draft in folder.glob(f"{escape(database.stem)}-*.part"):
        if datetime.fromtimestamp(draft.stat().st_mtime, UTC) < datetime.now(UTC) - _STALE:
            draft.unlink(missing_ok=True)
    return removed


def is_due(latest: datetime | None, now: datetime) -> bool:
    """Whether the night's copy is missing: nothing has been made since the last three o'clock in the morning, UTC."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + NIGHT
    night = today if today <= now else today - timedelta(days=1)
    return latest is None or latest < night


def restore(file: Path, database: Path, now: datetime) -> Path | None:
    """Puts a copy in the place of the database; where the present one is kept, or None if there was none.

    Raises StoreError, and leaves everything as it was: IN_USE while the bot runs, and for a file that is damaged,
    newer than this program, or not ours. A copy of an older version is brought up to date at the next start.
    What comes of it belongs to whom the present database belongs.
    """
    real = database.resolve()
    with secure(database), drafted(real) as draft:  # the bot cannot start meanwhile
        _copy(file, draft)
        _give(draft, real)
        with _accessible(database):
            aside = _keep(real, now)
        settle(draft, real)
    return aside


@contextmanager
def _accessible(path: Path) -> Iterator[None]:
    """Raises StoreError, NO_ACCESS to that path, for what the disk refuses within."""
    try:
        yield
    except OSError as error:
        raise StoreError(Fault.NO_ACCESS, path, str(error)) from error


@contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """An empty file beside the target for a copy that is not finished, gone afterwards in any case.

    Raises StoreError that names the target, also where its folder cannot be written to.
    """
    draft = target.with_name(f"{target.name}.{os.getpid()}.part")
    with _accessible(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        make_private(draft)
    try:
        yield draft
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _copy(source: Path, draft: Path) -> None:
    """A verified copy of one moment. Raises StoreError that names the source, or the draft that cannot be written."""
    inspect(source)
    inspection.copy(source, draft)
    try:
        inspect(draft)
    except StoreError as error:
        raise StoreError(error.fault, source, f"the copy cannot be read back: {error.detail}") from error


def _give(draft: Path, database: Path) -> None:
    """Hands the copy to the owner of the present database: what root restores, the bot must be able to write to."""
    if os.name == "posix":
        with suppress(OSError):  # there is none, or this user may give nothing away
            present = database.stat()
            os.chown(draft, present.st_uid, present.st_gid, follow_symlinks=False)


def unused(path: Path) -> Path:
    """That name, or the next that nothing has: two restores in a second must not cost the first database."""
    names = (path.with_name(f"{path.name}.{number}") for number in count(2))
    return next(name for name in chain([path], names) if not name.exists())


def settle(draft: Path, target: Path) -> None:
    """Gives the finished copy its name, in one step that a power cut does or does not undo, but never halves."""
    with _accessible(target):
        _sync(draft)
        draft.replace(target)
        if os.name == "posix":  # elsewhere a folder cannot be opened
            _sync(target.parent)


def _sync(path: Path) -> None:
    # Windows syncs only what is open for writing, POSIX opens folders only for reading.
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _keep(database: Path, now: datetime) -> Path | None:
    """Gives the present database a second name, and takes its journals out of the way of the next.

    Returns where it is; None where there is none. Its journals may be there all the same.
    """
    aside = unused(database.with_name(f"{database.name}.{stamped(now)}.replaced"))
    if database.exists():
        # The last moves may stand in the journal only. A damaged database keeps its journal, under its new name.
        inspection.empty_journal(database)
        try:
            os.link(database, aside)  # so that at no moment there is no database, which a start would miss
        except OSError:
            make_private(aside)
            shutil.copyfile(database, aside)
    _move_journals(database, aside)
    return aside if aside.exists() else None


def _move_journals(database: Path, aside: Path) -> None:
    for journal, name in zip(journals_of(database), journals_of(aside), strict=True):
        if journal.exists():
            journal.replace(name)


def begin_empty(database: Path, now: datetime) -> None:
    """Makes an empty database where there is no file. Keeps a journal of an earlier one, which SQLite would delete.

    Raises StoreError.
    """
    real = database.resolve()
    with secure(database), _accessible(database):
        _move_journals(real, unused(real.with_name(f"{real.name}.{stamped(now)}.replaced")))
        migrate(database, steps())


EVERY = 3600
"""Seconds between looks at whether a backup is due, or after a failed one until the next try."""

SOON = 1
"""The same until the time is known."""


async def back_up_nightly(
    database: Path, folder: Path, keep: int, guard: Guard | None = None, clock: WallClock = WALL_CLOCK
) -> None:
    """Copies the database once a night and keeps the latest `keep` copies. One that fails stops nothing else.

    None is made while the guard says that the name may lead to another database; it looks itself where damage is found.
    Nor before Discord has told the time: without it nothing happens that could be lost.
    """
    while True:
        if clock.error is None:
            await asyncio.sleep(SOON)
            continue
        if guard is None or guard.is_well:
            # Reading and writing the whole file takes long enough for people to notice: not on the loop.
            now = datetime.fromtimestamp(clock.now(), UTC)
            sound = await asyncio.to_thread(back_up_if_due, database, folder, keep, now)
            if guard and not sound:
                guard.suspect()
        await asyncio.sleep(EVERY)


def back_up_if_due(database: Path, folder: Path, keep: int, now: datetime) -> bool:
    """Makes the night's copy if it is missing. What goes wrong is logged; returns whether no damage has been found."""
    try:
        made, ahead = split_by_date(backups(folder, database), now)
        if not is_due(made[0].made if made else None, now):
            return True
        if ahead:
            log.warning("backups dated in the future", count=len(ahead), latest=str(ahead[0].path))
        back_up(database, target := dated(folder, database, now))
        log.info("backed up", file=str(target), removed=len(prune(folder, database, keep, now)))
    except StoreError as error:
        log.error("backup failed", fault=error.fault.value, file=str(error.path), reason=error.detail)
        return not is_damage(error.fault)
    except OSError as error:
        log.error("backup failed", folder=str(folder), reason=str(error))
    return True
