"""`python -m bot doctor`: what can be wrong with this machine, the database and the bot in Discord, and what to do.

Each check yields a line or more. It needs no lock and no gateway, so it can run beside the bot, and changes nothing.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import partial
from glob import escape
from importlib.metadata import version
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import aiohttp
import discord

from bot.config import Settings
from bot.discordkit.permissions import install_problems, invite_link, missing_for
from bot.discordkit.wall_clock import WallClock, ask_time
from bot.features import TABLES
from bot.ops.backup import list_backups
from bot.ops.sentences import REFUSED, fault_sentence
from bot.store import Fault, StoreError, open_read_only
from bot.store.absences import last_present_at
from bot.store.connection import Address, Database
from bot.store.migrations import journals_of, last_version, lock_database
from bot.store.servers import StoredPlace, posting_places
from bot.store.sqlite import check_database
from bot.texts.i18n import join_list, text
from bot.texts.markup import one_line
from sandbox import TOKEN, point_discord_at

MIN_FREE_BYTES = 50 * 1024 * 1024
_FREE_SPACE_FACTOR = 3
"""Times the database's size that should be free on its disk: for the journal, a migration's copy and a night's
backup."""
_FILES_NAMED = 5
_OLD_BACKUP_AGE = timedelta(days=2)
_MAX_SECONDS_OFF = 10
"""Seconds by which the clock may differ from Discord's header, which is cut to whole seconds."""
_PATIENCE_S = 15 * 60
"""Seconds after which a job that is due counts as waiting, if it has not been tried."""
_MAX_DETAIL_LENGTH = 200
"""Characters of Discord's error that are printed at most."""


class Severity(Enum):
    """How bad a finding is. The values are printed."""

    OK = "ok"
    WARNING = "warning"  # the bot works, but not for long, or not for everybody
    FAULT = "fault"  # it cannot work


class Finding(NamedTuple):
    """A line of the doctor's report."""

    level: Severity
    words: str

    def __str__(self) -> str:
        return f"{self.level.value:<7}  {self.words}"


_ok, _warning, _fault = (partial(Finding, level) for level in (Severity.OK, Severity.WARNING, Severity.FAULT))


async def run_checks(settings: Settings) -> list[Finding]:
    """Returns all findings."""
    findings = [*check_machine(settings)]
    if isinstance(settings.database, Address):
        findings += [finding async for finding in _check_postgresql(settings.database)]
    return findings + await check_jobs(settings.database) + [finding async for finding in _ask_discord(settings)]


def check_machine(settings: Settings) -> Iterator[Finding]:
    """Yields the findings that need neither PostgreSQL nor Discord."""
    yield _ok(
        f"Round Table {version('round-table')} on Python {platform.python_version()}, discord.py"
        f" {version('discord.py')}, SQLite {sqlite3.sqlite_version}, Pillow {version('Pillow')}."
    )
    yield _ok(f"DISCORD_TOKEN is {'set.' if settings.token else 'not set: `python -m bot` starts the sandbox.'}")
    yield from map(_warning, settings.remarks)
    if isinstance(settings.database, Path):
        exposed = list(_check_modes(settings.database, settings.backups))  # before the next check makes journals
        yield from _check_file(settings.database)
        yield from exposed
        yield _check_disk(settings.database)
        if os.path.exists(settings.database):
            yield from _check_backups(settings, settings.database)


def _check_file(path: Path) -> Iterator[Finding]:
    """Checks the database file, that the bot may write to it, and whether a bot runs on it."""
    if not os.path.exists(path):  # pathlib raises an error in an unreadable folder
        folder = _nearest_folder(path)
        if folder.is_dir() and os.access(folder, os.W_OK):
            yield _ok(f"{path} does not exist yet. The next start makes it. If there was one, mount its disk first.")
        else:
            yield _fault(f"{path} cannot be made. Give {folder} to the bot's user (chown), or set ROUNDTABLE_DB.")
        return
    try:
        found = check_database(path)
    except StoreError as error:
        yield _fault(fault_sentence(error))
        return
    files = [path, *(part for part in journals_of(path) if part.exists())]
    size = format_megabytes(sum(part.stat().st_size for part in files))
    older = f" The next start copies it and brings it up to {last_version()}." if found < last_version() else ""
    yield _ok(f"{path} is a sound database of version {found}, {size}.{older}")
    if read_only := [part for part in (*files, path.parent) if not os.access(part, os.W_OK)]:
        yield _fault(f"{read_only[0]} cannot be written to. Give it to the user that runs the bot (chown).")
        return
    try:
        with lock_database(path):  # only long enough to see that it is free
            yield _ok("No bot is running on it.")
    except StoreError as error:
        if error.fault is Fault.IN_USE:
            yield _ok("A bot is running on it.")
        else:
            yield _fault(f"{path} cannot be locked: {error.detail}. Keep it on a local disk, not on a network share.")


