"""The servers from which the bot is removed, and to which it comes back."""

from __future__ import annotations

import discord
from discord.ext import commands

from bot.kit.reply import now
from bot.posting.desk import Desk


class Removals(commands.Cog):
    """Notes when the bot is removed from a server, whose data is deleted some weeks later, and when it is back."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """Note what has happened while nobody could tell the bot."""
        await self._desk.service.privacy.note_servers([guild.id for guild in self._desk.client.guilds], now())

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Note that the bot is in that server, perhaps again."""
        await self._desk.service.privacy.note_back(guild.id)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that it has been removed. One that is only unavailable says so otherwise."""
        await self._desk.service.privacy.note_removed(guild.id, now())
