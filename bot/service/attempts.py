"""What is tried again and again by itself: each part on its own, for each server or game, so that none stops others."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import structlog

from bot.people.seldom import Seldom

log = structlog.get_logger()

IN_A_ROW = 3
"""Failures of one part in a row from which on `/healthz` tells of it."""

NAMED = 5
"""Those of them that are named; the rest is counted."""

REMEMBERED = 15 * 60.0
"""Seconds after which a failure that has not come again is forgotten: its server or game may be gone."""

Part: TypeAlias = tuple[str, tuple[tuple[str, object], ...]]
"""What it is, and of which server or game, if of one alone."""


class Attempts:
    """Contains failures: counts them, logs each once an hour, and knows which of them last."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seldom = Seldom(clock=clock)
        self._failing: Counter[Part] = Counter()
        self._failed_at: dict[Part, float] = {}
        self.count: Callable[[str], None] = lambda _: None
        """Called with the name of a part that has failed."""
        self.failed = False
        """Whether a part has failed for everybody since somebody last set this to False."""

    @contextmanager
    def of(self, part: str, **where: object) -> Iterator[None]:
        """Contain whatever fails within; `where` names the server or game where it concerns one alone.

        What is tried within another part has another name, lest the success of the outer one hide its failures.
        """
        key = part, tuple(where.items())
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, the other parts go on
            self._note(key, error)
        else:
            self._failing.pop(key, None)

    def _note(self, key: Part, error: Exception) -> None:
        part, where = key
        self._failing[key] += 1
        self._failed_at[key] = self._clock()
        self.failed |= not where
        self.count(part)
        if self._seldom.due((key, type(error))):
            log.error("part of the tick failed", part=part, **dict(where), in_a_row=self._failing[key], exc_info=error)

    def trouble(self, *, everywhere: bool) -> str | None:
        """Returns what has failed `IN_A_ROW` times, for everybody or for single servers and games; None if nothing."""
        since = self._clock() - REMEMBERED
        for key in [key for key, at in self._failed_at.items() if at < since or key not in self._failing]:
            self._failing.pop(key, None)
            del self._failed_at[key]
        found = [key for key, times in self._failing.items() if times >= IN_A_ROW]
        named = [_words(part, where) for part, where in found if bool(where) is not everywhere]
        more = [f"{len(named) - NAMED} more"] if len(named) > NAMED else []
        return f"failing: {', '.join(named[:NAMED] + more)}" if named else None


def _words(part: str, where: tuple[tuple[str, object], ...]) -> str:
    named = " ".join(f"{name} {value}" for name, value in where)
    return f"{part} ({named})" if named else part
