"""The whole program under load: thousands of games and servers, and people who move at the same time.

The bot is the real one in a process of its own. In the same run and with the same loopback Discord run a bare
client of discord.py, and one that makes the requests, commits and pictures of moves without a game.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory, gettempdir
from time import perf_counter, time
from typing import NamedTuple

from tests import bench
from tests.bench import Figure
from tests.bench.crowd import Running, build
from tests.bench.discord_stub import Asked, DiscordStub, channel_id

ROOT = Path(__file__).parents[2]
COMPILED = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(gettempdir()) / "round-table-bench")}
"""Where modules are kept compiled, as pip leaves them: else each start would be one of the compiler as well."""
AS_HOSTED = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "250000", "MALLOC_TRIM_THRESHOLD_": "1000000"}
"""What the image and the unit set, too."""
PATIENCE = 60.0
RATE = 20
"""Moves a second."""
STRETCHES = 20
"""The number of parts into which the moves at full speed are divided."""
CROWD = 50
"""The people who then play at once, each in their own server, because Discord takes a channel's posts one by one."""


class Size(NamedTuple):
    """The size of a measurement."""

    finished: int
    live: int
    guilds: int
    seconds: int
    """The seconds for which people move at RATE."""
    moves: int
    """The moves that are then made at full speed."""


def figures() -> Iterator[Figure]:
    """Yields the figures of start, memory, answers and throughput."""
    size = Size(2_000, 500, 50, 10, 2_000) if bench.short else Size(100_000, 10_000, 1_000, 60, 4_000)
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        folder = Path(name)
        games = build(folder / "roundtable.db", finished=size.finished, live=size.live, guilds=size.guilds)
        yield from asyncio.run(_load(folder, size, games))


async def _load(folder: Path, size: Size, games: list[Running]) -> list[Figure]:
    found: list[Figure] = []
    async with DiscordStub.serve(size.guilds) as discord:
        async with at_work(discord, "bot", ROUNDTABLE_DB=str(folder / "new.db"), ROUNDTABLE_SANDBOX_URL=discord.url):
            pass  # its modules are compiled now
        async with at_work(discord, "tests.bench.minimal_bots", "discord", discord.url) as process:
            bare, bare_memory = process.ready, process.memory
        watch = folder / "watch"
        settings = {"ROUNDTABLE_DB": str(folder / "roundtable.db"), "ROUNDTABLE_SANDBOX_URL": discord.url}
        async with at_work(discord, "tests.bench.full_speed", WATCH=str(watch), **settings) as process:
            details = f"{process.ready:.2f} s, a bare client of discord.py {bare:.2f} s"
            found.append(Figure("start to ready, s beyond discord.py's own", process.ready - bare, 3, details))
            found += await _at_a_steady_rate(discord, size, games, watch)
            details = f"the bare client of discord.py, when ready: {bare_memory:.0f} MB"
            found.append(Figure("memory behind it all, MB", process.memory, 200, details))
        # Unwatched: that costs processor time.
        async with at_work(discord, "tests.bench.full_speed", one_core=True, **settings) as process:
            moves = await _whole_moves(discord, process, size, games)
        found += moves.figures(await _bare_moves(discord, folder, size.moves))
    assert not discord.strange, discord.strange
    return found


# Processes


