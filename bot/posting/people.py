"""What people are called and what servers have asked for, kept in memory for every post."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import discord

from bot.kit.reply import Interaction, manages
from bot.kit.steady import BROKEN
from bot.match.events import is_former
from bot.match.match import Match
from bot.people.problems import MatchError, Problem
from bot.people.settings import GuildSettings
from bot.service.people import Changed
from bot.texts import records
from bot.texts.i18n import Language, language, text
from bot.texts.sentences import one_line

if TYPE_CHECKING:
    from bot.client import RoundTable


REMEMBERED = 2000
"""Names kept, the latest ones heard."""


class Names:
    """Display names by server and person: heard with each interaction, asked of Discord where they were not."""

    def __init__(self, client: RoundTable) -> None:
        self._client = client
        self._known: OrderedDict[tuple[int, int], str] = OrderedDict()

    def hear(self, interaction: Interaction) -> None:
        """Note the name that came with an interaction."""
        if interaction.guild_id is not None:
            self._note(interaction.guild_id, interaction.user.id, interaction.user.display_name)

    async def of(self, guild: int, user: int) -> str:
        """What that person is called in that server; his number where Discord does not say."""
        if is_former(user):
            return text(self._client.servers.language(guild), "former-player")
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
        self._note(guild, user, person.display_name)
        return person.display_name

    def _note(self, guild: int, user: int, name: str) -> None:
        self._known[guild, user] = name
        self._known.move_to_end((guild, user))
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


class Servers:
    """The settings of every server that has any. Changed through here only, so that memory and database agree."""

    def __init__(self, client: RoundTable) -> None:
        self._client = client
        self._settings: dict[int, GuildSettings] = {}

    async def load(self) -> None:
        """Read them all; before that, every server is as it comes."""
        self._settings = await self._client.service.all_guild_settings()

    def settings(self, guild: int) -> GuildSettings:
        """What that server has asked for, or what holds where nothing has been."""
        return self._settings.get(guild, GuildSettings())

    async def change(self, guild: int, change: Callable[[GuildSettings], GuildSettings]) -> Changed[GuildSettings]:
        """Store what `change` makes of the settings, and go by it. Raises BAD_LIMIT or TEXT_TOO_LONG."""
        changed = await self._client.service.change_guild_settings(guild, change)
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


async def record_of(client: RoundTable, match: Match) -> str:
    """The record so far, in the form that `python -m rules check` reads, with the names that the server knows."""
    names = {player: recorded(await client.names.of(match.guild, player)) for player in records.people(match)}
    return records.record_text(await client.service.exported(match), names)


def recorded(name: str) -> str:
    """A name that can stand in a header and in a code block."""
    # A comma parts the players of a header.
    return one_line(name).replace("`", "'").replace(",", "")
