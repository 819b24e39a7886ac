"""Everybody plans at random with the real process, which is killed repeatedly, compared with a model (`foreseeing`).

After each act the stored state must be the one that the model foresees, and each chain must be announced in exactly
one message despite the kills. Half of the kills come at a random time, half in the middle of a request to Discord.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import Counter
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.clock import DAY, HOUR
from rules import VARIANTS
from sandbox.people import TooLateError
from tests.e2e.clock import ClockHouse
from tests.e2e.database import check
from tests.e2e.planners import Planners
from tests.e2e.reaping import Death, Reaper
from tests.examples import AtMost

pytestmark = pytest.mark.asyncio(loop_scope="session")

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
CIRCLES = 4
"""Games at once."""
LIFE = 10.0
"""Seconds of planning before the bot is killed, at most."""
LONGEST_START = 1.5
"""Seconds until a new process is killed during its start, at most."""
REQUESTS = 250
"""Requests to Discord until the bot is killed in the middle of one, at most."""


async def _live_and_die(circles: list[Planners], reaper: Reaper, chance: random.Random) -> None:
    """People act until the bot is killed, in the middle of their acts."""
    request = 1 + int(REQUESTS * chance.random() ** 2) if chance.random() < 0.5 else None
    reaper.wait_for(Death(early=False, after=0, request=request, lost=chance.random() < 0.5))
    playing: list[asyncio.Task[object]] = [asyncio.create_task(circle.go_on()) for circle in circles]
    ending: asyncio.Task[object] = asyncio.create_task(reaper.struck.wait())
    try:
        async with asyncio.timeout(LIFE if request else chance.uniform(0, LIFE)):
            while not ending.done():
                done, _ = await asyncio.wait((ending, *playing), return_when=asyncio.FIRST_COMPLETED)
                for task in done if ending not in done else ():
                    task.result()
                    playing.remove(task)  # their game is over
                if not playing:
                    reaper.strike("when all games were over")
    except TimeoutError:
        reaper.strike("at some time")
    finally:
        for task in (*playing, ending):
            task.cancel()
        ended = await asyncio.gather(*playing, ending, return_exceptions=True)
    for error in ended:  # somebody may have noticed a fault just then
        if isinstance(error, Exception) and not isinstance(error, TooLateError):
            raise error


async def _rise(house: ClockHouse, circles: list[Planners], reaper: Reaper, chance: random.Random) -> None:
    """Starts a new process: interrupted acts were done wholly or not at all, and everything that happened is
    announced.

    Some processes are killed before they have announced it all, or at their start.
    """
    await house.kill_bot()
    reaper.wait_for(Death(early=False, after=0, request=None, lost=False))
    while chance.random() < 0.2:
        await house.bot.start()
        await asyncio.sleep(chance.uniform(0, LONGEST_START))
        reaper.strike("at its start")
        await house.kill_bot()
        reaper.wait_for(Death(early=False, after=0, request=None, lost=False))
    await house.start_bot()
    for circle in circles:
        await circle.look()


async def plan_and_kill(house: ClockHouse, key: str, wanted: int, chance: random.Random) -> str:
    """Plays games of that variant until there are so many chains; returns a summary."""
    async with AsyncExitStack() as stack:
        circles = await asyncio.gather(
            *(
                Planners.gather(house, f"{key}-{number}", key, random.Random(chance.random()), stack)
                for number in range(CIRCLES)
            )
        )
        reaper, begun, did = Reaper(house), time.monotonic(), Counter[str]()
        while did["chains"] < wanted:
            await asyncio.gather(*(circle.rest() for circle in circles))
            await _live_and_die(circles, reaper, chance)
            await _rise(house, circles, reaper, chance)
            if chance.random() < 0.5:  # vacations end, and plans need not wait any longer
                house.clock.now += chance.choice((1, 1, 3)) * DAY + HOUR
                if chance.random() < 0.3:
                    await asyncio.sleep(chance.uniform(0, 0.5))
                    reaper.strike("as time has passed")
                    await _rise(house, circles, reaper, chance)
                await house.tick()
                for circle in circles:
                    await circle.look()
            did = sum((circle.did + circle.foresight.did for circle in circles), Counter[str]())
        check(house.bot.database)
        took = time.monotonic() - begun
    kills = f"{sum(reaper.kinds.values())} kills {dict(reaper.kinds)}"
    return f"{dict(did)}, {kills}; {60 * did['chains'] / took:.0f} chains a minute"


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("key", VARIANTS)
async def test_ten_thousand_chains_at_a_process_that_dies_are_what_was_meant(
    key: str, tmp_path: Path, at_most: AtMost
) -> None:
    seed = int(os.environ.get("KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"KILL_SEED={seed}")
    async with ClockHouse.at(tmp_path, START) as house:
        told = await plan_and_kill(house, key, at_most(10_000, 36) // len(VARIANTS) + 1, random.Random(seed))
        print(f"{key}: {told}")
