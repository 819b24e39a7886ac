"""A house whose health is watched, and the commands of its operator."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import aiohttp

from tests.e2e.game_checks import run
from tests.e2e.house import PATIENCE, House


class WatchedHouse(House):
    """A house whose bot serves its health and metrics."""

    def __init__(self, folder: Path, module: str = "bot", **settings: str) -> None:
        super().__init__(folder, module, ROUNDTABLE_METRICS_PORT="0", **settings)

    async def start_bot(self) -> None:
        """Starts the bot and waits until /healthz says that it is well."""
        await super().start_bot()
        await self.well()

    @property
    def health(self) -> str:
        """The address of the bot's health page, up to the path."""
        return str(re.findall(r"address=(http://127\.0\.0\.1:\d+)", self.bot.log)[-1])

    async def well(self) -> None:
        """Waits until the bot is well: online, and with its servers known."""
        for _ in range(int(PATIENCE / 0.05)):
            if await self.get("/healthz") == (200, "ok\n"):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(await self.get("/healthz"))

    async def get(self, path: str) -> tuple[int, str]:
        """Returns the status and body of a GET request to that path."""
        async with aiohttp.ClientSession() as http, http.get(self.health + path) as answer:
            return answer.status, await answer.text()

    async def metrics(self) -> dict[str, float]:
        """Returns the value of every sample, by name and labels."""
        status, page = await self.get("/metrics")
        assert status == 200
        lines = [line.rsplit(" ", 1) for line in page.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in lines}


async def operate(house: House, *arguments: str) -> tuple[int, str]:
    """Runs `python -m bot …` beside the running bot; returns the exit status and everything printed."""
    return await run("bot", *arguments, ROUNDTABLE_DB=house.bot.where, ROUNDTABLE_SANDBOX_URL=house.url)
