"""What people are called and what servers have asked for, kept in memory for every post."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import Any

import discord
import structlog
from cachetools import LRUCache, TTLCache

from bot.core.house_seats import is_person
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.core.settings import GuildSettings
from bot.core.stored_names import UNKNOWN_NAMES, SettingOwner
from bot.discordkit.reply import Interaction, may_manage_server
from bot.discordkit.steady import NETWORK_ERRORS
from bot.play.service import Service
from bot.play.service.people import SettingsChange
from bot.texts import records
from bot.texts.i18n import LANGUAGES, Language, language_for, text
from bot.texts.sentences import (
    break_links,
    escape_markup,
    name_outside_discord,
    one_line,
    replace_mentions,
    users_mentioned,
)

log = structlog.get_logger()

LANGUAGE_CACHE_SIZE = 2000
"""People whose languages are kept: the latest ones met."""

NAME_CACHE_SIZE = 20_000
"""Names that are kept, of all servers together."""

NAME_LIFETIME_S = 86_400
"""Seconds after which a name is asked for again, if they are not heard of meanwhile; nobody waits for that."""

ABSENT_LIFETIME_S = 3600
"""Seconds for which whoever is not in a server is not asked for again."""

MEMBERS_PER_QUERY = 100
"""Members whom Discord tells of in one answer."""

NAME_WAIT_S = 1.0
"""Seconds for which a post waits for names; it does without those that have not come by then."""

MEMBERS_TIMEOUT_S = 10.0
"""Seconds after which an answer of the gateway is not waited for any longer."""

NAMES_PER_GATEWAY, NAMES_BY_REST, NAMES_PERIOD_S = 50, 600, 60.0
"""Requests for names over the gateway of a shard, and for one name by REST, in so many seconds. discord.py sends 110
over a gateway and has everything else wait then; Discord grants a bot 50 requests a second for all that it does."""

MAX_NAMES_BY_REST, REST_AT_ONCE = 25, 10
"""Names of one post that are asked for by REST, and how many of all at once."""

GATEWAY_ERRORS = (discord.ClientException, discord.HTTPException, RuntimeError, KeyError, *NETWORK_ERRORS)
"""What asking for members raises where Discord does not answer, or a gateway does not stand."""


class DisplayNames:
    """Display names by server and person: heard with each interaction, asked of the gateway where they were not.

    In bulk, and each only once at a time. Nobody has to wait for a name: what has not come in time is done without.
    """

    def __init__(self, client: discord.Client, servers: ServerSettings) -> None:
        self._client = client
        self._servers = servers
        self._names: LRUCache[tuple[int, int], str] = LRUCache(NAME_CACHE_SIZE)
        self._fresh: TTLCache[tuple[int, int], bool] = TTLCache(NAME_CACHE_SIZE, NAME_LIFETIME_S)
        self._absent: TTLCache[tuple[int, int], bool] = TTLCache(NAME_CACHE_SIZE, ABSENT_LIFETIME_S)
        self._under_way: dict[tuple[int, int], tuple[float, asyncio.Task[None]]] = {}
        self._gateways: defaultdict[int, RequestBudget] = defaultdict(
            lambda: RequestBudget(NAMES_PER_GATEWAY, NAMES_PERIOD_S)
        )
        self._rest, self._at_once = RequestBudget(NAMES_BY_REST, NAMES_PERIOD_S), asyncio.Semaphore(REST_AT_ONCE)

    def learn_names_from(self, interaction: Interaction) -> None:
        """Note the names that came with an interaction: of whoever sent it, and of those whom it names."""
        guild = interaction.guild_id
        if guild is None:
            return
        self._note_name(guild, interaction.user.id, interaction.user.display_name)
        data: dict[str, Any] = dict(interaction.data or {})
        resolved = data.get("resolved", {})
        for number, member in resolved.get("members", {}).items():
            user = resolved["users"][number]
            self._note_name(guild, int(number), member.get("nick") or user.get("global_name") or user["username"])

    async def find_names(self, guild: int, users: Iterable[int], timeout_s: float = NAME_WAIT_S) -> dict[int, str]:
        """What those people are called in that server, as far as it is known or comes within so many seconds."""
        keys = [(guild, user) for user in dict.fromkeys(users)]
        self._start_fetching(guild, [key for key in keys if is_person(key[1]) and key not in self._fresh])
        if requests := {self._under_way[key] for key in keys if key in self._under_way and key not in self._names}:
            # What has been waited for in vain is not waited for once more, by the next sentence of the same post.
            waited = asyncio.get_running_loop().time() - max(since for since, _ in requests)
            await asyncio.wait([task for _, task in requests], timeout=max(timeout_s - waited, 0))
        locale = self._servers.language_of(guild)
        names = {user: name_outside_discord(user, locale) or self._names.get((guild, user)) for _, user in keys}
        return {user: name for user, name in names.items() if name is not None}

    async def name_of(self, guild: int, user: int) -> str:
        """What that person is called in that server; empty where it is not known in time."""
        return (await self.find_names(guild, [user])).get(user, "")

    async def spell_names(self, guild: int, content: str, users_called: Container[int] = ()) -> str:
        """What is said in that server, with names in the place of mentions, but for those of people who are called.

        Whom a message does not call, the clients of those who have not met them could not name. A word stands for
        whoever's name is not known.
        """
        users = [user for user in users_mentioned(content) if user not in users_called]
        if not users:
            return content
        names, unknown = await self.find_names(guild, users), text(self._servers.language_of(guild), "unknown-player")
        return replace_mentions(
            content, {user: escape_markup(names[user]) if user in names else unknown for user in users}
        )

    async def fetch_members(self, guild: int, users: Sequence[int]) -> dict[int, discord.Member]:
        """Those of the people who are in that server now, with their roles. Raises one of UNHEARD.

        A request for each hundred of them, over the gateway; it needs no privileged intent.
        """
        server, members_found = self._client.get_guild(guild), dict[int, discord.Member]()
        if server is None:
            raise KeyError(guild)
        for start in range(0, len(users), MEMBERS_PER_QUERY):
            part = list(users[start : start + MEMBERS_PER_QUERY])
            async with asyncio.timeout(MEMBERS_TIMEOUT_S):
                members = await server.query_members(user_ids=part, limit=MEMBERS_PER_QUERY, cache=False)
            members_found |= {member.id: member for member in members}
        for user, member in members_found.items():
            self._note_name(guild, user, member.display_name)
        return members_found

    async def close(self) -> None:
        """Ask for no more names, and wait for no answer."""
        asked = {task for _, task in self._under_way.values()}
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    def forget_person(self, user: int) -> None:
        """Drop what that person is called."""
        for kept in (self._names, self._fresh, self._absent):
            for key in [key for key in kept if key[1] == user]:
                del kept[key]

    def _note_name(self, guild: int, user: int, name: str) -> None:
        self._names[guild, user], self._fresh[guild, user] = name, True
        self._absent.pop((guild, user), None)

    def _start_fetching(self, guild: int, keys: Sequence[tuple[int, int]]) -> None:
        """Ask for those of whom it is not known that they are not there, unless that is under way."""
        new = [key for key in keys if key not in self._absent and key not in self._under_way]
        for start in range(0, len(new), MEMBERS_PER_QUERY):
            part = new[start : start + MEMBERS_PER_QUERY]
            task = asyncio.create_task(self._fetch_names(guild, part))
            self._under_way |= dict.fromkeys(part, (asyncio.get_running_loop().time(), task))

    async def _fetch_names(self, guild: int, keys: Sequence[tuple[int, int]]) -> None:
        try:
            asked, members_found = await self._find_members(guild, [user for _, user in keys])
        except GATEWAY_ERRORS as error:  # an outage says nothing of who is there
            log.info("names not told", guild=guild, count=len(keys), error=str(error) or type(error).__name__)
        else:
            for user in set(asked) - {*members_found}:
                self._absent[guild, user] = True
                self._names.pop((guild, user), None)
        finally:
            for key in keys:
                del self._under_way[key]

    async def _find_members(self, guild: int, users: Sequence[int]) -> tuple[Sequence[int], Collection[int]]:
        """Whom Discord has told of, and those of them who are there: by the gateway, or by REST where that is spent."""
        server = self._client.get_guild(guild)
        if server is None or self._gateways[server.shard_id].take_up_to(1):
            return users, await self.fetch_members(guild, users)
        some = users[: self._rest.take_up_to(min(len(users), MAX_NAMES_BY_REST))]
        there = await asyncio.gather(*(self._fetch_member(server, user) for user in some))
        return some, [user for user, is_there in zip(some, there, strict=True) if is_there]

    async def _fetch_member(self, server: discord.Guild, user: int) -> bool:
        """Whether that person is in the server; then the name is noted."""
        async with self._at_once:
            try:
                member = await server.fetch_member(user)
            except discord.NotFound:
                return False
        self._note_name(server.id, user, member.display_name)
        return True


class RequestBudget:
    """So much of something in so many seconds, and no more."""

    def __init__(self, most: int, per: float) -> None:
        self._most, self._per = most, per
        self._taken: deque[float] = deque()

    def take_up_to(self, count: int) -> int:
        """How much of that may be taken now, which is taken then."""
        now = asyncio.get_running_loop().time()
        while self._taken and self._taken[0] <= now - self._per:
            self._taken.popleft()
        granted = min(count, self._most - len(self._taken))
        self._taken.extend([now] * granted)
        return granted


class ServerSettings:
    """The settings of every server that has any. Changed through here only, so that memory and database agree."""

    def __init__(self, client: discord.Client, service: Service) -> None:
        self._client = client
        self._service = service
        self._settings: dict[int, GuildSettings] = {}

    async def load_all(self) -> None:
        """Read them all; before that, every server is as it comes."""
        self._settings = await self._service.people.all_guild_settings()

    def settings_of(self, guild: int) -> GuildSettings:
        """What that server has asked for, or what holds where nothing has been."""
        return self._settings.get(guild, GuildSettings())

    async def change_settings(
        self, guild: int, change: Callable[[GuildSettings], GuildSettings]
    ) -> SettingsChange[GuildSettings]:
        """Store what `change_settings` makes of the settings, and go by it. Raises BAD_LIMIT or TEXT_TOO_LONG."""
        changed = await self._service.people.change_guild_settings(guild, change)
        self._settings[guild] = changed.after
        return changed

    def has_chosen_language(self, guild: int) -> bool:
        """Whether its language is somebody's choice: that server has asked for one, or Discord lets it set its own."""
        server = self._client.get_guild(guild)
        return bool(self.settings_of(guild).language) or server is None or "COMMUNITY" in server.features

    def forget_server(self, guild: int) -> None:
        """Drop what that server has asked for, because it has been deleted."""
        self._settings.pop(guild, None)

    def language_of(self, guild: int) -> Language:
        """The language of public posts in that server: the one it has asked for, else the one it is set to."""
        chosen = self.settings_of(guild).language
        if chosen in LANGUAGES:
            return chosen
        if chosen is not None:
            UNKNOWN_NAMES.note(SettingOwner("guild", guild), "language", chosen, "automatic")
        server = self._client.get_guild(guild)
        return language_for(server.preferred_locale.value if server else None)


def require_manager(interaction: Interaction) -> None:
    """Raises NOT_MANAGER unless the person may manage the server; whoever set up the command's own permissions."""
    if not may_manage_server(interaction):
        raise MatchError(Problem.NOT_MANAGER)


async def record_of(names: DisplayNames, service: Service, match: Match) -> str:
    """The record so far, in the form that `python -m rules check` reads, with the names that the server knows."""
    people = records.people_named(match)
    names_found, unknown = (
        await names.find_names(match.guild, people),
        text("en", "unknown-player"),
    )  # as the rest of a record
    names_by_user = {player: record_name(names_found.get(player, unknown)) for player in people}
    return records.record_text(await service.archive.export_match(match), names_by_user)


def record_name(name: str) -> str:
    """A name that can stand in a header and in a code block."""
    # A comma parts the players of a header.
    return break_links(one_line(name)).replace("`", "'").replace(",", "")
