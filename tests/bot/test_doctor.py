"""What the doctor sees without Discord; how it asks Discord is in tests/e2e/test_operations.py."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.config import Settings
from bot.migrations import migrate, steps
from bot.operations.backup import back_up, dated
from bot.operations.inspection import Place, places
from bot.store import Store
from bot.terminal import COMMANDS, _local_checks, parse_arguments
from bot.terminal._findings import Finding, Level
from bot.terminal._local_checks import look_around

SECRET = "s3cret-and-never-said"
NOW = datetime.now(UTC)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(SECRET, tmp_path / "roundtable.db", "INFO", 0, None, tmp_path / "backups", 7, None, "127.0.0.1")


def troubles(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level is not Level.OK]


def look(settings: Settings) -> list[Finding]:
    findings = list(look_around(settings))
    assert not [finding for finding in findings if SECRET in str(finding) or "{" in str(finding)]
    return findings


async def make(settings: Settings) -> None:
    async with Store.open(settings.database):
        pass
    back_up(settings.database, dated(settings.backups, settings.database, NOW))


async def test_a_healthy_house_is_well_while_the_bot_runs_and_while_it_does_not(settings: Settings) -> None:
    await make(settings)
    assert troubles(look(settings)) == []
    assert "No bot is running on it." in [finding.words for finding in look(settings)]
    async with Store.open(settings.database):
        assert troubles(look(settings)) == []
        assert "A bot is running on it." in [finding.words for finding in look(settings)]


def test_a_first_start_has_nothing_to_complain_of(settings: Settings) -> None:
    assert troubles(look(settings)) == []
    assert not settings.database.exists()


async def test_a_damaged_database_is_a_fault_and_a_missing_backup_a_warning(settings: Settings) -> None:
    async with Store.open(settings.database):
        pass
    content = bytearray(settings.database.read_bytes())
    content[4096:] = random.Random(1).randbytes(len(content) - 4096)
    settings.database.write_bytes(content)
    damaged, missing = troubles(look(settings))
    assert damaged.level is Level.FAULT
    assert "is damaged" in damaged.words
    assert "restore" in damaged.words
    assert missing.level is Level.WARNING
    assert "python -m bot backup" in missing.words


async def test_an_old_a_damaged_and_no_nightly_backup_are_told_apart(settings: Settings) -> None:
    await make(settings)
    (made,) = settings.backups.iterdir()
    old = dated(settings.backups, settings.database, NOW - timedelta(days=3))
    made.rename(old)
    (found,) = troubles(look(settings))
    assert found.level is Level.WARNING
    assert re.search(r"7[12] hours old", found.words)
    old.write_bytes(b"no database any more")
    (found,) = troubles(look(settings))
    assert found.level is Level.FAULT
    assert str(old) in found.words


async def test_little_room_on_the_disk_is_a_warning(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    await make(settings)
    monkeypatch.setattr(_local_checks.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1_000_000))
    (found,) = troubles(look(settings))
    assert found.level is Level.WARNING
    assert "1.0 MB" in found.words


def test_an_older_database_is_brought_up_to_date_by_the_next_start(settings: Settings) -> None:
    migrate(settings.database, steps()[:1])
    assert any("The next start copies it" in finding.words for finding in look(settings))


def test_the_places_are_those_of_games_in_progress_and_of_the_servers_settings(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate(path, steps())
    with closing(sqlite3.connect(path)) as base:
        for guild, channel, thread, phase in ((1, 11, None, "open"), (1, 12, 99, "live"), (1, 13, None, "over")):
            base.execute(
                "INSERT INTO matches (guild, channel, thread, variant, phase, ply, seq, moved_at, updated)"
                " VALUES (?, ?, ?, 'camelot', ?, 0, 1, 0, 0)",
                (guild, channel, thread, phase),
            )
        columns = "guild, pace, threads, channels, announcements, audit, house_rules, most_open, most_live"
        base.execute(f"INSERT INTO guild_settings ({columns}) VALUES (2, '', 'ask', '21,22', 23, NULL, '', 5, 5)")
        base.commit()
    assert places(path) == [
        Place(1, 11, False),
        Place(1, 12, True),
        Place(2, 21, False),
        Place(2, 22, False),
        Place(2, 23, False),
    ]


def test_every_subcommand_is_offered_and_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_arguments(["--help"])
    assert ended.value.code == 0
    page = capsys.readouterr().out
    for command in COMMANDS:
        assert f"\n    {command.name} " in page
        with pytest.raises(SystemExit):
            parse_arguments([command.name, "--help"])
        assert capsys.readouterr().out
    assert parse_arguments([])[0] is None
