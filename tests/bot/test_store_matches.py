from __future__ import annotations

import random
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from bot.core.clock import Pace
from bot.core.events import Event
from bot.core.match import Match
from bot.store import ConflictError, Store
from tests.bot.databases import bytes_per_move
from tests.bot.playing import ADA, CHANNEL, GUILD, NOW, followed, play_typed, random_move, started, table


async def add(store: Store, events: list[Event]) -> int:
    """Adds a match with those events and returns its number."""
    async with store.write_transaction() as tx:
        return await tx.add_match(Match.replay(0, events), events)


async def append(store: Store, match: Match, events: list[Event]) -> None:
    """Adds those events to it."""
    async with store.write_transaction() as tx:
        await tx.append_events(match, events)


async def test_events_come_back_as_they_went_in_and_only_once(path: Path) -> None:
    events = started("tri-camelot")
    match = Match.replay(0, events)
    async with Store.open(path) as store:
        async with store.write_transaction() as tx:
            match_id = await tx.add_match(match, events)
        assert await store.reader.load_events(match_id) == tuple(events)
        with pytest.raises(ConflictError):
            await append(store, Match.replay(match_id, events), events[-1:])
        assert await store.reader.load_events(match_id) == tuple(events)


async def test_a_late_mark_takes_no_newer_mark_back(path: Path) -> None:
    events = started()
    async with Store.open(path) as store:
        match_id = await add(store, events)
        assert [number for number, _ in await store.reader.unannounced_matches()] == [match_id]
        for seq in (events[-1].seq, events[0].seq):
            async with store.write_transaction() as tx:
                await tx.mark_announced(match_id, seq)
            assert await store.reader.unannounced_matches() == [], seq


async def test_numbers_are_never_given_twice(path: Path) -> None:
    events = table()
    async with Store.open(path) as store:
        for expected in (1, 2):
            assert await add(store, events) == expected
    with closing(sqlite3.connect(path)) as base:
        base.executescript("DELETE FROM events; DELETE FROM players; DELETE FROM matches;")
    async with Store.open(path) as store:
        assert await add(store, events) == 3


async def test_a_player_with_a_thousand_games_gets_the_list_at_once(path: Path) -> None:
    events = started()
    match = Match.replay(0, events)
    async with Store.open(path) as store:
        async with store.write_transaction() as tx:
            for _ in range(1000):
                await tx.add_match(match, events)
        begun = time.process_time()
        games = await store.reader.games_of(GUILD, ADA, live=True)
        assert time.process_time() - begun < 0.5
        assert len(games) == 200
        assert {(game.channel, game.players) for game in games} == {(CHANNEL, match.players)}


@pytest.mark.parametrize("pace", [Pace.NONE, Pace.STANDARD])
async def test_a_move_takes_no_more_than_thirty_bytes(path: Path, pace: Pace) -> None:
    rng = random.Random(5)
    games = []
    for _ in range(20):
        events = started(pace=pace)
        match, now = Match.replay(0, events), NOW
        while match.to_move is not None and match.ply < 60:
            now += rng.randint(1, 86400)
            fresh = play_typed(match, match.to_move, random_move(match, rng), now)
            match = followed(match, fresh)
            events += fresh
        games.append((match, events))

    async with Store.open(path) as store, store.write_transaction() as tx:
        for match, events in games:
            await tx.add_match(match, events)
    assert bytes_per_move(path) <= 30
