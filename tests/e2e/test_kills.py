"""The bot is killed with SIGKILL at random moments while people play; everything that it confirmed is stored.

Between some lives hours pass, so that clocks run out and reminders are due. Half of the kills come at a random time
of a life, its start included; the others during a random request to Discord, which is carried out or lost. In
between, the machine's clock is set wrong and right again, and nothing is dated by it.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rules import VARIANTS
from sandbox import HARD
from sandbox.limits.interactions import ANSWER_WITHIN
from tests.e2e.database import check
from tests.e2e.game_checks import run
from tests.e2e.house import House, complaints
from tests.e2e.machine_clocks import check_dates, set_clock_to_and_fro, set_clock_wrong
from tests.e2e.players import Company
from tests.e2e.required_posts import check_reminders
from tests.e2e.thought_people import check_openings
from tests.examples import AtMost, drawn_seed

pytestmark = pytest.mark.asyncio(loop_scope="session")

GAP, ABSENCE = 14 * 60, 30 * 3600
"""Seconds between two lives at most: usually too few for an absence, sometimes more than a fast clock has."""

LIFE = 1.3
"""The longest time online before a kill, in multiples of the time that the first start took."""

REQUESTS = 40
"""The most requests to Discord before a kill."""


@dataclass
class Death:
    """When to kill the bot: after so many seconds, or at a request, which is then `lost` or carried out."""

    early: bool
    after: float
    request: int | None
    lost: bool

    @classmethod
    def draw(cls, chance: random.Random, start: float) -> Death:
        """Returns a random one; `start` is the seconds that a start takes.

        An early one counts from the start of the process, any other from when the bot was online.
        """
        early = chance.random() < 0.2
        request = 1 + int(REQUESTS * chance.random() ** 1.5) if chance.random() < 0.5 else None
        return cls(early, start * chance.uniform(0, 1.1 if early else LIFE), request, chance.random() < 0.5)


class Reaper:
    """Kills the bot in a house at the moment that a `Death` names."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._left: int | None = None
        self._lost = False
        self.struck = asyncio.Event()
        self.kinds: Counter[str] = Counter()
        house.meddle = self._see

    def wait_for(self, death: Death) -> None:
        """Prepares the next kill, counted from now on."""
        self.struck.clear()
        self._left, self._lost = death.request, death.lost

    def strike(self, kind: str) -> None:
        """Kills the bot and counts the kill under `kind`."""
        if not self.struck.is_set():
            self.kinds[kind] += 1
            self._house.bot.kill_now()
            self.struck.set()

    def _see(self, method: str, template: str, payload: Any) -> None:
        if self.struck.is_set() or self._left is None:
            return
        self._left -= 1
        if self._left <= 0:
            self.strike(f"{'lost' if self._lost else 'done'} {method} {template}")
            if self._lost:
                raise ValueError("lost with the process")


