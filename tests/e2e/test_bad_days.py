"""People keep playing while Discord sends unparsable events and the database has unknown names."""

from __future__ import annotations

import asyncio
import os
import random
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import HARD
from sandbox.limits import ANSWER_WITHIN
from tests.e2e.badness import Badness
from tests.e2e.house import House, complaints
from tests.e2e.restless import Company
from tests.examples import AtMost

pytestmark = pytest.mark.asyncio(loop_scope="session")

CONTAINED = ("gateway event not parsed", "part of the tick failed", "Attempting a reconnect")
"""Errors that the bot may log: it reports what it has contained."""
AT_A_TIME = 10
"""Blows between two checks."""


async def survive(folder: Path, blows: int) -> str:
    """Strikes so many blows; returns a summary. Raises AssertionError if something is lost or doubled, or the bot
    has ended."""
    seed = int(os.environ.get("KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"KILL_SEED={seed}")
    chance = random.Random(seed)
    house = House(folder, "tests.e2e.hasty", HASTY_PACE="40")
    house.answer_within = ANSWER_WITHIN
    house.hardness = replace(HARD, lost_answers=0)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(house)
        company = await Company.gather(house, chance, stack)
        badness = Badness(house, random.Random(seed + 1))
        for _ in range(0, blows, AT_A_TIME):
            pid = house.bot.pid
            end = asyncio.Event()
            playing = asyncio.create_task(company.play(end))
            for _ in range(AT_A_TIME):
                await asyncio.wait({playing}, timeout=chance.uniform(0.2, 1.5))
                if playing.done():
                    break
                print("blow:", badness.strike())
            end.set()
            await playing
            house.server.faults.lift()
            await house.until(lambda: house.server.gateway.online, "online")
            await company.settle()
            company.check_promises()
            assert (house.bot.pid, house.bot.running) == (pid, True)
            await house.stop_bot()  # a start must cope with the database too
            await house.start_bot()
        print(house.bot.log[-20000:])
        assert [line for line in complaints(house.bot.log) if not any(said in line for said in CONTAINED)] == []
        assert house.strange == []
        plies = dict(house.bot.query("SELECT variant, sum(ply) FROM matches GROUP BY variant"))
        assert sum(plies.values()) > blows / 10
        return f"{dict(badness.kinds)}; {plies}; {dict(company.pressed)}"


@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_nothing_bad_that_is_said_loses_or_stops_anything(tmp_path: Path, at_most: AtMost) -> None:
    print(await survive(tmp_path, at_most(300, 20)))
