"""The doctor's questions to Discord: clock, token, commands, and permissions where the bot has to post. REST only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import aiohttp
import discord

from bot.client import KNOWN_COMMANDS_KEY, VERIFY_BY, VERIFY_FROM, RoundTable
from bot.config import Settings
from bot.discordkit.invitation import install_problems, invite_link, missing_in_server
from bot.discordkit.permissions import missing_for
from bot.discordkit.slash import CatalogueTranslator, read_known_commands
from bot.discordkit.wall_clock import WallClock, ask_time
from bot.features import FEATURES
from bot.ops.doctor_checks import Finding, finding
from bot.play.pictures import Pictures
from bot.store import Store, StoreError, open_read_only
from bot.store.address import Database
from bot.store.posting_places import StoredPlace, posting_places
from bot.texts.i18n import join_list, text
from bot.texts.markup import one_line
from sandbox import TOKEN, point_discord_at

_MAX_CLOCK_ERROR_S = 10
"""Seconds by which the clock may differ from Discord's header, which is cut to whole seconds."""

_SERVERS_A_PAGE = 200
"""The most servers that Discord lists in one answer."""

_MAX_DETAIL_LENGTH = 200
"""Characters of Discord's error that are printed at most."""


class _VisitingClient(RoundTable):
    """The bot's client without a gateway. It changes nothing, not even the commands registered with Discord."""

    async def setup_hook(self) -> None:
        """Runs after the login."""
        await self.tree.set_translator(CatalogueTranslator())
        await self.add_all_cogs()


async def ask_discord(settings: Settings) -> list[Finding]:
    """Returns the findings from Discord's answers; none if there is no Discord to ask."""
    if settings.token is None and settings.sandbox_url is None:
        return [finding("no-discord")]
    if settings.sandbox_url is not None:
        point_discord_at(settings.sandbox_url)
    findings: list[Finding] = []
    try:
        findings.append(await _check_clock())
        async with _logged_in_client(settings.token or TOKEN) as client:
            findings.append(finding("login", name=client.user))
            application = await client.application_info()
            findings += _check_application(application)
            findings += _check_server_count(client, application)
            findings += await _check_invitations(client)
            findings.append(await _check_commands(client, settings.database))
            findings += [place_finding async for place_finding in _check_places(client, settings.database)]
    except discord.LoginFailure:
        findings.append(finding("login", False))
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        # A proxy before Discord answers with whole pages, and a finding is one line.
        findings.append(
            finding("connection", False, detail=one_line(str(error) or type(error).__name__, _MAX_DETAIL_LENGTH))
        )
    return findings


@asynccontextmanager
async def _logged_in_client(token: str) -> AsyncIterator[_VisitingClient]:
    """Yields a client that has logged in. It has an empty database of its own, as the bot may be using the real one."""
    with TemporaryDirectory() as folder, Pictures() as pictures:
        async with Store.open(Path(folder) / "empty.db") as store, _VisitingClient(store, pictures) as client:
            await client.login(token)
            yield client


async def _check_clock() -> Finding:
    await ask_time(clock := WallClock())
    if clock.seconds_ahead is None:
        raise OSError("its answer does not say what time it is")
    return finding("clock", abs(clock.seconds_ahead) <= _MAX_CLOCK_ERROR_S, seconds=clock.seconds_ahead)


def _check_application(application: discord.AppInfo) -> list[Finding]:
    """Returns the invite link, and what the settings in the developer portal lack."""
    findings = [finding("invite", link=invite_link(application.id))]
    if application.guild_integration_config and not application.user_integration_config:
        findings.append(finding("no-user-install"))
    return findings + [finding("install", False, problem=problem) for problem in install_problems(application)]


