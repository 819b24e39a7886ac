"""The delay that the engine's process causes in the event loop beside it, and its memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from bot.play.engine import Engine
from engine import choose_move
from rules import VARIANTS
from tests import bench
from tests.bench import Figure

EVERY = 0.005
"""Seconds between two looks at the clock."""
START = VARIANTS["camelot"].start_position


def figures() -> Iterator[Figure]:
    """Yields the lateness of the loop with the engine at rest and at work, and the memory."""
    yield from asyncio.run(_beside())


async def _beside() -> list[Figure]:
    engine, seconds, rounds = Engine(), 1 if bench.short else 10, 2 if bench.short else 5
    await engine.ask("choose_move", START, "easy", 0)
    idle, busy = list[float](), list[float]()
    for _ in range(rounds):  # in turn, for the machine has other things to do as well
        idle += await _lateness(seconds)
        thinking = asyncio.create_task(_think_on(engine))
        busy += await _lateness(seconds)
        thinking.cancel()
        await asyncio.gather(thinking, return_exceptions=True)
    begun = perf_counter()
    for level in ("easy", "medium", "hard"):
        await engine.ask("choose_move", START, level, 1)
    there = perf_counter() - begun
    begun = perf_counter()
    for level in ("easy", "medium", "hard"):
        choose_move(START, level, 1)
    here = perf_counter() - begun
    memory = _memory(engine.pid) if engine.pid else 0.0
    await engine.close()
    late = _p99(busy) - _p99(idle)
    detail = f"p99 {_p99(busy):.2f} ms, idle {_p99(idle):.2f} ms; medians {median(busy):.2f} and {median(idle):.2f} ms"
    return [
        Figure("house: ms by which the loop is later, p99", late, 2, detail),
        Figure("house: MB of the process that thinks", memory, 80, "resident, after three levels of Camelot"),
        Figure("house: a move asked for / thought of here", there / here, 2, f"{there:.2f} s, {here:.2f} s"),
    ]


async def _think_on(engine: Engine) -> None:
    seed = 0
    while True:
        await engine.ask("choose_move", START, "hard", seed := seed + 1)


async def _lateness(seconds: float) -> list[float]:
    """Returns the lateness of a timer in milliseconds, measured repeatedly."""
    found, end = list[float](), perf_counter() + seconds
    while (now := perf_counter()) < end:
        await asyncio.sleep(EVERY)
        found.append(1000 * (perf_counter() - now - EVERY))
    return found


def _p99(values: list[float]) -> float:
    return quantiles(values, n=100)[-1]


def _memory(pid: int) -> float:
    """Returns the resident megabytes of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
