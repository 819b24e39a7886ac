"""What a host sees of the running bot: counters for Prometheus, and how often a log line is repeated.

Without the extra `metrics` nothing is counted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable
from enum import Enum
from typing import NamedTuple


class InteractionOutcome(Enum):
    """How an interaction ended. The values are labels."""

    ANSWERED = "answered"
    REFUSED = "refused"  # the request is against the rules or cannot be carried out; the answer says why
    FAILED = "failed"  # a fault of ours; the answer says so
    UNANSWERED = "unanswered"  # no answer: it came too late, or Discord did not accept it


class BotStatus(NamedTuple):
    """The state of the bot at one moment."""

    is_healthy: bool
    """Whether all is well, as `/healthz` reports it."""
    live: int | None
    """Number of live games; None while the database cannot be read."""
    unannounced: int | None
    """Number of games with news that has not been posted; None while the database cannot be read."""
    backup_age: float | None
    """Seconds since the latest backup; None if there is none, or if the backup folder cannot be read."""


class Metrics:
    """Counts what happens. This base class counts nothing."""

    def count_interaction(self, name: str, outcome: InteractionOutcome) -> None:
        """Counts an interaction that has been dealt with. `name` is the command, or the purpose of the button."""

    def observe_answer(self, seconds: float) -> None:
        """Records the seconds until Discord had taken the first answer to an interaction."""

    def count_move(self) -> None:
        """Counts an announced move."""

    def observe_lag(self, seconds: float) -> None:
        """Records by how many seconds something ran late on the event loop."""

    def failed(self, part: str) -> None:
        """Counts a failed part of the tick, whether it failed for everybody or for one server or game."""

    def count_error(self) -> None:
        """Counts a logged error."""

    def render_page(self, status: BotStatus) -> bytes | None:
        """Returns all counters in Prometheus's text format; None if nothing is counted."""


class ErrorCounter(logging.Handler):
    """Counts what is logged as an error, by us or by a library."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(logging.ERROR)
        self._metrics = metrics

    def emit(self, record: logging.LogRecord) -> None:
        """Counts one error."""
        self._metrics.count_error()


LOG_INTERVAL_S = 3600.0
"""Seconds until the same message may be logged again."""

_MAX_KEYS_REMEMBERED = 1000
"""The most messages that are remembered. If there are more, the oldest may be logged early."""


class LogLimiter:
    """Remembers what was logged lately."""

    def __init__(
        self,
        every: float = LOG_INTERVAL_S,
        clock: Callable[[], float] = time.monotonic,
        max_keys: int = _MAX_KEYS_REMEMBERED,
    ) -> None:
        self._every = every
        self._clock = clock
        self._max_keys = max_keys
        self._logged: dict[Hashable, float] = {}

    def may_log_now(self, key: Hashable) -> bool:
        """Whether the message may be logged now; if so, notes that it was."""
        present = self._clock()
        if present - self._logged.get(key, float("-inf")) < self._every:
            return False
        self._logged.pop(key, None)  # the dictionary stays in the order of logging
        self._logged[key] = present
        if len(self._logged) > self._max_keys:
            del self._logged[next(iter(self._logged))]
        return True
