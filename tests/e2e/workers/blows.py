"""Random faults of a house with workers, and their repair."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress

from tests.e2e.bad_input import spoil_person, tell_unparsable
from tests.e2e.machine_clocks import JUMPS, set_clock_wrong
from tests.e2e.workers import Worker, WorkersHouse
from tests.e2e.workers.database import AwayError, role

STOPPED = 60.0
"""Seconds for which a worker stays stopped."""

TAKEOVERS = ("killed", "told to end", "stopped", "cut off", "frozen")
"""The blows after which another process plays, unless they last too short a time."""

Strike = Callable[[], Awaitable[None]]


class Storm:
    """Strikes the house with faults; each is repaired automatically a little later."""

    def __init__(self, house: WorkersHouse, chance: random.Random) -> None:
        self._house = house
        self._chance = chance
        self._mends: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()
        """Held while the server is started or stopped."""
        self.broken: BaseException | None = None
        """The error that prevented a repair."""
        self.kinds: Counter[str] = Counter()
        self._player: int | None = None
        """The process that played before the blow."""
        self._ending: set[Worker] = set()
        """The workers that were sent a signal to end."""
        self.takeovers: list[tuple[str, int, float]] = []
        """The blows that take the process that plays away while one stands by: the kind, the process, the instant."""
        self.waking: list[tuple[Worker, float]] = []
        """The workers that continued after a stop, each with the instant."""

    async def strike(self) -> str:
        """Strikes one random blow and returns its name."""
        name = self._chance.choice([*TAKEOVERS] if self._chance.random() < 0.5 else [*self._strikes])
        self._player = None
        with suppress(AwayError):
            self._player = self._house.database.holder()
        begun = time.monotonic()
        has_standby = any(one.at_work and not one.stopped for one in self._house.workers if one.number != self._player)
        await self._strikes[name]()
        if name in TAKEOVERS and self._player is not None and has_standby:
            self.takeovers.append((name, self._player, begun))
        self.kinds[name] += 1
        return name

    @property
    def _strikes(self) -> dict[str, Strike]:
        found: dict[str, Strike] = {
            "killed": self._kill,
            "told to end": self._end,
            "stopped": self._stop,
            "cut": self._cut,
            "cut off": self._cut_off,
            "frozen": self._freeze,
            "unheard": self._mute,
            "terminated": self._terminate,
            "database restarted fast": lambda: self._restart(at_once=False),
            "database killed": lambda: self._restart(at_once=True),
            "clock set wrong": self._set_clock,
            "serialization": lambda: self._hurt("40001"),
            "deadlock": lambda: self._hurt("40P01"),
            "unparsable": self._babble,
            "unknown names": self._spoil,
        }
        if self._house.database.small:
            found["disk full"] = self._fill
        return found

    def _someone(self) -> Worker:
        """Returns the process that plays; any other one if none does."""
        for worker in self._house.workers:
            if worker.number == self._player and worker.running and worker not in self._ending:
                return worker
        others = [one for one in self._house.workers if one not in self._ending]
        well = [one for one in others if one.running and not one.stopped]
        return self._chance.choice(well or others)

    async def _kill(self) -> None:
        worker = self._someone()
        if worker.running:
            self._house.down.add(worker)
            await worker.end(signal.SIGKILL)
            self._later(self._chance.uniform(0, 8), self._let_start(worker))

    async def _let_start(self, worker: Worker) -> None:
        self._house.down.discard(worker)

    async def _end(self) -> None:
        worker = self._someone()
        if worker.running and len(self._ending) < len(self._house.workers) - 1:
            self._ending.add(worker)
            self._later(0, self._have_it_end(worker))

    async def _have_it_end(self, worker: Worker) -> None:
        """Asserts that the worker ends, even if the database does not answer."""
        try:
            await worker.end(signal.SIGTERM)
        finally:
            self._ending.discard(worker)

    async def _stop(self) -> None:
        worker = self._someone()
        if not worker.running:
            return
        worker.stop_now()
        pid = worker.pid

        async def wake() -> None:
            if worker.running and worker.pid == pid and worker.stopped:
                self.waking.append((worker, time.monotonic()))
                worker.go_on()

        self._later(STOPPED, wake())

    async def _cut(self) -> None:
        self._someone().proxy.cut()

    async def _cut_off(self) -> None:
        proxy = self._someone().proxy
        proxy.refusing = True
        proxy.cut()
        self._later(self._chance.uniform(0.5, 20), self._mend(self._house.workers))

    async def _freeze(self) -> None:
        worker = self._someone()
        worker.proxy.flowing.clear()
        self._later(self._chance.uniform(0.5, 25), self._mend([worker]))

    async def _mute(self) -> None:
        """Holds back what the server sends, then breaks the connection."""
        worker = self._someone()
        worker.proxy.heard.clear()

        async def break_off() -> None:
            worker.proxy.cut()
            worker.proxy.mend()

        self._later(self._chance.uniform(0.1, 3), break_off())

    async def _mend(self, workers: list[Worker]) -> None:
        for worker in workers:
            worker.proxy.mend()

    async def _set_clock(self) -> None:
        """Sets the clock of one machine wrong for a while."""
        worker = self._someone()
        set_clock_wrong(worker.folder, self._chance.choice([*JUMPS.values()]))

        async def set_right() -> None:
            set_clock_wrong(worker.folder, 0)

        self._later(self._chance.uniform(0.5, 15), set_right())

    async def _terminate(self) -> None:
        """Terminates one database session of a worker, or all of them."""
        name, all_of = role(self._someone().number), self._chance.random() < 0.3
        try:
            found = self._house.database.query("SELECT pid FROM pg_stat_activity WHERE usename = ?", name)
            for (pid,) in found if all_of else found and [self._chance.choice(found)]:
                self._house.database.query("SELECT pg_terminate_backend(?::int)", pid)
        except AwayError:
            pass

    async def _restart(self, *, at_once: bool) -> None:
        async with self._turn:
            await asyncio.to_thread(self._house.database.stop, at_once=at_once)
        self._later(self._chance.choice((0.0, 0.0, self._chance.uniform(0, 5))), self._have_it_run())

    async def _have_it_run(self) -> None:
        async with self._turn:
            await asyncio.to_thread(self._house.database.mend)

    async def _hurt(self, code: str) -> None:
        database, every = self._house.database, self._chance.choice((1, 3, 10))
        try:
            database.hurt(code, every)
        except AwayError:
            return
        self._later(self._chance.uniform(0.5, 4), self._heal())

    async def _babble(self) -> None:
        world = self._house.server.world
        tell_unparsable(self._house.server.gateway, self._chance.choice([*world.guilds]), self._chance)

    async def _spoil(self) -> None:
        """Stores an unknown time zone and other unknown names for somebody."""
        try:
            people = self._house.database.query("SELECT DISTINCT user FROM players")
            if people:
                spoil_person(self._house.database.query, self._chance.choice(people)[0])
        except AwayError:
            pass

    async def _heal(self) -> None:
        while True:
            try:
                self._house.database.hurt(None)
            except AwayError:
                await asyncio.sleep(0.2)
            else:
                return

    async def _fill(self) -> None:
        await asyncio.to_thread(self._house.database.fill)
        self._later(self._chance.uniform(0.5, 5), self._have_it_run())

    def _later(self, seconds: float, act: Coroutine[None, None, None]) -> None:
        async def mend() -> None:
            try:
                await asyncio.sleep(seconds)
            except asyncio.CancelledError:
                act.close()
                raise
            await act

        task = asyncio.create_task(mend())
        self._mends.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._mends.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self.broken = error

    async def calm(self) -> None:
        """Waits until everything is repaired; raises the error that prevented it."""
        while self._mends:
            await asyncio.wait(self._mends)
        if self.broken:
            raise self.broken

    async def close(self) -> None:
        """Cancels all repairs still to come."""
        for task in tuple(self._mends):
            task.cancel()
        await asyncio.gather(*self._mends, return_exceptions=True)
