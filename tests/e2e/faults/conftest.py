"""One house on bad days: its bot runs with its long waits cut to a fortieth, so minutes pass in seconds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.e2e.faults.moving import PACE, Clock
from tests.e2e.house import House, complaints

NOT_PARSED = "gateway event not parsed"
"""What the bot logs about an event that it could not parse and skipped."""


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def _house_of_faults(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    folder = tmp_path_factory.mktemp("faults")
    clock = folder / "clock"
    Clock(clock).jump(0)
    async with House(folder, "tests.e2e.hasty_program", HASTY_PACE=str(PACE), HASTY_CLOCK=str(clock)) as house:
        yield house


@pytest.fixture
def clock(house: House) -> Iterator[Clock]:
    """The clocks of the bot's machine. They never go back; no jump makes a game of an earlier test due."""
    yield Clock.of(house.bot.folder / "clock")
    house.bot.query("UPDATE matches SET deadline = NULL")


@pytest_asyncio.fixture(loop_scope="session")
async def house(_house_of_faults: House, request: pytest.FixtureRequest) -> AsyncIterator[House]:
    """The house without faults; asserts afterwards that the bot runs and has logged nothing unexpected."""
    if not _house_of_faults.bot.running:
        await _house_of_faults.start_bot()
    seen = len(_house_of_faults.bot.log)
    yield _house_of_faults
    _house_of_faults.server.faults.lift()
    logged = _house_of_faults.bot.log[seen:]
    print(logged)  # pytest shows it where the test has failed
    assert _house_of_faults.strange == []
    pardoned = "bad_events" in request.fixturenames
    assert [line for line in unexpected(logged) if not (pardoned and NOT_PARSED in line)] == []


@pytest.fixture
def bad_events() -> None:
    """Lets the bot log events of the gateway that cannot be parsed."""


def unexpected(log: str) -> list[str]:
    """Returns the complaints in a log, except those of discord.py about a gateway that it will try again."""
    return [line for line in complaints(log) if "Attempting a reconnect" not in line]
