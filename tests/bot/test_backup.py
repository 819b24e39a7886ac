from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path

import pytest

from bot.discordkit.wall_clock import WallClock
from bot.ops.backup import (
    back_up,
    back_up_if_due,
    back_up_nightly,
    dated_path,
    is_due,
    list_backups,
    prune_backups,
    restore_backup,
)
from bot.store import Store
from bot.store.migrations import Fault, StoreError, journals_of, last_version
from bot.store.sqlite import check_database
from tests.bot.databases import SPOILT, damage, fails, note, query
from tests.bot.playing import existing
from tests.bot.unprivileged import permit, unprivileged

pytestmark = pytest.mark.sqlite

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    # Characters that mean something in a URI, in a glob and in a pattern.
    return tmp_path / "new [folder]" / "round table 100%?#+*.db"


def fill(path: Path, **notes: str) -> None:
    """Opens the database, stores a note, and closes it."""

    async def note_all() -> None:
        async with Store.open(path) as store:
            for key, value in notes.items():
                await note(store, key, value)

    asyncio.run(note_all())


async def journal_modes(path: Path) -> set[int]:
    """Opens the database and returns the modes of its journals."""
    async with Store.open(path):
        return {stat.S_IMODE(journal.stat().st_mode) for journal in journals_of(path)}


def notes_in(path: Path) -> dict[object, object]:
    return dict(query(path, "SELECT key, value FROM meta"))  # type: ignore[arg-type]  # of two values each


def leave_journal(path: Path, **notes: str) -> None:
    """Stores a note in the journal alone, as a killed program leaves it."""
    base = sqlite3.connect(path, isolation_level=None)
    base.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", notes.items())
    journal = path.with_name(f"{path.name}-wal")
    content = journal.read_bytes()
    base.close()
    journal.write_bytes(content)


def fault_in(file: Path, database: Path) -> Fault:
    with pytest.raises(StoreError) as raised:
        restore_backup(file, database, NOON)
    return raised.value.fault


# Backup


async def test_a_copy_has_all_committed_data_while_the_store_is_written_to(database: Path) -> None:
    copy = database.with_name("copy.db")
    async with Store.open(database) as store:
        await note(store, "greeting", "hei")

        async def write() -> None:
            for number in range(100):
                await note(store, f"pair {number} left")
                await note(store, f"pair {number} right")

        writing = asyncio.create_task(write())
        while not writing.done():
            await asyncio.to_thread(back_up, database, copy)
        await writing
        back_up(database, copy)
    assert notes_in(copy) == notes_in(database)
    assert notes_in(copy)["greeting"] == "hei"
    assert check_database(copy) == last_version()
    assert [path.name for path in database.parent.glob("*.part*")] == []


def test_every_file_is_its_owners_alone_whatever_the_umask(database: Path) -> None:
    before = os.umask(0)
    try:
        fill(database)
        database.chmod(0o644)
        back_up(database, database.with_name("copy.db"))
        back_up(database, database.parent / "backups" / "copy.db")
        restore_backup(database.with_name("copy.db"), database, NOON)
        assert asyncio.run(journal_modes(database)) == {0o600}
    finally:
        os.umask(before)
    modes = {
        str(file.relative_to(database.parent)): stat.S_IMODE(file.stat().st_mode)
        for file in database.parent.rglob("*")
        if file.is_file()
    }
    assert len(modes) >= 5, modes
    assert {name for name, mode in modes.items() if mode != 0o600} == {f"{database.name}.20261120-120000Z.replaced"}


async def test_a_database_that_is_not_there_is_not_made_by_a_backup(database: Path) -> None:
    database.parent.mkdir()
    with fails(Fault.NO_ACCESS):
        back_up(database, database.with_name("copy.db"))
    assert list(database.parent.iterdir()) == []


def test_a_damaged_database_gives_no_backup_and_spoils_none(database: Path) -> None:
    fill(database, **{f"key {number}": "value " * 20 for number in range(200)})
    back_up(database, copy := database.with_name("copy.db"))
    before = copy.read_bytes()
    damage(database)
    with fails(Fault.DAMAGED) as raised:
        back_up(database, copy)
    assert raised.value.path == database
    assert copy.read_bytes() == before
    assert not list(database.parent.glob("*.part"))


def test_a_folder_that_is_shut_is_named_and_not_the_database(database: Path) -> None:
    fill(database)
    (folder := database.parent / "backups").mkdir()
    permit([folder], 0o555)
    try:
        with unprivileged(), fails(Fault.NO_ACCESS, "denied") as raised:
            back_up(database, folder / "copy.db")
    finally:
        permit([folder], 0o755)
    assert raised.value.path == folder / "copy.db"


