"""Files of a running bot's database that somebody removes or replaces: nothing is stored that would be lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.store import Store, StoreError

pytestmark = pytest.mark.sqlite

ENDINGS = ("", "-wal", "-shm", ".lock")
"""The suffixes of the database's files."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "roundtable.db"


async def note(store: Store, key: str) -> None:
    async with store.write_transaction() as tx:
        await tx.set_meta(key, "x")


async def is_refused(store: Store) -> str:
    """Returns why nothing can be stored."""
    with pytest.raises(StoreError) as raised:
        await note(store, "into nowhere")
    return raised.value.detail


def remove(file: Path) -> str:
    file.unlink()
    return f"{file.name} has been removed"


def move(file: Path, to: Path) -> None:
    file.rename(to)


def replace(file: Path) -> str:
    shutil.copy2(file, file.with_name("other"))
    file.with_name("other").replace(file)
    return f"{file.name} has been replaced"


Blow = Callable[[Path], str]


@pytest.mark.parametrize("blow", [remove, replace])
@pytest.mark.parametrize("ending", ENDINGS)
async def test_nothing_is_stored_once_a_file_is_gone_or_another(path: Path, ending: str, blow: Blow) -> None:
    async with Store.open(path) as store:
        await note(store, "early")
        wanted = blow(path.with_name(path.name + ending))
        assert await is_refused(store) == wanted
        assert store.unavailable_reason == wanted
        assert await store.reader.get_meta("early") == "x"
        assert await store.reader.get_meta("into nowhere") is None


async def test_a_file_that_is_moved_away_and_back_is_trusted_again(path: Path) -> None:
    async with Store.open(path) as store:
        with capture_logs() as logged:
            move(path, path.with_name("elsewhere.db"))
            assert store.unavailable_reason == "roundtable.db has been removed"
            assert await is_refused(store) == "roundtable.db has been removed"
            move(path.with_name("elsewhere.db"), path)
            assert store.unavailable_reason is None
        await note(store, "late")
    assert [line["event"] for line in logged] == ["the database is away", "the database is back"]


async def test_a_link_may_lead_to_the_database_and_not_to_another(path: Path) -> None:
    link = path.with_name("link.db")
    link.parent.mkdir()
    link.symlink_to(path)
    async with Store.open(link) as store:
        await note(store, "early")
        link.unlink()
        shutil.copy2(path, path.with_name("other.db"))
        link.symlink_to(path.with_name("other.db"))
        assert await is_refused(store) == "link.db has been replaced"
