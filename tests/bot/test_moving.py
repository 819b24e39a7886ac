"""A community's database copied to PostgreSQL and back, and the terminal's commands on it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.features import TABLES
from bot.ops import sentences
from bot.store import Store, database_tables
from bot.store.connection import Address
from tests.bot.databases import OLD, load_dump, run_sql
from tests.postgresql import Cluster

pytestmark = pytest.mark.sqlite


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Points the settings at a community's database."""
    path = load_dump(OLD, tmp_path / "roundtable.db")
    for name in ("DISCORD_TOKEN", "ROUNDTABLE_SANDBOX_URL"):
        monkeypatch.delenv(name, raising=False)
    use(monkeypatch, path)
    return path


def use(monkeypatch: pytest.MonkeyPatch, database: Path | Address) -> None:
    """Points the settings at it."""
    monkeypatch.setenv("ROUNDTABLE_DB", database.url if isinstance(database, Address) else str(database))


def everything(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables."""
    with closing(sqlite3.connect(path)) as base:
        names = [name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
        return {
            name: sorted(base.execute(f"SELECT * FROM {name}").fetchall(), key=repr)
            for name in names
            if not name.startswith("sqlite_stat")
        }


async def test_every_table_is_moved_those_first_to_which_others_refer(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    async with Store.open(path):
        pass
    with closing(sqlite3.connect(path)) as base:
        tables = base.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        key = "SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk"
        keys = {name: [column for (column,) in base.execute(key, (name,))] for name, _ in tables}
        referred = {name: {row[2] for row in base.execute(f"PRAGMA foreign_key_list({name})")} for name, _ in tables}
    ours = {name for name, _ in tables if not name.startswith("sqlite_")}
    assert {table.name: list(table.key) for table in TABLES} == {name: keys[name] for name in ours}
    order = [table.name for table in TABLES]
    assert all(order.index(other) < order.index(name) for name in ours for other in referred[name])
    assert {table.name for table in TABLES if table.is_numbered} == {
        name for name, sql in tables if "AUTOINCREMENT" in sql
    }


async def test_a_nul_in_a_text_keeps_nothing_from_moving(path: Path, address: Address) -> None:
    run_sql(path, "INSERT INTO meta VALUES ('note', 'a' || char(0) || 'b')")
    await database_tables.copy_all_tables(path, address, TABLES, lambda _, __: None)
    async with Store.open(address) as store:
        assert await store.reader.get_meta("note") == "ab"


def test_a_database_moves_there_and_back_and_is_the_same(
    path: Path, address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export"]) == 0
    exported = capsys.readouterr().out
    before = everything(path)

    assert main(["move-to", address.url]) == 0
    assert sentences.AGREES in capsys.readouterr().out
    use(monkeypatch, address)
    assert main(["export"]) == 0
    assert capsys.readouterr().out == exported
    assert main(["move-to", str(path)]) == 1, "there is something already"
    assert f"{path} is not empty" in capsys.readouterr().err

    back = tmp_path / "back.db"
    assert main(["move-to", str(back)]) == 0
    assert everything(back) == before
    use(monkeypatch, back)
    capsys.readouterr()
    assert main(["export"]) == 0
    assert capsys.readouterr().out == exported


def test_what_is_cut_short_leaves_nothing_and_is_begun_again(
    path: Path, address: Address, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(table: str, rows: int) -> None:
        if table == "shares":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(database_tables.copy_all_tables(path, address, TABLES, cut))
    assert main(["move-to", address.url]) == 0


def test_a_copy_that_differs_is_no_copy(
    path: Path, address: Address, cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    async def prepare() -> None:
        async with Store.open(address):
            pass

    asyncio.run(prepare())
    name = address.url.split("/")[3].split("?")[0]
    spoil = "BEGIN NEW.body = ''x''; RETURN NEW; END"
    cluster.tell(name, f"CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS '{spoil}'")
    cluster.tell(name, "CREATE TRIGGER spoil BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION spoil()")
    assert main(["move-to", address.url]) == 1
    assert "does not read back as it was (events)" in capsys.readouterr().err
    assert cluster.tell(name, "SELECT count(*) FROM matches") == "0"


def test_the_terminal_works_with_postgresql_as_with_a_file(
    path: Path, address: Address, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        return main(arguments), "".join(capsys.readouterr())

    assert said("move-to", address.url)[0] == 0
    use(monkeypatch, address)
    code, report = said("doctor")
    assert "No bot is running on it." in report
    assert "Its backups are PostgreSQL's own affair" in report
    assert code == 0
    assert said("ratings")[0] == 0
    assert said("ratings", "--rebuild")[0] == 0
    assert said("forget", str(10**17)) == (0, sentences.FORGOTTEN.format(user=10**17, count=0) + "\n")
    assert said("data", str(10**17))[0] == 0
    for arguments in (("backup",), ("restore", "x.db")):
        assert said(*arguments) == (1, sentences.NOT_OURS_TO_COPY.format(path=address) + "\n")
