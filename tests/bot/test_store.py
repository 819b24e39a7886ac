from __future__ import annotations

import asyncio
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot import migrations
from bot.events import Kind
from bot.match import Match
from bot.matches import turns
from bot.migrations import APPLICATION_ID, migrate, steps
from bot.store import Fault, Store, StoreError, Writer
from tests.bot.playing import ADA, CHANNEL, GUILD, NOW, followed, random_move, started, table

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    # Characters that mean something in a URI, as which SQLite gets the name.
    return tmp_path / "new folder" / "round table 100%?#.db"


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as base:
        return base.execute(sql).fetchall()


async def refusal(path: Path) -> Fault:
    """Why the store does not open."""
    with pytest.raises(StoreError) as raised:
        async with Store.open(path):
            pass
    return raised.value.fault


async def note(store: Store, key: str, value: str = "x") -> None:
    await store.transaction(lambda writer: writer.set_meta(key, value))


# The file


async def test_a_new_database_is_made_with_its_folder(path: Path) -> None:
    async with Store.open(path) as store:
        await note(store, "greeting", "hei")
        assert await store.reader.meta("greeting") == "hei"
    assert query(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert query(path, "PRAGMA user_version") == [(len(steps()),)]
    assert query(path, "PRAGMA journal_mode") == [("wal",)]
    assert query(path, "PRAGMA integrity_check") == [("ok",)]


async def test_every_table_is_strict(path: Path) -> None:
    async with Store.open(path):
        pass
    tables = query(path, "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'")
    names = ["events", "follows", "guild_settings", "matches", "meta", "players", "user_settings", "vacations"]
    assert sorted(tables) == [(name, 1) for name in names]


async def test_a_move_that_a_player_was_told_of_survives_a_power_cut(path: Path) -> None:
    async with Store.open(path) as store:
        wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0}
        for pragma, value in wanted.items():
            assert [tuple(row) for row in await store._writer.run(f"PRAGMA {pragma}")] == [(value,)]


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


