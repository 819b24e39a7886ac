"""`python -m sandbox --folder DIR --port N`: the server alone, for a bot in another process."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from .hardness import HARD, Hardness
from .profile import BotProfile
from .server import Sandbox


async def _run(folder: Path, port: int, hardness: Hardness, profile: BotProfile) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows: Ctrl+C arrives as KeyboardInterrupt
            break
    sandbox = await Sandbox.start(folder, port=port, hardness=hardness, profile=profile)
    try:
        print(f"sandbox {sandbox.url}", flush=True)
        await stop.wait()
    finally:
        await sandbox.close()


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError("a number from 0 to 65535")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the server until SIGINT or SIGTERM. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m sandbox", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the world is kept")
    parser.add_argument("--port", type=_port, default=0, help="0 takes a free one")
    parser.add_argument("--hard", action="store_true", help="as unpleasant as the real Discord")
    parser.add_argument("--bot", default=BotProfile.bot, metavar="NAME", help="the bot's name in a new world")
    parser.add_argument("--page", type=Path, metavar="DIR", help="a folder with an extension.js for the page")
    given = parser.parse_args(arguments)
    profile = BotProfile(bot=given.bot, page=given.page)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    try:
        asyncio.run(_run(given.folder, given.port, HARD if given.hard else Hardness(), profile))
    except OSError as error:
        print(f"{error}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
