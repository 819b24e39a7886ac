"""Limits how often a repeated message is logged. Pure, except that it reads the monotonic clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

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
