"""What people are called and what servers have asked for, kept in memory for every post."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import Any

import discord
import structlog
from cachetools import LRUCache, TTLCache

from bot.kit.reply import Interaction, manages
from bot.kit.steady import BROKEN
from bot.match.match import Match
from bot.people.house import is_person
from bot.people.names import UNKNOWN, Owner
from bot.people.problems import MatchError, Problem
from bot.people.settings import GuildSettings
from bot.service import Service
from bot.service.people import Changed
from bot.texts import records
from bot.texts.i18n import LANGUAGES, Language, language, text
from bot.texts.sentences import mentioned, nameless, one_line, plain, spelled, unlinked

log = structlog.get_logger()

REMEMBERED = 2000
"""People whose languages are kept: the latest ones met."""

NAMED = 20_000
"""Names that are kept, of all servers together."""

STANDS = 86_400
"""Seconds after which a name is asked for again, if they are not heard of meanwhile; nobody waits for that."""

MISSED = 3600
"""Seconds for which whoever is not in a server is not asked for again."""

AT_ONCE = 100
"""Members whom Discord tells of in one answer."""

PATIENCE = 1.0
"""Seconds for which a post waits for names; it does without those that have not come by then."""

UNTOLD = 10.0
"""Seconds after which an answer of the gateway is not waited for any longer."""

SHARE, SHARE_OF_REST, PER = 50, 600, 60.0
"""Requests for names over the gateway of a shard, and for one name by REST, in so many seconds. discord.py sends 110
over a gateway and has everything else wait then; Discord grants a bot 50 requests a second for all that it does."""

ONE_BY_ONE, REST_AT_ONCE = 25, 10
"""Names of one post that are asked for by REST, and how many of all at once."""

UNHEARD = (discord.ClientException, discord.HTTPException, RuntimeError, KeyError, *BROKEN)
"""What asking for members raises where Discord does not answer, or a gateway does not stand."""


class Names:
    """Display names by server and person: heard with each interaction, asked of the gateway where they were not.

    In bulk, and each only once at a time. Nobody has to wait for a name: what has not come in time is done without.
    """

    def __init__(self, client: discord.Client, servers: Servers) -> None:
        self._client = client
        self._servers = servers
        self._known: LRUCache[tuple[int, int], str] = LRUCache(NAMED)
        self._fresh: TTLCache[tuple[int, int], bool] = TTLCache(NAMED, STANDS)
        self._missed: TTLCache[tuple[int, int], bool] = TTLCache(NAMED, MISSED)
        self._asked: dict[tuple[int, int], tuple[float, asyncio.Task[None]]] = {}
        self._gateways: defaultdict[int, Share] = defaultdict(lambda: Share(SHARE, PER))
        self._rest, self._at_once = Share(SHARE_OF_REST, PER), asyncio.Semaphore(REST_AT_ONCE)

    def hear(self, interaction: Interaction) -> None:
        """Note the names that came with an interaction: of whoever sent it, and of those whom it names."""
        guild = interaction.guild_id
        if guild is None:
            return
        self._note(guild, interaction.user.id, interaction.user.display_name)
        said: dict[str, Any] = dict(interaction.data or {})
        resolved = said.get("resolved", {})
        for number, member in resolved.get("members", {}).items():
            user = resolved["users"][number]
            self._note(guild, int(number), member.get("nick") or user.get("global_name") or user["username"])

    async def find(self, guild: int, users: Iterable[int], patience: float = PATIENCE) -> dict[int, str]:
        """What those people are called in that server, as far as it is known or comes within so many seconds."""
        keys = [(guild, user) for user in dict.fromkeys(users)]
        self._ask(guild, [key for key in keys if is_person(key[1]) and key not in self._fresh])
        if asked := {self._asked[key] for key in keys if key in self._asked and key not in self._known}:
            # What has been waited for in vain is not waited for once more, by the next sentence of the same post.
            waited = asyncio.get_running_loop().time() - max(since for since, _ in asked)
            await asyncio.wait([task for _, task in asked], timeout=max(patience - waited, 0))
        locale = self._servers.language(guild)
        found = {user: nameless(user, locale) or self._known.get((guild, user)) for _, user in keys}
        return {user: name for user, name in found.items() if name is not None}

    async def of(self, guild: int, user: int) -> str:
        """What that person is called in that server; empty where it is not known in time."""
        return (await self.find(guild, [user])).get(user, "")

    async def spell(self, guild: int, said: str, called: Container[int] = ()) -> str:
        """What is said in that server, with names in the place of mentions, but for those of people who are called.

        Whom a message does not call, the clients of those who have not met them could not name. A word stands for
        whoever's name is not known.
        """
        users = [user for user in mentioned(said) if user not in called]
        if not users:
            return said
        names, unknown = await self.find(guild, users), text(self._servers.language(guild), "unknown-player")
        return spelled(said, {user: plain(names[user]) if user in names else unknown for user in users})

    async def members(self, guild: int, users: Sequence[int]) -> dict[int, discord.Member]:
        """Those of the people who are in that server now, with their roles. Raises one of UNHEARD.

        A request for each hundred of them, over the gateway; it needs no privileged intent.
        """
        server, found = self._client.get_guild(guild), dict[int, discord.Member]()
        if server is None:
            raise KeyError(guild)
        for start in range(0, len(users), AT_ONCE):
            part = list(users[start : start + AT_ONCE])
            async with asyncio.timeout(UNTOLD):
                members = await server.query_members(user_ids=part, limit=AT_ONCE, cache=False)
            found |= {member.id: member for member in members}
        for user, member in found.items():
            self._note(guild, user, member.display_name)
        return found

    async def close(self) -> None:
        """Ask for no more names, and wait for no answer."""
        asked = {task for _, task in self._asked.values()}
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)

    def forget(self, user: int) -> None:
        """Drop what that person is called."""
        for kept in (self._known, self._fresh, self._missed):
            for key in [key for key in kept if key[1] == user]:
                del kept[key]

    def _note(self, guild: int, user: int, name: str) -> None:
        self._known[guild, user], self._fresh[guild, user] = name, True
        self._missed.pop((guild, user), None)

    def _ask(self, guild: int, keys: Sequence[tuple[int, int]]) -> None:
        """Ask for those of whom it is not known that they are not there, unless that is under way."""
        new = [key for key in keys if key not in self._missed and key not in self._asked]
        for start in range(0, len(new), AT_ONCE):
            part = new[start : start + AT_ONCE]
            task = asyncio.create_task(self._fetch(guild, part))
            self._asked |= dict.fromkeys(part, (asyncio.get_running_loop().time(), task))

    async def _fetch(self, guild: int, keys: Sequence[tuple[int, int]]) -> None:
        try:
            asked, found = await self._members(guild, [user for _, user in keys])
        except UNHEARD as error:  # an outage says nothing of who is there
            log.info("names not told", guild=guild, count=len(keys), error=str(error) or type(error).__name__)
        else:
            for user in set(asked) - {*found}:
                self._missed[guild, user] = True
                self._known.pop((guild, user), None)
        finally:
            for key in keys:
                del self._asked[key]

    async def _members(self, guild: int, users: Sequence[int]) -> tuple[Sequence[int], Collection[int]]:
        """Whom Discord has told of, and those of them who are there: by the gateway, or by REST where that is spent."""
        server = self._client.get_guild(guild)
        if server is None or self._gateways[server.shard_id].take(1):
            return users, await self.members(guild, users)
        some = users[: self._rest.take(min(len(users), ONE_BY_ONE))]
        there = await asyncio.gather(*(self._is_there(server, user) for user in some))
        return some, [user for user, is_there in zip(some, there, strict=True) if is_there]

    async def _is_there(self, server: discord.Guild, user: int) -> bool:
        """Whether that person is in the server; then the name is noted."""
        async with self._at_once:
            try:
                member = await server.fetch_member(user)
            except discord.NotFound:
                return False
        self._note(server.id, user, member.display_name)
        return True


class Share:
    """So much of something in so many seconds, and no more."""

    def __init__(self, most: int, per: float) -> None:
        self._most, self._per = most, per
        self._taken: deque[float] = deque()

    def take(self, count: int) -> int:
        """How much of that may be taken now, which is taken then."""
        now = asyncio.get_running_loop().time()
        while self._taken and self._taken[0] <= now - self._per:
            self._taken.popleft()
        granted = min(count, self._most - len(self._taken))
        self._taken.extend([now] * granted)
        return granted


class Servers:
    """The settings of every server that has any. Changed through here only, so that memory and database agree."""

    def __init__(self, client: discord.Client, service: Service) -> None:
        self._client = client
        self._service = service
        self._settings: dict[int, GuildSettings] = {}

    async def load(self) -> None:
        """Read them all; before that, every server is as it comes."""
        self._settings = await self._service.people.all_guild_settings()

    def settings(self, guild: int) -> GuildSettings:
        """What that server has asked for, or what holds where nothing has been."""
        return self._settings.get(guild, GuildSettings())

    async def change(self, guild: int, change: Callable[[GuildSettings], GuildSettings]) -> Changed[GuildSettings]:
        """Store what `change` makes of the settings, and go by it. Raises BAD_LIMIT or TEXT_TOO_LONG."""
        changed = await self._service.people.change_guild_settings(guild, change)
        self._settings[guild] = changed.after
        return changed

    def may_speak(self, guild: int) -> bool:
        """Whether its language is somebody's choice: that server has asked for one, or Discord lets it set its own."""
        known = self._client.get_guild(guild)
        return bool(self.settings(guild).language) or known is None or "COMMUNITY" in known.features

    def forget(self, guild: int) -> None:
        """Drop what that server has asked for, because it has been deleted."""
        self._settings.pop(guild, None)

    def language(self, guild: int) -> Language:
        """The language of public posts in that server: the one it has asked for, else the one it is set to."""
        chosen = self.settings(guild).language
        if chosen in LANGUAGES:
            return chosen
        if chosen is not None:
            UNKNOWN.note(Owner("guild", guild), "language", chosen, "automatic")
        known = self._client.get_guild(guild)
        return language(known.preferred_locale.value if known else None)


def require_manager(interaction: Interaction) -> None:
    """Raises NOT_MANAGER unless the person may manage the server; whoever set up the command's own permissions."""
    if not manages(interaction):
        raise MatchError(Problem.NOT_MANAGER)


async def record_of(names: Names, service: Service, match: Match) -> str:
    """The record so far, in the form that `python -m rules check` reads, with the names that the server knows."""
    people = records.people(match)
    found, unknown = await names.find(match.guild, people), text("en", "unknown-player")  # as the rest of a record
    known = {player: recorded(found.get(player, unknown)) for player in people}
    return records.record_text(await service.archive.exported(match), known)


def recorded(name: str) -> str:
    """A name that can stand in a header and in a code block."""
    # A comma parts the players of a header.
    return unlinked(one_line(name)).replace("`", "'").replace(",", "")
