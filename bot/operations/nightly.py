"""One backup a night, made while the bot runs."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import structlog

from bot.migrations import StoreError
from bot.operations.backup import back_up, backups, dated, is_due, prune

log = structlog.get_logger()

EVERY = 3600
"""Seconds between looks at whether a backup is due, or after a failed one until the next try."""


async def back_up_nightly(database: Path, folder: Path, keep: int) -> None:
    """Copies the database once a night and keeps the latest `keep` copies. One that fails stops nothing else."""
    while True:
        # Reading and writing the whole file takes long enough for people to notice: not on the loop.
        await asyncio.to_thread(back_up_if_due, database, folder, keep, datetime.now(UTC))
        await asyncio.sleep(EVERY)


def back_up_if_due(database: Path, folder: Path, keep: int, now: datetime) -> None:
    """Makes the night's copy if it is missing. What goes wrong is logged."""
    try:
        made = backups(folder, database)
        if not is_due(made[0].made if made else None, now):
            return
        back_up(database, target := dated(folder, database, now))
        log.info("backed up", file=str(target), removed=len(prune(folder, database, keep)))
    except StoreError as error:
        log.error("backup failed", fault=error.fault.value, file=str(error.path), reason=error.detail)
    except OSError as error:
        log.error("backup failed", folder=str(folder), reason=str(error))
