"""The database's file: how it is made, refused, locked and migrated, its schema, and faults of the disk."""

from __future__ import annotations

import asyncio
import errno
import shutil
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.__main__ import main
from bot.ops import sentences
from bot.ops.backup import back_up, restore_backup
from bot.store import Fault, Store, StoreError
from bot.store import sqlite as sqlite_store
from bot.store.migrations import (
    APPLICATION_ID,
    last_version,
    lock_database,
    lock_file_of,
    migrate_file,
    migration_scripts,
)
from bot.store.sqlite import check_database
from tests.bot.databases import SPOILT, fails, note, opening_refused, query, run_sql
from tests.bot.playing import existing
from tests.bot.unprivileged import permit, unprivileged

pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).parents[2]
BROKEN = "CREATE TABLE half (done INTEGER) STRICT; INSERT INTO nowhere VALUES (1);"
"""A migration that fails after its first half."""
WHOLE = "CREATE TABLE whole (done INTEGER) STRICT;"
ORPHAN = "INSERT INTO players (match, user, seat, resigned) VALUES (99, 1, 0, 0);"


@pytest.fixture(autouse=True)
def _made_by_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "migrate_file", migrate_file)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    # Characters that mean something in a URI, as which SQLite gets the name.
    return tmp_path / "round table 100%?#.db"


# The file


