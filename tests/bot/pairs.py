"""Checks of transactions that hold on every engine: two values written together are stored together or not at all."""

from __future__ import annotations

import asyncio
import random

import pytest

from bot.store import Store


async def pair(store: Store, name: str) -> None:
    """Stores two values in one transaction."""
    async with store.write_transaction() as tx:
        await tx.set_meta(f"left {name}", "x")
        await tx.set_meta(f"right {name}", "x")


async def halves(store: Store, name: str) -> int:
    """Returns how many of the two values are stored."""
    return sum([await store.reader.get_meta(f"{side} {name}") is not None for side in ("left", "right")])


async def check_failure(store: Store) -> None:
    """Asserts that a failed transaction stores nothing and does not disturb the next one."""

    async def fail() -> None:
        async with store.write_transaction() as tx:
            await tx.set_meta("half", "done")
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert await store.reader.get_meta("half") is None
    await pair(store, "the next one is not disturbed")


async def check_storm(store: Store, waves: int) -> None:
    """Asserts that cancelled transactions are stored wholly or not at all, and that later ones work."""
    rng = random.Random(3)
    for wave in range(waves):
        tasks = [asyncio.create_task(pair(store, f"{wave}:{number}")) for number in range(20)]
        await asyncio.sleep(rng.random() / 50)
        for task in tasks:
            if rng.random() < 0.7:
                task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for number, result in enumerate(results):
            done = await halves(store, f"{wave}:{number}")
            assert done == 2 if result is None else done in (0, 2)
        await pair(store, f"after wave {wave}")
