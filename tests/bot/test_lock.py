from __future__ import annotations

import errno
from pathlib import Path
from typing import BinaryIO

import pytest

from bot.store import Fault, Store, StoreError, lock
from bot.store.lock import hold, lock_of


def test_what_one_holds_another_cannot(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = hold(path)
    assert first is not None
    assert hold(path) is None
    first.close()
    second = hold(path)
    assert second is not None
    second.close()


async def test_a_file_system_without_locks_is_not_taken_for_a_second_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: BinaryIO) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_lock", refuse)
    with pytest.raises(OSError, match="No locks available"):
        hold(tmp_path / "lock")
    with pytest.raises(StoreError) as raised:
        async with Store.open(tmp_path / "roundtable.db"):
            pass
    assert raised.value.fault is Fault.NO_ACCESS
    assert "No locks available" in raised.value.detail


async def test_the_store_locks_the_file_that_is_said_here_by_any_name_of_the_database(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    async with Store.open(tmp_path / "roundtable.db"):
        link.symlink_to(tmp_path / "roundtable.db")
        assert hold(lock_of(link)) is None
