"""Games in six servers during repeated faults of the bot, its PostgreSQL and the network between them."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Self

import pytest

from bot.core.events import EventKind
from bot.core.fold import replay_states
from bot.core.time_acts import CLAIM_GRACE_S
from rules import VARIANTS
from sandbox import HARD
from sandbox.limits.interactions import Kind
from sandbox.people import RefusedError, TooLateError
from tests.e2e.answer_checks import UNSTORED
from tests.e2e.game_checks import run
from tests.e2e.machine_clocks import check_dates
from tests.e2e.players import Circle, Company
from tests.e2e.required_posts import check_reminders
from tests.e2e.room import Room
from tests.e2e.stored_games import stories
from tests.e2e.thought_people import check_openings
from tests.e2e.workers import GLANCE, STARTS_WITHIN, WorkersHouse
from tests.e2e.workers.blows import Storm
from tests.e2e.workers.database import AwayError, Database, running
from tests.examples import AtMost, drawn_seed

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


_PATIENCE = 20.0  # seconds for which somebody waits for what has been promised, before they look again


class Guests(Circle):
    """A circle whose worker may disappear while they play: they look again for any answer that does not come."""

    glance: ClassVar[float] = 0.05

    async def act(self) -> None:
        """See `Circle.act`."""
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._go_on(self._latest())
        except TooLateError:
            self.pressed["too late"] += 1
        except (AwayError, RefusedError, TimeoutError) as error:
            self.pressed[type(error).__name__] += 1
        except (AssertionError, LookupError) as error:
            unstored = any(words in str(error) for words in UNSTORED)
            self.pressed["not stored" if unstored else f"odd: {error}"] += 1
        else:
            return
        await asyncio.sleep(self.glance)


class ServersCompany(Company):
    """A circle in each shard's server."""

    house: WorkersHouse

    @classmethod
    async def assemble(cls, house: WorkersHouse, chance: random.Random, stack: AsyncExitStack) -> Self:
        """Gathers a circle for each shard, each with another variant."""
        variants = [*VARIANTS]
        circles: list[Circle] = []
        for number, room in enumerate(house.server_rooms(stack)):
            variant = variants[number % len(variants)]
            pace, in_thread = "none" if number == 1 else "fast", number % 3 == 2
            circles.append(await Guests.gather(room, variant, chance, in_thread=in_thread, pace=pace))
        return cls(house, circles)

    def check_promises(self) -> None:
        """Asserts also that nobody asked for one table and got two."""
        super().check_promises()
        asked = Counter(
            one.person_id
            for one in self.house.server.world.interactions.values()
            if one.kind is Kind.COMMAND and one.command == "play"
        )
        set_up = self.house.bot.query(
            "SELECT user, count(*) FROM events WHERE kind = ? GROUP BY user", EventKind.OPENED.value
        )
        for host, tables in set_up:
            assert tables <= asked[host], f"{tables} tables of {host}, who has asked for {asked[host]}"


def check_clocks(house: WorkersHouse) -> Counter[str]:
    """Returns how often clocks and graces ran out; raises AssertionError if one was cut short."""
    found = Counter[str]()
    for number, events in stories(house).items():
        before, graced = None, 0
        for event, match in replay_states(number, events):
            if before is not None and before.clock.running_since is not None and event.kind is EventKind.GRACE:
                graced = event.at
                bank = before.clock.banks[before.turn]
                assert graced >= before.clock.running_since + bank, f"game #{number}: {event}"
            if event.kind is EventKind.OVERDUE:
                assert event.at >= graced + CLAIM_GRACE_S, f"game #{number}: {event}"
            found[event.kind.name] += event.kind in (EventKind.GRACE, EventKind.OVERDUE)
            before = match
    return +found


async def answered(room: Room) -> bool:
    """Returns True if the bot answers there at once."""
    person = room.people["A"]
    try:
        await person.autocomplete(room.channel, "move", {"move": "A"}, "move")
    except (TimeoutError, RefusedError):
        return False
    return True


class Hunt:
    """People in all servers, processes, and the blows."""

    def __init__(self, house: WorkersHouse, company: ServersCompany, clock: Path, chance: random.Random) -> None:
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
    seed = drawn_seed()
    chance, fate = random.Random(seed), random.Random(seed + 1)
    clock, begun = folder / "clock", time.time()
    clock.write_text("0 there")
    settings = {"HASTY_PACE": "40", "HASTY_CLOCK": str(clock)}
    house = WorkersHouse(folder, database, WORKERS, **settings)
    house.hardness = replace(HARD, loose_events=False)  # doubled events would give somebody two tables
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(house)
        company = await ServersCompany.assemble(house, chance, stack)
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
    """Returns how many seconds passed until another process had the lease, if one took over at all."""
    took = list[float]()
    for number, (_, player, struck) in enumerate(storm.takeovers):
        until = storm.takeovers[number + 1][2] if number + 1 < len(storm.takeovers) else float("inf")
        heirs = (at - struck for at, held in house.held if struck < at < until and held not in (None, player))
        took += [seconds] if (seconds := next(heirs, None)) is not None else []
    took.sort()
    if not took:
        return "no takeover"
    within, middle, worst = sum(one <= 10 for one in took), took[len(took) // 2], took[len(took) * 99 // 100]
    return f"{len(took)} takeovers: p50 {middle:.1f} s, p99 {worst:.1f} s, {within} within 10 s"


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
async def test_no_blow_loses_or_doubles_anything(tmp_path: Path, at_most: AtMost) -> None:
    with running(WORKERS) as database:
        print(await storm(tmp_path, database, at_most(100, 4)))
