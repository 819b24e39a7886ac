"""The menus for a server's settings, in the settings panel and below the welcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import discord
from discord import ChannelType, SelectOption

from bot.core.clock import Pace
from bot.core.settings import GuildSettings, Threads
from bot.discordkit.components import Family
from bot.play.shared_components import Setting
from bot.texts.i18n import LANGUAGES, Language, language_name, text

AUTOMATIC_LANGUAGE = "automatic"

CHOICE_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "pace": tuple(pace.value for pace in Pace),
    "threads": tuple(way.value for way in Threads),
    "language": (AUTOMATIC_LANGUAGE, *LANGUAGES),
    "openings": ("yes", "no"),
    "house": ("yes", "no"),
}
"""The settings that are chosen from a menu, with their values."""
CHANNEL_SETTINGS = {
    "channels": 25,
    "announcements": 1,
    "audit": 1,
    "ladder-channel": 1,
    "forum": 1,
    "puzzle-channel": 1,
}
"""The settings that are channels, with the number of channels that the menu takes."""
CHANNEL_TYPES = {
    "channels": (ChannelType.text, ChannelType.news, ChannelType.voice, ChannelType.stage_voice, ChannelType.forum),
    "forum": (ChannelType.forum,),
}
"""The channel types that a setting accepts; text channels if it is not listed. Games are also played in the chats of
voice channels and in forum posts.
"""

SERVER_PANEL = Family("rt-server", Setting)


def value_menu(
    locale: Language, guild: discord.Guild | None, settings: GuildSettings, setting: Setting, placeholder: str
) -> discord.ui.Item[Any]:
    """Returns the menu for a setting of CHOICE_SETTINGS or CHANNEL_SETTINGS. `placeholder` stands in it until one is
    chosen.
    """
    name = setting.name
    if name in CHANNEL_SETTINGS:
        present = present_channels(guild, settings, name)
        return SERVER_PANEL.make_channel_menu(
            "channels", setting, present, CHANNEL_SETTINGS[name], channel_types_of(name), placeholder
        )
    ways = [SelectOption(label=choice_text(locale, name, way)[:100], value=way) for way in CHOICE_SETTINGS[name]]
    return SERVER_PANEL.make_menu("value", setting, ways, placeholder)


def present_channels(guild: discord.Guild | None, settings: GuildSettings, name: str) -> list[int]:
    """Returns the channels that are set, without deleted ones: a menu cannot show those."""
    value = getattr(settings, name.replace("-", "_"))
    channels = value if isinstance(value, tuple) else (value,) if value else ()
    return [channel for channel in channels if guild is not None and guild.get_channel(channel) is not None]


def channel_types_of(name: str) -> tuple[ChannelType, ...]:
    """Returns the channel types that the setting accepts."""
    return CHANNEL_TYPES.get(name, (ChannelType.text,))


def language_told(locale: Language, settings: GuildSettings) -> str:
    """Returns the server's language in words; "automatic" if the stored language is unknown here."""
    return choice_text(locale, "language", settings.language if settings.language in LANGUAGES else AUTOMATIC_LANGUAGE)


def choice_text(locale: Language, name: str, value: str) -> str:
    """Returns a value of a choice setting in words."""
    if name == "pace":
        return text(locale, f"choice.pace.{value}")
    if name == "language" and value != AUTOMATIC_LANGUAGE:  # "no" is a language here, and an answer elsewhere
        return language_name(value)
    return text(locale, f"server.{name}.{value}")
