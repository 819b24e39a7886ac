"""The queries of the database, their number and their indexes, and matches as rows."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from bot.core.deadlines import Actor
from bot.core.events import Event, Seating
from bot.core.fold import replay_match
from bot.core.problems import MatchError, Problem
from bot.core.settings import GuildSettings
from bot.core.table import promise_house
from bot.explore import service as trees
from bot.explore.service import load_game_note, open_tree
from bot.features import TABLES, make_service
from bot.house.service import waiting_games
from bot.plans import service as plans_store
from bot.plans.service import delete_all_plans, load_plan, plans_for_match, plans_of
from bot.play.service import people, upkeep
from bot.privacy import service as forgetting
from bot.puzzles import service as puzzles_store
from bot.store import Store
from bot.store import servers as abandoned
from bot.store.database_tables import statements_to_delete_match
from bot.store.game_lists import count_house_games, games_begun, games_in_server, live_games, matches_in_place
from tests.bot import acts
from tests.bot.beginning import opened
from tests.bot.playing import ADA, CHANNEL, GUILD, NOW, THREAD, by, existing, random_move, refused, short_game, started

pytestmark = pytest.mark.sqlite

WHOLE_TABLE = ("SCAN matches", "SCAN events", "SCAN players")
SORTED = "USE TEMP B-TREE FOR ORDER BY"
"""A sort without an index: it reads everything before the first row is returned, whatever the limit."""


@asynccontextmanager
async def watched(store: Store) -> AsyncIterator[list[str]]:
    """Returns every statement that the reader runs within the block."""
    asked: list[str] = []
    connection = store.reader._connection.base
    await connection.set_trace_callback(asked.append)
    yield asked
    await connection.set_trace_callback(lambda _: None)


def plans(path: Path, statement: str) -> list[str]:
    with closing(sqlite3.connect(path)) as base:
        return [row[3] for row in base.execute(f"EXPLAIN QUERY PLAN {statement}")]


async def test_an_idle_tick_asks_for_deadlines_plans_and_news_by_index(path: Path) -> None:
    async with Store.open(path) as store:
        service = make_service(store)
        await upkeep.tick_matches(service, NOW)  # the first tick also completes what a stop interrupted
        async with watched(store) as asked:
            assert await upkeep.tick_matches(service, NOW) == []
            assert await service.reader.unannounced_matches() == []
    due, planned, unannounced = (plans(path, statement) for statement in asked)
    absent = ["LIST SUBQUERY 1", "SCAN absences USING INDEX absences_that_last"]  # these two are empty
    assert due == ["SEARCH matches USING INDEX matches_by_deadline (deadline<?)", *absent]
    assert [step for step in planned if step.startswith(("SEARCH", "SCAN")) and step not in absent] == [
        "SEARCH plans USING INDEX plans_by_end_of_vacation (waits_until<?)",
        "SEARCH matches USING INTEGER PRIMARY KEY (rowid=?)",
    ]
    assert unannounced == ["SCAN matches USING INDEX matches_unannounced", *absent]


async def test_no_question_of_a_player_reads_a_whole_table(path: Path) -> None:
    async with Store.open(path) as store:
        async with watched(store) as asked:
            reader = store.reader
            await reader.load_head(1)
            await reader.load_events(1)
            await reader.load_unannounced(1)
            await reader.load_posts(1)
            await reader.match_in_thread(GUILD, THREAD)
            for live in (True, False):
                await reader.games_of(GUILD, ADA, live=live)
                await games_in_server(reader, GUILD, live=live)
            await reader.games_in_channel(GUILD, CHANNEL)
            await matches_in_place(reader, GUILD, CHANNEL)
            await live_games(reader, ADA)
            await games_begun(reader, None, 1)
        assert len(asked) >= 14
    for statement in asked:
        assert not [step for step in plans(path, statement) if step.startswith(WHOLE_TABLE)], statement


async def test_no_question_about_the_house_or_puzzles_reads_a_whole_table(path: Path) -> None:
    async with Store.open(path) as store, watched(store) as asked:
        service = make_service(store)
        await waiting_games(service.reader)
        for user in (None, ADA):
            await count_house_games(store.reader, GUILD, user)
        await puzzles_store.choose_due_puzzles(service, NOW)
        await puzzles_store.servers_to_tell(service.reader)
        await puzzles_store.posts_due(service, GUILD)
        await puzzles_store.next_to_mine(service)
        await puzzles_store.choose_puzzle(service, Actor(ADA, NOW, GUILD), None, None, random.Random(1))
        await puzzles_store.load_standings(service.reader, GUILD, ADA, NOW)
        with pytest.raises(MatchError):
            await puzzles_store.find_puzzle(service.reader, GUILD, "0123456789")
        await puzzles_store.is_match_usable(store.reader, 1)
    assert len(asked) >= 13
    assert any("SEARCH matches USING INDEX matches_unsearched (guild=?)" in plans(path, one) for one in asked)
    tables = {*WHOLE_TABLE, "SCAN daily_puzzles", "SCAN puzzle_results", "SCAN puzzles_made", "SEARCH matches"}
    for statement in asked:
        steps = plans(path, statement)
        assert not tables & {*steps}, statement
        assert not [step for step in steps if "matches_on" in step], "all games that are on"


async def test_a_tick_asks_once_for_all_servers_and_all_games(store: Store) -> None:
    service = make_service(store)
    for guild in range(GUILD, GUILD + 5):
        settings = GuildSettings(house=False, puzzle_channel=CHANNEL)
        await people.change_guild_settings(service, guild, lambda _, settings=settings: settings)
    for _ in range(3):
        table = await opened(service, "cam", seating=Seating.RANDOM)
        await service.change_match(table.id, GUILD, lambda match, _: promise_house(match, by(ADA), "easy", NOW + 1))
    await puzzles_store.choose_due_puzzles(service, NOW)
    async with watched(store) as asked:
        await puzzles_store.choose_due_puzzles(service, NOW)
        assert len(await upkeep.tick_matches(service, NOW + 1)) == 3
    assert len([statement for statement in asked if "guild_settings" in statement]) == 2


async def test_what_people_plan_and_try_is_found_by_person_and_by_game(path: Path) -> None:
    async with Store.open(path) as store:
        service = make_service(store)
        async with store.write_transaction() as tx:
            match_id = await tx.add_match(replay_match(0, started()), started())
        tree = await open_tree(service, ADA, match_id, "", NOW)
        async with watched(store) as asked:
            reader = store.reader
            await plans_store.load_plans(reader, "p.match = ?", (match_id,))
            await plans_for_match(service.reader, match_id, ADA)
            await plans_of(service.reader, ADA)
            with refused(Problem.NO_SUCH_PLAN):
                await load_plan(service.reader, 1, ADA)
            await plans_store.export_person(reader, ADA)
            await trees.load_tree(reader, tree.id, ADA)
            await trees.find_tree(reader, ADA, match_id)
            await trees.trees_of(reader, ADA)
            await load_game_note(service.reader, ADA, match_id)
            await trees.other_trees(reader, ADA, tree.id)
        await store._write_connection.base.set_trace_callback(asked.append)
        await delete_all_plans(service, ADA)
        await trees.drop_old_trees(service, NOW)
        async with store.write_transaction() as tx:
            await trees.drop_empty(tx, ADA, NOW, 25)
            await forgetting.forget_rest(tx, ADA, -1, TABLES)
            await tx.run_batch(statements_to_delete_match(TABLES, match_id))
    about = [statement for statement in asked if re.match("(?!--).*(plans|tree)", statement)]
    assert len(about) >= 19
    for statement in about:
        assert not [step for step in plans(path, statement) if step.startswith("SCAN")], statement


async def test_the_servers_are_found_without_reading_every_game_ever_played(path: Path) -> None:
    async with Store.open(path) as store:
        async with watched(store) as asked:
            await abandoned.stored_servers(store.reader, TABLES)
        about = [plans(path, statement) for statement in asked if "matches" in statement]
        assert not [step for step in about[0] if step.startswith("SCAN matches")]
        async with store.write_transaction() as tx:
            numbers = [await tx.add_match(replay_match(0, started()), started()) for _ in range(5)]
            await tx.run_sql("UPDATE matches SET phase = 'over', updated = 100 - id WHERE id <> ?", (numbers[2],))
        assert await abandoned.stored_servers(store.reader, TABLES) == {GUILD}


async def test_no_question_about_a_place_sorts_all_that_was_ever_played_there(path: Path) -> None:
    async with Store.open(path) as store, watched(store) as asked:
        await store.reader.games_in_channel(GUILD, CHANNEL)
        for live in (True, False):
            await games_in_server(store.reader, GUILD, live=live)
        await store.reader.matches_due(NOW)
        await store.reader.unannounced_matches()
        await store.reader.match_in_thread(GUILD, THREAD)
    assert len(asked) >= 10
    for statement in asked:
        # What `load_summaries` puts in order are the two hundred that it has been given.
        assert SORTED not in plans(path, statement) or "json_each" in statement, statement


async def test_a_move_in_a_cached_game_is_one_transaction_without_old_events(store: Store) -> None:
    events = started()
    service = make_service(store)
    await service.presence.note_present(NOW)
    async with store.write_transaction() as tx:
        number = await tx.add_match(replay_match(0, events), events)
    rng = random.Random(1)
    match = await service.current_match(number, GUILD)
    for _ in range(3):
        match = await acts.move(service, number, GUILD, existing(match.to_move), random_move(match, rng), NOW)
        await acts.mark_announced(service, number, match.seq)
    sent: list[str] = []
    await store._write_connection.base.set_trace_callback(sent.append)
    await acts.move(service, number, GUILD, existing(match.to_move), random_move(match, rng), NOW)
    assert sent.count("COMMIT") == 1
    assert len(sent) <= 11, "each is a trip to the thread of the connection"
    assert not [statement for statement in sent if statement.startswith("SELECT seq, at, kind")]
    async with watched(store) as asked:
        assert len(await service.unannounced_news(number)) == 1
    (told_of,) = [statement for statement in asked if "events" in statement]
    assert "events.seq > announced" in told_of
    assert len(asked) == 3  # the head and the new events, the players' settings, the absences


async def test_what_the_house_has_answered_is_told_without_reading_old_events(store: Store) -> None:
    service, rng = make_service(store), random.Random(1)
    match = await opened(service, "tri-camelot", house="easy")
    await acts.mark_announced(service, match.id, match.seq)
    match = await acts.move(service, match.id, GUILD, ADA, random_move(match, rng), NOW)
    for _ in range(2):
        made = random_move(match, rng)
        match = (
            await acts.house_move(service, match.id, existing(match.to_move), match.board_version, made, NOW) or match
        )
    async with watched(store) as asked:
        (told,) = await service.unannounced_news(match.id)
    assert len(told.told_together) == 3
    (read,) = [statement for statement in asked if "events" in statement]
    assert "events.seq > announced" in read


async def test_the_games_that_are_on_are_found_beside_a_thousand_that_were(path: Path) -> None:
    async with Store.open(path) as store:
        service = make_service(store)

        async def add(events: list[Event]) -> int:
            async with store.write_transaction() as tx:
                return await tx.add_match(replay_match(0, events), events)

        for _ in range(20):
            await add(short_game())
        number = await add(started())
        async with watched(store) as asked:
            assert [game.id for game in await service.reader.games_of(GUILD, ADA, live=True)] == [number]
        assert "SEARCH players USING COVERING INDEX players_by_user (user=? AND ended=?)" in plans(path, asked[0])
        assert len(await service.reader.games_of(GUILD, ADA, live=False)) == 21
        await acts.resign(service, number, GUILD, ADA, NOW)
        assert await service.reader.games_of(GUILD, ADA, live=True) == []
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("SELECT ended, count(*) FROM players GROUP BY 1").fetchall() == [(1, 42)]


# Matches


async def add(store: Store, events: list[Event]) -> int:
    """Adds a match with those events and returns its number."""
    async with store.write_transaction() as tx:
        return await tx.add_match(replay_match(0, events), events)


async def test_a_late_mark_takes_no_newer_mark_back(store: Store) -> None:
    events = started()
    match_id = await add(store, events)
    assert [number for number, _ in await store.reader.unannounced_matches()] == [match_id]
    for seq in (events[-1].seq, events[0].seq):
        async with store.write_transaction() as tx:
            await tx.mark_announced(match_id, seq)
        assert await store.reader.unannounced_matches() == [], seq
