"""A note beside a database file. It says that there has been a database, and which file the program has opened."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from bot.store.guard import journals_of
from bot.store.migrations import make_private

_WORDS = """\
Round Table keeps its games in {name}, beside this note. Where that file is missing, the program does not begin an empty
one by itself: see "A database that is away" in docs/hosting.md.
Opened last: file number {number}.
"""
_NUMBER = re.compile(r"file number (\d+)\.$", re.MULTILINE)


def note_path(database: Path) -> Path:
    """Where the note lies."""
    real = database.resolve()
    return real.with_name(f"{real.name}.note")


def leave_note(database: Path) -> None:
    """Writes the note for a database that is open; does without where the disk refuses it."""
    note = note_path(database)
    with suppress(OSError):
        make_private(note)
        note.write_text(_WORDS.format(name=database.name, number=database.stat().st_ino), "utf-8")


def last_opened_file(database: Path) -> int | None:
    """Returns the number of the file that the program has opened last; None where that is not noted."""
    with suppress(OSError):
        if found := _NUMBER.search(note_path(database).read_text("utf-8")):
            return int(found[1])
    return None


def find_trace(database: Path) -> Path | None:
    """Returns a file that tells of an earlier database beside that name; None where there is none."""
    journal, _ = journals_of(database.resolve())
    # pathlib raises an error in a folder that is shut.
    return next((file for file in (note_path(database), journal) if os.path.exists(file)), None)
