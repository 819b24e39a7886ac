"""What servers have asked for, kept in memory: every public post needs their language, at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.cogs._answers.reply import Press, manages
from bot.i18n import Language, language
from bot.problems import MatchError, Problem
from bot.services.people import Changed
from bot.settings import GuildSettings

if TYPE_CHECKING:
    from bot.client import RoundTable


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


def require_manager(press: Press) -> None:
    """Raises NOT_MANAGER unless the person may manage the server; whoever set up the command's own permissions."""
    if not manages(press):
        raise MatchError(Problem.NOT_MANAGER)