@dataclass
class Process:
    """A process, and the seconds until it was ready."""

    number: int
    ready: float

    @property
    def cpu(self) -> float:
        """The seconds of processor time used so far."""
        used = Path(f"/proc/{self.number}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")

    async def rest(self) -> None:
        """Waits until the preparations after its start are done."""
        while True:
            before = self.cpu
            await asyncio.sleep(0.5)
            if self.cpu - before < 0.1:
                return

    @property
    def memory(self) -> float:
        """Resident megabytes."""
        lines = Path(f"/proc/{self.number}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


@asynccontextmanager
async def at_work(
    discord: DiscordStub, module: str, *words: str, one_core: bool = False, **settings: str
) -> AsyncIterator[Process]:
    """Runs the module and yields its process once it prints "ready"; on one core to measure what one core can do."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ROUNDTABLE_", "DISCORD_"))}
    begun = perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *words),
        env={**kept, **COMPILED, **AS_HOSTED, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        preexec_fn=_stay if one_core else None,
    )
    said = b""
    reading = None
    try:
        assert process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while b"ready" not in said.rpartition(b"\n")[2]:
                line = await process.stdout.readline()
                assert line, said.decode()
                said += line.rstrip()
        ready = perf_counter() - begun
        reading = asyncio.create_task(process.stdout.read())  # or the pipe would fill
        await discord.online.wait()
        started = Process(process.pid, ready)
        await started.rest()
        os.sync()  # else somebody's first commit waits for what others have written before
        yield started
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()
        if reading is not None:
            log = (await reading).decode()
            assert "level=error" not in log, log[-3000:]


def _stay() -> None:
    """Keeps all threads of this process on one core: across several, their handing over costs half as much again."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


# Moves


class _Moves(NamedTuple):
    """The processor seconds of a whole move: in the fastest of many stretches, and in the median one.

    Other load on the machine can only make a stretch slower.
    """

    quickest: float
    middle: float

    def figures(self, bare: _Moves) -> list[Figure]:
        """Returns the ratios to a bot that makes the same requests, commits and pictures without a game."""
        detail = (
            f"{self.quickest * 1000:.1f} ms each; {1 / self.middle:.0f} a second in the median of {STRETCHES} stretches"
        )
        beside = f"a bot without games carries {1 / bare.quickest:.0f} a second, {1 / bare.middle:.0f} in the median"
        return [
            # Discord takes 12 to 25 moves a second of one bot: twice that is plenty.
            Figure("whole moves a second of one core, at best", 1 / self.quickest, 50, detail, at_least=True),
            Figure("whole move / the same requests, commits and pictures", self.middle / bare.middle, 1.35, beside),
        ]


async def _at_a_steady_rate(discord: DiscordStub, size: Size, games: list[Running], watch: Path) -> list[Figure]:
    """People move RATE times a second."""
    posted, begun = discord.uploads.total(), time()
    chosen = iter(random.Random(20).sample(games, len(games)))
    asked = await paced(size.seconds, lambda _: _move(discord, next(chosen)))
    async with asyncio.timeout(PATIENCE):
        await discord.until(lambda: discord.uploads.total() >= posted + len(asked))
    firsts = [await one.first - one.sent for one in asked]
    cuts = quantiles(firsts, n=100)
    lags = _lags(watch, begun + 1)
    return [
        Figure("/move to the first answer, p50, ms", cuts[49] * 1000, 25, f"{len(asked)} moves, {RATE} a second"),
        Figure("/move to the first answer, p99, ms", cuts[98] * 1000, 150, f"the slowest {max(firsts) * 1000:.0f} ms"),
        Figure(
            "event loop blocked at worst, ms", max(lags), 50, f"median of the worst of each second {median(lags):.1f}"
        ),
    ]


async def paced(seconds: int, ask: Callable[[int], Awaitable[Asked]]) -> list[Asked]:
    """Asks at random moments, RATE times a second, without waiting for earlier answers; returns all interactions."""
    chance, loop, asked = random.Random(20), asyncio.get_running_loop(), list[Asked]()
    start, at = loop.time(), 0.0
    while at < seconds:
        at += chance.expovariate(RATE)
        await asyncio.sleep(start + at - loop.time())
        asked.append(await ask(len(asked)))
    return asked


async def _whole_moves(discord: DiscordStub, process: Process, size: Size, games: list[Running]) -> _Moves:
    """Measures moves in many games at once."""
    waiting = iter(games)
    playing = [next(waiting) for _ in range(CROWD)]

    async def play(player: int, moves: int) -> None:
        while moves:
            place = channel_id(playing[player].guild)
            before = discord.uploads[place]
            if (asked := await _try(discord, playing[player])) is None:
                playing[player] = next(waiting)
                continue
            await asked.last
            await discord.until(lambda place=place, before=before: discord.uploads[place] > before)  # type: ignore[misc]  # bound in the loop
            moves -= 1

    return await _stretches(process, size.moves, play)


async def _bare_moves(discord: DiscordStub, folder: Path, moves: int) -> _Moves:
    """Measures the same with a bot that has no games."""
    words = "boards", discord.url, str(folder / "bare.db")
    async with at_work(discord, "tests.bench.minimal_bots", *words, one_core=True) as process:

        async def play(player: int, moves: int) -> None:
            for number in range(moves):
                await (await discord.command(player, number, "move")).last

        return await _stretches(process, moves, play)


async def _stretches(process: Process, moves: int, play: Callable[[int, int], Awaitable[None]]) -> _Moves:
    """Measures the cost of a move while CROWD people each play so many, one after the other."""
    each = moves // STRETCHES // CROWD
    spent = []
    async with asyncio.timeout(PATIENCE * 10):
        for _ in range(STRETCHES + 1):  # the first one warms
            begun = process.cpu
            await asyncio.gather(*(play(player, each) for player in range(CROWD)))
            spent.append((process.cpu - begun) / each / CROWD)
    return _Moves(min(spent[1:]), median(spent[1:]))


async def _move(discord: DiscordStub, game: Running) -> Asked:
    asked = await _try(discord, game)
    assert asked is not None
    return asked


async def _try(discord: DiscordStub, game: Running) -> Asked | None:
    """Sends the next move of a game as the player to move; returns None if the story has ended."""
    following = game.next()
    if following is None:
        return None
    user, move = following
    return await discord.command(game.guild, user, "move", move=move, game=str(game.id))


def _lags(watch: Path, since: float) -> list[float]:
    """Returns the worst lag of each second since then, in milliseconds."""
    return [float(late) for at, late in map(str.split, watch.read_text().splitlines()) if float(at) > since]
