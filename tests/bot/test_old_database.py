"""A community's database, written by the program of 22 November 2026, opens, keeps all it has, and goes on.

`old/2026-11-22.dump` is that database as text, as the program at commit 94e76f8 left it. It holds, by number: an open
table (1); a Camelot game with posts and a follower (2); Tri-Camelot with a vacant seat (3), and with pieces that nobody
plays (4); Cam 3-D with a draw offered and a move in the making (5); a rated ladder game (6), one that was
annulled (7) and one in progress (8); a challenge; settings, a vacation, and noted requests.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.core import timing, vacancy
from bot.core.clock import DAY, HOUR, Pace, Weekdays
from bot.core.events import EventKind
from bot.core.match import Phase
from bot.core.preferences import Preferences
from bot.core.results import MessageRef
from bot.core.settings import Threads
from bot.discordkit.components import STORED_PATH_MARK, ComposerState
from bot.features import make_service
from bot.ladder.service import Ladders
from bot.play.announcing.requests import parse_requests
from bot.play.composer.commands import ComposerPanel
from bot.play.composer.handlers import path_at_place
from bot.play.service import Service
from bot.store import Store
from bot.store.migrations import migrate_file, migration_steps
from tests.bot import acts
from tests.bot.databases import OLD
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, started
from tests.bot.serving import CAMELOT, agrees, play, steps

pytestmark = pytest.mark.sqlite

LATER = NOW + 3 * DAY + HOUR


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as base:
        base.executescript(OLD.read_text("utf-8"))
    async with Store.open(path) as store:
        yield make_service(store)


async def test_every_game_stands_as_it_stood(service: Service) -> None:
    matches = {number: await service.current_match(number, GUILD) for number in range(1, 9)}
    assert {number: (match.variant.key, match.phase, match.ply) for number, match in matches.items()} == {
        1: ("chivalry", Phase.OPEN, 0),
        2: ("camelot", Phase.LIVE, 6),
        3: ("tri-camelot", Phase.LIVE, 7),
        4: ("tri-camelot", Phase.LIVE, 3),
        5: ("cam-3d", Phase.LIVE, 4),
        6: ("camelot", Phase.OVER, 12),
        7: ("camelot", Phase.OVER, 12),
        8: ("tri-camelot", Phase.LIVE, 0),
    }
    assert [match.players for match in matches.values()][1:5] == [(ADA, BO), (ADA, BO, CY), (ADA, BO, CY), (BO, CY)]
    assert matches[1].invited == (BO,)
    assert matches[3].vacancy is not None
    assert matches[3].vacancy.seat == 1
    skipped = matches[4].started_game.position
    assert (skipped.out, skipped.stewards) == ({2}, frozenset())
    assert matches[5].draw is not None
    assert (matches[6].winners, matches[7].annulled, matches[8].ladder) == ((ADA,), True, True)


async def test_games_go_on(service: Service) -> None:
    assert (await play(service, await service.current_match(2, GUILD), LATER, 5)).ply == 11
    assert (await acts.accept_draw(service, 5, GUILD, CY, LATER)).phase is Phase.OVER
    taken = await service.act_on_match(3, GUILD, lambda match, _: vacancy.take_over(match, DEE, NOW + 71 * HOUR))
    assert taken.players[1] == DEE
    on = await play(service, await service.current_match(4, GUILD), LATER, 4)
    assert on.ply == 7
    assert on.to_move in (ADA, BO)


async def test_ladders_and_ratings_are_what_comes_out_of_the_games(service: Service) -> None:
    assert await agrees(service)
    (challenge,) = parse_requests(await service.get_meta(f"asks:{GUILD}:camelot") or "")
    before = await steps(service)
    match = await service.part(Ladders).accept_challenge(*CAMELOT, BO, LATER, challenge.event)
    assert set(match.players) == {BO, CY}
    await acts.resign(service, match.id, GUILD, BO, LATER)
    assert await agrees(service)
    assert before.keys() == (await steps(service)).keys()


async def test_what_people_and_the_server_have_set_still_holds(service: Service) -> None:
    ada = await service.people.user_settings(ADA)
    assert (ada.zone, ada.sleep, ada.free_days, ada.by_dm) == ("Europe/Oslo", (22 * 60, 6 * 60), Weekdays.WEEKEND, True)
    assert await service.people.preferences_of(ADA) == Preferences(theme="dark")
    assert (await service.people.person_of(DEE)).vacations == ((NOW + 3 * DAY, NOW + 10 * DAY),)
    (settings,) = (await service.people.all_guild_settings()).values()
    assert (settings.language, settings.threads, settings.audit, settings.house_rules) == (
        "no",
        Threads.YES,
        77,
        "Be kind.",
    )
    assert [follow.user for follow in await service.people.followers_of(2)] == [CY]


async def test_messages_and_moves_in_the_making_are_found_again(service: Service) -> None:
    assert (await service.posts_of(2)).table == MessageRef(CHANNEL, 501)
    (asked,) = parse_requests(await service.get_meta("asks:5") or "")
    assert asked.post == MessageRef(CHANNEL, 900)
    kept = ComposerState(5, 4, path=STORED_PATH_MARK + hashlib.sha256(b"0a0b").hexdigest()[:8])
    board = ComposerPanel(kept, await service.current_match(5, GUILD))
    assert await path_at_place(service, board, kept) == (10, 11)


async def test_a_live_game_of_the_first_version_goes_on_without_a_clock(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    migrate_file(path, migration_steps()[:1])
    events = started("tri-camelot")
    body = events[0].body.partition(" pace:")[0]
    rows = [(1, e.seq, e.at, e.kind.value, e.user, body if e.kind is EventKind.OPENED else e.body) for e in events]
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(
            "INSERT INTO matches (guild, channel, variant, phase, to_move, ply, seq, moved_at, updated)"
            " VALUES (?, ?, 'tri-camelot', 'live', ?, 0, ?, ?, ?)",
            (GUILD, CHANNEL, ADA, len(rows), NOW, NOW),
        )
        base.executemany("INSERT INTO events (match, seq, at, kind, user, body) VALUES (?, ?, ?, ?, ?, ?)", rows)
        # Bo has left as one left then: nobody was called, and Bo's pieces have been passive since.
        base.execute(
            "INSERT INTO events VALUES (1, ?, ?, ?, ?, '')", (len(rows) + 1, NOW, EventKind.RESIGNED.value, BO)
        )
        base.execute("UPDATE matches SET seq = seq + 1")
        base.executemany("INSERT INTO players VALUES (1, ?, ?, ?)", [(ADA, 0, 0), (BO, 1, 1), (CY, 2, 0)])
    async with Store.open(path) as store:
        service = make_service(store)
        match = await service.current_match(1, GUILD)
        assert (match.pace, match.running_since, match.resigned_users, match.vacancy) == (Pace.NONE, None, (BO,), None)
        assert await service.upkeep.tick(NOW + DAY) == []
        (row,) = await store.reader.run_sql("SELECT deadline FROM matches")
        assert row[0] == timing.next_tick_at(match)
        match = await acts.move(service, 1, GUILD, ADA, "F7-F9", NOW + DAY)
        assert (match.to_move, match.banks) == (CY, ())
        (summary,) = await service.games_of(GUILD, CY)
        assert summary.time_runs_out_at is None