async def _check_invitations(client: _VisitingClient) -> list[Finding]:
    """Returns the servers that have not granted all permissions of the invite link."""
    findings: list[Finding] = []
    after = 0
    while page := await client.http.get_guilds(_SERVERS_A_PAGE, after=after, with_counts=False):
        for server in page:
            after = max(after, int(server["id"]))
            # discord.py keeps these permissions in no object of its own.
            granted = discord.Permissions(int(cast("Mapping[str, str]", server)["permissions"]))
            if missing := missing_in_server(granted):
                findings.append(finding("server-permissions", False, guild=server["name"], permissions=missing))
        if len(page) < _SERVERS_A_PAGE:
            break
    return findings


def _check_server_count(client: _VisitingClient, application: discord.AppInfo) -> list[Finding]:
    """Returns what to do about a growing number of servers; empty while there are few."""
    count = application.approximate_guild_count or 0
    assert client.user is not None
    if count < VERIFY_FROM or client.user.public_flags.verified_bot:
        return []
    return [finding("server-count", False, count=count, most=VERIFY_BY)]


async def _check_commands(client: _VisitingClient, database: Database) -> Finding:
    ours = {command.name for command in client.tree.get_commands()}
    theirs = {command.name for command in await client.tree.fetch_commands()}
    try:
        async with open_read_only(database) as reader:
            known_commands = read_known_commands(await reader.get_meta(KNOWN_COMMANDS_KEY))
    except StoreError:
        known_commands = None  # another check reports the database
    agree = ours == theirs and known_commands and known_commands.digest == await client.commands_digest()
    return finding("commands", bool(agree), count=len(ours), missing=len(ours - theirs), unknown=len(theirs - ours))


async def _check_places(client: _VisitingClient, database: Database) -> AsyncIterator[Finding]:
    try:
        async with open_read_only(database) as reader:
            of_features = [place for feature in FEATURES for place in await feature.stored.waiting.places(reader)]
            all_places = await posting_places(reader, of_features)
    except StoreError:
        return
    count = 0
    for guild, places_there in groupby(all_places, key=attrgetter("guild")):
        wanted = list(places_there)
        try:
            found_there = await _check_server(client, guild, wanted)
        except (discord.NotFound, discord.Forbidden):
            yield finding("membership", False, guild=guild)
            continue
        for place_finding in found_there:
            yield place_finding
        count += len(wanted)
    yield finding("permissions", count=count)


async def _check_server(client: _VisitingClient, guild_id: int, wanted: list[StoredPlace]) -> list[Finding]:
    """Returns the findings in one server, with three requests for all its channels and one for each thread."""
    assert client.user is not None
    guild = await client.fetch_guild(guild_id)
    channels = {channel.id: channel for channel in await guild.fetch_channels()}
    me = await guild.fetch_member(client.user.id)
    if me.timed_out_until and me.is_timed_out():
        return [finding("timeout", False, guild=guild.name, until=f"{me.timed_out_until:%Y-%m-%d %H:%M} UTC")]
    findings = [await _check_place(guild, channels, me, place) for place in wanted]
    return [item for item in findings if item]


async def _check_place(
    guild: discord.Guild, channels: Mapping[int, discord.abc.GuildChannel], me: discord.Member, place: StoredPlace
) -> Finding | None:
    """Returns the finding about one posting place; None if all is well."""
    thread = None if place.channel in channels else await _fetch_thread(guild, place.channel)
    channel = channels.get(thread.parent_id if thread else place.channel)  # a thread has its parent's permissions
    if channel is None:
        return finding("channel", False, channel=place.channel, guild=guild.name)
    missing = missing_for(channel.permissions_for(me), thread or channel, wants_thread=place.threads)
    if not missing:
        return None
    names = join_list("en", [text("en", f"permission.{name}") for name in dict.fromkeys(missing)])
    return finding("permissions", False, channel=thread or channel, guild=guild.name, permissions=names)


async def _fetch_thread(guild: discord.Guild, number: int) -> discord.Thread | None:
    """Returns a thread, archived or not: a table opened in a thread has no other place."""
    try:
        channel = await guild.fetch_channel(number)
    except (discord.NotFound, discord.Forbidden, discord.InvalidData):
        return None
    return channel if isinstance(channel, discord.Thread) else None
