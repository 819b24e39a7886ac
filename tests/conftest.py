"""Chooses which tests run, and on which engine. The ordinary run is the same each time; `pytest -m long` hunts.

A hunt runs the tests marked `long` and every property, with many new examples each time. The whole hunt is for `-n 4`;
with `--minutes N`, as `.ci/run` calls it, a random share of it with few tries each. `--seed` draws that share again.
"""

from __future__ import annotations

import gc
import logging
import random
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import cache
from itertools import compress
from operator import not_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import structlog
from hypothesis import settings
from xdist.workermanage import WorkerController

from bot import store
from bot.store import sqlite
from bot.store.connection import Address, Connection, Database
from bot.store.migrations import make_private, migrate_file, migration_scripts
from bot.texts.i18n import LANGUAGES, Language
from tests import examples, postgresql

PACK = 6
"""How many tests of one file a hunt within a budget of time keeps together."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--minutes", type=float, help="with -m long: few tries a test, and no new test after that time")
    parser.addoption("--seed", type=int, help="with --minutes: draws the share that printed this seed")
    parser.addoption("--postgresql", action="store_true", help="on PostgreSQL whatever does not look at SQLite's file")


def pytest_configure(config: pytest.Config) -> None:
    """Loads the Hypothesis profile before any test is imported, because a property takes the current profile.

    Garbage is not collected before all tests are: that would take two thirds of the time.
    """
    gc.disable()
    if not hunting(config):
        profile = examples.ORDINARY
    elif config.option.minutes:
        profile = examples.BOUNDED
        config.pluginmanager.register(Share.of_run(config))
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
            if item.get_closest_marker("long") and not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(600 if config.option.minutes else 0))
    elif not config.option.markexpr:
        long = [bool(item.get_closest_marker("long")) for item in items]
        config.hook.pytest_deselected(items=[*compress(items, long)])
        items[:] = compress(items, map(not_, long))


def pytest_collection_finish() -> None:
    """Leaves what was collected to no garbage collection: each would walk through all tests and modules."""
    gc.freeze()
    gc.enable()


def hunting(config: pytest.Config) -> bool:
    """Returns True if this run is a hunt, False if it is the ordinary run."""
    return bool(config.option.markexpr == "long")


@dataclass(eq=False)  # pluggy keeps plugins in a set
class Share:
    """A hunt within a budget of time: the tests in random order, and none that begins after `deadline` (monotonic)."""

    seed: int
    minutes: float
    deadline: float = 0
    begun: int = 0

    @classmethod
    def of_run(cls, config: pytest.Config) -> Share:
        """Returns the share that `--minutes` asks for."""
        drawn = config.option.seed if config.option.seed is not None else random.SystemRandom().randrange(10**6)
        seed = getattr(config, "workerinput", {}).get("seed", drawn)
        return cls(seed, config.option.minutes)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Gives a worker of pytest-xdist the seed, since all must have the same order."""
        node.workerinput["seed"] = self.seed

    @pytest.hookimpl(trylast=True)  # after -m has chosen
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Shuffles a few neighbours at a time, because those of one file share what is dear to set up."""
        chance = random.Random(self.seed)
        files = defaultdict(list)
        for item in items:
            files[item.path].append(item)
        packs = []
        for tests in files.values():
            chance.shuffle(tests)
            packs += [tests[start : start + PACK] for start in range(0, len(tests), PACK)]
        chance.shuffle(packs)
        items[:] = [item for pack in packs for item in pack]
        self.deadline = time.monotonic() + 60 * self.minutes

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """Leaves a test out, without a report, when the time is up."""
        return True if time.monotonic() > self.deadline else None

    def pytest_runtest_logstart(self) -> None:
        self.begun += 1

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_line(f"{self.begun} tests begun in {self.minutes:g} minutes: --seed {self.seed}")


@pytest.fixture
def at_most(request: pytest.FixtureRequest) -> examples.AtMost:
    """`at_most(whole, bounded)` returns the number of tries for this run."""
    return lambda whole, bound: bound if request.config.option.minutes else whole


@pytest.fixture(params=LANGUAGES)
def locale(request: pytest.FixtureRequest) -> Language:
    """Each language in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    """A real PostgreSQL, one for all tests of a process; a test that needs it is skipped if none is installed."""
    with postgresql.running() as started:
        yield started


@cache
def _new_database() -> bytes:
    """Returns the content of a file that has had every migration and nothing else."""
    with TemporaryDirectory() as folder:
        migrate_file(path := Path(folder) / "new.db", migration_scripts())
        return path.read_bytes()


@pytest.fixture(scope="session", autouse=True)
def _copied_databases() -> Iterator[None]:
    """Copies each new file of SQLite's: the migrations are nine tenths of its first opening, of which there are
    thousands. `test_store.py` has the files made by the program.
    """

    def copy_or_migrate(path: Path, scripts: Sequence[str]) -> None:
        if path.exists():
            migrate_file(path, scripts)
        else:
            make_private(path.resolve())
            path.write_bytes(_new_database())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "migrate_file", copy_or_migrate)
        yield


@pytest.fixture(scope="session", autouse=True)
def _stand_ins(request: pytest.FixtureRequest) -> None:
    """Sets the PostgreSQL databases up before any other fixture of the session, such as a house, opens one."""
    if request.config.option.postgresql:
        cluster: postgresql.Cluster = request.getfixturevalue("cluster")
        postgresql.stand_ins = defaultdict(cluster.new)


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    """Takes back what `bot.__main__.main` sets up, or a later test of the same process would print nothing."""
    root, config, hook = logging.getLogger(), structlog.get_config(), sys.excepthook
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], sys.excepthook = handlers, hook
    root.setLevel(level)
    structlog.configure(**config)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --postgresql, opens a PostgreSQL database in place of each file; skips tests that read the file."""
    stand_ins = postgresql.stand_ins
    if stand_ins is None:
        return

    def opened(
        database: Database, *how: Any, **options: Any
    ) -> AbstractAsyncContextManager[tuple[Connection, Connection]]:
        chosen_one = database if isinstance(database, Address) else postgresql.database_at(database)
        return chosen(chosen_one, *how, **options)

    chosen, connected = store._connect_read_write, sqlite3.connect

    def connect(file: Any, *values: Any, **options: Any) -> sqlite3.Connection:
        if Path(file).resolve() in stand_ins:
            pytest.skip("looks at SQLite's file")
        return connected(file, *values, **options)

    monkeypatch.setattr(store, "_connect_read_write", opened)
    monkeypatch.setattr(sqlite3, "connect", connect)
