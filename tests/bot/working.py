"""Workers on one PostgreSQL: their shards, and what a test waits for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from bot.__main__ import DiscordConnection
from bot.config import Settings
from bot.core.timings import Timings
from bot.discordkit.metrics import Metrics
from bot.play.pictures import Pictures
from bot.store import Store
from bot.store.address import Address
from bot.store.workers import ShardLocks, claim_shard_locks

HASTE = Timings(heartbeat_s=0.1, claim_retry_s=0.05, claim_after_loss_s=0.3)
"""The waits of workers, shortened from seconds to tenths."""


async def six() -> int:
    """Returns Discord's recommended number of shards."""
    return 6


async def until(met: Callable[[], bool]) -> None:
    """Waits until the condition is met, at most a minute."""
    async with asyncio.timeout(60):
        while not met():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


@asynccontextmanager
async def worker(
    address: Address,
    wanted: int | None = 6,
    most: int | None = 2,
    waits: Callable[[bool], None] = lambda _: None,
    timings: Timings = HASTE,
) -> AsyncIterator[tuple[Store, ShardLocks]]:
    """Runs a worker with a share of the shards; yields its store and its locks."""
    async with (
        Store.open(address, allow_other_workers=True) as store,
        claim_shard_locks(store, wanted, most, six, waits, timings) as locks,
    ):
        with store.serve_lease(locks):
            yield store, locks


async def refused() -> None:
    """Stands in for a question to Discord that fails."""
    raise ConnectionResetError


@asynccontextmanager
async def kept(address: Address, folder: Path, timings: Timings = HASTE) -> AsyncIterator[asyncio.Task[None]]:
    """Runs a worker that keeps looking for shards; yields its task and cancels it at the end."""
    async with Store.open(address, allow_other_workers=True) as store:
        with Pictures() as pictures:
            settings = Settings.from_environment(folder / "none")
            connection = DiscordConnection(settings, store, pictures, Metrics(), timings)
            keeping = asyncio.create_task(connection.keep_connected("token"))
            try:
                yield keeping
            finally:
                keeping.cancel()
                await asyncio.gather(keeping, return_exceptions=True)
