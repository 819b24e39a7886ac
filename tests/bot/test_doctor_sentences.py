"""Each sentence of the doctor about this machine, and a scene that produces it. Those about Discord are in
tests/e2e."""

from __future__ import annotations

import asyncio
import errno
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.config import Settings, _parse_file, _parse_folder
from bot.ops import doctor, sentences
from bot.ops.backup import back_up, dated_path, list_backups
from bot.ops.doctor import check_machine
from bot.ops.doctor_checks import Severity
from bot.store import Store
from bot.store.database_note import note_path
from bot.store.migrations import BASELINE, Fault, last_version, lock_database, make_private
from tests.bot.saying import Sentence, line, sentences_of
from tests.bot.unprivileged import permit, unprivileged

pytestmark = pytest.mark.sqlite

MEGABYTE = 1024 * 1024
SECRET = "s3cret-and-never-said"
Known = dict[str, object]
"""The values for the sentence's placeholders."""


@dataclass
class House:
    """What the doctor examines: a sound database with a backup, unless a scene changes it."""

    settings: Settings
    monkeypatch: pytest.MonkeyPatch

    @property
    def database(self) -> Path:
        """The file."""
        return self.settings.database

    def back_up(self, now: datetime) -> Path:
        """Makes the only backup, apparently at that time; returns its path."""
        for path in self.settings.backups.glob("*"):
            path.unlink()
        back_up(self.database, path := dated_path(self.settings.backups, self.database, now))
        return path


Scene = Callable[[House], AbstractContextManager[Known]]
SCENES: list[tuple[Severity, Sentence, Scene]] = []


def says(level: Severity, sentence: Sentence) -> Callable[[Callable[[House], Iterator[Known]]], Scene]:
    """Marks a scene in which the doctor says the sentence."""

    def note(work: Callable[[House], Iterator[Known]]) -> Scene:
        scene = contextmanager(work)
        SCENES.append((level, sentence, scene))
        return scene

    return note


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    database = tmp_path / "roundtable.db"
    copies = database.with_name("backups")
    settings = Settings(SECRET, database, "INFO", 0, None, copies, 7, None, "127.0.0.1", None)
    asyncio.run(_make(database))
    house = House(settings, monkeypatch)
    house.back_up(datetime.now(UTC))
    return house


async def _make(database: Path) -> None:
    async with Store.open(database):
        pass


@contextmanager
def shut(path: Path, mode: int) -> Iterator[None]:
    """Limits the permissions of the path within the block."""
    before = path.stat().st_mode
    permit([path], mode)
    try:
        with unprivileged():
            yield
    finally:
        permit([path], before)


# Versions and settings


@says(Severity.OK, "versions")
def _any_start(_: House) -> Iterator[Known]:
    yield {"ours": version("round-table"), "sqlite": sqlite3.sqlite_version}


@says(Severity.OK, "token")
def _a_token(_: House) -> Iterator[Known]:
    yield {}


@says(Severity.OK, "no-token")
def _no_token(house: House) -> Iterator[Known]:
    house.settings = replace(house.settings, token=None)
    yield {}


# The database


@says(Severity.OK, "database")
def _a_sound_one(house: House) -> Iterator[Known]:
    yield {"path": house.database, "version": last_version()}


def _place(house: House, folder: Path) -> None:
    """Points the settings at a database below that folder, and at its backups beside it."""
    database = folder / "data" / "roundtable.db"
    house.settings = replace(house.settings, database=database, backups=database.with_name("backups"))


@says(Severity.OK, "first-start")
def _a_first_start(house: House) -> Iterator[Known]:
    _place(house, house.database.with_name("new"))
    yield {"path": house.database}
    assert not house.database.parent.exists()


@says(Severity.FAULT, "first-start")
def _a_first_start_in_a_folder_of_others(house: House) -> Iterator[Known]:
    folder = house.database.with_name("theirs")
    folder.mkdir()
    _place(house, folder)
    with shut(folder, 0o555):
        yield {"path": house.database, "folder": folder}


@says(Severity.FAULT, "first-start")
def _a_first_start_in_a_folder_that_is_shut(house: House) -> Iterator[Known]:
    folder = house.database.with_name("theirs")
    folder.mkdir()
    _place(house, folder)
    with shut(folder, 0):
        assert _parse_file(str(house.database)) == house.database
        assert _parse_folder(str(house.database.parent)) == house.database.parent
        yield {"path": house.database, "folder": folder}


@says(Severity.FAULT, Fault.MISSING)
def _one_that_has_been_removed(house: House) -> Iterator[Known]:
    house.database.unlink()
    yield {"path": house.database, "detail": note_path(house.database)}


