"""`/settings`: what people ask for themselves, and what a server asks for."""

from __future__ import annotations

from discord.ext import commands

from bot.cogs._answers.translator import words
from bot.cogs._settings.me import OwnSettings
from bot.cogs._settings.server import ServerSettings


class Settings(
    OwnSettings,
    ServerSettings,
    commands.GroupCog,
    group_name="settings",
    group_description=words("command.settings.description"),
):
    """Settings: those of a person, and those of a server."""
