"""What a host sees of the running bot: counters for Prometheus, and how often a log line is repeated.

Without the extra `metrics` nothing is counted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Mapping
from enum import Enum

from cachetools import TTLCache


class InteractionOutcome(Enum):
    """How an interaction ended. The values are labels."""

    ANSWERED = "answered"
    REFUSED = "refused"  # the request is against the rules or cannot be carried out; the answer says why
    FAILED = "failed"  # a fault of ours; the answer says so
    UNANSWERED = "unanswered"  # no answer: it came too late, or Discord did not accept it


class Metrics:
    """Counts what happens. This base class counts nothing."""

    def count(self, what: str, *labels: str) -> None:
        """Counts one of what is counted: "interactions" with their name and outcome, "moves" that are announced,
        "tick_failures" with the part that failed, and "errors" in the log.
        """

    def observe(self, what: str, seconds: float) -> None:
        """Records a duration: "answer" until Discord had taken the first answer to an interaction, "loop_lag" by which
        something ran late on the event loop.
        """

    def render_page(self, measured: Mapping[str, float | None]) -> bytes | None:
        """Returns all counters, and what was measured, in Prometheus's text format; None if nothing is counted."""


class ErrorCounter(logging.Handler):
    """Counts what is logged as an error, by us or by a library."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(logging.ERROR)
        self._metrics = metrics

    def emit(self, record: logging.LogRecord) -> None:
        """Counts one error."""
        self._metrics.count("errors")


class LogLimiter:
    """Remembers for `every` seconds what was logged. Of more than `max_keys` messages the oldest is logged early."""

    def __init__(self, every: float = 3600, clock: Callable[[], float] = time.monotonic, max_keys: int = 1000) -> None:
        self._logged = TTLCache[Hashable, bool](max_keys, every, clock)

    def may_log_now(self, key: Hashable) -> bool:
        """Whether the message may be logged now; if so, notes that it was."""
        if key in self._logged:
            return False
        self._logged[key] = True
        return True
