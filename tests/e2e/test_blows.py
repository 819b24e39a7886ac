"""Games in six servers during repeated faults of the bot, its PostgreSQL and the network between them."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import HARD
from tests.e2e.game_checks import run
from tests.e2e.machine import check_dates
from tests.e2e.promises import check_reminders
from tests.e2e.thinking import check_openings
from tests.e2e.workers import GLANCE, STARTS_WITHIN, WorkersHouse
from tests.e2e.workers.blows import Storm
from tests.e2e.workers.database import Database, running
from tests.e2e.workers.people import Courts, answered, check_clocks
from tests.examples import AtMost

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORKERS = 2
"""One that plays, and one that stands by."""
AT_A_TIME = 2
"""Blows of a round, which ends with repairs and checks."""
BEFORE = 2.0
"""Seconds of play before the first blow."""
BETWEEN = (0, 8)
"""Seconds between two blows: some come during a takeover, and in between games go on."""
GAP, LONG_GAP = 14 * 60, 20 * 3600
"""Seconds of the game's time between two blows at most: usually, and once in a while."""


class Hunt:
    """People in all servers, processes, and the blows."""

    def __init__(self, house: WorkersHouse, company: Courts, clock: Path, chance: random.Random) -> None:
        self._house, self._company, self._clock, self._chance = house, company, clock, chance
        self.ahead = 0
        self.storm = Storm(house, chance)

    async def round(self) -> None:
        """Strikes some blows while people play; afterwards nothing is lost or doubled."""
        end = asyncio.Event()
        playing = asyncio.create_task(self._company.play(end))
        try:
            await asyncio.wait({playing}, timeout=BEFORE)
            for _ in range(AT_A_TIME):
                print("blow:", await self.storm.strike())
                self.ahead += self._chance.randrange(LONG_GAP if self._chance.random() < 0.15 else GAP)
                self._clock.write_text(f"{self.ahead} there")
                await asyncio.wait({playing}, timeout=self._chance.uniform(*BETWEEN))
                if playing.done():
                    break
        finally:
            end.set()
            await playing
        await self.settle()

    async def settle(self) -> None:
        """Waits until all is repaired and every server has its bot again, then asserts that nothing is lost."""
        await self.storm.calm()
        for worker, woken in self.storm.waking:
            until = self._house.held_again(worker, woken) - 2 * GLANCE
            said = self._house.ears.said_by(worker, woken, until)
            assert said == [], "a worker speaks that has woken without a shard"
        await self._house.until(lambda: all(one.at_work for one in self._house.workers), "all at work", STARTS_WITHIN)
        for room in [circle.room for circle in self._company.circles]:
            while not await answered(room):
                pass
        await self._company.settle()
        await self._house.until(self._nothing_is_due, "all done that is due", STARTS_WITHIN)
        self._company.check_promises()
        check_openings(self._house)
        check_clocks(self._house)

    def _nothing_is_due(self) -> bool:
        due = "SELECT id FROM matches WHERE deadline <= ? AND phase IN ('open', 'live')"
        return not self._house.bot.query(due, int(time.time()) + self.ahead)


async def storm(folder: Path, database: Database, rounds: int) -> str:
    """Strikes in so many rounds; returns a summary. Raises AssertionError if something is lost, doubled or dead."""
    seed = int(os.environ.get("KILL_SEED", random.SystemRandom().randrange(10**9)))
    chance, fate = random.Random(seed), random.Random(seed + 1)
    print(f"KILL_SEED={seed}")
    clock, begun = folder / "clock", time.time()
    clock.write_text("0 there")
    settings = {"HASTY_PACE": "40", "HASTY_CLOCK": str(clock)}
    house = WorkersHouse(folder, database, WORKERS, **settings)
    house.hardness = replace(HARD, loose_events=False)  # doubled events would give somebody two tables
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(house)
        company = await Courts.assemble(house, chance, stack)
        hunt = Hunt(house, company, clock, fate)
        house.watch()
        stack.push_async_callback(hunt.storm.close)
        try:
            for _ in range(rounds):
                await hunt.round()
        finally:
            print(house.bot.log[-20000:])
            print(company.pressed, hunt.storm.kinds, house.ears.refused)
        assert house.strange == []
        check_dates(house.bot.query, begun, time.time() + hunt.ahead)
        plies = dict(house.bot.query("SELECT variant, sum(ply) FROM matches GROUP BY variant"))
        reminders = {kind.name: count for kind, count in check_reminders(house).items()} | check_clocks(house)
        house.watch_no_more()
        assert await asyncio.gather(*(one.end(signal.SIGTERM) for one in house.workers)) == [0] * WORKERS
        code, said = await run("bot", "ratings", ROUNDTABLE_DB=str(database.address.url))
        assert code == 0, said
        took = takeover_times(house, hunt.storm)
        return f"{took}; {dict(hunt.storm.kinds)}; {plies}; {dict(company.pressed)}; {reminders}"


def takeover_times(house: WorkersHouse, storm: Storm) -> str:
    """Returns how many seconds passed until another process had the lease, p50 and p99, if one took over at all."""
    took = list[float]()
    for number, (_, player, struck) in enumerate(storm.takeovers):
        until = storm.takeovers[number + 1][2] if number + 1 < len(storm.takeovers) else float("inf")
        heirs = (at - struck for at, held in house.held if struck < at < until and held not in (None, player))
        took += [seconds] if (seconds := next(heirs, None)) is not None else []
    took.sort()
    if not took:
        return "no takeover"
    return f"{len(took)} takeovers: p50 {took[len(took) // 2]:.1f} s, p99 {took[len(took) * 99 // 100]:.1f} s"


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
async def test_no_blow_loses_or_doubles_anything(tmp_path: Path, at_most: AtMost) -> None:
    with running(WORKERS) as database:
        print(await storm(tmp_path, database, at_most(100, 4)))