def _nearest_folder(path: Path) -> Path:
    """Returns the innermost folder of the path that exists."""
    return next(parent for parent in path.absolute().parents if os.path.exists(parent))


def _check_modes(path: Path, folder: Path) -> Iterator[Finding]:
    """Checks that nobody else on this machine may read the database and its backups."""
    if os.name != "posix":
        return
    real = path.resolve()
    with suppress(OSError):  # an unreadable folder is closed to others, too
        ours = chain(real.parent.glob(f"{escape(real.name)}*"), folder.glob(f"{escape(path.stem)}-*.db"))
        if files := sorted(str(file) for file in ours if file.is_file() and file.stat().st_mode & 0o077):
            yield _warning(
                f"Others on this machine may read {len(files)} of the files with games and players' numbers. Keep them"
                f" to their owner: chmod 600 {shlex.join(files[:_FILES_NAMED])}"
            )


def _check_disk(path: Path) -> Finding:
    free = shutil.disk_usage(_nearest_folder(path)).free
    needed = max(MIN_FREE_BYTES, _FREE_SPACE_FACTOR * path.stat().st_size if os.path.exists(path) else 0)
    if free >= needed:
        return _ok(f"{format_megabytes(free)} are free on its disk.")
    return _warning(
        f"Only {format_megabytes(free)} are free on its disk. Make room, at least {format_megabytes(needed)}: a full"
        " disk stops all games."
    )


def _check_backups(settings: Settings, database: Path) -> Iterator[Finding]:
    folder = settings.backups
    if not settings.keep_backups:
        yield _warning("ROUNDTABLE_KEEP_BACKUPS is 0. Remove it, unless something else makes backups.")
        return
    try:
        made = list_backups(folder, database)
    except OSError as error:
        yield _fault(f"The backups in {folder} cannot be read: {error.strerror}. Check the folder's permissions.")
        return
    if not made:
        yield _warning(f"There is no backup in {folder}. A bot makes one each night; `python -m bot backup` makes one.")
        return
    try:
        check_database(made[0].path)
    except StoreError as error:
        yield _fault(f"The latest backup cannot be used. Make another: `python -m bot backup`. {fault_sentence(error)}")
        return
    age = datetime.now(UTC) - made[0].made
    hours = round(age.total_seconds() / 3600)
    if hours < 0:
        yield _warning(f"The latest backup is dated {-hours} hours ahead: {made[0].path}. Check this machine's clock.")
    elif age < _OLD_BACKUP_AGE:
        yield _ok(f"The latest of {len(made)} backups is {hours} hours old and sound: {made[0].path}")
    else:
        yield _warning(
            f"The latest backup is {hours} hours old: {made[0].path}. Keep the bot running; look for `backup failed` in"
            " its log."
        )


def format_megabytes(size: int) -> str:
    """Returns the size in bytes as text for people."""
    return f"{size / 1024 / 1024:.1f} MB"


async def _check_postgresql(address: Address) -> AsyncIterator[Finding]:
    from bot.store.postgresql import inspect_database  # its driver is an extra

    try:
        seen = await inspect_database(address)
    except StoreError as error:
        yield _fault(fault_sentence(error))
        return
    state = f"is a database of version {seen.version}, {format_megabytes(seen.size)}"
    update = f" The next start brings it up to {last_version()}; make a dump before."
    if not seen.version:
        state, update = "is empty", " The first start makes the tables."
    elif seen.version >= last_version():
        update = ""
    yield _ok(f"{address} {state}, on PostgreSQL {seen.server}.{update}")
    yield _ok("A bot is running on it." if seen.in_use else "No bot is running on it.")
    yield _ok("Its backups are PostgreSQL's own affair (pg_dump, an archive of the WAL): docs/hosting.md says how.")


async def check_jobs(database: Database) -> list[Finding]:
    """Returns the job that waits longest, and why. None of the jobs that a running bot is about to do counts."""
    try:
        async with open_read_only(database) as reader:
            # When the bot was there last, by the clock by which jobs fall due: this machine's may be wrong.
            since = (await last_present_at(reader) or 0) - _PATIENCE_S
            waiting = await reader.find_jobs("due_at < ? OR (due_at IS NOT NULL AND tries > 0)", (since,))
    except StoreError:
        return []  # another check reports the database
    if not waiting:
        return [_ok("No job waits.")]
    job = max(waiting, key=attrgetter("tries"))  # of equals, the one that has been due longest
    where = f"{job.kind} {job.key} of server {job.guild} waits longest (tries: {job.tries})"
    why = f"{job.why or 'the bot cannot reach the server'}. Remove the obstacle; the bot tries again by itself."
    return [_warning(f"Jobs that wait: {len(waiting)}. {where}: {why}")]


