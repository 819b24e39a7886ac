"""A database with a foreign schema is refused, whatever its origin."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.ops.backup import back_up, restore_backup
from bot.store import Fault, Store, StoreError
from bot.store.migrations import find_schema_difference, migrate_file, migration_steps
from bot.store.sqlite import check_database

pytestmark = pytest.mark.sqlite

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
STRANGE = {
    "unknown trigger 'cheat'": "CREATE TRIGGER cheat AFTER INSERT ON events BEGIN DELETE FROM plans; END",
    "unknown view 'spy'": "CREATE VIEW spy AS SELECT * FROM events",
    "unknown table 'recipes'": "CREATE TABLE recipes (name TEXT)",
    "unknown index 'quick'": "CREATE INDEX quick ON events (kind)",
    "missing table 'trees'": "DROP TABLE trees",
    "different table 'meta'": "ALTER TABLE meta ADD COLUMN more TEXT",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    migrate_file(path := tmp_path / "roundtable.db", migration_steps())
    return path


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute(sql)


async def _open(path: Path) -> None:
    async with Store.open(path):
        pass


@pytest.mark.parametrize(("what", "sql"), STRANGE.items())
def test_what_the_steps_do_not_make_is_refused_and_named_by_all(path: Path, what: str, sql: str) -> None:
    change(path, sql)
    content = path.read_bytes()
    target = path.with_name("target.db")
    for use in (
        lambda: check_database(path),
        lambda: asyncio.run(_open(path)),
        lambda: restore_backup(path, target, NOON),
        lambda: back_up(path, target),
    ):
        with pytest.raises(StoreError) as raised:
            use()
        assert (raised.value.fault, raised.value.path, raised.value.detail) == (Fault.OTHER_SCHEMA, path, what)
    assert not target.exists()
    assert path.read_bytes() == content


SAME = [
    "CREATE TABLE meta (key TEXT PRIMARY KEY,value TEXT NOT NULL)STRICT,WITHOUT ROWID",
    'CREATE TABLE "meta" (\n[key] TEXT PRIMARY KEY, -- a\n`value` /* b */ TEXT NOT NULL) STRICT, WITHOUT ROWID -- c',
]
OTHER = [
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, -- value TEXT NOT NULL,\n other TEXT) STRICT, WITHOUT ROWID",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL DEFAULT '--') STRICT, WITHOUT ROWID",
]


@pytest.mark.parametrize("sql", SAME + OTHER)
def test_comments_blanks_and_quotes_make_no_other_schema_but_everything_else_does(path: Path, sql: str) -> None:
    change(path, "DROP TABLE meta")
    change(path, sql)
    if sql in SAME:
        check_database(path)
        return
    with pytest.raises(StoreError) as raised:
        check_database(path)
    assert (raised.value.fault, raised.value.detail) == (Fault.OTHER_SCHEMA, "different table 'meta'")


def test_what_stands_in_a_string_is_no_comment(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    later = (*migration_steps(), "CREATE TABLE quoted (a TEXT DEFAULT '-- it''s', b TEXT DEFAULT '/*') STRICT;")
    migrate_file(path, later)
    for sql, is_same in (
        ("CREATE TABLE quoted (a TEXT DEFAULT '-- it''s', b TEXT DEFAULT '/*') STRICT -- '", True),
        ("CREATE TABLE quoted (a TEXT DEFAULT '-- its', b TEXT DEFAULT '/*') STRICT", False),
        ("CREATE TABLE quoted (a TEXT DEFAULT '--  it''s', b TEXT DEFAULT '/*') STRICT", False),
    ):
        change(path, "DROP TABLE quoted")
        change(path, sql)
        with closing(sqlite3.connect(path)) as base:
            assert (find_schema_difference(base, later) is None) is is_same


def test_tables_of_sqlite_and_litestream_are_no_strangers(path: Path) -> None:
    change(path, "ANALYZE")
    change(path, "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
    change(path, "CREATE TABLE _litestream_lock (id INTEGER)")
    check_database(path)
    asyncio.run(_open(path))


def test_a_trigger_does_not_hide_behind_a_name_of_sqlites(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("PRAGMA writable_schema = ON")
        base.execute("CREATE TRIGGER cheat AFTER INSERT ON events BEGIN DELETE FROM plans; END")
        base.execute("UPDATE sqlite_schema SET name = 'sqlite_stat1' WHERE name = 'cheat'")
    with pytest.raises(StoreError) as raised:
        check_database(path)
    assert raised.value.fault in (Fault.OTHER_SCHEMA, Fault.DAMAGED)
