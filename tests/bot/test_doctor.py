"""The doctor's checks. Its sentences are in test_doctor_sentences.py, and its questions to Discord in tests/e2e."""

from __future__ import annotations

import inspect
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_type_hints

import pytest

import bot.ops
from bot.config import Settings
from bot.core.settings import GuildSettings, Threads
from bot.ladder.entries import LadderId as Ladder
from bot.ladder.feature import LADDER
from bot.ladder.rows import set_channel
from bot.ops import sentences
from bot.ops.backup import back_up, dated_path
from bot.ops.doctor import check_machine
from bot.ops.doctor_checks import CHECKS, Severity, finding
from bot.ops.doctor_database import check_stored_names
from bot.ops.terminal import SUBCOMMANDS, parse_arguments
from bot.store import Store, open_read_only
from bot.store.migrations import Fault, migrate_file, migration_steps
from bot.store.posting_places import StoredPlace, posting_places
from bot.store.server_settings import set_guild_settings

pytestmark = pytest.mark.sqlite

NOW = datetime.now(UTC)


async def test_a_healthy_house_is_well_whether_or_not_the_bot_runs(tmp_path: Path) -> None:
    path, folder = tmp_path / "roundtable.db", tmp_path / "backups"
    settings = Settings("token", path, "INFO", 0, None, folder, 7, None, "127.0.0.1", None)
    async with Store.open(path):
        back_up(path, dated_path(folder, path, NOW))
        running = list(check_machine(settings))
    stopped = list(check_machine(settings))
    assert [one for one in (*running, *stopped) if one.level is not Severity.OK] == []
    assert finding("running") in running
    assert finding("not-running") in stopped


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with nothing in it."""
    migrate_file(path := tmp_path / "roundtable.db", migration_steps())
    return path


async def ask_for(path: Path, guild: int, settings: GuildSettings) -> None:
    """Stores settings of a server."""
    async with Store.open(path) as store, store.write_transaction() as tx:
        await set_guild_settings(tx, guild, settings)


async def found(path: Path) -> list[StoredPlace]:
    """Makes the bot post in that channel."""
    async with open_read_only(path) as reader:
        of_ladders = await LADDER.stored.waiting.places(reader)
        return await posting_places(reader, of_ladders)


async def note_ladder(path: Path, guild: int, channel: int) -> None:
    """Notes that somebody has used a server's ladder in that channel."""
    async with Store.open(path) as store, store.write_transaction() as tx:
        await set_channel(tx, Ladder(guild, "camelot"), channel)


async def test_the_places_are_those_of_running_games_and_the_servers_settings(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        for guild, channel, thread, phase in (
            *((1, 11, None, "open"), (1, 12, 99, "live"), (1, 12, None, "live"), (1, 13, None, "over")),
            (2, 21, None, "live"),
        ):
            base.execute(
                "INSERT INTO matches (guild, channel, thread, variant, phase, ply, seq, moved_at, updated)"
                " VALUES (?, ?, ?, 'camelot', ?, 0, 1, 0, 0)",
                (guild, channel, thread, phase),
            )
        base.commit()
    await ask_for(path, 2, GuildSettings(threads=Threads.ASK, channels=(21, 22), announcements=23))
    assert await found(path) == [
        StoredPlace(1, 11, False),
        StoredPlace(1, 12, True),
        StoredPlace(2, 21, False),
        StoredPlace(2, 22, False),
        StoredPlace(2, 23, False),
    ]


async def test_a_server_that_wants_threads_needs_them_wherever_games_are_played(path: Path) -> None:
    asked = GuildSettings(channels=(11, 12), announcements=13, audit=12, ladder_channel=14)
    for guild, threads in enumerate(Threads, 1):
        await ask_for(path, guild, replace(asked, threads=threads))
        await note_ladder(path, guild + 10, 15)
        await ask_for(path, guild + 10, GuildSettings(threads=threads))
    needed = {place.guild: set[int]() for place in await found(path)}
    for place in await found(path):
        needed[place.guild] |= {place.channel} if place.threads else set()
    assert needed == {1: {11, 12, 14}, 2: set(), 3: set(), 11: {15}, 12: set(), 13: set()}


async def test_a_ladder_without_a_channel_posts_where_it_was_last_asked(path: Path) -> None:
    for guild in (1, 2, 3):
        await note_ladder(path, guild, 10)
    await ask_for(path, 2, GuildSettings())
    await ask_for(path, 3, GuildSettings(ladder_channel=30))
    assert [place[:2] for place in await found(path)] == [(1, 10), (2, 10), (3, 30)]


async def test_no_channel_that_a_server_can_name_is_forgotten(path: Path) -> None:
    channels: dict[str, Any] = {}
    for number, (name, kind) in enumerate(get_type_hints(GuildSettings).items(), 1):
        if kind in (int | None, tuple[int, ...]):  # what else is counted there is never None
            channels[name] = number if kind == int | None else (number,)
    assert {"channels", "announcements", "audit", "ladder_channel", "forum"} <= set(channels)
    for guild, (name, channel) in enumerate(channels.items(), 1):
        await ask_for(path, guild, GuildSettings(threads=Threads.NO, **{name: channel}))
    wanted = [value if isinstance(value, int) else value[0] for value in channels.values()]
    assert await found(path) == [StoredPlace(guild, channel, False) for guild, channel in enumerate(wanted, 1)]


def test_every_subcommand_is_offered_and_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_arguments(["--help"])
    assert ended.value.code == 0
    page = capsys.readouterr().out
    for command in SUBCOMMANDS:
        assert f"\n    {command.name} " in page
        with pytest.raises(SystemExit):
            parse_arguments([command.name, "--help"])
        assert capsys.readouterr().out
    assert parse_arguments([])[0] is None


async def test_names_that_are_not_known_here_are_listed(path: Path) -> None:
    await ask_for(path, 1, GuildSettings())
    assert await check_stored_names(path) == [finding("names")]
    values = "zone = 'America/X', pace = 'glacial', threads = 'often', language = 'tlh'"
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(f"UPDATE guild_settings SET {values}")
        base.execute("INSERT INTO preferences (user, key, value) VALUES (7, 'board', 'neon'), (7, 'later', 'x')")
    found = await check_stored_names(path)
    assert {one.level for one in found} == {Severity.WARNING}
    assert [one.words.split(",")[0] for one in found] == [
        "zone `America/X`",
        "pace `glacial`",
        "threads `often`",
        "language `tlh`",
        "board `neon`",
    ]


def test_no_sentence_of_the_terminal_is_dead() -> None:
    modules = [import_module(f"bot.ops.{found.name}") for found in iter_modules(bot.ops.__path__)]
    source = "\n".join(inspect.getsource(module) for module in (*modules, import_module("bot.__main__")))
    used = set(re.findall(r"\bsentences\.([A-Z_]+)\b", source))
    assert {name for name in vars(sentences) if name.isupper()} - {"FAULTS", "FAULTS_THERE"} == used
    assert set(sentences.FAULTS) == set(Fault)
    asked = re.findall(r'finding\(\s*"([a-z-]+)"(?: if [^"]+ else "([a-z-]+)")?', source)
    assert {name for names in asked for name in names if name} == set().union(*CHECKS.values())
