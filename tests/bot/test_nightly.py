from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path

import pytest

from bot.discordkit.wall_clock import WallClock
from bot.ops.backup import back_up_if_due, back_up_nightly, list_backups
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
    assert [one.made for one in list_backups(folder, database)] == [NIGHT + timedelta(days=days) for days in (4, 3, 2)]


def test_a_failed_backup_is_logged_retried_and_keeps_the_older_ones(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = database.with_name("backups")
    back_up_if_due(database, folder, 1, NIGHT)
    tomorrow = NIGHT + timedelta(days=1)
    whole = database.read_bytes()
    database.write_bytes(b"no database any more")
    back_up_if_due(database, folder, 1, tomorrow)
    assert "backup failed" in "".join(capsys.readouterr())
    assert [one.made for one in list_backups(folder, database)] == [NIGHT]
    database.write_bytes(whole)
    back_up_if_due(database, folder, 1, tomorrow + timedelta(hours=1))
    assert [one.made for one in list_backups(folder, database)] == [tomorrow + timedelta(hours=1)]


async def test_a_clock_that_is_wrong_at_the_start_dates_no_backup(database: Path) -> None:
    folder, wrong = database.with_name("backups"), NIGHT + timedelta(days=400)
    clock = WallClock(wrong.timestamp, lambda: 1000.0)
    making = asyncio.create_task(back_up_nightly(database, folder, 2, clock=clock))
    await asyncio.sleep(0.1)
    assert not folder.exists(), "the time is not known yet"
    clock.note_date(formatdate(NIGHT.timestamp(), usegmt=True), clock.read_clocks())
    async with asyncio.timeout(30):
        while not list_backups(folder, database):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)
    making.cancel()
    assert [one.made for one in list_backups(folder, database)] == [NIGHT]


def test_a_folder_in_the_way_is_logged(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = database.with_name("backups")
    folder.touch()
    back_up_if_due(database, folder, 1, NIGHT)
    assert "backup failed" in "".join(capsys.readouterr())
