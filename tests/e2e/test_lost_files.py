"""The database file disappears under the running bot: people are informed, and nothing is half done."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.texts.i18n import text
from tests.e2e.game_checks import moves_of
from tests.e2e.room import Room
from tests.e2e.watched_house import WatchedHouse, operate

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.sqlite]

FIRST, SECOND = moves_of("camelot-castle")[:2]


SOON = 10.0
"""Seconds until the bot must have noticed."""


async def becomes_away(house: WatchedHouse) -> str:
    """Waits until the bot notices that its database is away, and returns the text of /healthz."""
    for _ in range(int(SOON / 0.05)):
        status, said = await house.get("/healthz")
        if status != 200:
            return said
        await asyncio.sleep(0.05)
    raise AssertionError("it has not noticed")


async def test_a_database_that_is_taken_away_is_told_until_it_is_back(watched: WatchedHouse) -> None:
    database = watched.bot.database
    assert isinstance(database, Path)
    async with AsyncExitStack() as stack:
        room = await Room.found(watched, "room", stack)
        played, _, _ = await room.start_two()
        await played.move(FIRST)
        copy = database.with_name("before.db")
        code, said = await operate(watched, "backup", str(copy))
        assert code == 0, said
        before = watched.bot.events()
        database.unlink()
        assert (await becomes_away(watched)).startswith("the database is away: roundtable.db")
        refused = await played.try_move(SECOND)
        assert refused.ephemeral
        assert refused.text == text("en", "storage.away")
        assert watched.bot.log.count("the database is away") >= 1
        assert "level=critical" in watched.bot.log
        assert await watched.stop_bot() == 0
        code, said = await operate(watched, "restore", str(copy))
        assert code == 0, said
        await watched.start_bot()
        assert watched.bot.events() == before
        await played.move(SECOND)
