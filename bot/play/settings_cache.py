"""The settings of servers, kept in memory for every post."""

from __future__ import annotations

from collections.abc import Callable

import discord

from bot.core.settings import GuildSettings
from bot.play.service import Service
from bot.play.service.people import SettingsChange
from bot.store.people import log_unknown_name
from bot.texts.i18n import LANGUAGES, Language, language_for


class ServerSettings:
    """The settings of every server that has any. All changes go through here, so that memory and database agree."""

    def __init__(self, client: discord.Client, service: Service) -> None:
        self._client = client
        self._service = service
        self._settings: dict[int, GuildSettings] = {}

    async def load_all(self) -> None:
        """Loads all settings; before that, every server has the defaults."""
        self._settings = await self._service.people.all_guild_settings()

    def settings_of(self, guild: int) -> GuildSettings:
        """Returns that server's settings; the defaults if it has none."""
        return self._settings.get(guild, GuildSettings())

    async def change_settings(
        self, guild: int, change: Callable[[GuildSettings], GuildSettings]
    ) -> SettingsChange[GuildSettings]:
        """Stores what `change` makes of the settings, and applies it. Raises TEXT_TOO_LONG or NO_SUCH_ZONE."""
        changed = await self._service.people.change_guild_settings(guild, change)
        self._settings[guild] = changed.after
        return changed

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
            log_unknown_name(f"guild {guild}", "language", chosen, "automatic")
        server = self._client.get_guild(guild)
        return language_for(server.preferred_locale.value if server else None)
