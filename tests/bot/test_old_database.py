"""A community's database, written by the program of 25 November 2026, opens, keeps everything, and continues.

`old/2026-11-25.dump` is that database as text, as the program at commit bd5f691 left it. That program had opened
the database of an earlier one, at commit 94e76f8, whose events are in it unchanged. It holds, by number: an open
table (1); a Camelot game with posts and a follower (2); Tri-Camelot with a vacant seat (3), and with pieces that
nobody plays (4); Cam 3-D with a draw offered and a move in the making (5); a rated ladder game (6), an annulled one
(7) and a running one (8); a game against a house player (9). It also holds a challenge, settings, a vacation, noted
requests, a plan, a tree with notes, a daily puzzle with an attempt, and a person who looks for games.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.core import vacancy
from bot.core.clock import DAY, HOUR, Weekdays
from bot.core.listings import MessageRef
from bot.core.match import Phase
from bot.core.preferences import Preferences
from bot.core.settings import Threads
from bot.explore.service import Trees
from bot.features import make_service
from bot.ladder.service import Ladders
from bot.plans.service import Plans
from bot.play.announcing.requests import parse_requests
from bot.play.composer.handlers import path_at_place
from bot.play.composer.move_panel import ComposerPanel
from bot.play.composer.state import STORED_PATH_MARK, ComposerState
from bot.play.service import Service
from bot.puzzles.service import Puzzles
from bot.seeking.service import Seekers
from bot.store import Store
from bot.store.migrations import BASELINE, last_version, migration_steps
from bot.store.schema import find_schema_difference
from tests.bot import acts
from tests.bot.databases import OLD
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW
from tests.bot.serving import CAMELOT, agrees, play, steps

pytestmark = pytest.mark.sqlite

LATER = NOW + 3 * DAY + HOUR


GONE = {"digested_at", "triad"}
"""Columns that a migration has dropped because nothing reads them any more."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as base:
        base.executescript(OLD.read_text("utf-8"))
    return path


@pytest.fixture
async def service(path: Path) -> AsyncIterator[Service]:
    async with Store.open(path) as store:
        yield make_service(store)


async def test_it_has_the_schema_of_the_baseline_and_opening_loses_nothing(path: Path) -> None:
    def content(version: int, tables: dict[str, str]) -> dict[str, list[Any]]:
        with closing(sqlite3.connect(path)) as base:
            assert base.execute("PRAGMA user_version").fetchone() == (version,)
            assert find_schema_difference(base, migration_steps()[: version - BASELINE + 1]) is None
            return {name: base.execute(f"SELECT {columns} FROM {name}").fetchall() for name, columns in tables.items()}

    with closing(sqlite3.connect(path)) as base:
        named = [name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        tables = {
            name: ", ".join(
                column for _, column, *_ in base.execute(f"PRAGMA table_info({name})") if column not in GONE
            )
            for name in named
            if not name.startswith("sqlite_")
        }
    before = content(BASELINE, tables)
    async with Store.open(path):
        pass
    assert content(last_version(), tables) == before


async def test_every_game_stands_as_it_stood(service: Service) -> None:
    matches = {number: await service.current_match(number, GUILD) for number in range(1, 10)}
    assert {number: (match.variant.key, match.phase, match.ply) for number, match in matches.items()} == {
        1: ("chivalry", Phase.OPEN, 0),
        2: ("camelot", Phase.LIVE, 6),
        3: ("tri-camelot", Phase.LIVE, 7),
        4: ("tri-camelot", Phase.LIVE, 3),
        5: ("cam-3d", Phase.LIVE, 4),
        6: ("camelot", Phase.OVER, 12),
        7: ("camelot", Phase.OVER, 12),
        8: ("tri-camelot", Phase.LIVE, 0),
        9: ("camelot", Phase.LIVE, 0),
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


async def test_plans_trees_puzzles_and_seekers_are_kept(service: Service) -> None:
    (plan,) = await service.part(Plans).plans_of(BO)
    assert plan.is_confirmed
    match = await acts.move(service, 8, GUILD, ADA, "E4-F3", LATER)
    assert (match.ply, match.to_move) == (2, CY)  # with the reply that Bo had planned
    tree = await service.part(Trees).open_tree(ADA, 2, "", LATER)
    assert sorted((node.name, node.note) for node in tree.nodes.values()) == [("", ""), ("Slow", "Hm.")]
    assert await service.part(Trees).load_notes(ADA, 2) == "Watch the left."
    assert (await service.part(Puzzles).load_standings(GUILD, CY, LATER)).day == 738000
    assert await service.part(Seekers).is_looking(GUILD, CY)


async def test_messages_and_moves_in_the_making_are_found_again(service: Service) -> None:
    assert (await service.posts_of(2)).table == MessageRef(CHANNEL, 501)
    (asked,) = parse_requests(await service.get_meta("asks:5") or "")
    assert asked.post == MessageRef(CHANNEL, 900)
    kept = ComposerState(5, 4, path=STORED_PATH_MARK + hashlib.sha256(b"0a0b").hexdigest()[:8])
    board = ComposerPanel(kept, await service.current_match(5, GUILD))
    assert await path_at_place(service, board, kept) == (10, 11)
