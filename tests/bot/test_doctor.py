"""The doctor's checks of this machine. Its questions to Discord are in tests/e2e."""

from __future__ import annotations

import asyncio
import errno
import re
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest

from bot.config import Settings
from bot.core.settings import GuildSettings, Threads
from bot.features import TABLES
from bot.ladder.rows import set_channel
from bot.ladder.state import LadderId as Ladder
from bot.ops.backup import back_up, dated_path
from bot.ops.doctor import MIN_FREE_BYTES, Severity, check_application, check_jobs, check_machine, run_checks
from bot.ops.sentences import FAULTS
from bot.ops.terminal import parse_arguments
from bot.store import Fault, Job, Store, open_read_only
from bot.store.absences import note_present
from bot.store.migrations import lock_database
from bot.store.servers import StoredPlace, posting_places, set_guild_settings
from tests.bot.databases import OLD, SPOILT, load_dump, run_sql
from tests.bot.unprivileged import permit, unprivileged

pytestmark = pytest.mark.sqlite

SECRET = "s3cret-and-never-said"


async def make(database: Path) -> None:
    async with Store.open(database):
        pass


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A sound database with a backup of now."""
    database, folder = tmp_path / "roundtable.db", tmp_path / "backups"
    asyncio.run(make(database))
    back_up(database, dated_path(folder, database, datetime.now(UTC)))
    return Settings(SECRET, database, "INFO", 0, None, folder, 7, None, "127.0.0.1", None)


Ailment = Callable[[Settings], AbstractContextManager[object] | None]
"""Spoils something; what is spoilt only for a while it returns as a context."""


@contextmanager
def shut(path: Path, mode: int) -> Any:
    """Limits the permissions of the path within the block."""
    before = path.stat().st_mode
    permit([path], mode)
    try:
        with unprivileged():
            yield
    finally:
        permit([path], before)


def first_start_in_a_shut_folder(settings: Settings) -> AbstractContextManager[object]:
    settings.database.unlink()
    return shut(settings.database.parent, 0o555)


def one_backup(settings: Settings, days: int = 0) -> Path:
    for path in settings.backups.iterdir():
        path.unlink()
    made = datetime.now(UTC) - timedelta(days)
    back_up(settings.database, path := dated_path(settings.backups, settings.database, made))
    return path


def readable(settings: Settings) -> None:
    settings.database.chmod(0o640)


FAULT, WARNING = Severity.FAULT, Severity.WARNING
AILMENTS: dict[str, tuple[Severity, str, Ailment]] = {
    **{
        name: (FAULT, words, lambda it, name=name: SPOILT[name][1](it.database) and None)  # type: ignore[misc]
        for name, words in {
            "damaged": "is damaged",
            "newer": "newer Round Table",
            "too old": "of an older version",
            "a poem": "is not a database",
            "recipes": "another program's",
        }.items()
    },
    "empty": (FAULT, "is not a database", lambda it: it.database.write_bytes(b"") and None),
    "a trigger": (
        FAULT,
        "trigger 'cheat'",
        lambda it: run_sql(it.database, "CREATE TRIGGER cheat AFTER INSERT ON events BEGIN DELETE FROM plans; END"),
    ),
    "unreadable": (FAULT, "cannot be read or written", lambda it: shut(it.database, 0)),
    "not to be written": (FAULT, "cannot be written to", lambda it: shut(it.database, 0o400)),
    "a shut folder": (FAULT, "cannot be made", first_start_in_a_shut_folder),
    "readable by others": (WARNING, "chmod 600", readable),
    "an old backup": (WARNING, "72 hours old", lambda it: one_backup(it, 3) and None),
    "a backup of tomorrow": (WARNING, "24 hours ahead", lambda it: one_backup(it, -1) and None),
    "a broken backup": (FAULT, "cannot be used", lambda it: one_backup(it).write_bytes(b"no database") and None),
    "no backup": (WARNING, "There is no backup", lambda it: one_backup(it).unlink()),
    "shut backups": (FAULT, "The backups in", lambda it: shut(it.backups, 0)),
}
"""How bad each is, a part of what is said, and how it comes about."""


@pytest.mark.parametrize(("level", "words", "spoil"), AILMENTS.values(), ids=AILMENTS)
def test_the_doctor_says_what_is_the_matter_and_nothing_else(
    level: Severity, words: str, spoil: Ailment, settings: Settings
) -> None:
    with spoil(settings) or nullcontext():
        found = list(check_machine(settings))
    (trouble,) = [finding for finding in found if finding.level is not Severity.OK]
    assert trouble.level is level
    assert words in str(trouble)
    assert SECRET not in "".join(map(str, found))


def test_a_healthy_house_is_well_whether_or_not_the_bot_runs(settings: Settings) -> None:
    with lock_database(settings.database):
        running = list(check_machine(settings))
    stopped = list(check_machine(settings))
    assert [one for one in (*running, *stopped) if one.level is not Severity.OK] == []
    assert "A bot is running on it." in [one.words for one in running]
    assert "No bot is running on it." in [one.words for one in stopped]


def test_a_first_start_is_no_fault_and_makes_nothing(settings: Settings) -> None:
    new = settings.database.with_name("new") / "roundtable.db"
    found = list(check_machine(replace(settings, database=new)))
    assert {one.level for one in found} == {Severity.OK}
    assert any("The next start makes it" in one.words for one in found)
    assert not new.parent.exists()


def test_a_disk_without_locks_or_room_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=MIN_FREE_BYTES - 1))
    troubles = [one for one in check_machine(settings) if one.level is not Severity.OK]
    assert [one.level for one in troubles] == [FAULT, WARNING]
    assert "network share" in troubles[0].words
    assert "Make room" in troubles[1].words


def test_every_fault_of_a_database_has_its_sentence() -> None:
    assert FAULTS.keys() == set(Fault)


def test_nights_without_backups_are_told(settings: Settings) -> None:
    (trouble,) = [one for one in check_machine(replace(settings, keep_backups=0)) if one.level is not Severity.OK]
    assert "ROUNDTABLE_KEEP_BACKUPS is 0" in trouble.words


def application(**known: object) -> Any:
    """Returns an application about which Discord knows that much."""
    integration = SimpleNamespace(oauth2_install_params=None)
    empty = {"description": "", "tags": [], "interactions_endpoint_url": None, "bot_require_code_grant": False}
    names = ("terms_of_service_url", "privacy_policy_url", "custom_install_url", "install_params", "guild_id")
    installs = {"guild_integration_config": integration, "user_integration_config": integration}
    return SimpleNamespace(id=1, **{**dict.fromkeys(names), **empty, **installs, **known})


def test_what_the_app_directory_would_ask_for_is_told_and_no_fault() -> None:
    found = [*check_application(application(description="Camelot", privacy_policy_url="https://example.org"))]
    assert {one.level for one in found} == {Severity.OK}
    assert "still needs tags, terms of service, an install link and a support server (" in found[-1].words
    whole = application(
        description="Camelot",
        tags=["game"],
        terms_of_service_url="https://example.org",
        privacy_policy_url="https://example.org",
        custom_install_url="https://example.org",
        guild_id=7,
    )
    assert "App Directory" not in "".join(one.words for one in check_application(whole))


async def ask_for(path: Path, guild: int, settings: GuildSettings) -> None:
    """Stores settings of a server."""
    async with Store.open(path) as store, store.write_transaction() as tx:
        await set_guild_settings(tx, guild, settings)


async def found(path: Path) -> list[StoredPlace]:
    """Where the bot posts, by that database."""
    async with open_read_only(path) as reader:
        return await posting_places(reader, TABLES)


async def note_ladder(path: Path, guild: int, channel: int) -> None:
    """Notes that somebody has used a server's ladder in that channel."""
    async with Store.open(path) as store, store.write_transaction() as tx:
        await set_channel(tx, Ladder(guild, "camelot"), channel)


