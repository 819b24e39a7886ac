"""Three seasons of sixty people in two leagues, through kills and faults: every game is accounted for."""

from __future__ import annotations

import os
import random
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.e2e.clock import ClockHouse
from tests.e2e.house import complaints
from tests.e2e.league_hunt import LeagueHunt
from tests.e2e.promises import posts
from tests.e2e.room import Room
from tests.examples import AtMost

pytestmark = pytest.mark.asyncio(loop_scope="session")

START = datetime(2026, 3, 2, 18, tzinfo=UTC)


async def play_seasons(folder: Path, *, people: int, reserve: int, seasons: int, size: str, acts: int) -> str:
    """Plays so many seasons; returns what has happened. Raises AssertionError if something is lost or doubled."""
    seed = int(os.environ.get("LEAGUE_SEED", random.SystemRandom().randrange(10**9)))
    print(f"LEAGUE_SEED={seed}")
    house = ClockHouse(folder, START)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(house)
        stack.callback(lambda: print(house.bot.log[-20000:]))
        house.server.world.clock = lambda: float(house.now)
        room = await Room.found(house, "leagues", stack)
        crew = [(await room.enter(f"P{number}"))[0] for number in range(people)]
        hunt = LeagueHunt(room, house, random.Random(seed), crew, acts)
        try:
            await hunt.open(size, reserve)
            for season in range(1, seasons + 1):
                await hunt.live_season(season, leavers=max(people // 15, 2))
        finally:
            print(hunt.done)
        assert house.strange == []
        assert complaints(house.bot.log) == []
        assert max(posts(house).values()) == 1
        asked = house.server.tally
        return (
            f"{dict(hunt.done)}; {posts(house).total()} posts; {asked.counting} requests that count,"
            f" {asked.places[room.channel]} about the channel of the leagues; {dict(asked.asked)}"
        )


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
async def test_no_season_loses_or_doubles_anything(tmp_path: Path, at_most: AtMost) -> None:
    people = at_most(62, 9)
    print(
        await play_seasons(
            tmp_path,
            people=people,
            reserve=at_most(2, 1),
            seasons=at_most(3, 1),
            size="4-6" if people > 20 else "3-4",
            acts=at_most(40, 4),
        )
    )
