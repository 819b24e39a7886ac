"""The store on PostgreSQL: what both engines must do, and what is special about a server."""

from __future__ import annotations

import asyncio
import random
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.features import FEATURES
from bot.ops.rebuild import rebuild_all
from bot.play.service import Service, games
from bot.privacy.service import forget_person
from bot.store import Fault, Store, StoreError
from bot.store.connection import Address, SqlValues
from bot.store.dialect import translate_statement
from bot.store.migrations import BASELINE, last_version, migration_scripts
from bot.store.postgresql import PostgresSession, inspect_database, migrate_database
from bot.store.results import snapshot_derived
from tests.bot.databases import fails, opening_refused, session_of
from tests.bot.played_ladders import challenged, join, play, won
from tests.bot.playing import ADA, BO, NOW, unshuffled
from tests.examples import AtMost
from tests.postgresql import MISSING, Cluster, programs
from tests.proxy import proxied
from tests.repository import ROOT, modules, read

LARGE = 2**63 - 1


@pytest.fixture
async def store(address: Address) -> AsyncIterator[Store]:
    async with Store.open(address) as opened:
        yield opened


# Statements


@pytest.mark.parametrize(
    ("sql", "values", "told"),
    [
        ("SELECT user FROM t WHERE x = ?", ("a",), 'SELECT "user" FROM t WHERE x = $1::text'),
        ("SELECT ?1 + ?1", (2.5,), "SELECT $1::double precision + $1::double precision"),
        ("VALUES (:end, :no, :end)", {"end": True, "no": None}, "VALUES ($1::bigint, NULL, $1::bigint)"),
        ("SELECT 'user: :x ?' || end -- user ?", (), "SELECT 'user: :x ?' || \"end\" -- user ?"),
        ("SELECT 1 FROM t INDEXED BY some_index WHERE TRUE", (), "SELECT 1 FROM t  WHERE TRUE"),
    ],
)
def test_a_statement_is_put_in_the_words_of_postgresql(sql: str, values: SqlValues, told: str) -> None:
    given = [value for value in (values.values() if isinstance(values, dict) else values) if value is not None]
    assert translate_statement(sql, values) == (told, tuple(given))


async def test_a_move_takes_nine_trips_to_the_server_the_commit_included(address: Address) -> None:
    async with proxied(address) as (proxy, through), Store.open(through) as store:
        service = Service(store, FEATURES, unshuffled)
        await service.presence.note_present(NOW)
        await join(service, ADA, BO)
        match = await play(service, await challenged(service, ADA, BO), NOW)
        before = proxy.trips
        await play(service, match, NOW, plies=1)
        assert proxy.trips - before <= 9


@pytest.mark.parametrize("path", [path for path, _ in modules("bot/store")])
def test_no_statement_takes_a_number_for_a_condition(path: str) -> None:
    """The mistakes easiest to make among those that PostgreSQL refuses and SQLite accepts."""
    number = r"(?:\w+\.)?[a-z_]+"
    assert not re.findall(rf"\b(?:WHERE|AND|OR|NOT) {number}(?=\"|\)| AND| OR| ORDER| LIMIT)", read(path))
    assert not re.findall(rf"\b(?:WHERE|RETURNING|SELECT|WHEN) {number} (?:AND|OR)\b", read(path))


async def test_a_nul_in_a_text_is_dropped_because_the_server_rejects_it(store: Store) -> None:
    async with store.write_transaction() as tx:
        await tx.set_meta("k\0ey", "F7-F8\0")
        assert await tx.get_meta("k\0ey") == await tx.get_meta("key") == "F7-F8"


async def test_the_largest_numbers_and_the_last_digit_of_a_rating_are_kept(store: Store) -> None:
    digits = 0.1 + 0.2
    async with store.write_transaction() as tx:
        values = (LARGE, "camelot", -LARGE, digits, 1e-300, 1, 2, 3, 4)
        await tx.run_sql(f"INSERT INTO ratings VALUES ({', '.join('?' * 9)})", values)
    assert await store.reader.run_sql("SELECT * FROM ratings") == [values]


# Transactions


