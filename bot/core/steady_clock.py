"""A clock that nobody can set. It serves leases and limits, and shows when the clock of the machine jumps."""

from __future__ import annotations

import time


def steady_seconds() -> float:
    """Returns the seconds of a clock that nobody can set. It continues while the process is stopped and, on most
    systems, while the machine sleeps.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
