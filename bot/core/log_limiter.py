"""What is said again and again, and logged only once in a while. Pure but for the monotonic clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

LOG_INTERVAL_S = 3600.0
"""Seconds after which the same may be logged once more."""

_MAX_KEYS_REMEMBERED = 1000
"""Things that are remembered; at more of them the oldest may be logged early."""


class LogLimiter:
    """Remembers what has been logged lately."""

    def __init__(self, every: float = LOG_INTERVAL_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._every = every
        self._clock = clock
        self._logged: dict[Hashable, float] = {}

    def may_log_now(self, key: Hashable) -> bool:
        """Returns whether that is to be logged now; notes that it has been."""
        present = self._clock()
        if present - self._logged.get(key, float("-inf")) < self._every:
            return False
        self._logged.pop(key, None)  # the dictionary stays in the order of logging
        self._logged[key] = present
        if len(self._logged) > _MAX_KEYS_REMEMBERED:
            del self._logged[next(iter(self._logged))]
        return True
