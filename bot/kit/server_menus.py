"""The menus from which the settings of a server are chosen: in their panel, and below the welcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import discord
from discord import ChannelType, SelectOption

from bot.kit.components import Family, Setting
from bot.people.clock import Pace
from bot.people.settings import GuildSettings, Threads
from bot.texts.i18n import LANGUAGES, Language, language_name, text

AUTOMATIC = "automatic"

CHOSEN: Mapping[str, tuple[str, ...]] = {
    "pace": tuple(pace.value for pace in Pace),
    "threads": tuple(way.value for way in Threads),
    "language": (AUTOMATIC, *LANGUAGES),
    "plans": ("yes", "no"),
}
"""The settings that are chosen from a menu, and their values."""
CHANNELS = {"channels": 25, "announcements": 1, "audit": 1, "ladder-channel": 1, "forum": 1, "puzzle-channel": 1}
"""Those that are channels, and how many of them one menu can have."""
KINDS = {
    "channels": (ChannelType.text, ChannelType.news, ChannelType.voice, ChannelType.stage_voice, ChannelType.forum),
    "forum": (ChannelType.forum,),
}
"""What these can be; games are played also in the chats of voice channels, and in the posts of a forum. Else text."""

PANEL = Family("rt-server", Setting)


def value_menu(
    locale: Language, guild: discord.Guild | None, settings: GuildSettings, setting: Setting, placeholder: str
) -> discord.ui.Item[Any]:
    """The menu of what a setting of CHOSEN or CHANNELS can be set to; `placeholder` stands in it until then."""
    name = setting.name
    if name in CHANNELS:
        present = there(guild, settings, name)
        return PANEL.channels("channels", setting, present, CHANNELS[name], kinds(name), placeholder)
    ways = [SelectOption(label=way_told(locale, name, way)[:100], value=way) for way in CHOSEN[name]]
    return PANEL.menu("value", setting, ways, placeholder)


def value_of(settings: GuildSettings, name: str) -> Any:
    """What that setting is set to."""
    return getattr(settings, name.replace("-", "_"))


def there(guild: discord.Guild | None, settings: GuildSettings, name: str) -> list[int]:
    """The channels that are set, without those that are gone: a menu cannot show them."""
    held = value_of(settings, name)
    found = held if isinstance(held, tuple) else (held,) if held else ()
    return [channel for channel in found if guild is not None and guild.get_channel(channel) is not None]


def kinds(name: str) -> tuple[ChannelType, ...]:
    """The types of channels that the setting can be."""
    return KINDS.get(name, (ChannelType.text,))


def language_told(locale: Language, settings: GuildSettings) -> str:
    """The language that holds for a server, in words: where the one that is stored is not known, the server's own."""
    return way_told(locale, "language", settings.language if settings.language in LANGUAGES else AUTOMATIC)


def way_told(locale: Language, name: str, value: str) -> str:
    """A value that can be chosen, in words."""
    if name == "pace":
        return text(locale, f"choice.pace.{value}")
    if name == "language" and value != AUTOMATIC:  # "no" is a language here, and an answer elsewhere
        return language_name(value)
    return text(locale, f"server.{name}.{value}")
