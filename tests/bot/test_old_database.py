"""Databases of a community, written by the programs of 25 and of 28 November 2026, open, lose nothing, and go on.

`old/2026-11-25.dump` is that database as text, as the program at commit bd5f691 left it. That program had opened
the database of an earlier one, at commit 94e76f8, whose events are in it unchanged. It holds, by number: an open
table (1); a Camelot game with posts and a follower (2); Tri-Camelot with a vacant seat (3), and with pieces that
nobody plays (4); Cam 3-D with a draw offered and a move in the making (5); a rated ladder game (6), an annulled one
(7) and a running one (8); a game against a house player (9). It also holds a challenge, settings, a vacation, noted
requests, a plan, a tree with notes, a daily puzzle with an attempt, and a person who looks for games.

`old/2026-11-28.dump` is one that the program at commit 414d572a wrote. It holds an open table (1); a Camelot game with
notes of 1,000 characters, comments in Explore, thoughts and thoughts on a plan (2); the same in Tri-Camelot (3); a
vacant seat (4); an annotated game that is posted (5); thoughts on a plan that is half played (6), and on one that was
deleted (7); a draw offered (8); games of a ladder in its season (9, 10); a triad of which one game is over (11 to 13),
and a person who waits for another; a league in its season (14 to 19) and one that people can join, both with events;
and a game against a house player (20).
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from bot.core import leaving
from bot.core.clock import DAY, HOUR, Weekdays
from bot.core.deadlines import Actor
from bot.core.match import MessageRef, Phase
from bot.core.settings import Sharing, Threads
from bot.explore.panel import ExplorePanel
from bot.explore.service import load_game_note, open_tree, set_game_note
from bot.features import FEATURES
from bot.ladder.rows import list_ladders, load_ladder
from bot.ladder.service import accept_challenge, tick_ladders
from bot.leagues import service as leagues
from bot.leagues.league import LeagueState
from bot.play.service import Service, people
from bot.privacy.service import export_person
from bot.puzzles.service import load_standings
from bot.store import Store, servers
from bot.store.connection import Address
from bot.store.game_lists import followers_of
from bot.store.migrations import BASELINE, find_schema_difference, last_version, migration_scripts
from bot.store.people import begin_forgetting, end_forgetting, forgetting_under_way
from bot.store.plans import plans_of
from bot.store.seekers import is_looking
from bot.store.servers import all_guild_settings
from bot.thoughts.service import own_words
from render import run_steps
from rules import VARIANTS, Variant, format_position
from tests.bot import acts, answers, seasons
from tests.bot.databases import LATER_OLD, OLD, copy_old_file, load_dump, query
from tests.bot.played_ladders import CAMELOT, agrees, play, rungs, won
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, by

pytestmark = pytest.mark.sqlite

LATER = NOW + 3 * DAY + HOUR
FAY = 1006


GONE = {
    *("audited", "digested_at", "made_up", "plans", "puzzle_hour", "season_weeks", "membership_days"),
    *("free_weekends", "most_open", "most_live", "most_house", "draft"),
    "deadline",  # 0 in running games, so that the tick computes it and places them
    *("homeless", "flag", "milled", "away", "stands", "fallen", "wakes", "told", "called", "wake", "edits"),
    *("entry", "entries", "company", "casual"),
}
"""Columns that a migration has dropped, renamed or rewritten."""
CHANGED_TABLES = {
    *("archive", "members", "preferences", "trees", "tree_nodes"),
    *("climbers", "ladders", "ladder_challenges", "ladder_games", "ladder_meetings", "ladder_steps"),
}
"""Tables that a migration has dropped, or whose rows are stored in another way now."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return load_dump(OLD, tmp_path / "old.db")


@pytest.fixture
async def service(path: Path) -> AsyncIterator[Service]:
    async with Store.open(path) as store:
        yield Service(store, FEATURES)


