"""The memory that a server takes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import Figure
from tests.bench.discord_stub import CHANNELS, DiscordStub
from tests.bench.load_bench import at_work

SERVERS = 10, 3_000


def figures() -> Iterator[Figure]:
    """Yields the memory of a server."""
    few, many = (asyncio.run(_memory(servers)) for servers in SERVERS)
    each = (many - few) * 1024 / (SERVERS[1] - SERVERS[0])
    details = f"{few:.0f} MB with {SERVERS[0]}, {many:.0f} MB with {SERVERS[1]}"
    yield Figure(f"memory of a server with {CHANNELS} channels, kB", each, 20, details)


async def _memory(servers: int) -> float:
    """Returns the megabytes of a bot that is ready in so many servers."""
    with TemporaryDirectory(prefix="bench") as folder:
        async with DiscordStub.serve(servers) as discord:
            place = {"ROUNDTABLE_DB": str(Path(folder) / "new.db"), "ROUNDTABLE_SANDBOX_URL": discord.url}
            async with at_work(discord, "bot", **place) as process:
                return process.memory