@says(Severity.FAULT, Fault.MISSING)
def _a_backup_of_one_that_was_never_here(house: House) -> Iterator[Known]:
    house.settings = replace(house.settings, database=house.database.with_name("new") / "roundtable.db")
    yield {"path": house.database, "detail": list_backups(house.settings.backups, house.database)[0].path}


@says(Severity.FAULT, "running")
def _another_file_in_the_place_of_the_one_that_is_open(house: House) -> Iterator[Known]:
    with lock_database(house.database):
        house.database.rename(house.database.with_name("elsewhere.db"))
        back_up(house.database.with_name("elsewhere.db"), house.database)
        yield {"path": house.database}


@says(Severity.WARNING, "rescued")
def _a_copy_that_was_rescued(house: House) -> Iterator[Known]:
    back_up(house.database, path := house.settings.backups / "roundtable-rescued-20261125-120000Z.db")
    yield {"path": path, "count": 1}


@says(Severity.WARNING, "file-modes")
def _files_that_others_may_read(house: House) -> Iterator[Known]:
    house.database.chmod(0o640)
    (copy,) = house.settings.backups.iterdir()
    copy.chmod(0o644)
    yield {"count": 2, "files": f"{copy} {house.database}"}


@says(Severity.FAULT, "folder")
def _a_first_start_below_a_file(house: House) -> Iterator[Known]:
    (file := house.database.with_name("file")).touch()
    _place(house, file)
    yield {"path": house.database, "folder": file}


@says(Severity.OK, "older")
def _one_from_before_an_update(house: House) -> Iterator[Known]:
    house.monkeypatch.setattr(doctor, "last_version", lambda: last_version() + 1)
    yield {"version": last_version(), "present": last_version() + 1}


@says(Severity.FAULT, Fault.TOO_OLD)
def _one_from_before_the_baseline(house: House) -> Iterator[Known]:
    with closing(sqlite3.connect(house.database)) as base:
        base.execute(f"PRAGMA user_version = {BASELINE - 1}")
    yield {"path": house.database, "detail": f"{BASELINE - 1} < {BASELINE}"}


@says(Severity.FAULT, Fault.DAMAGED)
def _a_broken_one(house: House) -> Iterator[Known]:
    content = bytearray(house.database.read_bytes())
    content[4096:] = random.Random(1).randbytes(len(content) - 4096)
    house.database.write_bytes(content)
    yield {"path": house.database}


@says(Severity.FAULT, Fault.NEWER)
def _one_of_a_later_version(house: House) -> Iterator[Known]:
    with closing(sqlite3.connect(house.database)) as base:
        base.execute(f"PRAGMA user_version = {last_version() + 1}")
    yield {"path": house.database}


@says(Severity.FAULT, Fault.NOT_A_DATABASE)
def _a_poem(house: House) -> Iterator[Known]:
    house.database.write_text("Camelot, located no one knows where\n" * 100)
    yield {"path": house.database}


@says(Severity.FAULT, Fault.NOT_A_DATABASE)
def _an_empty_file(house: House) -> Iterator[Known]:
    house.database.write_bytes(b"")
    yield {"path": house.database}


@says(Severity.FAULT, Fault.OTHER_PROGRAM)
def _recipes(house: House) -> Iterator[Known]:
    house.database.unlink()
    make_private(house.database)
    with closing(sqlite3.connect(house.database)) as base:
        base.execute("CREATE TABLE recipes (name TEXT)")
    yield {"path": house.database}


@says(Severity.FAULT, Fault.OTHER_SCHEMA)
def _one_with_a_trigger(house: House) -> Iterator[Known]:
    with closing(sqlite3.connect(house.database)) as base:
        base.execute("CREATE TRIGGER cheat AFTER INSERT ON events BEGIN DELETE FROM plans; END")
    yield {"path": house.database, "detail": "unknown trigger 'cheat'"}


@says(Severity.FAULT, Fault.NO_ACCESS)
def _a_file_that_others_may_not_read(house: House) -> Iterator[Known]:
    with shut(house.database, 0o000):
        yield {"path": house.database}


@says(Severity.FAULT, "write-access")
def _a_file_that_others_may_not_write(house: House) -> Iterator[Known]:
    with shut(house.database, 0o400):
        yield {"path": house.database}


@says(Severity.FAULT, "write-access")
def _a_journal_that_another_user_has_made(house: House) -> Iterator[Known]:
    with closing(sqlite3.connect(house.database)) as base:
        base.execute("INSERT INTO meta VALUES ('key', 'x')")  # to an empty one SQLite gives other permissions at once
        base.commit()
        journal = house.database.with_name(house.database.name + "-wal")
        with shut(journal, 0o400):
            yield {"path": journal}


