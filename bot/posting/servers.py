"""The servers in which the bot is: how many there are, and from which it has been removed."""

from __future__ import annotations

import discord
import structlog
from discord.ext import commands

from bot.kit.reply import now
from bot.posting.desk import Desk

log = structlog.get_logger()

VERIFY_FROM, VERIFY_AT = 75, 100
"""Servers from which on Discord verifies an app that asks for it, and at which it lets no others in before."""


class ServerCount(commands.Cog):
    """Notes when the bot is removed from a server and when it comes back: some weeks later its data is deleted."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Note what has happened while nobody could tell the bot."""
        await self._desk.service.privacy.note_servers([guild.id for guild in self._desk.client.guilds], now())
        self._count()

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that the bot is in that server, perhaps again."""
        await self._desk.service.privacy.note_back(guild.id)
        self._count()

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that it has been removed. One that is only unavailable says so otherwise."""
        await self._desk.service.privacy.note_removed(guild.id, now())

    def _count(self) -> None:
        """Say in the log that Discord wants to verify the app, while there is time for it."""
        count = len(self._desk.client.guilds)
        if count >= VERIFY_FROM:
            log.warning("verify the app in Discord's developer portal", servers=count, most_unverified=VERIFY_AT)
