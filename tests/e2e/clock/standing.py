"""The house of a file of tests that tell stories: it stays open from the first to the last, and its clock goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.clock import ClockHouse


def house_from(start: datetime) -> Any:
    """The fixture `house` of that file, at that time. A `room` of the ordinary sort is then one in this house."""

    @pytest_asyncio.fixture(scope="module", loop_scope="session", name="house")
    async def standing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ClockHouse]:
        async with ClockHouse.at(tmp_path_factory.mktemp("clock"), start) as house:
            yield house

    return standing
