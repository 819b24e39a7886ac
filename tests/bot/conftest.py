"""What the tests of the bot's parts share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.client import RoundTable
from bot.kit.pictures import Pictures
from bot.store import Store


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[RoundTable]:
    """A client that has not met Discord."""
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            async with RoundTable(store, pictures) as client:
                yield client
