"""A clock that nobody sets, for leases, limits, and to notice when the clock of the machine jumps."""

from __future__ import annotations

import time


def steady_seconds() -> float:
    """Returns the seconds of a clock that nobody sets. It runs on while the process is stopped, and on most systems
    while the machine sleeps.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
