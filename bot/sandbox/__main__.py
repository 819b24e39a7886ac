"""`python -m bot.sandbox --folder DIR --port N`: the server alone, for a bot in another process."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
from pathlib import Path

from .hardness import HARD, Hardness
from .server import Sandbox


async def _run(folder: Path, port: int, hardness: Hardness) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    sandbox = await Sandbox.start(folder, port=port, hardness=hardness)
    print(f"sandbox {sandbox.url}", flush=True)
    await stop.wait()
    await sandbox.close()


def main() -> None:
    """Runs the server until it is told to stop."""
    parser = argparse.ArgumentParser(prog="python -m bot.sandbox", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the world is kept")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--hard", action="store_true", help="as unpleasant as the real Discord")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    asyncio.run(_run(given.folder, given.port, HARD if given.hard else Hardness()))


if __name__ == "__main__":
    main()