async def test_a_new_database_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "roundtable.db"
    async with Store.open(path) as store:
        await note(store, "greeting", "hei")
        assert await store.reader.get_meta("greeting") == "hei"
    assert query(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert query(path, "PRAGMA user_version") == [(last_version(),)]
    assert query(path, "PRAGMA journal_mode") == [("wal",)]
    assert query(path, "PRAGMA integrity_check") == [("ok",)]


async def test_every_table_is_strict(path: Path) -> None:
    async with Store.open(path):
        pass
    assert query(path, "SELECT DISTINCT strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite%'") == [(1,)]


async def test_the_connection_that_writes_is_set_up(store: Store) -> None:
    wanted = {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "trusted_schema": 0}
    for pragma, value in wanted.items():
        assert await store._write_connection.run_sql(f"PRAGMA {pragma}") == [(value,)]


async def test_a_database_opens_again_without_a_copy(path: Path) -> None:
    for _ in range(2):
        async with Store.open(path) as store:
            await note(store, "greeting")
    assert not list(path.parent.glob("*.backup*"))


async def test_the_lock_dies_with_the_process_that_held_it(path: Path) -> None:
    script = (
        "import asyncio, pathlib, sys\nfrom bot.store import Store\n"
        "async def main():\n async with Store.open(pathlib.Path(sys.argv[1])):\n"
        "  print('open', flush=True)\n  await asyncio.sleep(60)\nasyncio.run(main())"
    )
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, path, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    try:
        assert await existing(holder.stdout).readline() == b"open\n"
        assert (await opening_refused(path)).fault is Fault.IN_USE
    finally:
        holder.kill()
        await holder.wait()
    async with Store.open(path):
        pass


async def test_who_is_stopped_in_a_migration_keeps_others_out_until_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, begun, stopped = tmp_path / "roundtable.db", threading.Event(), threading.Event()
    refused = list[Fault]()

    def migrate(*_: object) -> None:
        begun.set()
        assert stopped.wait(30)
        with pytest.raises(StoreError) as raised:
            lock_database(path)
        refused.append(raised.value.fault)

    monkeypatch.setattr(sqlite_store, "migrate_file", migrate)
    opening = asyncio.create_task(Store.open(path).__aenter__())
    await asyncio.to_thread(begun.wait)
    opening.cancel()
    asyncio.get_running_loop().call_later(0.1, stopped.set)
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert refused == [Fault.IN_USE]


@pytest.mark.parametrize(("fault", "spoil"), SPOILT.values(), ids=SPOILT)
async def test_a_spoilt_database_is_refused_kept_and_not_left_locked(
    tmp_path: Path, fault: Fault, spoil: Callable[[Path], object]
) -> None:
    migrate_file(path := tmp_path / "roundtable.db", migration_scripts())
    spoil(path)
    content = path.read_bytes()
    assert (await opening_refused(path)).fault is fault
    assert path.read_bytes() == content
    path.unlink()
    async with Store.open(path):
        pass


async def test_a_clean_stop_leaves_no_journal(path: Path) -> None:
    async with Store.open(path) as store:
        await note(store, "greeting")
        assert path.with_name(path.name + "-wal").exists()
    assert not path.with_name(path.name + "-wal").exists()


async def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert (await opening_refused(tmp_path / "file" / "roundtable.db")).fault is Fault.NO_ACCESS
    assert (await opening_refused(tmp_path)).fault is Fault.NO_ACCESS


# The lock


async def test_a_file_system_without_locks_is_not_taken_for_a_second_instance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fcntl")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with fails(Fault.NO_ACCESS, "No locks available"), lock_database(tmp_path / "roundtable.db"):
        pass


async def test_the_store_locks_one_file_by_any_name_of_the_database(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    async with Store.open(tmp_path / "roundtable.db"):
        link.symlink_to(tmp_path / "roundtable.db")
        assert lock_file_of(link) == tmp_path / "roundtable.db.lock"
        assert (await opening_refused(link)).fault is Fault.IN_USE


# Migrations


async def test_before_a_migration_the_database_is_copied(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Store.open(path) as store:
        await note(store, "greeting", "hei")
    last = last_version()
    later = (*migration_scripts(), "ALTER TABLE meta ADD COLUMN since INTEGER; UPDATE meta SET since = 7;")
    monkeypatch.setattr("bot.store.sqlite.migration_scripts", lambda: later)
    async with Store.open(path) as store:
        assert await store.reader.get_meta("greeting") == "hei"
    assert query(path, "SELECT since FROM meta") == [(7,)]
    backup = path.with_name(f"{path.name}.v{last}.backup")
    assert query(backup, "SELECT * FROM meta") == [("greeting", "hei")]
    assert query(backup, "PRAGMA user_version") == [(last,)]


@pytest.mark.parametrize(
    "later",
    [
        (BROKEN,),
        (WHOLE, BROKEN),
        (ORPHAN,),
        ("CREATE TABEL x (y);",),
        ("INSERT INTO meta VALUES ('a', NULL);",),
        ("SELECT 'never closed;",),
    ],
)
def test_a_step_that_fails_is_named_and_leaves_the_database_alone(tmp_path: Path, later: tuple[str, ...]) -> None:
    migrate_file(path := tmp_path / "roundtable.db", migration_scripts())
    with fails(Fault.MIGRATION_FAILED) as raised:
        migrate_file(path, (*migration_scripts(), *later))
    assert raised.value.detail.startswith(f"step {last_version() + len(later)}: ")
    assert query(path, "PRAGMA user_version") == [(last_version(),)]
    assert query(path, "SELECT count(*) FROM sqlite_schema WHERE name IN ('half', 'whole')") == [(0,)]
    assert query(path, "SELECT count(*) FROM players") == [(0,)]
    migrate_file(path, (*migration_scripts(), WHOLE))


def test_a_step_may_contain_a_semicolon_and_end_without_one(tmp_path: Path) -> None:
    migrate_file(path := tmp_path / "roundtable.db", migration_scripts())
    trigger = "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM meta WHERE key = ';'; DELETE FROM shares; END;"
    migrate_file(path, (*migration_scripts(), f"-- a; b\n{trigger} INSERT INTO meta VALUES ('a;b', 'c') -- d; e"))
    assert query(path, "SELECT value FROM meta WHERE key = 'a;b'") == [("c",)]
    assert query(path, "SELECT name FROM sqlite_schema WHERE type = 'trigger'") == [("t",)]


def test_a_failing_migration_names_the_step_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    migrate_file(path := tmp_path / "roundtable.db", migration_scripts())
    monkeypatch.setenv("ROUNDTABLE_DB", str(path))
    monkeypatch.setenv("ROUNDTABLE_SANDBOX_PORT", "0")
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    later = (*migration_scripts(), BROKEN)
    monkeypatch.setattr("bot.store.sqlite.migration_scripts", lambda: later)
    assert main([]) == 1
    told = capsys.readouterr().err
    why = f"step {last_version() + 1}: no such table: nowhere"
    assert f"{path} could not be brought up to date ({why}), and is as it was." in told
    assert "Go on with the old version of the program, and report this." in told
    assert "Traceback" not in told


def test_there_is_a_sentence_for_every_fault(path: Path) -> None:
    for fault in Fault:
        assert str(path) in sentences.fault_sentence(StoreError(fault, path, "why"))


def test_a_reference_broken_before_a_migration_is_damage_not_the_steps_fault(tmp_path: Path) -> None:
    migrate_file(path := tmp_path / "roundtable.db", migration_scripts())
    run_sql(path, ORPHAN)
    with fails(Fault.DAMAGED):
        migrate_file(path, (*migration_scripts(), WHOLE))


# A foreign schema is refused, whatever its origin


NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
STRANGE = {
    "trigger 'cheat'": "CREATE TRIGGER cheat AFTER INSERT ON events BEGIN DELETE FROM plans; END",
    "view 'spy'": "CREATE VIEW spy AS SELECT * FROM events",
    "table 'recipes'": "CREATE TABLE recipes (name TEXT)",
    "index 'quick'": "CREATE INDEX quick ON events (kind)",
    "table 'trees'": "DROP TABLE trees",
    "table 'meta'": "ALTER TABLE meta ADD COLUMN more TEXT",
}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """An empty database."""
    migrate_file(path := tmp_path / "roundtable.db", migration_scripts())
    return path


async def _open(path: Path) -> None:
    async with Store.open(path):
        pass


@pytest.mark.parametrize(("what", "sql"), STRANGE.items())
def test_what_the_steps_do_not_make_is_refused_and_named_by_all(made: Path, what: str, sql: str) -> None:
    run_sql(made, sql)
    content = made.read_bytes()
    target = made.with_name("target.db")
    for use in (
        lambda: check_database(made),
        lambda: asyncio.run(_open(made)),
        lambda: restore_backup(made, target, NOON),
        lambda: back_up(made, target),
    ):
        with pytest.raises(StoreError) as raised:
            use()
        assert (raised.value.fault, raised.value.path, raised.value.detail) == (Fault.OTHER_SCHEMA, made, what)
    assert not target.exists()
    assert made.read_bytes() == content


def test_tables_of_sqlite_and_litestream_are_no_strangers(made: Path) -> None:
    run_sql(made, "ANALYZE")
    run_sql(made, "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
    run_sql(made, "CREATE TABLE _litestream_lock (id INTEGER)")
    check_database(made)
    asyncio.run(_open(made))


def test_a_trigger_does_not_hide_behind_a_name_of_sqlites(made: Path) -> None:
    with closing(sqlite3.connect(made, isolation_level=None)) as base:
        base.execute("PRAGMA writable_schema = ON")
        base.execute("CREATE TRIGGER cheat AFTER INSERT ON events BEGIN DELETE FROM plans; END")
        base.execute("UPDATE sqlite_schema SET name = 'sqlite_stat1' WHERE name = 'cheat'")
    with pytest.raises(StoreError) as raised:
        check_database(made)
    assert raised.value.fault in (Fault.OTHER_SCHEMA, Fault.DAMAGED)


# Faults of the disk, and lost files


async def fill(store: Store, stored: list[int]) -> None:
    """Stores notes until the disk is full."""
    for number in range(1000):
        await note(store, f"{number} {'x' * 500}")
        stored.append(number)


async def pragma(store: Store, what: str) -> int:
    """Sends a statement to the writing connection."""
    ((number,),) = await store._write_connection.run_sql(f"PRAGMA {what}")
    return int(number)


async def make(path: Path) -> None:
    async with Store.open(path) as store:
        await note(store, "before")


async def test_a_database_that_another_program_locks_for_a_moment_is_waited_for(path: Path) -> None:
    async with Store.open(path) as store:
        await pragma(store, "busy_timeout = 60000")  # the machine may be busy
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = asyncio.create_task(note(store, "late"))
            await asyncio.sleep(0.2)
            assert not waiting.done()
            assert await store.reader.get_meta("late") is None  # reading continues in the meantime
            other.execute("COMMIT")
            await waiting
        assert await store.reader.get_meta("late") == "x"


async def test_a_full_disk_is_over_when_there_is_room_again(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "roundtable.db") as store:
        pages = await pragma(store, "page_count")
        await pragma(store, f"max_page_count = {pages}")
        stored: list[int] = []
        with fails(Fault.NO_ACCESS, "full"):
            await fill(store, stored)
        await pragma(store, "max_page_count = 1000000")
        await note(store, "there is room")
        kept = [await store.reader.get_meta(f"{number} {'x' * 500}") for number in range(len(stored) + 1)]
        assert kept == ["x"] * len(stored) + [None]


async def test_a_file_that_cannot_be_written_to_is_named_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    await make(path)
    path.chmod(0o444)
    content = path.read_bytes()
    with unprivileged(), fails(Fault.NO_ACCESS, "readonly"):
        await make(path)
    assert path.read_bytes() == content
    permit(path.parent.glob("*"), 0o644)  # SQLite gives its journals the permissions of the database
    with unprivileged():
        await make(path)


async def test_a_folder_that_cannot_be_written_to_is_named_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    await make(path)
    path.with_name("roundtable.db.lock").unlink()
    permit([tmp_path], 0o555)
    try:
        with unprivileged(), fails(Fault.NO_ACCESS):
            await make(path)
    finally:
        permit([tmp_path], 0o755)


def test_a_migration_on_a_full_disk_leaves_the_database_as_it_was(path: Path) -> None:
    migrate_file(path, migration_scripts())
    filling = "PRAGMA max_page_count = 60; CREATE TABLE large (body BLOB) STRICT;" + (
        "INSERT INTO large VALUES (randomblob(100000));" * 20
    )
    with fails(Fault.NO_ACCESS, "full"):
        migrate_file(path, (*migration_scripts(), filling))
    assert query(path, "PRAGMA user_version") == [(last_version(),)]
    assert query(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'large'") == [(0,)]
    migrate_file(path, migration_scripts())


# Files that somebody removes or replaces: nothing is stored that would be lost


ENDINGS = ("", "-wal", "-shm", ".lock")
"""The suffixes of the database's files."""


async def is_refused(store: Store) -> str:
    """Returns why nothing can be stored."""
    with pytest.raises(StoreError) as raised:
        await note(store, "into nowhere")
    return raised.value.detail


def remove(file: Path) -> str:
    file.unlink()
    return f"{file.name}: No such file or directory"


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
            assert await is_refused(store) == f"{path.name}: No such file or directory"
            assert store.unavailable_reason == f"{path.name}: No such file or directory"
            move(path.with_name("elsewhere.db"), path)
            assert store.unavailable_reason is None
        await note(store, "late")
    assert [line["event"] for line in logged] == ["the database is away", "the database is back"]


async def test_a_link_may_lead_to_the_database_and_not_to_another(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    async with Store.open(link) as store:
        await note(store, "early")
        link.unlink()
        shutil.copy2(path, path.with_name("other.db"))
        link.symlink_to(path.with_name("other.db"))
        assert await is_refused(store) == "link.db has been replaced"
