from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.ops.backup import back_up_if_due, backups
from bot.store import Store

pytestmark = pytest.mark.sqlite

NIGHT = datetime(2026, 11, 20, 3, 30, tzinfo=UTC)


@pytest.fixture
async def database(tmp_path: Path) -> Path:
    async with Store.open(path := tmp_path / "roundtable.db"):
        pass
    return path


def test_each_night_has_one_copy_and_the_oldest_ones_go(database: Path) -> None:
    folder = database.with_name("backups")
    for hours in range(24 * 5):
        back_up_if_due(database, folder, 3, NIGHT + timedelta(hours=hours))
    assert [one.made for one in backups(folder, database)] == [NIGHT + timedelta(days=days) for days in (4, 3, 2)]


def test_a_backup_that_fails_is_logged_keeps_the_older_ones_and_is_tried_again(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = database.with_name("backups")
    back_up_if_due(database, folder, 1, NIGHT)
    tomorrow = NIGHT + timedelta(days=1)
    whole = database.read_bytes()
    database.write_bytes(b"no database any more")
    back_up_if_due(database, folder, 1, tomorrow)
    assert "backup failed" in "".join(capsys.readouterr())
    assert [one.made for one in backups(folder, database)] == [NIGHT]
    database.write_bytes(whole)
    back_up_if_due(database, folder, 1, tomorrow + timedelta(hours=1))
    assert [one.made for one in backups(folder, database)] == [tomorrow + timedelta(hours=1)]


def test_a_folder_in_the_way_is_logged(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = database.with_name("backups")
    folder.touch()
    back_up_if_due(database, folder, 1, NIGHT)
    assert "backup failed" in "".join(capsys.readouterr())
