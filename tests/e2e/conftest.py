"""One house for all tests: a start of the bot costs two seconds. Each test gets people and a channel of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from sandbox import HARD, Hardness
from tests.e2e.clock import ClockHouse
from tests.e2e.court import let_everybody_try
from tests.e2e.house import House, complaints, unresolved
from tests.e2e.room import Room

if TYPE_CHECKING:
    from tests.sandbox.page.conftest import Visitors

_NUMBERS = count(1)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def _shared_house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with House(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest_asyncio.fixture(loop_scope="session")
async def house(_shared_house: House, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    """The shared house, with the bot online; checks afterwards for logged errors and requests Discord would refuse.

    Hunts run at a Discord as hard as the real one.
    """
    hunt = getattr(request.function, "is_hypothesis_test", False)
    hardness = replace(HARD if hunt else Hardness(), answer_within=_shared_house.answer_within)
    _shared_house.server.faults.hardness = hardness
    if not _shared_house.bot.running:
        await _shared_house.start_bot()
    seen, last = len(_shared_house.bot.log), _shared_house.server.world.next_id()
    yield _shared_house
    _shared_house.meddle = None
    logged = _shared_house.bot.log[seen:]
    print(logged)  # pytest shows it where the test has failed
    strange, _shared_house.strange = _shared_house.strange, []
    assert strange == []
    assert unresolved(_shared_house, last) == []
    assert complaints(logged) == []


@pytest_asyncio.fixture(loop_scope="session")
async def own_house(tmp_path: Path) -> AsyncIterator[House]:
    """A house of the test's own, for tests that look at everything the bot does."""
    async with House(tmp_path).faultless() as house:
        yield house


@pytest_asyncio.fixture(loop_scope="session")
async def room(house: House) -> AsyncIterator[Room]:
    """A channel of the test's own in the house."""
    async with AsyncExitStack() as stack:
        yield await Room.found(house, f"room-{next(_NUMBERS)}", stack)


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(own_house: House) -> AsyncIterator[Visitors]:
    """Lets people in through the page; checks afterwards that no console has an error."""
    from tests.sandbox.page.conftest import Visitors, chromium  # here, so that other tests need no playwright

    async with chromium() as browser:
        people = Visitors(browser, own_house.url)
        yield people
    assert people.complaints == []


START = datetime(2031, 3, 3, 12, tzinfo=UTC)
"""A Monday, long enough after everybody joined the server for ladders to accept them."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def court(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ClockHouse]:
    """A house at a clock of its own, in whose servers everybody may try every command."""
    async with ClockHouse.at(tmp_path_factory.mktemp("court"), START) as house:
        let_everybody_try(house)
        yield house
