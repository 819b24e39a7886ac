from __future__ import annotations

import errno
from pathlib import Path

import pytest

from bot.store import Fault, Store, StoreError
from bot.store.migrations import lock_database, lock_file_of

pytestmark = pytest.mark.sqlite


def refusal(database: Path) -> StoreError:
    with pytest.raises(StoreError) as raised, lock_database(database):
        pass
    return raised.value


def test_what_one_holds_another_cannot(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    with lock_database(path):
        assert refusal(path).fault is Fault.IN_USE
    with lock_database(path):
        pass


async def test_a_file_system_without_locks_is_not_taken_for_a_second_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fcntl")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    refused = refusal(tmp_path / "roundtable.db")
    assert refused.fault is Fault.NO_ACCESS
    assert "No locks available" in refused.detail


async def test_the_store_locks_one_file_by_any_name_of_the_database(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    async with Store.open(tmp_path / "roundtable.db"):
        link.symlink_to(tmp_path / "roundtable.db")
        assert lock_file_of(link) == tmp_path / "roundtable.db.lock"
        assert refusal(link).fault is Fault.IN_USE
