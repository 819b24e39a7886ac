"""What runs when. The ordinary run is the same each time; `pytest -m long` hunts for what nobody has thought of.

Long are the tests that are marked so, and every property: it takes many examples then, new ones each time. `--bounded`
is how `.ci/run` hunts: a few minutes in all, where the whole hunt takes hours.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from bot import store
from bot.store.address import Address, Database
from bot.store.connection import Connection
from tests import examples, postgresql


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bounded", action="store_true", help="with -m long: a small share of each hunt")
    parser.addoption("--postgresql", action="store_true", help="on PostgreSQL whatever does not look at SQLite's file")


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported: a property takes the profile that it finds there."""
    if not hunting(config):
        profile = examples.ORDINARY
    elif config.option.bounded:
        profile = examples.BOUNDED
    else:
        profile = examples.LONG
    settings.register_profile("round-table", profile)
    settings.load_profile("round-table")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.postgresql:
        for item in items:
            if item.get_closest_marker("sqlite"):
                item.add_marker(pytest.mark.skip(reason="looks at SQLite's file"))
    if hunting(config):
        for item in items:
            if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
                item.add_marker(pytest.mark.long)
                if not item.get_closest_marker("timeout"):
                    item.add_marker(pytest.mark.timeout(600 if config.option.bounded else 0))
    elif not config.option.markexpr:
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def hunting(config: pytest.Config) -> bool:
    """Whether the hunts run, and not the ordinary tests."""
    return bool(config.option.markexpr == "long")


@pytest.fixture
def at_most(request: pytest.FixtureRequest) -> examples.AtMost:
    """How often a hunt tries: `at_most(whole, bounded)`."""
    bounded = request.config.option.bounded
    return lambda whole, bound: bound if bounded else whole


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    """A real PostgreSQL, one for all tests of a process; a test that needs it is skipped where none is installed."""
    with postgresql.running() as started:
        yield started


@pytest.fixture(scope="session", autouse=True)
def _stand_ins(request: pytest.FixtureRequest) -> None:
    """Before anything else that lasts for the session, such as a house."""
    if request.config.option.postgresql:
        cluster: postgresql.Cluster = request.getfixturevalue("cluster")
        postgresql.stand_ins = defaultdict(cluster.new)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --postgresql, each file stands for a database of PostgreSQL's, and whoever looks at the file is skipped."""
    stand_ins = postgresql.stand_ins
    if stand_ins is None:
        return

    def opened(database: Database, *how: bool) -> AbstractAsyncContextManager[tuple[Connection, Connection]]:
        return chosen(database if isinstance(database, Address) else postgresql.database_at(database), *how)

    chosen, connected = store._connect_read_write, sqlite3.connect

    def connect(file: Any, *values: Any, **options: Any) -> sqlite3.Connection:
        if Path(file).resolve() in stand_ins:
            pytest.skip("looks at SQLite's file")
        return connected(file, *values, **options)

    monkeypatch.setattr(store, "_connect_read_write", opened)
    monkeypatch.setattr(sqlite3, "connect", connect)
