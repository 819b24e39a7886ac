"""Fixtures for the tests of the bot's parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.client import RoundTable
from bot.features import FEATURES
from bot.play.background import Pictures
from bot.play.service import Service
from bot.store import Store
from bot.store.connection import Address
from tests.bot.playing import unshuffled
from tests.postgresql import Cluster


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of the test's database file."""
    return tmp_path / "roundtable.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    """A store of an empty database in a file."""
    async with Store.open(path) as opened:
        yield opened


@pytest.fixture(params=["path", "address"], ids=["SQLite", "PostgreSQL"])
async def either(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """A store on each engine in turn."""
    async with Store.open(request.getfixturevalue(request.param)) as opened:
        yield opened


@pytest.fixture
def service(store: Store) -> Service:
    """A service on that store, which seats people in the order of joining."""
    return Service(store, FEATURES, unshuffled)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[RoundTable]:
    """A client that is not connected to Discord."""
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            async with RoundTable(store, pictures) as client:
                yield client


@pytest.fixture
def address(cluster: Cluster) -> Address:
    """The address of an empty database on PostgreSQL."""
    return cluster.new()
