"""News of ladders whose channels Discord refuses (403) or no longer knows (404)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.errors import Code
from sandbox.faults import refused
from tests.e2e.climbing import Stairs
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.watch import HOUR
from tests.e2e.faults.moving import POST, Only
from tests.e2e.room import Room, public, set_server

pytestmark = pytest.mark.asyncio(loop_scope="session")

BEGUN = "season 1 begins"


class Announced(Stairs):
    """Three people, in a server with an announcements channel."""

    news: str

    def refuse(self, *channels: str) -> Only:
        """From now on nothing can be posted in those channels."""
        refusal = Only(refused(Code.MISSING_ACCESS), *channels)
        self.house.server.faults.add(POST, refusal, times=None)
        return refusal

    async def begin(self) -> None:
        """All three step onto a ladder, whose first season begins with the next tick."""
        for person in self.people.values():
            await self.does(person, "ladder join", variant="tri-camelot")

    async def told(self, sign: str) -> tuple[int, int]:
        """How many messages have those words: of the announcements, and of the ladder's channel."""
        news, games = await public(self.ada, self.news), await public(self.ada, self.room.channel)
        return sum(sign in said.text for said in news), sum(sign in said.text for said in games)


@pytest_asyncio.fixture(loop_scope="session")
async def stairs(tmp_path: Path) -> AsyncIterator[Announced]:
    """They meet on a Monday in March, in a new house."""
    async with ClockHouse.at(tmp_path, datetime(2026, 3, 2, 12, tzinfo=UTC)) as house, AsyncExitStack() as stack:
        room = await Room.found(house, "stairs", stack)
        ada, _, _ = await room.enter("Ada", "Bo", "Cy")
        stairs = Announced(house, room, room.people)
        stairs.news = await room.add_channel("news")
        await ada.call("PUT", f"/app/guilds/{room.guild}/members/{ada.id}", {"manages": True})
        assert f"<#{stairs.news}>" in (await set_server(ada, stairs.room.channel, announcements=[stairs.news])).text
        yield stairs


async def test_news_the_announcements_channel_refuses_is_told_once_beside_the_games(stairs: Announced) -> None:
    refusal = stairs.refuse(stairs.news)
    await stairs.begin()
    await stairs.house.tick()
    await stairs.posted(BEGUN)
    assert refusal.struck == {stairs.news: 1}
    stairs.house.server.faults.lift()
    await stairs.house.move_clock(2 * HOUR)
    assert await stairs.told(BEGUN) == (0, 1)