async def test_the_server_stops_a_statement_for_which_nobody_waits(store: Store, cluster: Cluster) -> None:
    with pytest.raises(StoreError):
        await store.reader.run_sql("SELECT pg_sleep(600)")
    running = "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'"
    async with asyncio.timeout(60):
        while cluster.tell("postgres", running) != "0":  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.5)


async def test_a_step_may_take_longer_than_other_statements(address: Address) -> None:
    writing = PostgresSession(address, writing=True)
    writing._settings["statement_timeout"] = "200ms"
    await migrate_database(writing, ["SELECT pg_sleep(0.5);"])
    assert await writing.run_sql("SELECT version FROM round_table") == [(last_version(["SELECT pg_sleep(0.5);"]),)]
    await writing.aclose()


# A story, and all of them


async def test_a_ladder_game_gives_the_same_digits_on_either_engine(address: Address, path: Path) -> None:
    brought = []
    for database in (address, path):
        async with Store.open(database) as store:
            service = Service(store, FEATURES, unshuffled)
            await join(service, ADA, BO)
            await won(service, await challenged(service, ADA, BO), ADA, NOW)
            assert not (await rebuild_all(service, write=False)).differing
            stored = await snapshot_derived(store.reader, service.database_tables)
            brought.append((stored, await games.export_games(service)))
            await forget_person(service, BO, NOW)
    assert brought[0] == brought[1]


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_share_of_the_ordinary_tests_runs_on_it(at_most: AtMost) -> None:
    if programs() is None:
        pytest.skip(MISSING)
    files = [str(path) for room in ("bot", "e2e") for path in (ROOT / "tests" / room).rglob("test_*.py")]
    some = random.sample(files, at_most(16, 8))
    # A socket that the garbage collector finds late fails an unrelated test; the ordinary run checks for those.
    options = ("-q", "-n", "2", "--dist", "loadfile", "-p", "no:unraisableexception", "--postgresql")
    command = (sys.executable, "-m", "pytest", *options, *some)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]


# The server


async def test_a_second_instance_is_refused_until_the_first_is_gone(address: Address) -> None:
    async with Store.open(address):
        assert (await opening_refused(address)).fault is Fault.IN_USE
        assert (await inspect_database(address)).in_use
    assert not (await inspect_database(address)).in_use
    async with Store.open(address):
        pass


async def test_a_move_survives_a_power_cut(store: Store) -> None:
    for connection in (session_of(store), store.reader._connection):
        assert await connection.run_sql("SHOW synchronous_commit") == [("on",)]


async def test_another_programs_database_is_left_alone(address: Address, cluster: Cluster) -> None:
    name = address.url.split("/")[3].split("?")[0]
    cluster.tell(name, "CREATE TABLE theirs (id int)")
    assert (await opening_refused(address)).fault is Fault.OTHER_PROGRAM
    assert cluster.tell(name, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "1"


@pytest.mark.parametrize(("version", "fault"), [(last_version() + 1, Fault.NEWER), (BASELINE - 1, Fault.TOO_OLD)])
async def test_a_database_of_another_version_is_refused(
    address: Address, cluster: Cluster, version: int, fault: Fault
) -> None:
    async with Store.open(address):
        pass
    cluster.tell(address.url.split("/")[3].split("?")[0], f"UPDATE round_table SET version = {version}")
    assert (await opening_refused(address)).fault is fault


async def test_a_step_that_fails_undoes_those_before_it(address: Address) -> None:
    broken = PostgresSession(address, writing=True)
    with fails(Fault.MIGRATION_FAILED):
        await migrate_database(
            broken, (*migration_scripts(), "CREATE TABLE two (id INTEGER) STRICT; CREATE TABLE two (id INTEGER) STRICT")
        )
    await broken.aclose()
    assert (await inspect_database(address)).version == 0
    async with Store.open(address):
        assert (await inspect_database(address)).version == last_version()


async def test_a_server_that_is_not_there_is_named_without_the_password(tmp_path: Path) -> None:
    error = await opening_refused(Address(f"postgresql://ada:s3cret@/nowhere?host={tmp_path}"))
    assert error.fault is Fault.NO_ACCESS
    assert "s3cret" not in f"{error!r} {error.path!r} {error.path}"
    assert str(error.path) == "postgresql://ada@/nowhere"
