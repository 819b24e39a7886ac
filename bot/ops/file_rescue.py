"""Watches the open database file, and rescues its content if the file was removed or replaced."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import structlog

from bot.core.timings import Timings
from bot.ops import sentences
from bot.ops.backup import draft_file, format_timestamp, free_path, move_into_place
from bot.store import Store, StoreError
from bot.store.connection import run_to_completion
from bot.store.guard import FileGuard
from bot.store.inspection import check_database

log = structlog.get_logger()

_FAILING, _LOST = "failing", "lost"


async def watch_database(store: Store, guard: FileGuard, database: Path, backups: Path, timings: Timings) -> None:
    """Checks the open files repeatedly, and once more when the program stops."""
    watch = _Watch(store, guard, database, backups)
    try:
        while True:
            await asyncio.sleep(timings.file_check_interval_s)
            await store.check_files()
            await watch.report()
    finally:
        guard.check_files()
        await run_to_completion(watch.report())


class _Watch:
    """What has been observed and logged about one open database."""

    def __init__(self, store: Store, guard: FileGuard, database: Path, backups: Path) -> None:
        self._store, self._guard = store, guard
        self._database, self._backups = database, backups
        self._reason: str | None = None
        self._rescued = set[str]()
        """The kinds of trouble for which a copy has been saved."""
        self._well = asyncio.get_running_loop().time()
        """The last time at which nothing was wrong."""

    async def report(self) -> None:
        """Logs once that the database is away and once that it is back; saves what only the open files have."""
        before, self._reason = self._reason, self._guard.unavailable_reason
        if self._reason and self._reason != before:
            log.critical("the database is away", reason=self._reason, do=sentences.AWAY)
        trouble = _FAILING if self._guard.is_failing else _LOST
        if self._reason and trouble not in self._rescued and not self._guard.is_whole:
            self._rescued.add(trouble)
            await run_to_completion(rescue_database(self._store, self._database, self._backups))
        now = asyncio.get_running_loop().time()
        if before and not self._reason:
            log.warning("the database is back", away_for=round(now - self._well))
            self._store.report_outage(now - self._well)
            self._rescued &= {_FAILING}  # which may come and go
        if self._guard.is_well:
            self._well = now


async def rescue_database(store: Store, database: Path, backups: Path) -> Path | None:
    """Copies the content of the open files into the backup folder. Returns the copy's path; None if copying fails.

    A damaged copy is kept as well: other backups may be older.
    """
    target = free_path(backups / f"{database.stem}-rescued-{format_timestamp(datetime.now(UTC))}.db")
    try:
        with draft_file(target) as draft:
            await store.copy_open_database(draft)
            await asyncio.to_thread(move_into_place, draft, target)
        await asyncio.to_thread(check_database, target)
    except (StoreError, OSError) as error:
        if not target.exists():
            log.critical("the database could not be rescued", file=str(target), reason=str(error))
            return None
        log.critical("rescued, and damaged", file=str(target), reason=str(error))
    else:
        log.critical("rescued", file=str(target), do=sentences.RESTORE_RESCUED.format(path=target))
    return target
