"""What every post needs to know of a server, kept in memory: its settings and language, people's names, and who may see
a game."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import Any

import discord
import structlog
from cachetools import LRUCache, TTLCache
from discord.ext.commands import Cooldown
from discord.utils import as_chunks

from bot.core.house_seats import is_person
from bot.core.match import Match, MatchSummary
from bot.core.settings import GuildSettings
from bot.core.timings import Timings
from bot.discordkit.reply import Interaction
from bot.discordkit.requests import NETWORK_ERRORS
from bot.play.background import BackgroundTasks, compute_beside
from bot.play.service import Service
from bot.play.service.people import change_guild_settings
from bot.store.people import log_unknown_name
from bot.store.servers import all_guild_settings
from bot.texts import records
from bot.texts.i18n import LANGUAGES, Language, language_for, text
from bot.texts.markup import break_links, escape_markup, one_line
from bot.texts.people import name_outside_discord, replace_mentions, users_mentioned

log = structlog.get_logger()


class ServerSettings:
    """The settings of every server that has any. All changes go through here, so that memory and database agree."""

    def __init__(self, client: discord.Client, service: Service) -> None:
        self._client = client
        self._service = service
        self._settings: dict[int, GuildSettings] = {}

    async def load_all(self) -> None:
        """Loads all settings; before that, every server has the defaults."""
        self._settings = await all_guild_settings(self._service.reader)

    def settings_of(self, guild: int) -> GuildSettings:
        """Returns that server's settings; the defaults if it has none."""
        return self._settings.get(guild, GuildSettings())

    async def change_settings(self, guild: int, change: Callable[[GuildSettings], GuildSettings]) -> GuildSettings:
        """Stores what `change` makes of the settings, applies it, and returns it."""
        self._settings[guild] = await change_guild_settings(self._service, guild, change)
        return self._settings[guild]

    def has_chosen_language(self, guild: int) -> bool:
        """True if somebody chose the server's language: in our settings, or in Discord's, where only community servers
        can.
        """
        server = self._client.get_guild(guild)
        return bool(self.settings_of(guild).language) or server is None or "COMMUNITY" in server.features

    def forget_server(self, guild: int) -> None:
        """Forgets the settings of a deleted server."""
        self._settings.pop(guild, None)

    def language_of(self, guild: int) -> Language:
        """Returns the language of public posts in that server: the one in our settings, else the one in Discord's."""
        chosen = self.settings_of(guild).language
        if chosen in LANGUAGES:
            return chosen
        if chosen is not None:
            log_unknown_name("language", chosen)
        server = self._client.get_guild(guild)
        return language_for(server.preferred_locale.value if server else None)


NAME_CACHE_SIZE = 20_000
"""Names that are kept, for all servers together."""

NAME_LIFETIME_S = 86_400
"""Seconds after which an old name is requested again in the background."""

ABSENT_LIFETIME_S = 3600
"""Seconds before Discord is asked again about a person who is not in a server."""

MEMBERS_PER_QUERY = 100
"""Members that Discord sends in one answer."""

NAMES_PER_GATEWAY, NAMES_BY_REST, NAMES_PERIOD_S = 50, 600, 60.0
"""Requests for names per shard's gateway, and for single names by REST, within the period in seconds. discord.py sends
110 over a gateway and then blocks everything else; Discord grants a bot 50 requests a second for everything.
"""

MAX_NAMES_BY_REST, REST_AT_ONCE = 25, 10
"""Names that one post requests by REST, and how many of these requests run at once."""

GATEWAY_ERRORS = (discord.ClientException, discord.HTTPException, RuntimeError, KeyError, *NETWORK_ERRORS)
"""The errors raised by a request for members if Discord does not answer, or if no gateway is connected."""


