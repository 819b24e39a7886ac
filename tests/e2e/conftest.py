"""One house for all tests: a start of the bot costs two seconds. Each test gets people and a channel of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from sandbox import Hardness
from tests.e2e.clock import ClockHouse
from tests.e2e.house import House, complaints, unresolved
from tests.e2e.indoors import Indoors
from tests.e2e.permission_acts import let_everybody_try
from tests.e2e.room import Room
from tests.e2e.watched_house import WatchedHouse

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from tests.sandbox.page.conftest import Visitors

Folders = pytest.TempPathFactory
_NUMBERS = count(1)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _whole_house(tmp_path_factory: Folders) -> AsyncIterator[House]:
    async with House(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def _clock_house(request: pytest.FixtureRequest, tmp_path_factory: Folders) -> AsyncIterator[House]:
    async with ClockHouse.at(tmp_path_factory.mktemp("clock"), request.module.HOUSE_FROM) as house:
        yield house


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def _indoors(request: pytest.FixtureRequest, tmp_path_factory: Folders) -> AsyncIterator[Indoors]:
    start: datetime = getattr(request.module, "HOUSE_FROM", START)
    async with Indoors.at(tmp_path_factory.mktemp("indoors"), start.timestamp()) as house:
        yield house


@pytest.fixture
def _some_house(request: pytest.FixtureRequest) -> House:
    whole = "_clock_house" if hasattr(request.module, "HOUSE_FROM") else "_whole_house"
    house: House = request.getfixturevalue(whole if request.node.get_closest_marker("whole") else "_indoors")
    house.server.faults.hardness = replace(Hardness(), answer_within=house.answer_within)
    return house


@pytest_asyncio.fixture(loop_scope="session")
async def house(_some_house: House) -> AsyncIterator[House]:
    """A house, with the bot online: one indoors for the tests of a file. Tests marked `whole` have the whole program.
    A file that names a time, HOUSE_FROM, moves its clock.
    """
    if not _some_house.bot.running:
        await _some_house.start_bot()
    async with looked_after(_some_house):
        yield _some_house


@asynccontextmanager
async def looked_after(house: House) -> AsyncIterator[None]:
    """Checks afterwards for logged errors and requests Discord would refuse."""
    seen, last = len(house.bot.log), house.server.world.next_id()
    yield
    house.meddle = None
    logged = house.bot.log[seen:]
    print(logged)  # pytest shows it where the test has failed
    strange, house.strange = house.strange, []
    assert strange == []
    assert unresolved(house, last) == []
    assert complaints(logged) == []


@pytest_asyncio.fixture(loop_scope="session")
async def own_house(tmp_path: Path) -> AsyncIterator[House]:
    """A house of the test's own, for tests that look at everything the bot does."""
    async with House(tmp_path).faultless() as house:
        yield house


@pytest_asyncio.fixture(loop_scope="session")
async def watched(tmp_path: Path) -> AsyncIterator[WatchedHouse]:
    """A house of the test's own whose health is watched."""
    async with WatchedHouse(tmp_path) as house:
        yield house
        print(house.bot.log)


@pytest_asyncio.fixture(loop_scope="session")
async def room(house: House) -> AsyncIterator[Room]:
    """A channel of the test's own in the house."""
    async with Room.opened(house, f"room-{next(_NUMBERS)}") as room:
        yield room


@pytest_asyncio.fixture(loop_scope="session")
async def own_room(own_house: House) -> AsyncIterator[Room]:
    """A channel in a house of the test's own."""
    async with Room.opened(own_house) as room:
        yield room


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _browser() -> AsyncIterator[Browser]:
    from tests.sandbox.page.conftest import chromium  # here, so that other tests need no playwright

    async with chromium() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(own_house: House, _browser: Browser) -> AsyncIterator[Visitors]:
    """Lets people in through the page; checks afterwards that no console has an error."""
    from tests.sandbox.page.conftest import Visitors

    people = Visitors(_browser, own_house.url)
    yield people
    for context in _browser.contexts:
        await context.close()
    assert people.complaints == []


START = datetime(2031, 3, 3, 12, tzinfo=UTC)
"""A Monday, long enough after everybody joined the server for ladders to accept them."""


class OpenHouses:
    """Houses in which everybody may try every command, one after another: in one with many games all takes longer."""

    USES = 20

    def __init__(self, folders: Folders) -> None:
        self._folders, self._stack, self._used = folders, AsyncExitStack(), 0
        self._house: Indoors

    async def enter(self) -> Indoors:
        """Returns the house, or a new one after some uses."""
        if self._used % self.USES == 0:
            await self.close()
            self._house = await self._stack.enter_async_context(
                Indoors.at(self._folders.mktemp("court"), START.timestamp())
            )
            let_everybody_try(self._house)
        self._used += 1
        return self._house

    async def close(self) -> None:
        """Closes the house."""
        await self._stack.aclose()
        self._stack = AsyncExitStack()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def _open_houses(tmp_path_factory: Folders) -> AsyncIterator[OpenHouses]:
    houses = OpenHouses(tmp_path_factory)
    yield houses
    await houses.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_house(_open_houses: OpenHouses) -> AsyncIterator[Indoors]:
    """A house indoors, in whose servers everybody may try every command."""
    open_house = await _open_houses.enter()
    async with looked_after(open_house):
        yield open_house


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def real_open_house(tmp_path_factory: Folders) -> AsyncIterator[ClockHouse]:
    """The same with the bot in a process of its own."""
    async with ClockHouse.at(tmp_path_factory.mktemp("court"), START) as house:
        let_everybody_try(house)
        yield house