async def _ask_discord(settings: Settings) -> AsyncIterator[Finding]:
    """Yields the findings from Discord's answers, by REST alone."""
    if settings.token is None and settings.sandbox_url is None:
        yield _ok("Discord is not asked anything: there is neither DISCORD_TOKEN nor ROUNDTABLE_SANDBOX_URL.")
        return
    if settings.sandbox_url is not None:
        point_discord_at(settings.sandbox_url)
    try:
        yield await _check_clock()
        async with discord.Client(intents=discord.Intents(guilds=True)) as client:
            await client.login(settings.token or TOKEN)
            yield _ok(f"Discord knows the bot as {client.user}.")
            for found in check_application(await client.application_info()):
                yield found
            async for found in _check_places(client, settings.database):
                yield found
    except discord.LoginFailure:
        yield _fault(REFUSED)
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        # A proxy before Discord answers with whole pages, and a finding is one line.
        detail = one_line(str(error) or type(error).__name__, _MAX_DETAIL_LENGTH)
        yield _fault(
            f"Discord cannot be asked: {detail}. Check the network and the firewall; outgoing HTTPS is enough."
        )


async def _check_clock() -> Finding:
    await ask_time(clock := WallClock())
    if clock.seconds_ahead is None:
        raise OSError("its answer does not say what time it is")
    if abs(clock.seconds_ahead) <= _MAX_SECONDS_OFF:
        return _ok("The clock agrees with Discord's.")
    return _warning(
        f"The clock is {clock.seconds_ahead} seconds off Discord's, so whatever is due waits. Set it, and turn on NTP."
    )


def check_application(application: discord.AppInfo) -> Iterator[Finding]:
    """Yields the invite link, and what the settings in the developer portal lack."""
    yield _ok(f"The link that adds the bot to a server: {invite_link(application.id)}")
    guilds = application.guild_integration_config
    if guilds and not application.user_integration_config:
        yield _ok("Installation > User Install is off: /me, /learn and so on work only in the bot's servers.")
    yield from map(_warning, install_problems(application))
    has_install_link = (
        application.custom_install_url or application.install_params or (guilds and guilds.oauth2_install_params)
    )
    wanted = {
        "a description": application.description,
        "tags": application.tags,
        "terms of service": application.terms_of_service_url,
        "a privacy policy": application.privacy_policy_url,
        "an install link": has_install_link,
        "a support server": application.guild_id,
    }
    if missing := [name for name, value in wanted.items() if not value]:
        yield _ok(
            f"To be listed in Discord's App Directory, the app still needs {join_list('en', missing)} (developer"
            " portal: General Information, Installation, Discovery). It works without."
        )


async def _check_places(client: discord.Client, database: Database) -> AsyncIterator[Finding]:
    """Yields the findings about the channels of running games, settings and ladders."""
    try:
        async with open_read_only(database) as reader:
            all_places = await posting_places(reader, TABLES)
    except StoreError:
        return
    for guild_id, places in groupby(all_places, key=attrgetter("guild")):
        try:
            async for finding in _check_server(client, guild_id, places):
                yield finding
        except (discord.NotFound, discord.Forbidden):
            yield _warning(
                f"The bot is no longer in server {guild_id}, where it has games or settings. Invite it again, or let"
                " them be."
            )
    yield _ok(f"Permissions were looked at in {len(all_places)} channels, of games, settings and ladders.")


async def _check_server(client: discord.Client, guild_id: int, places: Iterable[StoredPlace]) -> AsyncIterator[Finding]:
    """Yields the findings in one server, with three requests for all its channels and one for each thread."""
    assert client.user is not None
    guild = await client.fetch_guild(guild_id)
    channels = {channel.id: channel for channel in await guild.fetch_channels()}
    me = await guild.fetch_member(client.user.id)
    if me.timed_out_until and me.is_timed_out():
        until = f"{me.timed_out_until:%Y-%m-%d %H:%M} UTC"
        yield _warning(
            f"In {guild.name} the moderators have put the bot in timeout until {until}. It posts there again by itself"
            " then."
        )
        return
    for place in places:
        thread = None if place.channel in channels else await _fetch_thread(guild, place.channel)
        channel = channels.get(thread.parent_id if thread else place.channel)  # a thread has its parent's permissions
        if channel is None:
            yield _warning(
                f"Channel {place.channel} in {guild.name} is gone, or the bot cannot see it. A player brings its games"
                " elsewhere with `/game move-here`."
            )
        elif missing := missing_for(channel.permissions_for(me), thread or channel, wants_thread=place.threads):
            names = join_list("en", [text("en", f"permission.{name}") for name in dict.fromkeys(missing)])
            yield _fault(
                f"#{thread or channel} in {guild.name}: the bot lacks {names}. Grant what is missing in the channel's"
                " settings, under Permissions."
            )


async def _fetch_thread(guild: discord.Guild, channel_id: int) -> discord.Thread | None:
    """Returns a thread, archived or not: a table opened in a thread has no other place."""
    with suppress(discord.NotFound, discord.Forbidden, discord.InvalidData):
        channel = await guild.fetch_channel(channel_id)
        return channel if isinstance(channel, discord.Thread) else None
    return None
