"""A worker disappears and another takes over its servers: how long that takes, and what people see."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
import pytest_asyncio

from sandbox import HARD
from tests.e2e.answers import UNSTORED
from tests.e2e.room import Played, Room
from tests.e2e.workers import SHARDS, Worker, WorkersHouse
from tests.e2e.workers.blows import STOPPED
from tests.e2e.workers.database import AwayError, Database, running
from tests.e2e.workers.people import answered
from tests.examples import AtMost

pytestmark = pytest.mark.asyncio(loop_scope="session")

PATIENCE = 120.0
"""Seconds to wait for a takeover, even on a busy machine."""
GLANCE = 0.1


@pytest_asyncio.fixture(loop_scope="session")
async def database() -> AsyncIterator[Database]:
    with running(4) as started:
        yield started


@pytest.mark.long  # on a busy machine, workers lose their sessions
async def test_a_standby_plays_on_when_a_worker_is_killed(tmp_path: Path, database: Database) -> None:
    house = WorkersHouse(tmp_path, database, 2, HASTY_PACE="40")
    house.answer_within, house.shards = 20.0, 1
    async with house, AsyncExitStack() as stack:
        room = next(house.courts(stack))
        ada, bo = await room.enter("Ada", "Bo")
        played = await room.start("camelot", ada, bo)
        await _play(played, "F7-F8")
        ((number, shards),) = database.holders().items()
        assert shards == {0}
        await house.workers[number].end(signal.SIGKILL)
        await house.until(lambda: database.holders() == {1 - number: {0}}, "taken over")
        await house.until(house.whole, "whole")
        await _play(played, "F10-F9")


async def _play(played: Played, move: str) -> None:
    """Makes the move; tries again while the bot answers that it cannot store it."""
    by = played.mover
    while (reply := await played.try_move(move)).text.startswith(UNSTORED):
        pass
    assert f"You played `{move}`" in reply.text, reply.text
    played.game = played.game.play(move)
    await played.told(by)


class Watch:
    """The shards of a stopped worker; all times are seconds since the blow."""

    def __init__(self, house: WorkersHouse, rooms: list[Room], worker: Worker) -> None:
        self._house, self._worker = house, worker
        self.shards = sorted(house.database.holders()[worker.number])
        self._rooms = [rooms[shard] for shard in self.shards]
        self._noted = self._absences()
        self._begun = time.monotonic()

    async def taken_over(self) -> dict[str, float]:
        """Returns when other workers had all the shards, had ticked for each, and had answered in each."""
        async with asyncio.timeout(PATIENCE):
            claimed, ticked, *answers = await asyncio.gather(
                self._when(self._claimed), self._when(self._ticked), *(self._answered(room) for room in self._rooms)
            )
        return {"claimed": claimed, "ticked": ticked, "answered": max(answers)}

    async def _when(self, come_true: Callable[[], bool]) -> float:
        while True:
            with suppress(AwayError):
                if come_true():
                    return self._since()
            await asyncio.sleep(GLANCE)

    def _since(self) -> float:
        return time.monotonic() - self._begun

    def _claimed(self) -> bool:
        held = self._house.database.holders()
        return set(self.shards) <= {one for number, own in held.items() if number != self._worker.number for one in own}

    def _ticked(self) -> bool:
        """True once a worker has ticked; the first tick notes the absence."""
        return all(self._absences()[one] > self._noted[one] for one in self.shards)

    def _absences(self) -> dict[int, int]:
        rows = self._house.bot.query("SELECT guild, max(until) FROM absences GROUP BY guild")
        noted = {-guild & 0xFFFF: until or 0 for guild, until in rows if guild < 0}
        return {shard: noted.get(shard, 0) for shard in range(SHARDS)}

    async def _answered(self, room: Room) -> float:
        """Returns when the first question was sent there that another worker has answered."""
        while True:
            asked = self._since()
            if await answered(room) and self._claimed():
                return asked


async def _kill(worker: Worker) -> None:
    worker.kill_now()


async def _end(worker: Worker) -> None:
    await worker.end(signal.SIGTERM)


async def _stop(worker: Worker) -> None:
    worker.stop_now()


async def _cut_off(worker: Worker) -> None:
    worker.proxy.refusing = True
    worker.proxy.cut()


async def _freeze(worker: Worker) -> None:
    worker.proxy.flowing.clear()


async def _restore(worker: Worker) -> None:
    """The worker waits as a standby after each kind of blow."""
    worker.proxy.mend()
    if worker.stopped:
        worker.go_on()
    elif not worker.running:
        await worker.start()


WAYS: dict[str, Callable[[Worker], Awaitable[None]]] = {
    "killed": _kill,
    "told to end": _end,
    "stopped": _stop,
    "cut off": _cut_off,
    "frozen": _freeze,
}


@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_how_long_nobody_answers_after_a_worker_is_gone(
    tmp_path: Path, database: Database, at_most: AtMost
) -> None:
    """At Discord's own pace: one session in five seconds. Prints its measurements without limits for them."""
    house = WorkersHouse(tmp_path, database, 4, ROUNDTABLE_WORKER_SHARDS="2", HASTY_PACE="1")
    house.hardness = replace(HARD, lost_answers=0)
    async with house, AsyncExitStack() as stack:
        rooms = list(house.courts(stack))
        for room in rooms:
            await room.enter("A")
        for way, strike in WAYS.items():
            measured = [await _strike(house, rooms, strike) for _ in range(at_most(5, 1))]
            for what in ("claimed", "ticked", "answered"):
                found = sorted(one[what] for one in measured)
                print(f"{way}: {what} after {median(found):.1f} s, at most {found[-1]:.1f} s")


async def _strike(
    house: WorkersHouse, rooms: list[Room], strike: Callable[[Worker], Awaitable[None]]
) -> dict[str, float]:
    """One takeover, after which the worker is a standby again. After a minute's stop it wakes and posts nothing."""
    await house.until(lambda: sum(map(len, house.database.holders().values())) == SHARDS, "all held", PATIENCE)
    for room in rooms:
        while not await answered(room):
            pass
    ticked = "SELECT key FROM meta WHERE key LIKE 'ticked:%'"
    await house.until(lambda: len(house.bot.query(ticked)) == SHARDS, "ticked", PATIENCE)  # otherwise nothing is missed
    worker = next(one for one in house.workers if house.database.holders().get(one.number))
    watch, begun = Watch(house, rooms, worker), time.monotonic()
    striking = asyncio.ensure_future(strike(worker))
    measured = await watch.taken_over()
    await striking
    if worker.stopped:
        await asyncio.sleep(max(0.0, STOPPED - (time.monotonic() - begun)))
    woken = time.monotonic()
    await _restore(worker)
    for room in rooms:  # takes a while, in which leftover work would show
        while not await answered(room):
            pass
    assert house.ears.said_by(worker, woken) == []
    return measured
