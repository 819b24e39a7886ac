from __future__ import annotations

import asyncio
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ops import sentences
from bot.store import Fault, Store, StoreError, migrations
from bot.store import sqlite as sqlite_store
from bot.store.migrations import APPLICATION_ID, BASELINE, last_version, migrate_file, migration_steps
from tests.bot.databases import note, query

pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).parents[2]
BROKEN = "CREATE TABLE half (done INTEGER) STRICT; INSERT INTO nowhere VALUES (1);"
"""A migration that fails after its first half."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    # Characters that mean something in a URI, as which SQLite gets the name.
    return tmp_path / "new folder" / "round table 100%?#.db"


@pytest.fixture(autouse=True)
def _made_by_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "migrate_file", migrate_file)


async def refusal(path: Path) -> Fault:
    """Returns the error with which the store fails to open."""
    with pytest.raises(StoreError) as raised:
        async with Store.open(path):
            pass
    return raised.value.fault


# The file


async def test_a_new_database_is_made_with_its_folder(path: Path) -> None:
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
    tables = query(path, "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'")
    people = ["preferences", "seekers", "tables_called", "tree_nodes", "trees", "user_settings", "vacations"]
    matches = [
        "archive",
        "events",
        "follows",
        "matches",
        "plans",
        "players",
        "rating_changes",
        "ratings",
        "results",
        "shares",
    ]
    ladders = ["climbers", "ladders", *(f"ladder_{rows}" for rows in ("challenges", "entries", "games", "meetings"))]
    of_leagues = ("games", "news", "role_holders", "rulings", "scheduled_events", "seasons", "seats", "sign_ups")
    leagues = ["leagues", *(f"league_{rows}" for rows in of_leagues)]
    openings = ["opening_due", "opening_games"]
    thoughts = ["annotated_posts", "thought_choices", "thought_lines", "thoughts"]
    puzzles = ["daily_puzzles", "puzzle_results", "puzzles_made", "reviews"]
    names = sorted(
        [
            "absences",
            "guild_settings",
            "ladder_steps",
            "meta",
            *people,
            *matches,
            *ladders,
            *leagues,
            *puzzles,
            *thoughts,
            *openings,
        ]
    )
    assert sorted(tables) == [(name, 1) for name in names]


async def test_a_move_that_a_player_was_told_of_survives_a_power_cut(path: Path) -> None:
    async with Store.open(path) as store:
        wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0}
        for pragma, value in wanted.items():
            assert await store._write_connection.run_sql(f"PRAGMA {pragma}") == [(value,)]


async def test_a_database_opens_again_without_a_copy(path: Path) -> None:
    for _ in range(2):
        async with Store.open(path) as store:
            await note(store, "greeting")
    assert not list(path.parent.glob("*.backup*"))


async def test_a_second_instance_is_refused_until_the_first_has_closed(path: Path) -> None:
    async with Store.open(path) as store:
        assert await refusal(path) is Fault.IN_USE
        await note(store, "the first goes on")
    async with Store.open(path):
        pass


async def test_a_second_instance_is_refused_by_another_name_of_the_file_too(path: Path) -> None:
    async with Store.open(path):
        link = path.with_name("link.db")
        link.symlink_to(path)
        assert await refusal(link) is Fault.IN_USE


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
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"open\n"
        assert await refusal(path) is Fault.IN_USE
    finally:
        holder.kill()
        await holder.wait()
    async with Store.open(path):
        pass


@pytest.mark.parametrize("content", [b"Dear diary, this is no database at all." * 40, b"SQLite format 2"])
async def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "diary.db"
    path.write_bytes(content)
    assert await refusal(path) is Fault.NOT_A_DATABASE
    assert path.read_bytes() == content


async def test_a_database_of_another_program_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE recipes (name TEXT)")
    content = path.read_bytes()
    assert await refusal(path) is Fault.OTHER_PROGRAM
    assert path.read_bytes() == content


async def test_a_damaged_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    async with Store.open(path) as store:
        for number in range(200):
            await note(store, f"key {number}", "value " * 20)
    content = bytearray(path.read_bytes())
    content[4096:] = random.Random(1).randbytes(len(content) - 4096)
    path.write_bytes(content)
    assert await refusal(path) is Fault.DAMAGED
    assert path.read_bytes() == content


async def test_a_large_database_is_checked_whole_after_an_unclean_stop(tmp_path: Path) -> None:
    path = tmp_path / "large.db"
    async with Store.open(path) as store:
        for number in range(200):
            await note(store, f"key {number}", "value " * 20)
    content = bytearray(path.read_bytes())
    content[-4096:] = random.Random(1).randbytes(4096)
    path.write_bytes(content)
    migrate_file(path, migration_steps(), quick_check_max_bytes=0)  # the start does not wait for a full read
    path.with_name(path.name + "-wal").touch()  # which a clean stop removes
    content = bytearray(path.read_bytes())
    with pytest.raises(StoreError) as raised:
        migrate_file(path, migration_steps(), quick_check_max_bytes=0)
    assert raised.value.fault is Fault.DAMAGED
    assert path.read_bytes() == content


async def test_a_clean_stop_leaves_no_journal(path: Path) -> None:
    async with Store.open(path) as store:
        await note(store, "greeting")
        assert path.with_name(path.name + "-wal").exists()
    assert not path.with_name(path.name + "-wal").exists()


async def test_a_database_of_a_newer_version_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    async with Store.open(path):
        pass
    with closing(sqlite3.connect(path)) as base:
        base.execute(f"PRAGMA user_version = {last_version() + 1}")
    content = path.read_bytes()
    assert await refusal(path) is Fault.NEWER
    assert path.read_bytes() == content


async def test_a_database_from_before_the_baseline_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "older.db"
    async with Store.open(path):
        pass
    with closing(sqlite3.connect(path)) as base:
        base.execute(f"PRAGMA user_version = {BASELINE - 1}")
    content = path.read_bytes()
    assert await refusal(path) is Fault.TOO_OLD
    assert path.read_bytes() == content


async def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert await refusal(tmp_path / "file" / "roundtable.db") is Fault.NO_ACCESS
    assert await refusal(tmp_path) is Fault.NO_ACCESS


async def test_a_refused_database_is_not_left_locked(tmp_path: Path) -> None:
    path = tmp_path / "diary.db"
    path.write_bytes(b"Dear diary" * 100)
    assert await refusal(path) is Fault.NOT_A_DATABASE
    path.unlink()
    async with Store.open(path):
        pass


# Migrations


async def test_before_a_migration_the_database_is_copied(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Store.open(path) as store:
        await note(store, "greeting", "hei")
    last = last_version()
    later = (*migration_steps(), "ALTER TABLE meta ADD COLUMN since INTEGER; UPDATE meta SET since = 7;")
    monkeypatch.setattr("bot.store.sqlite.migration_steps", lambda: later)
    async with Store.open(path) as store:
        assert await store.reader.get_meta("greeting") == "hei"
    assert query(path, "SELECT since FROM meta") == [(7,)]
    backup = path.with_name(f"{path.name}.v{last}.backup")
    assert query(backup, "SELECT * FROM meta") == [("greeting", "hei")]
    assert query(backup, "PRAGMA user_version") == [(last,)]


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    with pytest.raises(StoreError) as raised:
        migrate_file(path, (*migration_steps(), BROKEN))
    assert raised.value.fault is Fault.STEP_FAILED
    assert raised.value.detail == f"step {last_version() + 1}: no such table: nowhere"
    assert query(path, "PRAGMA user_version") == [(last_version(),)]
    assert query(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == [(0,)]
    migrate_file(path, (*migration_steps(), "CREATE TABLE whole (done INTEGER) STRICT;"))


def test_steps_before_a_failing_one_are_undone_for_the_old_version(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    with pytest.raises(StoreError) as raised:
        migrate_file(path, (*migration_steps(), "CREATE TABLE whole (done INTEGER) STRICT;", BROKEN))
    assert raised.value.fault is Fault.STEP_FAILED
    assert f"step {last_version() + 2}:" in raised.value.detail
    assert query(path, "SELECT count(*) FROM sqlite_schema WHERE name IN ('half', 'whole')") == [(0,)]
    migrate_file(path, migration_steps())


@pytest.mark.parametrize(
    "mistake", ["CREATE TABEL x (y);", "INSERT INTO meta VALUES ('a', NULL);", "SELECT 'never closed;"]
)
def test_any_fault_of_a_step_names_the_step_and_not_the_disk(tmp_path: Path, mistake: str) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    with pytest.raises(StoreError) as raised:
        migrate_file(path, (*migration_steps(), mistake))
    assert raised.value.fault is Fault.STEP_FAILED


def test_a_step_may_contain_a_semicolon_and_end_without_one(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    trigger = "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM meta WHERE key = ';'; DELETE FROM shares; END;"
    migrate_file(path, (*migration_steps(), f"-- a; b\n{trigger} INSERT INTO meta VALUES ('a;b', 'c') -- d; e"))
    assert query(path, "SELECT value FROM meta WHERE key = 'a;b'") == [("c",)]
    assert query(path, "SELECT name FROM sqlite_schema WHERE type = 'trigger'") == [("t",)]


def test_a_failing_migration_names_the_step_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    monkeypatch.setenv("ROUNDTABLE_DB", str(path))
    monkeypatch.setenv("ROUNDTABLE_SANDBOX_PORT", "0")
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    later = (*migration_steps(), BROKEN)
    monkeypatch.setattr("bot.store.sqlite.migration_steps", lambda: later)
    assert main([]) == 1
    told = capsys.readouterr().err
    why = f"step {last_version() + 1}: no such table: nowhere"
    assert f"{path} could not be brought up to date ({why}), and is as it was." in told
    assert "Go on with the old version of the program, and report this." in told
    assert "Traceback" not in told


def test_there_is_a_sentence_for_every_fault(path: Path) -> None:
    for fault in Fault:
        assert str(path) in sentences.fault_sentence(StoreError(fault, path, "why"))


def test_a_migration_that_breaks_a_reference_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    orphan = "INSERT INTO players (match, user, seat, resigned) VALUES (99, 1, 0, 0);"
    with pytest.raises(StoreError) as raised:
        migrate_file(path, (*migration_steps(), orphan))
    assert raised.value.fault is Fault.STEP_FAILED
    assert query(path, "SELECT count(*) FROM players") == [(0,)]


def test_a_reference_broken_before_a_migration_is_damage_not_the_steps_fault(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps())
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("INSERT INTO players (match, user, seat, resigned) VALUES (99, 1, 0, 0)")
    with pytest.raises(StoreError) as raised:
        migrate_file(path, (*migration_steps(), "CREATE TABLE whole (done INTEGER) STRICT;"))
    assert raised.value.fault is Fault.DAMAGED


def test_the_steps_are_numbered_without_a_gap() -> None:
    folder = Path(migrations.__file__).parent
    assert [int(file.name[:3]) for file in sorted(folder.glob("*.sql"))] == list(range(BASELINE, last_version() + 1))