async def kill_again_and_again(folder: Path, kills: int) -> str:
    """Kills the bot so many times; returns a summary. Raises AssertionError if something is lost, doubled or dead."""
    seed = drawn_seed()
    deaths, chance = random.Random(seed), random.Random(seed + 1)
    async with AsyncExitStack() as stack:
        begun = time.monotonic()
        clock, ahead = folder / "clock", 0
        clock.write_text(str(ahead))
        hasty = {"HASTY_PACE": "40", "HASTY_CLOCK": str(clock)}
        house = House(folder, "tests.e2e.hasty_program", **hasty)
        house.answer_within = ANSWER_WITHIN
        house.hardness = HARD
        house.warm = False  # so that kills also hit the start
        await stack.enter_async_context(house)
        start = time.monotonic() - begun
        company = await Company.gather(house, chance, stack)
        reaper = Reaper(house)
        begun = time.time()
        tinkering = asyncio.create_task(set_clock_to_and_fro(folder, random.Random(seed + 2)))
        stack.callback(tinkering.cancel)
        for _ in range(kills):
            await _live_and_die(house, company, reaper, Death.draw(deaths, start), 2 * start)
            ahead += chance.randrange(ABSENCE if chance.random() < 0.1 else GAP)
            clock.write_text(str(ahead))
        reaper.wait_for(Death(early=False, after=0, request=None, lost=False))
        tinkering.cancel()
        set_clock_wrong(folder, 0)
        await _rise(house, company)
        check(house.bot.database)
        check_dates(house.bot.query, begun - GAP, time.time() + ahead)
        assert complaints(house.bot.log) == []
        assert house.strange == []
        plies = dict(house.bot.query("SELECT variant, sum(ply) FROM matches GROUP BY variant"))
        assert sum(plies.values()) > 0  # otherwise nothing could be lost
        if kills >= 20:  # a few kills see less, and on a busy machine still less
            assert plies.keys() == VARIANTS.keys()
            assert sum(plies.values()) > kills / 2
        reminders = {kind.name: count for kind, count in check_reminders(house).items()}
        counted = check_openings(house)
        rated = await _check_ratings(house)
        assert (rated and reminders) or kills < 100  # a short run may see none
        kinds = f"{sum(reaper.kinds.values())} kills {dict(reaper.kinds)}"
        return (
            f"{kinds}; {plies}; {dict(company.pressed)}; {reminders}; {rated} rated games; {counted} moves of openings"
        )


async def _check_ratings(house: House) -> int:
    """Returns the number of rated games. Each finished game has a result, and a rebuild yields the same ratings."""
    await house.stop_bot()
    over = "SELECT count(*) FROM matches WHERE phase = 'over'"
    assert house.bot.query("SELECT count(*) FROM results") == house.bot.query(over)
    code, said = await run("bot", "ratings", ROUNDTABLE_DB=house.bot.where)
    assert code == 0, said
    ((rated,),) = house.bot.query("SELECT count(DISTINCT match) FROM rating_changes")
    return int(rated)


async def _live_and_die(house: House, company: Company, reaper: Reaper, death: Death, longest: float) -> None:
    """One life: the bot starts, people play, it is killed."""
    if death.early:
        if house.bot.running:
            await house.kill_bot()
        reaper.wait_for(death)
        await house.bot.start()
        await _strike_at_last(reaper, death, longest)
    else:
        if not house.bot.running:
            await _rise(house, company)
        reaper.wait_for(death)
        playing = asyncio.create_task(company.play(reaper.struck))
        await _strike_at_last(reaper, death, longest)
        await playing
    await house.kill_bot()
    reaper.wait_for(Death(early=False, after=0, request=None, lost=False))


async def _rise(house: House, company: Company) -> None:
    """Starts a new process and asserts that everything confirmed is stored, and everything due announced once."""
    await house.bot.start()
    company.check_promises()
    await house.until(lambda: house.server.gateway.online, "online")
    await company.settle()


async def _strike_at_last(reaper: Reaper, death: Death, longest: float) -> None:
    """Waits for the request, if there is one, for at most a life; otherwise for the time."""
    limit = longest if death.request is not None else death.after
    try:
        await asyncio.wait_for(reaper.struck.wait(), limit)
    except TimeoutError:
        reaper.strike("at some time of its start" if death.early else "at some time")


async def kill_in_houses(folder: Path, kills: int, houses: int = 2) -> None:
    """Kills so many times, in several houses at once: while one bot starts, people play with the other."""
    folders = [folder / str(number) for number in range(houses)]
    for one in folders:
        one.mkdir()
    async with asyncio.TaskGroup() as group:
        done = [group.create_task(kill_again_and_again(one, kills // houses)) for one in folders]
    for task in done:
        print(task.result())


@pytest.mark.long
@pytest.mark.timeout(7200)
async def test_no_kill_loses_or_doubles_anything(tmp_path: Path, at_most: AtMost) -> None:
    await kill_in_houses(tmp_path, at_most(100, 24))
