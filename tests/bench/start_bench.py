"""The imports at a start, beside the necessary libraries; and the memory that a server takes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench import Figure
from tests.bench.discord_stub import CHANNELS, DiscordStub
from tests.bench.load_bench import at_work

ROUNDS = 7
SERVERS = 10, 3_000
LIBRARIES = "discord.ext.commands, discord.ext.tasks, PIL.ImageDraw, PIL.ImageFont, aiosqlite, environs, structlog"


def figures() -> Iterator[Figure]:
    """Yields the cost of the program's own modules beside its libraries'; both compiled, as pip leaves them."""
    with TemporaryDirectory(prefix="bench") as cache:
        for names in (LIBRARIES, "bot.__main__"):
            _seconds(names, cache)  # compiles them
        pairs = [(_seconds(LIBRARIES, cache), _seconds("bot.__main__", cache)) for _ in range(ROUNDS)]
    ratio = median((whole - theirs) / theirs for theirs, whole in pairs)
    theirs, whole = (median(column) for column in zip(*pairs, strict=True))
    yield Figure("import of the program beyond its libraries / these", ratio, 0.75, f"{whole:.2f} s, {theirs:.2f} s")
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


def _seconds(names: str, cache: str) -> float:
    """Returns the processor seconds of a fresh interpreter that imports them."""
    script = f"from time import process_time\nbegun = process_time()\nimport {names}\nprint(process_time() - begun)"
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": cache},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return float(ran.stdout)
