"""Watches whether an open SQLite file can still be trusted.

SQLite keeps writing to a file that has been removed or replaced, and those data are lost when the process ends.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from bot.store.migrations import QUICK_CHECK_MAX_BYTES, Fault, StoreError, lock_file_of

MAX_FAILURES = 3
"""The number of transactions in a row that the disk may refuse before the store stops trying."""

REREAD_REST_FACTOR = 100
"""After a full read, the file is not read again for this many times the duration of the read."""

_WHOLE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_LOCKED)
"""SQLite's codes for files that cannot be written but are intact."""


class FileGuard:
    """Watches the files of one open database: the database itself, its journals and its lock."""

    def __init__(self, database: Path) -> None:
        real = database.resolve()
        self.quick_check_max_bytes = QUICK_CHECK_MAX_BYTES
        self._database = database.absolute()
        self._files = (self._database, *journals_of(real), lock_file_of(database))
        self._known: dict[Path, tuple[int, int]] = {}
        self._strange: str | None = None
        self._damage: str | None = None
        self._failures = 0
        self._failure = ""
        self._is_whole = True
        self._written: tuple[int, int] | None = None
        self._is_written = self._is_suspected = False
        self._read_again = 0.0
        self.check_files()

    @property
    def unavailable_reason(self) -> str | None:
        """Why nothing can be stored; None while all is well."""
        return self._damage or self._strange or (self._failure if self.is_failing else None)

    @property
    def is_failing(self) -> bool:
        """True if the disk has refused several transactions in a row and none has been stored since."""
        return self._failures >= MAX_FAILURES

    @property
    def is_well(self) -> bool:
        """True if nothing is wrong, and the latest transaction has not failed either."""
        return self.unavailable_reason is None and not self._failures

    @property
    def is_whole(self) -> bool:
        """True if everything stored is in the file that the database's name leads to."""
        return not (self._damage or self._strange) and (not self._failures or self._is_whole)

    def check_files(self) -> str | None:
        """Checks that the names still lead to the open files. Returns what is wrong; None if nothing is."""
        self._strange = next(filter(None, map(self._compare, self._files)), None)
        return self._strange

    def _compare(self, file: Path) -> str | None:
        try:
            status = os.stat(file)
        except FileNotFoundError:
            return f"{file.name} has been removed" if file in self._known else None
        except OSError as error:
            return f"{file.name} cannot be looked at: {error.strerror}"
        # A file that is its own mount keeps its name when it is removed.
        if not status.st_nlink:
            return f"{file.name} has been removed"
        if self._known.setdefault(file, (status.st_dev, status.st_ino)) != (status.st_dev, status.st_ino):
            return f"{file.name} has been replaced"
        if file == self._database:
            written = status.st_mtime_ns, status.st_size
            self._is_written |= self._written not in (None, written)
            self._written = written
            if not status.st_size:
                return f"{file.name} has been emptied"
        return None

    def request_full_read(self) -> None:
        """Requests a full read of the file, whatever its size, because damage was reported."""
        self._is_suspected = True

    def take_read_request(self, now: float) -> bool:
        """Returns True once if the whole file should be read: it may be damaged, or it is small and was written to.

        SQLite usually writes to its journal, and to the file itself only every thousand pages or so. Any other program
        that writes to the file damages it. `now` is the monotonic time.
        """
        size = self._written[1] if self._written else 0
        if now < self._read_again or not (
            self._is_suspected or (self._is_written and size <= self.quick_check_max_bytes)
        ):
            return False
        self._is_written = self._is_suspected = False
        return True

    def note_read(self, begun: float, ended: float) -> None:
        """Notes a full read, after which a large file is not read again soon."""
        self._read_again = ended + REREAD_REST_FACTOR * (ended - begun)

    def note_stored(self) -> None:
        """Notes that a transaction is on disk."""
        self._failures = 0

    def note_failure(self, error: BaseException) -> None:
        """Notes that a transaction has failed, and counts the failure if the disk is at fault."""
        cause = error.__cause__
        if isinstance(error, StoreError) and isinstance(cause, sqlite3.Error):
            self._failures += 1
            self._failure = f"{self._database.name}: {error.detail}"
            self._is_whole = getattr(cause, "sqlite_errorcode", 0) & 0xFF in _WHOLE

    def note_damage(self, detail: str) -> None:
        """Notes that a page is damaged. The file then counts as damaged until the program ends."""
        self._damage = f"{self._database.name} is damaged: {detail}"


def journals_of(real: Path) -> tuple[Path, Path]:
    """Returns the files that SQLite keeps beside a database in use. `real` is the path with all links resolved."""
    return real.with_name(f"{real.name}-wal"), real.with_name(f"{real.name}-shm")


def is_damage(fault: Fault) -> bool:
    """True if the file itself is at fault."""
    return fault in (Fault.DAMAGED, Fault.NOT_A_DATABASE)