@says(Severity.FAULT, "write-access")
def _a_folder_in_which_others_may_make_nothing(house: House) -> Iterator[Known]:
    with closing(sqlite3.connect(house.database)) as base:
        base.execute("SELECT count(*) FROM matches").fetchone()  # its journals are there, as beside a bot that runs
        with shut(house.database.parent, 0o555):
            yield {"path": house.database.parent}


@says(Severity.FAULT, "lock")
def _a_share_without_locks(house: House) -> Iterator[Known]:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    house.monkeypatch.setattr("fcntl.flock", refuse)
    yield {"path": house.database, "detail": f"[Errno {errno.ENOLCK}] No locks available"}


@says(Severity.OK, "running")
def _a_bot_that_runs(house: House) -> Iterator[Known]:
    with lock_database(house.database):
        yield {}


@says(Severity.OK, "not-running")
def _no_bot(_: House) -> Iterator[Known]:
    yield {}


# The disk


@says(Severity.OK, "disk")
def _a_large_disk(house: House) -> Iterator[Known]:
    house.monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=50 * MEGABYTE))
    yield {"free": "50.0 MB"}


@says(Severity.WARNING, "disk")
def _a_small_disk(house: House) -> Iterator[Known]:
    house.monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=50 * MEGABYTE - 1))
    yield {"free": "50.0 MB", "needed": "50.0 MB"}


@says(Severity.WARNING, "disk")
def _a_small_disk_for_so_large_a_database(house: House) -> Iterator[Known]:
    house.monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100 * MEGABYTE))
    with house.database.open("ab") as file:
        file.truncate(40 * MEGABYTE)
    yield {"free": "100.0 MB", "needed": "120.0 MB"}


# Backups


@says(Severity.OK, "backup-age")
def _a_backup_of_last_night(house: House) -> Iterator[Known]:
    yield {"count": 1, "hours": 20, "path": house.back_up(datetime.now(UTC) - timedelta(hours=20))}


@says(Severity.WARNING, "backup-age")
def _nights_without_one(house: House) -> Iterator[Known]:
    yield {"hours": 72, "path": house.back_up(datetime.now(UTC) - timedelta(days=3))}


@says(Severity.WARNING, "backup-dates")
def _one_that_a_wrong_clock_has_made(house: House) -> Iterator[Known]:
    made = house.back_up(datetime.now(UTC))
    ahead = made.with_name("roundtable-29990101-030000Z.db")
    ahead.hardlink_to(made)
    yield {"count": 1, "path": ahead}


@says(Severity.FAULT, "backup")
def _one_that_is_none_any_more(house: House) -> Iterator[Known]:
    path = house.back_up(datetime.now(UTC))
    path.write_bytes(b"no database any more")
    yield {"why": sentences.FAULTS[Fault.NOT_A_DATABASE].format(path=path)}


@says(Severity.WARNING, "any-backup")
def _before_the_first_night(house: House) -> Iterator[Known]:
    house.back_up(datetime.now(UTC)).unlink()
    yield {"folder": house.settings.backups}


@says(Severity.FAULT, "backup-folder")
def _backups_that_others_may_not_look_at(house: House) -> Iterator[Known]:
    with shut(house.settings.backups, 0):
        yield {"folder": house.settings.backups, "detail": "Permission denied"}


@says(Severity.WARNING, "nightly-backups")
def _nights_that_are_left_alone(house: House) -> Iterator[Known]:
    house.settings = replace(house.settings, keep_backups=0)
    yield {}


@pytest.mark.parametrize(("level", "sentence", "scene"), SCENES, ids=[scene.__name__ for _, _, scene in SCENES])
def test_the_doctor_says_what_is_the_matter_and_nothing_else(
    level: Severity, sentence: Sentence, scene: Scene, house: House
) -> None:
    with scene(house) as known:
        findings = list(check_machine(house.settings))
    said = [finding for finding in findings if line(level, sentence, **known).fullmatch(str(finding))]
    assert len(said) == 1, findings
    troubles = [finding for finding in findings if finding.level is not Severity.OK]
    assert troubles == ([] if level is Severity.OK else said)
    assert not [finding for finding in findings if SECRET in str(finding) or "{" in str(finding)]


def test_every_sentence_for_this_machine_has_its_scene() -> None:
    # A running bot is no fault for the doctor, which migrates and stores nothing and claims no shard.
    elsewhere = {Fault.IN_USE, Fault.STEP_FAILED, Fault.OLDER_RUN, Fault.OTHER_SHARDS, Fault.POOLED, Fault.UNKNOWN}
    shown = {(level is Severity.OK, sentence) for level, sentence, _ in SCENES}
    assert shown == sentences_of(doctor) | {(False, fault) for fault in set(Fault) - elsewhere}
