"""The menus from which the settings of a server are chosen: in their panel, and below the welcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import discord
from discord import ChannelType, SelectOption

from bot.core.clock import Pace
from bot.core.settings import GuildSettings, Threads
from bot.discordkit.components import Family, Setting
from bot.texts.i18n import LANGUAGES, Language, language_name, text

AUTOMATIC_LANGUAGE = "automatic"

CHOICE_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "pace": tuple(pace.value for pace in Pace),
    "threads": tuple(way.value for way in Threads),
    "language": (AUTOMATIC_LANGUAGE, *LANGUAGES),
    "plans": ("yes", "no"),
}
"""The settings that are chosen from a menu, and their values."""
CHANNEL_SETTINGS = {
    "channels": 25,
    "announcements": 1,
    "audit": 1,
    "ladder-channel": 1,
    "forum": 1,
    "puzzle-channel": 1,
}
"""Those that are channels, and how many of them one menu can have."""
CHANNEL_TYPES = {
    "channels": (ChannelType.text, ChannelType.news, ChannelType.voice, ChannelType.stage_voice, ChannelType.forum),
    "forum": (ChannelType.forum,),
}
"""What these can be; games are played also in the chats of voice channels, and in the posts of a forum. Else text."""

SERVER_PANEL = Family("rt-server", Setting)


def value_menu(
    locale: Language, guild: discord.Guild | None, settings: GuildSettings, setting: Setting, placeholder: str
) -> discord.ui.Item[Any]:
    """The menu of what a setting of CHOSEN or CHANNELS can be set to; `placeholder` stands in it until then."""
    name = setting.name
    if name in CHANNEL_SETTINGS:
        present = present_channels(guild, settings, name)
        return SERVER_PANEL.make_channel_menu(
            "channels", setting, present, CHANNEL_SETTINGS[name], channel_types_of(name), placeholder
        )
    ways = [SelectOption(label=choice_text(locale, name, way)[:100], value=way) for way in CHOICE_SETTINGS[name]]
    return SERVER_PANEL.make_menu("value", setting, ways, placeholder)


def value_of(settings: GuildSettings, name: str) -> Any:
    """What that setting is set to."""
    return getattr(settings, name.replace("-", "_"))


def present_channels(guild: discord.Guild | None, settings: GuildSettings, name: str) -> list[int]:
    """The channels that are set, without those that are gone: a menu cannot show them."""
    value = value_of(settings, name)
    channels = value if isinstance(value, tuple) else (value,) if value else ()
    return [channel for channel in channels if guild is not None and guild.get_channel(channel) is not None]


def channel_types_of(name: str) -> tuple[ChannelType, ...]:
    """The types of channels that the setting can be."""
    return CHANNEL_TYPES.get(name, (ChannelType.text,))


def language_told(locale: Language, settings: GuildSettings) -> str:
    """The language that holds for a server, in words: where the one that is stored is not known, the server's own."""
    return choice_text(locale, "language", settings.language if settings.language in LANGUAGES else AUTOMATIC_LANGUAGE)


def choice_text(locale: Language, name: str, value: str) -> str:
    """A value that can be chosen, in words."""
    if name == "pace":
        return text(locale, f"choice.pace.{value}")
    if name == "language" and value != AUTOMATIC_LANGUAGE:  # "no" is a language here, and an answer elsewhere
        return language_name(value)
    return text(locale, f"server.{name}.{value}")