async def test_it_has_the_schema_of_the_baseline_and_opening_loses_nothing(path: Path) -> None:
    def content(version: int, tables: dict[str, str]) -> dict[str, list[Any]]:
        with closing(sqlite3.connect(path)) as base:
            assert base.execute("PRAGMA user_version").fetchone() == (version,)
            assert find_schema_difference(base, migration_scripts()[: version - BASELINE + 1]) is None
            return {name: base.execute(f"SELECT {columns} FROM {name}").fetchall() for name, columns in tables.items()}

    with closing(sqlite3.connect(path)) as base:
        named = [name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        tables = {
            name: ", ".join(
                column for _, column, *_ in base.execute(f"PRAGMA table_info({name})") if column not in GONE
            )
            for name in named
            if not name.startswith("sqlite_") and name not in CHANGED_TABLES
        }
    before = content(BASELINE, tables)
    before["meta"] = [(key, value) for key, value in before["meta"] if ":" not in key]  # the others have tables now
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
    assert matches[1].table.invited == (BO,)
    assert matches[3].vacancy is not None
    assert matches[3].vacancy.seat == 1
    skipped = matches[4].started_game.position
    assert (skipped.out, skipped.stewards) == ({2}, frozenset())
    assert matches[5].requests.of_kind(answers.DRAW) is not None
    assert (matches[6].winners, matches[7].annulled, matches[8].terms.ladder) == ((ADA,), True, True)


async def test_games_go_on(service: Service) -> None:
    assert (await play(service, await service.current_match(2, GUILD), LATER, 5)).ply == 11
    assert (await acts.accept_draw(service, 5, GUILD, CY, LATER)).phase is Phase.OVER
    taken = await service.change_match(3, lambda match, _: leaving.take_over(match, by(DEE, NOW + 71 * HOUR)))
    assert taken.players[1] == DEE
    on = await play(service, await service.current_match(4, GUILD), LATER, 4)
    assert on.ply == 7
    assert on.to_move in (ADA, BO)


async def test_ladders_and_ratings_are_what_comes_out_of_the_games(service: Service) -> None:
    assert await agrees(service)
    (noted,) = await service.reader.find_jobs("kind = 'challenge'")
    before = await rungs(service)
    match = await accept_challenge(service, Actor(BO, LATER), CAMELOT, int(noted.note.split(":")[1]))
    assert set(match.players) == {BO, CY}
    assert [job.due_at for job in await service.reader.find_jobs("kind = 'challenge'")] == [LATER]
    await acts.resign(service, match.id, GUILD, BO, LATER)
    assert await agrees(service)
    assert before.keys() == (await rungs(service)).keys()


@pytest.mark.parametrize("dump", [OLD, LATER_OLD], ids=["25 November", "28 November"])
async def test_every_ladder_is_what_its_rows_said(dump: Path, tmp_path: Path) -> None:
    path = load_dump(dump, tmp_path / "ladders.db")
    fields = (
        *("user", "joined_at", "step", "wins", "draws", "losses", "timeouts", "frozen_until", "challenging"),
        *("challenger", "queued_at", "queue_game", "balance", "began_last"),
    )
    names = {"step": "rung"}
    climbers = f"SELECT guild, variant, climbs, {', '.join(fields)} FROM climbers"
    challenges = "SELECT guild, variant, challenger, challenged, at FROM ladder_challenges"
    games = "SELECT guild, variant, match, users FROM ladder_games"
    seasons = "SELECT guild, variant, season, season_began, season_until, seasons, seq FROM ladders"
    old = {sql: sorted(query(path, sql)) for sql in (climbers, challenges, games, seasons)}
    assert all(old[sql] for sql in (climbers, games, seasons))
    new: dict[str, list[tuple[Any, ...]]] = {sql: [] for sql in old}
    async with Store.open(path) as store:
        for key in await list_ladders(store.reader):
            ladder = await load_ladder(store.reader, key)
            for one in ladder.climbers.values():
                new[climbers].append(
                    (*key, one.is_active, *(getattr(one, names.get(field, field)) for field in fields))
                )
            for waiting in ladder.challenges.values():
                new[challenges].append((*key, waiting.challenger, waiting.challenged, waiting.at))
            new[games] += [(*key, match, ",".join(map(str, game.users))) for match, game in ladder.games.items()]
            season = astuple(ladder.season) if ladder.season else (None,) * 3
            new[seasons].append((*key, *season, ladder.seasons, ladder.seq))
    assert {sql: sorted(rows) for sql, rows in new.items()} == old


async def test_what_people_and_the_server_have_set_still_holds(service: Service) -> None:
    ada = await people.user_settings(service, ADA)
    assert (ada.zone, ada.sleep, ada.by_dm) == ("Europe/Oslo", (22 * 60, 6 * 60), True)
    assert (ada.free_days, ada.board, ada.confirm) == (Weekdays.SATURDAY | Weekdays.SUNDAY, "dark", "risky")
    assert (await people.person_of(service, DEE)).vacations == ((NOW + 3 * DAY, NOW + 10 * DAY),)
    (settings,) = (await all_guild_settings(service.reader)).values()
    assert (settings.language, settings.threads, settings.audit) == ("no", Threads.YES, 77)
    assert settings.house_rules == "Be kind."
    assert [follow.user for follow in await followers_of(service.reader, 2)] == [CY]


async def test_who_had_changed_a_setting_that_is_gone_is_told_once(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base, base:
        rows = [(BO, "warn", "off"), (CY, "theme", "dark"), (CY, "board", "text")]
        base.executemany("INSERT INTO preferences VALUES (?, ?, ?)", rows)
        base.execute("UPDATE user_settings SET public = 0, puzzles = 1 WHERE user = ?", (ADA,))
        base.execute("UPDATE guild_settings SET plans = 0, most_house = 5")
    async with Store.open(path) as store:
        own = Service(store, FEATURES)
        for user, told in ((ADA, True), (ADA, False), (BO, True), (BO, False), (CY, True), (DEE, False)):
            assert await people.note_told(own, user) is told
        assert (await people.user_settings(own, ADA)).sharing is Sharing.NOTHING
        assert [(await people.user_settings(own, user)).board for user in (ADA, BO, CY)] == ["dark", "default", "text"]
        (settings,) = (await all_guild_settings(store.reader)).values()
        assert (settings.untold, settings.house) == (True, True)


async def test_plans_trees_puzzles_and_seekers_are_kept(service: Service) -> None:
    (plan,) = await plans_of(service.reader, BO)
    assert plan.is_confirmed
    match = await acts.move(service, 8, GUILD, ADA, "E4-F3", LATER)
    assert (match.ply, match.to_move) == (2, CY)  # with the reply that Bo had planned
    tree = await open_tree(service, Actor(ADA, LATER), 2, "")
    assert sorted(node.note for node in tree.nodes.values()) == ["", "Slow\nHm.", "Watch the left."]
    assert await load_game_note(service.reader, ADA, 2) == "Watch the left."
    assert (await load_standings(service.reader, GUILD, CY, LATER)).day == 738000
    assert await is_looking(service.reader, GUILD, CY)


async def test_messages_are_found_again(service: Service) -> None:
    assert (await service.reader.load_posts(2)).table == MessageRef(CHANNEL, 501)
    (asked,) = await service.reader.find_jobs("match = 5")
    assert (asked.kind, asked.key, asked.guild, asked.due_at) == ("buttons", f"{CHANNEL}:900", GUILD, None)


# The database of 28 November


def list_words(path: Path) -> dict[int, set[str]]:
    """Returns everything that people have written, by person."""
    sources = (
        "SELECT user, words FROM thoughts",
        "SELECT user, words FROM planned_thoughts",
        "SELECT user, words FROM thought_lines",
        "SELECT user, page FROM trees WHERE page <> ''",
        "SELECT user, name FROM tree_nodes JOIN trees ON id = tree WHERE name <> ''",
        "SELECT user, note FROM tree_nodes JOIN trees ON id = tree WHERE note <> ''",
    )
    found = dict[int, set[str]]()
    for sql in sources:
        for user, words in query(path, sql):
            assert isinstance(user, int)
            found.setdefault(user, set()).add(str(words))
    return found


def texts_in(value: object) -> str:
    """Returns all texts in a value of JSON."""
    if isinstance(value, dict):
        value = list(value.values())
    return "\0".join(map(texts_in, value)) if isinstance(value, list | tuple) else str(value)


@pytest.fixture
def later_path(tmp_path: Path) -> Path:
    return load_dump(LATER_OLD, tmp_path / "later.db")


Brought = Callable[[Path], Awaitable[Path | Address]]


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def brought(request: pytest.FixtureRequest, tmp_path: Path) -> Brought:
    """Brings an old file to each engine in turn."""

    async def bring(path: Path) -> Path | Address:
        if request.param == "SQLite":
            return Path(shutil.copy(path, tmp_path / "opened.db"))
        address: Address = request.getfixturevalue("address")
        await copy_old_file(path, address)
        return address

    return bring


@pytest.fixture
async def later(brought: Brought, later_path: Path) -> AsyncIterator[Service]:
    async with Store.open(await brought(later_path)) as store:
        yield Service(store, FEATURES)


async def test_notes_about_games_servers_and_people_are_kept(brought: Brought, later_path: Path) -> None:
    notes = {
        "draft:2": "7:0a0b",
        "rematch:5": "6",
        "rematch:900": "1",
        "met:1": "1",
        "met:2": "1",
        "removed:2": "77",
        "removed:3": "88",
        "meets": "1",
        f"forgetting:{ADA}": f"-12 {GUILD}:camelot 5:camelot",
        f"forgetting:{BO}": "-3",
        "forgotten": "12",
    }
    with closing(sqlite3.connect(later_path)) as base, base:
        base.execute("DELETE FROM meta")
        base.executemany("INSERT INTO meta VALUES (?, ?)", notes.items())
    async with Store.open(await brought(later_path)) as store, store.write_transaction() as tx:
        assert await tx.run_sql("SELECT key FROM meta ORDER BY key") == [("forgotten",), ("meets",)]
        assert await tx.run_sql("SELECT id, rematch FROM matches WHERE rematch > 0 ORDER BY id") == [(5, 6)]
        assert await servers.removed_servers(tx) == {2: 77, 3: 88}
        assert await begin_forgetting(tx, ADA) == -12
        assert await forgetting_under_way(tx) == [ADA, BO]
        assert await end_forgetting(tx, ADA) == [(GUILD, "camelot")]


async def test_what_waits_in_leagues_becomes_jobs(brought: Brought, later_path: Path) -> None:
    news = ["week-1", "week-2", "warn-7", "thread", "end", "removed.99.7", "removed.99.7.audit"]
    with closing(sqlite3.connect(later_path)) as base, base:
        base.execute("DELETE FROM league_news")
        base.executemany(
            "INSERT INTO league_news VALUES (1, 1, ?, 900, ?)", [(kind, at) for at, kind in enumerate(news)]
        )
        base.execute("INSERT INTO league_rulings VALUES (14, 60, 1, 900, 9, NULL, 'so', 0, 0)")
        base.execute("UPDATE leagues SET changes = 1, message = 7, state = 'ending' WHERE id = 1")
        base.execute("UPDATE leagues SET message = NULL WHERE id = 2")  # its sign-up has not been posted
    async with Store.open(await brought(later_path)) as store:
        kept = await store.reader.run_sql("SELECT kind, at FROM league_news ORDER BY kind")
        assert kept == [("end", 4), ("warn", 2), ("week", 1)]
        jobs = await store.reader.find_jobs(
            "kind LIKE 'league-%' AND (key IN ('1', '2') OR key LIKE '1:%' OR match = 14)"
        )
        assert [(job.kind, job.key, job.note, job.match) for job in jobs] == [
            ("league-end", "1", "", None),
            ("league-news", "1", "", None),
            ("league-removal", "1:7:5", "99", None),
            ("league-removal", "1:7:6:audit", "99", None),
            ("league-ruling", "14:60", "", 14),
            ("league-ruling", "14:60:audit", "", 14),
            ("league-table", "1", "", None),
            ("league-table", "2", "", None),
            ("league-thread", "1", "", None),
        ]


async def test_a_leagues_people_keep_their_numbers(brought: Brought, later_path: Path) -> None:
    with closing(sqlite3.connect(later_path)) as base:
        before = base.execute("SELECT entry, user FROM league_seats ORDER BY entry").fetchall()
        games = base.execute("SELECT number, entries FROM league_games ORDER BY number").fetchall()
    async with Store.open(await brought(later_path)) as store:
        assert await store.reader.run_sql("SELECT entrant, user FROM league_seats ORDER BY entrant") == before
        assert await store.reader.run_sql("SELECT number, entrants FROM league_games ORDER BY number") == games


async def test_people_find_all_their_words_again(later: Service, later_path: Path) -> None:
    words = list_words(later_path)
    assert sum(map(len, words.values())) > 30
    for user, own in words.items():
        kept = texts_in(await export_person(later, user))
        assert {one for one in own if one not in kept} == set()


async def test_every_running_game_takes_a_move(later: Service) -> None:
    await acts.accept_draw(later, 8, GUILD, CY, LATER)
    await later.change_match(4, lambda match, _: leaving.take_over(match, by(DEE, NOW + 71 * HOUR)))
    over = set[int]()
    for number in range(2, 21):
        match = await later.current_match(number, GUILD)
        if match.phase is not Phase.LIVE:
            over.add(number)
        else:
            assert (await play(later, match, LATER, 1)).ply > match.ply
    assert over == {5, 8, 9, 12, 14}
    assert await agrees(later)


async def test_a_triad_and_a_leagues_season_go_on_to_their_ends(later: Service) -> None:
    for number, winner in ((11, ADA), (13, CY)):
        await won(later, await later.current_match(number, GUILD), winner, LATER)
    assert await agrees(later)
    league = await leagues.find_league(later, GUILD, 1)
    assert league.state is LeagueState.RUNNING
    await seasons.tick(later, league.ends_at)
    assert (await leagues.find_league(later, GUILD, 1)).season == 2
    assert len((await seasons.winners(later, league))[1]) == 1


async def test_the_first_tick_stores_what_each_entry_of_a_ladder_changed(later: Service) -> None:
    assert await agrees(later)
    await tick_ladders(later, LATER)
    assert None not in await later.reader.read_column("SELECT rungs FROM ladder_entries")
    assert await agrees(later)


async def test_plans_are_still_played(later: Service) -> None:
    match = await play(later, await later.current_match(2, GUILD), LATER, 1)
    assert (match.ply, match.to_move) == (8, ADA)  # with the reply that Bo had planned


async def test_notes_and_words_on_plans_stand_at_the_start_in_explore(later: Service, later_path: Path) -> None:
    (long,) = [words for words in list_words(later_path)[ADA] if len(words) == 1000]
    keys = [(user, number) for user in (ADA, BO, CY, FAY) for number in range(8)]
    notes = {key: await load_game_note(later.reader, *key) for key in keys}
    assert {key: note for key, note in notes.items() if note} == {
        (ADA, 2): f"Start\n{long}\n\nA comment on the start",
        (BO, 2): "Bo's note on game two\n\nA7-A6: Planned words of Bo, one\nA6xA4: Planned words of Bo, two",
        (CY, 2): "A follower's note",
        (ADA, 3): "G2-H3: Ada plans in three",
        (CY, 3): "Cy's note on game three",
        (ADA, 5): "Start\nAda's note on game five\n\nA comment on the start",
        (FAY, 6): "C9-B8: Not yet played\nB8-A7: Nor this",
        (FAY, 7): "B5-A4: About a plan that was deleted",
    }
    played = await later.current_match(6, GUILD)
    assert (await own_words(later, played, FAY)).thoughts == {1: "Played as planned"}
    shared = [words for (words,) in query(later_path, "SELECT words FROM thought_lines ORDER BY number")]
    thoughts = (await own_words(later, await later.current_match(5, GUILD), ADA)).thoughts
    assert [thoughts[0].split("\n")[-1], *thoughts[2].split("\n")[-2:]] == shared
    for user, number in ((ADA, 2), (BO, 2), (FAY, 7)):
        match = await later.current_match(number, GUILD)
        tree = await open_tree(later, Actor(user, LATER), number, "")
        assert run_steps(ExplorePanel.in_tree(tree, match, "p0")).note == notes[user, number]
    await set_game_note(later, by(ADA, LATER), await later.current_match(2, GUILD), f"{long} More")
    assert await load_game_note(later.reader, ADA, 2) == f"{long} More", "a note that is longer than 1,000 may stay so"


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_the_migration_of_notes_knows_where_games_start(variant: Variant) -> None:
    (step,) = [step for step in migration_scripts() if "DROP COLUMN page" in step]
    assert f"WHEN '{variant.key}' THEN '{format_position(variant.start_position)}'" in step


async def test_events_that_announce_seasons_are_still_to_be_deleted(later: Service) -> None:
    assert [job.key for job in await later.reader.find_jobs("kind = 'event'")] == ["800", "801"]


# A database of several workers


STEP = next(number for number, step in enumerate(migration_scripts(), BASELINE) if step.startswith("-- One process"))
SHARDS = 3
NEAR, FAR = 600 << 22, 601 << 22
"""Servers of the first shard and of the second."""


def key(shard: int) -> int:
    """The number that stood for a shard."""
    return -(SHARDS << 16 | shard)


def test_absences_and_notes_of_shards_become_those_of_their_servers() -> None:
    before, step = migration_scripts()[: STEP - BASELINE], migration_scripts()[STEP - BASELINE]
    with closing(sqlite3.connect(":memory:")) as base:
        for script in before:
            base.executescript(script)
        for guild in (NEAR, FAR):
            base.execute("INSERT INTO ladders (guild, variant, channel) VALUES (?, 'camelot', 1)", (guild,))
        spans = [(key(0), 10, 20), (key(1), 10, 30), (FAR, 10, 25), (FAR, 50, None), (0, 5, 6), (-NEAR, 7, 8)]
        base.executemany("INSERT INTO absences (guild, since, until) VALUES (?, ?, ?)", spans)
        notes = [("ticked:0", "90"), ("ticked:1", "80"), ("meets:0", "1"), ("shards", "1 3"), ("met:7", "1")]
        base.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", notes)
        base.executescript(step)
        found = base.execute("SELECT guild, since, until FROM absences ORDER BY guild, since").fetchall()
        assert found == [(-NEAR, 7, 8), (0, 5, 6), (NEAR, 10, 20), (FAR, 10, 30), (FAR, 50, None)]
        stored = dict(base.execute("SELECT key, value FROM meta").fetchall())
        assert stored == {"ticked": "80", "meets": "1", "met:7": "1"}
