"""`python -m bot` runs Round Table: in Discord with a token, in the local sandbox without one."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import AsyncExitStack, suppress

import aiohttp
import discord
import structlog

from bot.client import RoundTable
from bot.config import Settings, SettingsError
from bot.log import set_up_logging
from bot.migrations import Fault, StoreError
from bot.pictures import Pictures
from bot.sandbox import TOKEN, Sandbox, point_discord_at
from bot.store import Store

log = structlog.get_logger()

FAULTS = {
    Fault.IN_USE: "{path} is in use: Round Table is running on it already. Stop that one first.",
    Fault.NO_ACCESS: "{path} cannot be read or written: {detail}. Check the folder, its permissions and the disk.",
    Fault.NOT_A_DATABASE: "{path} is not a database, and has been left alone. Check ROUNDTABLE_DB.",
    Fault.OTHER_PROGRAM: "{path} is another program's database, and has been left alone. Check ROUNDTABLE_DB.",
    Fault.DAMAGED: "{path} is damaged ({detail}), and has been left as it is. Put a backup in its place.",
    Fault.NEWER: "{path} was written by a newer Round Table. Update the program, or restore the backup made before.",
}
"""What to tell whoever runs the program about a database that cannot be used."""

RETRY = 5
"""Seconds until the next try when Discord cannot be reached at the start."""


async def run(settings: Settings) -> None:
    """Run until told to stop. Leaves nothing open."""
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(Store.open(settings.database))
        pictures = stack.enter_context(Pictures())
        token = settings.token or await _sandbox(settings, stack)
        await _until_stopped(store, pictures, token)


async def _sandbox(settings: Settings, stack: AsyncExitStack) -> str:
    """Point the client at a Discord of our own, started here unless one runs already; its token."""
    url = settings.sandbox_url
    if url is None:
        folder = settings.database.with_name("sandbox")
        sandbox = await Sandbox.start(folder, port=settings.sandbox_port)
        stack.push_async_callback(sandbox.close)
        url = sandbox.url
    point_discord_at(url)
    print(f"\n  No DISCORD_TOKEN is set, so the round table stands on this machine. Open {url}\n", flush=True)
    return TOKEN


async def _until_stopped(store: Store, pictures: Pictures, token: str) -> None:
    """Keep a client connected until SIGTERM or SIGINT, then close it cleanly."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows: Ctrl+C arrives as KeyboardInterrupt
            break
    running = asyncio.create_task(_connect(store, pictures, token))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not running.done():
        log.info("stopping")
        running.cancel()
    with suppress(asyncio.CancelledError):
        await running


async def _connect(store: Store, pictures: Pictures, token: str) -> None:
    """Run a client. The first connection being refused raises out of discord.py, so that is tried again."""
    while True:
        async with RoundTable(store, pictures) as client:
            try:
                await client.start(token)
            except (aiohttp.ClientConnectionError, discord.GatewayNotFound, discord.DiscordServerError) as error:
                log.warning("Discord cannot be reached", error=str(error), retry_in=RETRY)
        await asyncio.sleep(RETRY)


def main() -> int:
    """Read the settings and run; the exit status."""
    try:
        settings = Settings.read()
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    set_up_logging(settings.log_level)
    try:
        asyncio.run(run(settings))
    except StoreError as error:
        print(FAULTS[error.fault].format(path=error.path, detail=error.detail), file=sys.stderr)
        return 1
    except OSError as error:
        hint = "" if settings.token else " Is the sandbox running already? ROUNDTABLE_SANDBOX_PORT=0 takes a free port."
        print(f"{error}.{hint}", file=sys.stderr)
        return 1
    except discord.LoginFailure:
        print("Discord does not accept DISCORD_TOKEN. Copy it again from the developer portal.", file=sys.stderr)
        return 1
    except discord.HTTPException as error:
        print(f"Discord refuses to let the bot start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