def test_a_disk_too_full_for_the_copy_is_named_not_the_database(database: Path) -> None:
    resource = pytest.importorskip("resource")
    fill(database)
    folder = database.parent / "backups"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (database.stat().st_size // 2, before[1]))
    try:
        with fails(Fault.NO_ACCESS) as raised:
            back_up(database, folder / "copy.db")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert raised.value.path.parent == folder
    assert list(folder.iterdir()) == []


def test_only_dated_copies_of_this_database_are_pruned_the_oldest_first(database: Path) -> None:
    folder = database.parent / "backups"
    fill(database)
    made = [dated_path(folder, database, NOON + timedelta(hours=hours)) for hours in range(5)]
    for path in made:
        back_up(database, path)
    others = ["mine.db", "other-20200101-000000Z.db", f"{database.stem}-20209999-000000Z.db", f"{database.stem}-old.db"]
    for name in others:
        (folder / name).touch()
    assert [one.path for one in list_backups(folder, database)] == made[::-1]
    assert list_backups(folder, database)[0].made == NOON + timedelta(hours=4)
    assert prune_backups(folder, database, 2, NOON + timedelta(days=1)) == made[2::-1]
    assert sorted(path.name for path in folder.iterdir()) == sorted([*others, *(path.name for path in made[3:])])
    assert prune_backups(folder, database, 2, NOON + timedelta(days=1)) == []


async def test_leftovers_of_a_killed_backup_are_removed_once_it_cannot_be_running(database: Path) -> None:
    folder = database.parent
    folder.mkdir()
    for name, age in (("old", 90_000), ("young", 60)):
        left = folder / f"{database.stem}-{name}.db.1.part"
        left.touch()
        os.utime(left, (left.stat().st_mtime - age,) * 2)
    prune_backups(folder, database, 1, NOON)
    assert [path.name for path in folder.iterdir()] == [f"{database.stem}-young.db.1.part"]


@pytest.mark.parametrize(
    ("latest", "now", "due"),
    [
        (None, "20T12:00", True),
        ("20T03:00", "20T12:00", False),
        ("20T02:59", "20T03:00", True),
        ("20T02:59", "20T02:59", False),
        ("19T03:00", "20T02:59", False),
        ("18T12:00", "20T02:59", True),
    ],
)
def test_one_copy_a_night_is_due_at_three_and_made_up_later(latest: str | None, now: str, due: bool) -> None:
    made = datetime.fromisoformat(f"2026-11-{latest}+00:00") if latest else None
    assert is_due(made, datetime.fromisoformat(f"2026-11-{now}+00:00")) is due


# Restore


def test_a_restored_database_is_the_copy_and_the_one_before_is_kept(database: Path) -> None:
    fill(database, greeting="hei")
    back_up(database, copy := database.with_name("copy.db"))
    fill(database, greeting="ha det", later="yes")
    aside = restore_backup(copy, database, NOON)
    assert notes_in(database) == {"greeting": "hei"}
    assert aside is not None
    assert notes_in(aside) == {"greeting": "ha det", "later": "yes"}
    assert "20261120-120000Z" in aside.name
    assert copy.exists()
    assert notes_in(existing(restore_backup(copy, database, NOON))) == {"greeting": "hei"}
    assert notes_in(aside) == {"greeting": "ha det", "later": "yes"}, "a second restore in that second leaves it be"
    fill(database, later="the games go on")


async def test_moves_a_killed_bot_left_in_the_journal_survive_in_the_backup(database: Path) -> None:
    async with Store.open(database) as store:
        await note(store, "early")
        back_up(database, copy := database.with_name("copy.db"))
        await note(store, "late")
        # The file and its journal, as after SIGKILL.
        killed = database.with_name("killed.db")
        for ending in ("", "-wal"):
            killed.with_name(killed.name + ending).write_bytes(database.with_name(database.name + ending).read_bytes())
    assert killed.with_name("killed.db-wal").stat().st_size
    aside = restore_backup(copy, killed, NOON)
    assert notes_in(killed) == {"early": "x"}
    assert notes_in(existing(aside)) == {"early": "x", "late": "x"}


def test_a_damaged_database_is_replaced_and_kept_with_its_journal(database: Path) -> None:
    fill(database, **{f"key {number}": "value " * 20 for number in range(200)})
    back_up(database, copy := database.with_name("copy.db"))
    database.write_bytes(b"no database any more")
    database.with_name(database.name + "-wal").write_bytes(b"nor a journal")
    aside = existing(restore_backup(copy, database, NOON))
    assert aside.read_bytes() == b"no database any more"
    assert len(notes_in(database)) == 200


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_what_root_restores_belongs_to_whom_the_database_belonged(database: Path) -> None:
    fill(database, greeting="hei")
    back_up(database, copy := database.with_name("copy.db"))
    os.chown(database, 10001, 10002)
    restore_backup(copy, database, NOON)
    restored = database.stat()
    assert (restored.st_uid, restored.st_gid, stat.S_IMODE(restored.st_mode)) == (10001, 10002, 0o600)
    assert notes_in(database) == {"greeting": "hei"}


def test_a_copy_that_cannot_be_given_away_is_restored_all_the_same(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    fill(database, greeting="hei")
    back_up(database, copy := database.with_name("copy.db"))
    monkeypatch.setattr(os, "chown", refuse)
    restore_backup(copy, database, NOON)
    assert notes_in(database) == {"greeting": "hei"}


async def test_nothing_is_restored_while_the_bot_runs(database: Path) -> None:
    async with Store.open(database) as store:
        await note(store, "greeting", "hei")
        back_up(database, copy := database.with_name("copy.db"))
        assert fault_in(copy, database) is Fault.IN_USE
        assert await store.reader.get_meta("greeting") == "hei"


@pytest.mark.parametrize(("fault", "spoil"), SPOILT.values(), ids=SPOILT)
def test_what_cannot_be_restored_leaves_the_database_as_it_is(
    database: Path, fault: Fault, spoil: Callable[[Path], object]
) -> None:
    fill(database, greeting="hei")
    back_up(database, copy := database.with_name("copy.db"))
    spoil(copy)
    before = database.read_bytes()
    assert fault_in(copy, database) is fault
    assert database.read_bytes() == before
    assert not [*database.parent.glob("*.part"), *database.parent.glob("*.replaced")]


def test_a_link_to_the_database_still_leads_to_it_after_a_restore(database: Path) -> None:
    fill(database, greeting="hei")
    back_up(database, copy := database.with_name("copy.db"))
    link = database.with_name("link.db")
    link.symlink_to(database)
    restore_backup(copy, link, NOON)
    assert link.is_symlink()
    assert notes_in(database) == {"greeting": "hei"}


def test_a_left_over_journal_does_not_get_into_the_restored_database(database: Path) -> None:
    fill(database, **{f"key {number}": "value " * 20 for number in range(200)})
    back_up(database, copy := database.with_name("copy.db"))
    leave_journal(database, **{f"key {number}": "another " * 30 for number in range(300)})
    database.unlink()
    assert restore_backup(copy, database, NOON) is None
    assert len(notes_in(database)) == 200
    check_database(database)
    assert len([*database.parent.glob("*.replaced-wal")]) == 1


# Every night


NIGHT = datetime(2026, 11, 20, 3, 30, tzinfo=UTC)


@pytest.fixture
async def nightly(tmp_path: Path) -> Path:
    """An empty database."""
    async with Store.open(path := tmp_path / "roundtable.db"):
        return path


def test_each_night_has_one_copy_and_the_oldest_ones_go(nightly: Path) -> None:
    folder = nightly.with_name("backups")
    back_up(nightly, dated_path(folder, nightly, NIGHT + timedelta(days=31)))  # while the clock was ahead
    for hours in range(24 * 5):
        back_up_if_due(nightly, folder, 3, NIGHT + timedelta(hours=hours))
    kept = [(one.made - NIGHT).days for one in list_backups(folder, nightly)]
    assert kept == [31, 4, 3, 2], "a copy from the future stands for no night"


def test_a_failed_backup_is_logged_retried_and_keeps_the_older_ones(
    nightly: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = nightly.with_name("backups")
    back_up_if_due(nightly, folder, 1, NIGHT)
    tomorrow = NIGHT + timedelta(days=1)
    whole = nightly.read_bytes()
    nightly.write_bytes(b"no database any more")
    back_up_if_due(nightly, folder, 1, tomorrow)
    assert "backup failed" in "".join(capsys.readouterr())
    assert [one.made for one in list_backups(folder, nightly)] == [NIGHT]
    nightly.write_bytes(whole)
    back_up_if_due(nightly, folder, 1, tomorrow + timedelta(hours=1))
    assert [one.made for one in list_backups(folder, nightly)] == [tomorrow + timedelta(hours=1)]


async def test_a_clock_that_is_wrong_at_the_start_dates_no_backup(nightly: Path) -> None:
    folder, wrong = nightly.with_name("backups"), NIGHT + timedelta(days=400)
    clock = WallClock(wrong.timestamp, lambda: 1000.0)
    making = asyncio.create_task(back_up_nightly(nightly, folder, 2, clock=clock))
    await asyncio.sleep(0.1)
    assert not folder.exists(), "the time is not known yet"
    clock.note_date(formatdate(NIGHT.timestamp(), usegmt=True))
    async with asyncio.timeout(30):
        while not list_backups(folder, nightly):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)
    making.cancel()
    assert [one.made for one in list_backups(folder, nightly)] == [NIGHT]


def test_a_folder_in_the_way_is_logged(nightly: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = nightly.with_name("backups")
    folder.touch()
    back_up_if_due(nightly, folder, 1, NIGHT)
    assert "backup failed" in "".join(capsys.readouterr())