async def test_a_database_of_a_newer_version_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    async with Store.open(path):
        pass
    with closing(sqlite3.connect(path)) as base:
        base.execute(f"PRAGMA user_version = {len(steps()) + 1}")
    content = path.read_bytes()
    assert await refusal(path) is Fault.NEWER
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
    last = len(steps())
    later = (*steps(), "ALTER TABLE meta ADD COLUMN since INTEGER; UPDATE meta SET since = 7;")
    monkeypatch.setattr("bot.store.steps", lambda: later)
    async with Store.open(path) as store:
        assert await store.reader.meta("greeting") == "hei"
    assert query(path, "SELECT since FROM meta") == [(7,)]
    backup = path.with_name(f"{path.name}.v{last}.backup")
    assert query(backup, "SELECT * FROM meta") == [("greeting", "hei")]
    assert query(backup, "PRAGMA user_version") == [(last,)]


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate(path, steps())
    broken = "CREATE TABLE half (done INTEGER) STRICT; INSERT INTO nowhere VALUES (1);"
    with pytest.raises(StoreError):
        migrate(path, (*steps(), broken))
    assert query(path, "PRAGMA user_version") == [(len(steps()),)]
    assert query(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == [(0,)]
    migrate(path, (*steps(), "CREATE TABLE whole (done INTEGER) STRICT;"))


def test_a_migration_that_breaks_a_reference_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate(path, steps())
    orphan = "INSERT INTO players (match, user, seat, resigned) VALUES (99, 1, 0, 0);"
    with pytest.raises(StoreError) as raised:
        migrate(path, (*steps(), orphan))
    assert raised.value.fault is Fault.DAMAGED
    assert query(path, "SELECT count(*) FROM players") == [(0,)]


def test_the_steps_are_numbered_without_a_gap() -> None:
    folder = Path(migrations.__file__).parent
    assert [int(file.name[:3]) for file in sorted(folder.glob("*.sql"))] == list(range(1, len(steps()) + 1))


# Transactions


async def test_what_fails_leaves_nothing_behind(path: Path) -> None:
    async def work(writer: Writer) -> None:
        await writer.set_meta("half", "done")
        raise LookupError

    async with Store.open(path) as store:
        with pytest.raises(LookupError):
            await store.transaction(work)
        assert await store.reader.meta("half") is None
        await note(store, "the next one is not disturbed")


async def test_the_reader_sees_only_what_is_committed(path: Path) -> None:
    async with Store.open(path) as store:

        async def work(writer: Writer) -> tuple[str | None, str | None]:
            await writer.set_meta("key", "value")
            return await writer.meta("key"), await store.reader.meta("key")

        assert await store.transaction(work) == ("value", None)
        assert await store.reader.meta("key") == "value"


async def test_the_reader_cannot_write(path: Path) -> None:
    async with Store.open(path) as store:
        with pytest.raises(StoreError):
            await store.reader.run("DELETE FROM meta")


async def test_a_full_disk_is_named_and_undoes_the_whole_transaction(path: Path) -> None:
    async def work(writer: Writer) -> None:
        await writer.set_meta("small", "x")
        await writer.set_meta("large", "x" * 10_000_000)

    async with Store.open(path) as store:
        await store._writer.run("PRAGMA max_page_count = 100")
        with pytest.raises(StoreError) as raised:
            await store.transaction(work)
        assert raised.value.fault is Fault.NO_ACCESS
        assert await store.reader.meta("small") is None
        await note(store, "what still fits")


async def test_transactions_do_not_mix(path: Path) -> None:
    async def increment(writer: Writer) -> None:
        count = int(await writer.meta("count") or 0)
        await asyncio.sleep(0)
        await writer.set_meta("count", str(count + 1))

    async with Store.open(path) as store:
        await asyncio.gather(*(store.transaction(increment) for _ in range(50)))
        assert await store.reader.meta("count") == "50"


async def test_a_storm_of_cancellations_leaves_all_or_nothing(path: Path) -> None:
    async def pair(store: Store, number: int) -> None:
        async def work(writer: Writer) -> None:
            await writer.set_meta(f"left {number}", "x")
            await writer.set_meta(f"right {number}", "x")

        await store.transaction(work)

    rng = random.Random(3)
    async with Store.open(path) as store:
        for wave in range(10):
            tasks = [asyncio.create_task(pair(store, 20 * wave + number)) for number in range(20)]
            await asyncio.sleep(rng.random() / 100)
            for task in tasks:
                if rng.random() < 0.7:
                    task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(result is None or isinstance(result, asyncio.CancelledError) for result in results)
            await note(store, f"after wave {wave}")
        done = {number for number in range(200) if await store.reader.meta(f"left {number}")}
        assert done == {number for number in range(200) if await store.reader.meta(f"right {number}")}


async def test_closing_waits_for_transactions_whose_callers_have_gone(path: Path) -> None:
    async def slow(writer: Writer) -> None:
        await asyncio.sleep(0.05)
        await writer.set_meta("slow", "done")

    async with Store.open(path) as store:
        caller = asyncio.create_task(store.transaction(slow))
        await asyncio.sleep(0.01)
        caller.cancel()
    async with Store.open(path) as store:
        assert await store.reader.meta("slow") == "done"


def test_a_transaction_under_way_when_the_loop_ends_leaves_nothing_open(path: Path) -> None:
    async def stuck(writer: Writer) -> None:
        await writer.set_meta("half", "done")
        await asyncio.Event().wait()

    async def main() -> None:
        async with Store.open(path) as store:
            unit = asyncio.create_task(store._unit(stuck))
            await asyncio.sleep(0.05)
            unit.cancel()
            await asyncio.wait([unit])
            await note(store, "the next")
            assert await store.reader.meta("half") is None

    asyncio.run(main())


# Matches


async def test_events_come_back_as_they_went_in_and_only_once(path: Path) -> None:
    events = started("tri-camelot")
    match = Match.replay(0, events)
    async with Store.open(path) as store:
        match_id = await store.transaction(lambda writer: writer.add(match, events))
        assert await store.reader.events(match_id) == tuple(events)
        with pytest.raises(sqlite3.IntegrityError):
            await store.transaction(lambda writer: writer.append(Match.replay(match_id, events), events[-1:]))
        assert await store.reader.events(match_id) == tuple(events)


async def test_numbers_are_never_given_twice(path: Path) -> None:
    events = table()
    async with Store.open(path) as store:
        for expected in (1, 2):
            assert await store.transaction(lambda writer: writer.add(Match.replay(0, events), events)) == expected
    with closing(sqlite3.connect(path)) as base:
        base.executescript("DELETE FROM events; DELETE FROM players; DELETE FROM matches;")
    async with Store.open(path) as store:
        assert await store.transaction(lambda writer: writer.add(Match.replay(0, events), events)) == 3


async def test_a_player_with_a_thousand_games_gets_his_list_at_once(path: Path) -> None:
    events = started()
    match = Match.replay(0, events)
    async with Store.open(path) as store:

        async def work(writer: Writer) -> None:
            for _ in range(1000):
                await writer.add(match, events)

        await store.transaction(work)
        begin = asyncio.get_running_loop().time()
        games = await store.reader.games_of(GUILD, ADA, live=True)
        assert asyncio.get_running_loop().time() - begin < 0.5
        assert len(games) == 200
        assert {(game.channel, game.players) for game in games} == {(CHANNEL, match.players)}


async def test_a_move_takes_no_more_than_thirty_bytes(path: Path) -> None:
    rng = random.Random(5)
    games = []
    for _ in range(20):
        events = started()
        match = Match.replay(0, events)
        while match.to_move is not None and match.ply < 60:
            fresh = turns.move(match, match.to_move, random_move(match, rng), NOW)
            match = followed(match, fresh)
            events += fresh
        games.append((match, events))

    async def work(writer: Writer) -> None:
        for match, events in games:
            await writer.add(match, events)

    async with Store.open(path) as store:
        await store.transaction(work)
    assert bytes_per_move(path) <= 30


def bytes_per_move(path: Path) -> float:
    """By how much the file shrinks, for each move, when the moves are taken out."""
    sizes: list[int] = []
    with closing(sqlite3.connect(path)) as base:
        for statement in ("SELECT 1", f"DELETE FROM events WHERE kind = {Kind.MOVED.value}"):
            base.execute(statement)
            base.commit()
            base.execute("VACUUM")
            sizes.append(
                base.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
            )
        moves: int = base.execute("SELECT sum(ply) FROM matches").fetchone()[0]
    return float(sizes[0] - sizes[1]) / moves
