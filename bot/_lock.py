"""A lock that one process holds on a file, so that no second one runs on the same database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def hold(path: Path) -> BinaryIO | None:
    """The file, locked until it is closed or the process dies; None if somebody else holds it.

    The file is left behind: if it were removed, a third process could lock a new one while the second still waits for
    the old. Raises OSError where it cannot be opened.
    """
    file = path.open("ab")
    try:
        _lock(file)
    except OSError:
        file.close()
        return None
    return file
