"""The welcome in a server that has added the bot: an introduction, and the first settings. Posted once per server."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import discord
import structlog
from discord.ext import commands

from bot.core.settings import GuildSettings
from bot.play.announcing.outbox import best_effort
from bot.play.context import BotContext
from bot.play.server_menus import choice_text, language_told, value_menu
from bot.play.shared_components import Setting
from bot.texts.i18n import Language, text

log = structlog.get_logger()

MAX_PLACEHOLDER_LENGTH = 150
"""Characters of the placeholder in a menu without a choice."""


def welcome_message(
    locale: Language, guild: discord.Guild | None, settings: GuildSettings, fresh: str = ""
) -> tuple[str, list[discord.ui.Item[Any]]]:
    """Returns the text, and three menus below it that show the current settings. `fresh` as for `Setting`."""
    present = {
        "channels": _channel_names(locale, guild, settings),
        "pace": choice_text(locale, "pace", settings.pace.value),
        "language": language_told(locale, settings),
    }
    menus = []
    for name, value in present.items():
        placeholder = text(locale, "welcome.menu", name=text(locale, f"server.{name}.name"), value=value)[
            :MAX_PLACEHOLDER_LENGTH
        ]
        menus.append(value_menu(locale, guild, settings, Setting(name, fresh), placeholder))
    return text(locale, "welcome.text"), menus


def _channel_names(locale: Language, guild: discord.Guild | None, settings: GuildSettings) -> str:
    """Returns the names of the channels for games, because menus do not render mentions."""
    if not settings.channels:
        return text(locale, "server.channels.any")
    channels = [guild.get_channel(number) for number in settings.channels] if guild else []
    return " ".join(f"#{channel.name}" for channel in channels if channel) or text(locale, "server.none")


class Welcomes(commands.Cog):
    """Posts the welcome in the system channel. The server is noted as met before the post, so that none
    gets it twice.
    """

    def __init__(self, context: BotContext, only_in: Collection[int] | None) -> None:
        self._context = context
        self._only_in = only_in

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Welcomes servers that added the bot while it was offline."""
        await self._welcome_unmet([guild.id for guild in self._context.client.guilds], joined=False)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Welcomes a server that adds the bot, unless it was added before."""
        await self._welcome_unmet([guild.id], joined=True)

    async def _welcome_unmet(self, guilds: Collection[int], *, joined: bool) -> None:
        ours = [guild for guild in guilds if self._only_in is None or guild in self._only_in]
        for new in await self._context.service.servers.note_servers_met(ours, joined=joined):
            if guild := self._context.client.get_guild(new):
                try:
                    await self._post_welcome(guild)
                except Exception:  # such as for a server that Discord has sent in part; the others are noted as met
                    log.exception("not welcomed", server=guild.id)

    async def _post_welcome(self, guild: discord.Guild) -> None:
        """Posts the welcome in the server's system channel; nothing if there is none, or if the bot may
        not post there.
        """
        channel = guild.system_channel
        granted = channel.permissions_for(guild.me) if channel else discord.Permissions.none()
        if channel is None or not (granted.view_channel and granted.send_messages):
            return
        content, menus = welcome_message(
            self._context.server_language(guild.id), guild, self._context.servers.settings_of(guild.id)
        )
        with best_effort("not welcomed", server=guild.id):
            await self._context.send_message(channel.id, content, f"w{guild.id:x}", guild=guild.id, buttons=menus)
