"""A lock that one process holds on a file, so that no second one runs on the same database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

from bot.store.migrations import Fault, StoreError

if sys.platform == "win32":
    import msvcrt

    _TAKEN = PermissionError

    def _lock(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    _TAKEN = BlockingIOError

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock_of(database: Path) -> Path:
    """The file that is locked for a database: one, whatever links lead to the database."""
    real = database.resolve()
    return real.with_name(real.name + ".lock")


def secure(database: Path) -> BinaryIO:
    """The lock on that database, whose folder is there then. Raises StoreError: IN_USE, or NO_ACCESS."""
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        lock = hold(lock_of(database))
    except OSError as error:
        raise StoreError(Fault.NO_ACCESS, database, str(error)) from error
    if lock is None:
        raise StoreError(Fault.IN_USE, database)
    return lock


def hold(path: Path) -> BinaryIO | None:
    """The file, locked until it is closed or the process dies; None if somebody else holds it.

    The file is left behind: if it were removed, a third process could lock a new one while the second still waits for
    the old. Raises OSError where it cannot be opened, or where the file system has no locks.
    """
    file = path.open("ab")
    try:
        _lock(file)
    except BaseException as error:
        file.close()
        if isinstance(error, _TAKEN):
            return None
        raise
    return file
