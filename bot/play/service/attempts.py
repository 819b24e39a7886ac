"""Isolates the repeated parts of the tick, by server or game, so that a part that fails does not stop the others."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import structlog

from bot.discordkit.log_limiter import LogLimiter

log = structlog.get_logger()

FAILURES_TO_REPORT = 3
"""The failures in a row after which `/healthz` reports a part."""

MAX_PARTS_NAMED = 5
"""The most failing parts that are named. The others are only counted."""

FAILURE_LIFETIME_S = 15 * 60.0
"""Seconds after which a failure that has not recurred is forgotten: its server or game may be gone."""

AttemptKey: TypeAlias = tuple[str, tuple[tuple[str, object], ...]]
"""The name of a part, and its server or game if it concerns a single one."""


class Attempts:
    """Contains failures: counts them, logs each at most once an hour, and knows which ones persist."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seldom = LogLimiter(clock=clock)
        self._failing: Counter[AttemptKey] = Counter()
        self._failed_at: dict[AttemptKey, float] = {}
        self.on_failure: Callable[[str], None] = lambda _: None
        """Called with the name of a part that has failed."""
        self.failed = False
        """True if a part without a server or game has failed since this was last set to False."""

    @contextmanager
    def contain_failures(self, part: str, **where: object) -> Iterator[None]:
        """Contains any failure in the block. `where` names the server or game if the part concerns a single one.

        A nested part needs a name of its own, because otherwise the success of the outer part would hide its failures.
        """
        key = part, tuple(where.items())
        try:
            yield
        except Exception as error:  # noqa: BLE001 - the other parts must continue
            self._note_failure(key, error)
        else:
            self._failing.pop(key, None)

    def _note_failure(self, key: AttemptKey, error: Exception) -> None:
        part, where = key
        self._failing[key] += 1
        self._failed_at[key] = self._clock()
        self.failed |= not where
        self.on_failure(part)
        if self._seldom.may_log_now((key, type(error))):
            log.error("part of the tick failed", part=part, **dict(where), in_a_row=self._failing[key], exc_info=error)

    def describe_failures(self, *, everywhere: bool) -> str | None:
        """Describes the parts that have failed `FAILURES_TO_REPORT` times in a row; None if there are none.

        `everywhere` selects the parts that concern all servers, instead of those of a single server or game.
        """
        since = self._clock() - FAILURE_LIFETIME_S
        for key in [key for key, at in self._failed_at.items() if at < since or key not in self._failing]:
            self._failing.pop(key, None)
            del self._failed_at[key]
        failing = [key for key, times in self._failing.items() if times >= FAILURES_TO_REPORT]
        named = [_part_text(part, where) for part, where in failing if bool(where) is not everywhere]
        more = [f"{len(named) - MAX_PARTS_NAMED} more"] if len(named) > MAX_PARTS_NAMED else []
        return f"failing: {', '.join(named[:MAX_PARTS_NAMED] + more)}" if named else None


def _part_text(part: str, where: tuple[tuple[str, object], ...]) -> str:
    named = " ".join(f"{name} {value}" for name, value in where)
    return f"{part} ({named})" if named else part
