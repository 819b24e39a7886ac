"""A note beside a database file. It proves that there was a database, and names the file that was last opened."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from bot.store.guard import journals_of
from bot.store.migrations import make_private
from rules.terminal import read_text

_WORDS = """\
Round Table keeps its games in {name}, beside this note. Where that file is missing, the program does not begin an empty
one by itself: see "A database that is away" in docs/hosting.md.
Opened last: file number {number}.
"""
_NUMBER = re.compile(r"file number (\d+)\.$", re.MULTILINE)


def note_path(database: Path) -> Path:
    """Returns the path of the note."""
    real = database.resolve()
    return real.with_name(f"{real.name}.note")


def leave_note(database: Path) -> None:
    """Writes the note for an open database; ignores errors of the disk."""
    note = note_path(database)
    with suppress(OSError):
        make_private(note)
        note.write_text(_WORDS.format(name=database.name, number=database.stat().st_ino), "utf-8")


def last_opened_file(database: Path) -> int | None:
    """Returns the inode number of the file that the program last opened; None if it is not noted."""
    with suppress(OSError, ValueError):
        if number := _NUMBER.search(read_text(note_path(database))):
            return int(number[1])
    return None


def find_trace(database: Path) -> Path | None:
    """Returns a file beside the database's path that proves that there was a database; None if there is none."""
    journal, _ = journals_of(database.resolve())
    # Unlike os.path, pathlib raises if the folder may not be read.
    return next((file for file in (note_path(database), journal) if os.path.exists(file)), None)
