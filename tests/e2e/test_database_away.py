"""The database is unavailable for ten minutes: people are informed, no clock runs, and the bot recovers by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from bot.core.settings import GuildSettings, Threads
from bot.store import Store
from bot.store.servers import set_guild_settings
from tests.e2e.answers import UNSTORED
from tests.e2e.clock import ClockHouse
from tests.e2e.house import complaints
from tests.e2e.room import Room
from tests.postgresql import Cluster
from tests.proxy import Proxy

pytestmark = pytest.mark.asyncio(loop_scope="session")

MINUTE, HOUR = 60, 3600


class FarHouse(ClockHouse):
    """A house whose bot keeps everything in a PostgreSQL, which it reaches through a proxy."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        super().__init__(folder, datetime(2026, 3, 2, 18, tzinfo=UTC))
        self._address = cluster.new()
        self.proxy = Proxy(cluster.folder / ".s.PGSQL.5432")

    async def open(self, *, start: bool = True) -> None:
        """See `House.open`."""
        name = self._address.url.split("/")[3].split("?")[0]
        self._settings["ROUNDTABLE_DB"] = f"postgresql://postgres@127.0.0.1:{await self.proxy.open()}/{name}"
        await super().open(start=start)

    async def close(self) -> None:
        """See `House.close`."""
        await super().close()
        await self.proxy.close()

    async def furnish(self) -> None:
        """See `House.furnish`."""
        async with Store.open(self._address) as store, store.write_transaction() as tx:
            for guild in self.server.world.guilds:
                await set_guild_settings(tx, guild, GuildSettings(threads=Threads.ASK))


@pytest_asyncio.fixture(loop_scope="session")
async def far(tmp_path: Path, cluster: Cluster) -> AsyncIterator[FarHouse]:
    async with FarHouse(tmp_path, cluster) as house:
        yield house
        print(house.bot.log)  # pytest shows it if the test has failed


async def stopped(cluster: Cluster, _: Proxy, away: bool) -> None:
    await asyncio.to_thread(cluster.stop if away else cluster.start)


async def frozen(_: Cluster, proxy: Proxy, away: bool) -> None:
    proxy.flowing.clear() if away else proxy.mend()


Way = Callable[[Cluster, Proxy, bool], Awaitable[None]]
"""Takes the database away, or gives it back."""


@pytest.mark.long
@pytest.mark.parametrize("take_away", [stopped, frozen])
async def test_ten_minutes_without_the_database_take_no_time_from_anybody(
    far: FarHouse, cluster: Cluster, take_away: Way
) -> None:
    async with AsyncExitStack() as stack:
        room = await Room.found(far, "room", stack)
        ada, bo = await room.enter("Ada", "Bo")
        played = await room.start("camelot", ada, bo, pace="fast")
        begun = far.now
        await far.move_clock(12 * HOUR - 5 * MINUTE)  # five minutes before Ada is reminded
        await take_away(cluster, far.proxy, True)
        try:
            for _ in range(2):
                await far.move_clock(5 * MINUTE)
            for asked in (
                await played.try_move("F7-F8"),
                await ada.command(room.channel, "games"),
                await ada.click(played.last, "Move"),
                await bo.command(room.channel, "play", variant="cam"),
            ):
                assert asked.ephemeral
                assert asked.text.startswith(UNSTORED), asked
        finally:
            await take_away(cluster, far.proxy, False)
        end = f"<t:{begun + 24 * HOUR + 10 * MINUTE}:R>"
        while end not in (await ada.command(room.channel, "games")).text:  # until it is sure to be the only
            await far.tick()  # worker, which takes some seconds
        await played.quiet()
        await far.move_clock(5 * MINUTE - 1)
        await played.quiet()
        await far.move_clock(1)
        await played.calls(ada)
        await played.move("F7-F8")
        await played.move("F10-F9")
        assert all("StoreError" in line for line in complaints(far.bot.log))
