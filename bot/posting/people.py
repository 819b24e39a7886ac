"""What people are called and what servers have asked for, kept in memory for every post."""

from __future__ import annotations

from collections.abc import Callable

import discord
from cachetools import LRUCache

from bot.kit.reply import Interaction, manages
from bot.kit.steady import BROKEN
from bot.match.events import is_former
from bot.match.match import Match
from bot.people.problems import MatchError, Problem
from bot.people.settings import GuildSettings
from bot.service import Service
from bot.service.people import Changed
from bot.texts import records
from bot.texts.i18n import Language, language, text
from bot.texts.sentences import one_line, unlinked

REMEMBERED = 2000
"""People whose names, and whose languages, are kept: the latest ones met."""


class Names:
    """Display names by server and person: heard with each interaction, asked of Discord where they were not."""

    def __init__(self, client: discord.Client, servers: Servers) -> None:
        self._client = client
        self._servers = servers
        self._known: LRUCache[tuple[int, int], str] = LRUCache(REMEMBERED)

    def hear(self, interaction: Interaction) -> None:
        """Note the name that came with an interaction."""
        if interaction.guild_id is not None:
            self._known[interaction.guild_id, interaction.user.id] = interaction.user.display_name

    async def of(self, guild: int, user: int) -> str:
        """What that person is called in that server; their number where Discord does not say."""
        if is_former(user):
            return text(self._servers.language(guild), "former-player")
        known = self._known.get((guild, user))
        return known if known is not None else await self._ask(guild, user)

    def forget(self, user: int) -> None:
        """Drop what that person is called."""
        for key in [key for key in self._known if key[1] == user]:
            del self._known[key]

    async def _ask(self, guild: int, user: int) -> str:
        server = self._client.get_guild(guild)
        try:
            person = await server.fetch_member(user) if server else await self._client.fetch_user(user)
        except (discord.HTTPException, *BROKEN):
            return str(user)  # somebody who has left; not noted, in case it was only an outage
        self._known[guild, user] = person.display_name
        return person.display_name


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

    def language(self, guild: int) -> Language:
        """The language of public posts in that server: the one it has asked for, else the one it is set to."""
        if chosen := self.settings(guild).language:
            return language(chosen)
        known = self._client.get_guild(guild)
        return language(known.preferred_locale.value if known else None)


def require_manager(interaction: Interaction) -> None:
    """Raises NOT_MANAGER unless the person may manage the server; whoever set up the command's own permissions."""
    if not manages(interaction):
        raise MatchError(Problem.NOT_MANAGER)


async def record_of(names: Names, service: Service, match: Match) -> str:
    """The record so far, in the form that `python -m rules check` reads, with the names that the server knows."""
    known = {player: recorded(await names.of(match.guild, player)) for player in records.people(match)}
    return records.record_text(await service.archive.exported(match), known)


def recorded(name: str) -> str:
    """A name that can stand in a header and in a code block."""
    # A comma parts the players of a header.
    return unlinked(one_line(name)).replace("`", "'").replace(",", "")