async def test_the_places_are_those_of_running_games_and_the_servers_settings(path: Path) -> None:
    await ask_for(path, 2, GuildSettings(threads=Threads.ASK, channels=(21, 22), announcements=23))
    for place in (
        *("1, 11, NULL, 'open'", "1, 12, 99, 'live'", "1, 12, NULL, 'live'", "1, 13, NULL, 'over'"),
        "2, 21, NULL, 'live'",
    ):
        columns = "guild, channel, thread, phase, variant, ply, seq, moved_at, updated"
        run_sql(path, f"INSERT INTO matches ({columns}) VALUES ({place}, 'camelot', 0, 1, 0, 0)")
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


async def test_the_job_that_waits_longest_is_named_with_its_reason(path: Path) -> None:
    due, refused = Job("table", "1:4", 5, due_at=0), Job("audit", "1:2", 5, due_at=0)
    async with Store.open(path) as store, store.write_transaction() as tx:
        await tx.add_jobs(due, refused, Job("challenge", "1:3", 5))
        await tx.put_off_job(refused, 1 << 40, "403 Forbidden", tries=1)
        await note_present(tx, None, 3600)
    (found,) = await check_jobs(path)
    assert found.level is WARNING
    assert "Jobs that wait: 2. audit 1:2 of server 5 waits longest (tries: 1): 403 Forbidden." in found.words
    async with Store.open(path) as store, store.write_transaction() as tx:
        await tx.end_jobs(due, refused)
    assert [one.level for one in await check_jobs(path)] == [Severity.OK], "nothing has asked for the third"


async def test_jobs_are_looked_for_only_where_there_is_a_table_of_them(tmp_path: Path, path: Path) -> None:
    await make(path)
    settings = Settings(None, path, "INFO", 0, None, tmp_path, 7, None, "127.0.0.1", None)
    for database, known in ((path, True), (load_dump(OLD, tmp_path / "old.db"), False), (tmp_path / "no.db", False)):
        before, found = {*threading.enumerate()}, await run_checks(replace(settings, database=database))
        assert ("No job waits." in [one.words for one in found]) == known
        assert database.exists() or not any("_worker" in one.name for one in {*threading.enumerate()} - before)


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
    names = re.findall(r"^    ([a-z-]+) ", capsys.readouterr().out, re.MULTILINE)
    assert len(names) == 10
    for name in names:
        with pytest.raises(SystemExit):
            parse_arguments([name, "--help"])
        assert capsys.readouterr().out
    assert parse_arguments([]).run is None
