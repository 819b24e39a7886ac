"""`python -m tests.bench.full_speed`: the whole program at full speed, with a watch on its event loop if asked.

It ignores Discord's fifty requests a second, which would otherwise be measured. If WATCH names a file, it writes a
line into it every second: `time.time` in seconds, and the loop's worst delay in that second in milliseconds.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from time import perf_counter, time

from bot import __main__ as program
from bot.client import RoundTable
from bot.core.timings import Timings

INTERVAL = 0.002
"""Seconds between two measurements."""


async def watch(file: Path) -> None:
    """Measures the loop's delay until it is cancelled."""
    worst, noted = 0.0, perf_counter()
    with file.open("a", buffering=1) as lines:
        while True:
            slept = perf_counter()
            await asyncio.sleep(INTERVAL)
            now = perf_counter()
            worst = max(worst, now - slept - INTERVAL)
            if now - noted >= 1:
                lines.write(f"{time():.3f} {worst * 1000:.2f}\n")
                worst, noted = 0.0, now


def main() -> int:
    """Runs the program; returns its exit status."""
    timings = Timings(requests_per_s=1_000_000)
    if "WATCH" not in os.environ:
        return program.main(timings=timings)
    hook, watching = RoundTable.setup_hook, []

    async def set_up(client: RoundTable) -> None:
        watching.append(asyncio.create_task(watch(Path(os.environ["WATCH"]))))
        await hook(client)

    RoundTable.setup_hook = set_up  # type: ignore[method-assign, assignment]  # a function in the place of a method
    return program.main(timings=timings)


if __name__ == "__main__":
    sys.exit(main())