class DisplayNames:
    """Display names by server and person: learned from each interaction, else requested from the gateway.

    Requests are made in bulk, and each name is requested only once at a time. Nobody has to wait for a name: a post
    does without what does not come in time.
    """

    def __init__(
        self, client: discord.Client, servers: ServerSettings, background: BackgroundTasks, timings: Timings
    ) -> None:
        self._client = client
        self._servers = servers
        self._background = background
        self._timings = timings
        self._names: LRUCache[tuple[int, int], str] = LRUCache(NAME_CACHE_SIZE)
        self._fresh: TTLCache[tuple[int, int], bool] = TTLCache(NAME_CACHE_SIZE, NAME_LIFETIME_S)
        self._absent: TTLCache[tuple[int, int], bool] = TTLCache(NAME_CACHE_SIZE, ABSENT_LIFETIME_S)
        self._under_way: dict[tuple[int, int], tuple[float, asyncio.Task[None]]] = {}
        self._gateways: defaultdict[int, Cooldown] = defaultdict(lambda: Cooldown(NAMES_PER_GATEWAY, NAMES_PERIOD_S))
        self._rest, self._at_once = Cooldown(NAMES_BY_REST, NAMES_PERIOD_S), asyncio.Semaphore(REST_AT_ONCE)

    def learn_names_from(self, interaction: Interaction) -> None:
        """Notes the names in an interaction: of its sender, and of the people that it names."""
        guild = interaction.guild_id
        if guild is None:
            return
        self._note_name(guild, interaction.user.id, interaction.user.display_name)
        data: dict[str, Any] = dict(interaction.data or {})
        resolved = data.get("resolved", {})
        for number, member in resolved.get("members", {}).items():
            user = resolved["users"][number]
            self._note_name(guild, int(number), member.get("nick") or user.get("global_name") or user["username"])

    async def find_names(self, guild: int, users: Iterable[int], timeout_s: float | None = None) -> dict[int, str]:
        """Returns those people's names in that server, as far as they are known or come within `timeout_s` seconds.

        The timeout is by default as long as a post waits.
        """
        timeout_s = self._timings.name_wait_s if timeout_s is None else timeout_s
        keys = [(guild, user) for user in dict.fromkeys(users)]
        self._start_fetching(guild, [key for key in keys if is_person(key[1]) and key not in self._fresh])
        if requests := {self._under_way[key] for key in keys if key in self._under_way and key not in self._names}:
            # The next sentence of the same post does not wait again for a name that has not come.
            waited = asyncio.get_running_loop().time() - max(since for since, _ in requests)
            await asyncio.wait([task for _, task in requests], timeout=max(timeout_s - waited, 0))
        locale = self._servers.language_of(guild)
        names = {user: name_outside_discord(user, locale) or self._names.get((guild, user)) for _, user in keys}
        return {user: name for user, name in names.items() if name is not None}

    async def name_of(self, guild: int, user: int) -> str:
        """Returns that person's name in that server; empty if it is not known in time."""
        return (await self.find_names(guild, [user])).get(user, "")

    async def spell_names(self, guild: int, content: str, users_called: Container[int] = ()) -> str:
        """Replaces mentions with names, except those of people who are called.

        Otherwise Discord's clients show "@unknown-user" for a person that the reader has not met, if the message does
        not call them. An unknown name becomes a placeholder word.
        """
        users = [user for user in users_mentioned(content) if user not in users_called]
        if not users:
            return content
        names, unknown = await self.find_names(guild, users), text(self._servers.language_of(guild), "unknown-player")
        return replace_mentions(
            content, {user: escape_markup(names[user]) if user in names else unknown for user in users}
        )

    async def fetch_members(self, guild: int, users: Sequence[int]) -> dict[int, discord.Member]:
        """Returns those of the people who are in that server now, with their roles. Raises ConnectionError
        if Discord does not say.

        Sends one request over the gateway for each hundred people, and needs no privileged intent.
        """
        server, members_found = self._client.get_guild(guild), dict[int, discord.Member]()
        if server is None:
            raise ConnectionError(f"server {guild} is not known")
        for part in as_chunks(users, MEMBERS_PER_QUERY):
            try:
                async with asyncio.timeout(self._timings.members_timeout_s):
                    members = await server.query_members(user_ids=part, limit=MEMBERS_PER_QUERY, cache=False)
            except GATEWAY_ERRORS as error:
                raise ConnectionError(str(error) or type(error).__name__) from error
            members_found |= {member.id: member for member in members}
        for user, member in members_found.items():
            self._note_name(guild, user, member.display_name)
        return members_found

    def forget_person(self, user: int) -> None:
        """Forgets that person's names."""
        for kept in (self._names, self._fresh, self._absent):
            for key in [key for key in kept if key[1] == user]:
                del kept[key]

    def _note_name(self, guild: int, user: int, name: str) -> None:
        self._names[guild, user], self._fresh[guild, user] = name, True
        self._absent.pop((guild, user), None)

    def _start_fetching(self, guild: int, keys: Sequence[tuple[int, int]]) -> None:
        """Starts requests for those names that are neither known to be absent nor being requested already."""
        new = [key for key in keys if key not in self._absent and key not in self._under_way]
        for part in as_chunks(new, MEMBERS_PER_QUERY):
            task = self._background.start_task(self._fetch_names(guild, part))
            self._under_way |= dict.fromkeys(part, (asyncio.get_running_loop().time(), task))

    async def _fetch_names(self, guild: int, keys: Sequence[tuple[int, int]]) -> None:
        try:
            asked, members_found = await self._find_members(guild, [user for _, user in keys])
        except GATEWAY_ERRORS as error:  # an outage does not say who is in the server
            log.info("names not received", guild=guild, count=len(keys), error=str(error) or type(error).__name__)
        else:
            for user in set(asked) - {*members_found}:
                self._absent[guild, user] = True
                self._names.pop((guild, user), None)
        finally:
            for key in keys:
                del self._under_way[key]

    async def _find_members(self, guild: int, users: Sequence[int]) -> tuple[Sequence[int], Collection[int]]:
        """Asks Discord about these people: the gateway or, once the budget for it is spent, REST.

        Returns the people about whom it asked, and the ones among them who are in the server.
        """
        server, at = self._client.get_guild(guild), asyncio.get_running_loop().time()
        if server is None or not self._gateways[server.shard_id].update_rate_limit(at):
            return users, await self.fetch_members(guild, users)
        some = [user for user in users[:MAX_NAMES_BY_REST] if not self._rest.update_rate_limit(at)]
        there = await asyncio.gather(*(self._fetch_member(server, user) for user in some))
        return some, [user for user, is_there in zip(some, there, strict=True) if is_there]

    async def _fetch_member(self, server: discord.Guild, user: int) -> bool:
        """Returns whether that person is in the server, and notes their name if so."""
        async with self._at_once:
            try:
                member = await server.fetch_member(user)
            except discord.NotFound:
                return False
        self._note_name(server.id, user, member.display_name)
        return True


