"""The process that plays disappears, and the standby plays on."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from tests.e2e.answers import UNSTORED
from tests.e2e.room import Played
from tests.e2e.workers import WorkersHouse
from tests.e2e.workers.database import Database, running

pytestmark = pytest.mark.asyncio(loop_scope="session")

PATIENCE = 120.0
"""Seconds to wait for a takeover, even on a busy machine."""
GLANCE = 0.1


@pytest_asyncio.fixture(loop_scope="session")
async def database() -> AsyncIterator[Database]:
    with running(2) as started:
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
        number = database.holder()
        assert number is not None
        await house.workers[number].end(signal.SIGKILL)
        await house.until(lambda: database.holder() == 1 - number, "taken over")
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
