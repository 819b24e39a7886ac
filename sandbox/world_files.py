"""The sandbox's disk: things as JSON in one SQLite table, and the bytes of attachments as files beside it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

_SCHEMA = """
create table if not exists things (
    kind text not null, key text not null, body text not null, primary key (kind, key)
) strict;
"""

DROPPED_FILES_KEPT = 20
"""The dropped attachments that can still be loaded: those that were dropped last."""


class WorldFiles:
    """The files of one world in a folder. What was committed survives the death of the process at any moment.

    SQLite is used in the event loop: a commit in WAL mode without fsync takes some 30 µs. A power cut may
    lose the last seconds, which a sandbox can afford. Raises OSError, and sqlite3.Error if the file is no world.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._files = folder / "files"
        self._files.mkdir(exist_ok=True)
        self._dropped = deque[int]()
        self._base = sqlite3.connect(folder / "world.db")
        try:
            self._base.execute("pragma journal_mode = wal")
            self._base.execute("pragma synchronous = normal")
            self._base.execute("pragma busy_timeout = 5000")
            self._base.executescript(_SCHEMA)
        except sqlite3.Error:
            self._base.close()
            raise

    def all(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yields the things of a kind in the order in which they were first put."""
        for (body,) in self._base.execute("select body from things where kind = ? order by rowid", (kind,)):
            yield json.loads(body)

    def put(self, kind: str, key: str, thing: Any) -> None:
        """Adds or replaces a thing, a dataclass; a replaced one keeps its place in the order."""
        self._base.execute(
            "insert into things values (?, ?, ?) on conflict do update set body = excluded.body",
            (kind, key, json.dumps(asdict(thing), ensure_ascii=False)),
        )

    def drop(self, kind: str, key: str) -> None:
        """Removes a thing."""
        self._base.execute("delete from things where kind = ? and key = ?", (kind, key))

    def commit(self) -> None:
        """Makes all changes since the last commit durable, together."""
        self._base.commit()

    def put_file(self, number: int, content: bytes) -> None:
        """Writes an attachment's bytes, atomically. Call it before the message is committed."""
        draft = self._files / f"{number}.part"
        draft.write_bytes(content)
        draft.replace(self._files / str(number))

    def file(self, number: int) -> Path | None:
        """Returns where an attachment's bytes lie; None if they are gone."""
        path = self._files / str(number)
        return path if path.is_file() else None

    def drop_file(self, number: int) -> None:
        """Removes an attachment's bytes, but not at once: a page may be loading the picture of a message that is
        edited or dismissed.
        """
        self._dropped.append(number)
        while len(self._dropped) > DROPPED_FILES_KEPT:
            self._remove_file(self._dropped.popleft())

    def _remove_file(self, number: int) -> None:
        (self._files / str(number)).unlink(missing_ok=True)

    def close(self) -> None:
        """Commits and closes."""
        for number in self._dropped:
            self._remove_file(number)
        with contextlib.closing(self._base):
            self._base.commit()
            self._base.execute("pragma optimize")
