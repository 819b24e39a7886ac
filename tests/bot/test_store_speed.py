"""The number of the transactions and queries of a move and of a tick, and what is deleted by index.

What each query costs: tests/e2e/test_growth.py.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from bot.core.clock import DAY
from bot.core.events import Seating
from bot.core.fold import replay_match
from bot.core.settings import GuildSettings
from bot.core.table import promise_house
from bot.explore import service as trees
from bot.features import FEATURES, TABLES
from bot.plans.service import resume_plans
from bot.play.service import Service, people, upkeep
from bot.privacy import service as forgetting
from bot.puzzles import service as puzzles_store
from bot.store import Store, Writer
from bot.store.database_tables import statements_to_delete_match
from tests.bot import acts
from tests.bot.beginning import begun, opened
from tests.bot.databases import write
from tests.bot.played_ladders import won
from tests.bot.playing import ADA, CHANNEL, DEE, GUILD, NOW, by, existing, random_move, started

pytestmark = pytest.mark.sqlite


@asynccontextmanager
async def watched(store: Store) -> AsyncIterator[list[str]]:
    """Returns every statement that the reader runs within the block."""
    connection = store.reader._connection.base
    await connection.set_trace_callback((asked := list[str]()).append)
    yield asked
    await connection.set_trace_callback(lambda _: None)


async def test_a_tick_asks_once_for_all_servers_and_all_games(store: Store) -> None:
    service = Service(store, FEATURES)
    for guild in range(GUILD, GUILD + 5):
        await people.change_guild_settings(service, guild, lambda _: GuildSettings(house=False, puzzle_channel=CHANNEL))
    for _ in range(3):
        table = await opened(service, "cam", seating=Seating.RANDOM)
        await service.change_match(table.id, lambda match, _: promise_house(match, by(ADA), "easy", NOW + 1))
    await puzzles_store.choose_due_puzzles(service, NOW)
    async with watched(store) as asked:
        await puzzles_store.choose_due_puzzles(service, NOW)
        assert len(await upkeep.tick_matches(service, NOW + 1)) == 3
    assert len([statement for statement in asked if "guild_settings" in statement]) == 2


async def test_what_people_plan_and_try_is_found_forgotten_and_deleted_by_index(path: Path) -> None:
    async with Store.open(path) as store:
        service, asked = Service(store, FEATURES), list[str]()
        match_id = await write(store, Writer.add_match, replay_match(0, started()), started())
        await store._write_connection.base.set_trace_callback(asked.append)
        await trees.drop_old_trees(service, NOW)
        async with store.write_transaction() as tx:
            await trees._drop_empty(tx, ADA)
            await forgetting.forget_rest(tx, ADA, -1, TABLES)
            await tx.run_batch(statements_to_delete_match(TABLES, match_id))
        async with watched(store) as read:
            await trees.played_moves(store.reader, GUILD, 1, 9, every=True)
            await resume_plans(service, NOW)
    about = [statement for statement in [*asked, *read] if re.match("(?!--).*(plans|tree|shares)", statement)]
    assert len(about) >= 8
    with closing(sqlite3.connect(path)) as base:
        for statement in about:
            plan = base.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
            assert not [row for row in plan if re.match("SCAN (plans|tree|shares)", row[3])], statement


async def test_thousands_of_games_against_the_house_are_not_read_at_once(store: Store) -> None:
    service = Service(store, FEATURES)
    await acts.resign(service, (await begun(service)).id, GUILD, ADA, NOW + DAY)
    await store._write_connection.run_sql("PRAGMA foreign_keys = OFF")
    async with store.write_transaction() as tx:
        columns = await tx.read_column("SELECT name FROM pragma_table_info('results')")
        others = {"match": "match + n", "never_rated": "1", "ended_at": "ended_at + n"}
        await tx.run_sql(
            "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 20000) INSERT INTO results"
            f" SELECT {', '.join(others.get(name, name) for name in columns)} FROM copy, results"
        )
    await store.reader._connection.base.set_progress_handler(lambda: 1, 50_000)  # ends statements of so many steps
    assert await puzzles_store.variants_played(store.reader, GUILD) == ["camelot"]


async def test_a_ruling_on_an_old_game_looks_up_ratings_once(store: Store) -> None:
    service, asked = Service(store, FEATURES), list[str]()
    games = [await won(service, await begun(service), ADA, NOW) for _ in range(3)]
    await store._write_connection.base.set_trace_callback(asked.append)
    await acts.annul(service, games[0].id, GUILD, DEE, "a wager", NOW + 1)
    assert len([statement for statement in asked if statement.startswith("SELECT user, mu, sigma")]) == 1


async def test_a_move_in_a_cached_game_is_one_transaction_without_old_events(store: Store) -> None:
    events = started()
    service, rng = Service(store, FEATURES), random.Random(1)
    await service.presence.note_present(NOW)
    number = await write(store, Writer.add_match, replay_match(0, events), events)
    match = await service.current_match(number, GUILD)
    for _ in range(3):
        match = await acts.move(service, number, GUILD, existing(match.to_move), random_move(match, rng), NOW)
        await acts.mark_announced(service, number, match.seq)
    sent, trips, base = list[str](), list[object](), store._write_connection.base
    await base.set_trace_callback(sent.append)
    send = base._execute
    base._execute = lambda work: trips.append(work) or send(work)
    await acts.move(service, number, GUILD, existing(match.to_move), random_move(match, rng), NOW)
    assert sent.count("COMMIT") == 1
    assert len(trips) <= 6, "to the thread of the connection, the sync too; what returns nothing goes with the next"
    assert not [statement for statement in sent if statement.startswith("SELECT seq, at, kind")]
    async with watched(store) as asked:
        told = await service.unannounced_news(number)
        assert (len(told), asked) == (1, [])
        assert await service.unannounced_news(number) == told
    assert len(asked) == 2  # the players' settings, the absences: they may have changed since the move
    await acts.mark_announced(service, number, told[0].seq)
    assert await service.unannounced_news(number) == ()


async def test_what_the_house_has_answered_is_told_without_reading_old_events(store: Store) -> None:
    service, rng = Service(store, FEATURES), random.Random(1)
    match = await opened(service, "tri-camelot", house_level="easy")
    await acts.mark_announced(service, match.id, match.seq)
    match = await acts.move(service, match.id, GUILD, ADA, random_move(match, rng), NOW)
    for _ in range(2):
        user, made = existing(match.to_move), random_move(match, rng)
        match = await acts.house_move(service, match.id, user, match.board_version, made, NOW) or match
    async with watched(store) as asked:
        (told,) = await service.unannounced_news(match.id)
    assert len(told.told_together) == 3
    assert not [statement for statement in asked if "events" in statement]


async def test_a_late_mark_takes_no_newer_mark_back(store: Store) -> None:
    events = started()
    match_id = await write(store, Writer.add_match, replay_match(0, events), events)
    assert [number for number, _ in await store.reader.unannounced_matches()] == [match_id]
    for seq in (events[-1].seq, events[0].seq):
        await write(store, Writer.mark_announced, match_id, seq)
        assert await store.reader.unannounced_matches() == [], seq