async def record_of(names: DisplayNames, service: Service, match: Match) -> str:
    """Returns the record so far as `python -m rules check` reads it, with the names that the server knows."""
    known = await record_names(names, match.guild, records.people_named(match))
    return await compute_beside(records.record_text, match, known)


async def record_names(names: DisplayNames, guild: int, people: Iterable[int]) -> dict[int, str]:
    """Returns the name of each of these people for a record."""
    found, unknown = await names.find_names(guild, people), text("en", "unknown-player")  # like the rest of a record
    # Safe in a header, where commas separate the players, and in a code block.
    return {user: break_links(one_line(found.get(user, unknown))).replace("`", "'").replace(",", "") for user in people}


def may_see_game(guild: discord.Guild, member: discord.Member, game: Match | MatchSummary) -> bool:
    """True if the member may see the place where that game is played, as far as the client knows.

    The client does not know archived private threads, so nobody could see a game there. For this reason the games of a
    private thread name the thread as their channel, and not the channel above it.
    """
    place = guild.get_channel_or_thread(game.place.thread_or_channel) or guild.get_channel(game.place.channel)
    if place is None:
        return False
    granted = place.permissions_for(member)
    # A request per invited member would cost too much: members who manage threads see a private one anyway.
    hidden = isinstance(place, discord.Thread) and place.is_private() and not granted.manage_threads
    return granted.view_channel and not hidden
