"""The settings that the managers of a server choose: by `/server settings`, and below the welcome to a new server."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import discord
import structlog
from discord import ChannelType, SelectOption
from discord.ext import commands
from discord.ui import TextInput

from bot.core.clock import Pace
from bot.core.settings import MAX_HOUSE_RULES_LENGTH, GuildSettings, Threads, find_zone, zone_named
from bot.discordkit.components import (
    Button,
    Family,
    NoState,
    chosen_numbers,
    menu_nonce,
    outdated_error,
    submitted_value,
)
from bot.discordkit.errors import Declined
from bot.discordkit.permissions import require_permissions
from bot.discordkit.reply import (
    Interaction,
    Layout,
    make_view,
    reader_language,
    send_answer,
    server_here,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.play.announcing.outbox import best_effort
from bot.play.caller import Caller, context_of
from bot.play.context import BotContext, Post
from bot.play.options import require_manager, require_public_channel
from bot.play.settings import lay_out_settings, setting_options, setting_text
from bot.play.shared_components import Action, Setting, action_button
from bot.texts.i18n import LANGUAGES, Language, language_name, text
from bot.texts.markup import whole_text
from bot.texts.sentences import zone_text

HOUSE_RULES_BUTTONS = Family("rt", Action)
HOUSE_RULES_FORM = Family("rt-typed", NoState)

log = structlog.get_logger()


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


HOUSE_RULES_NAME, ZONE_NAME = "house-rules", "zone"
MAX_ZONE_LENGTH = 60
SERVER_SETTINGS_BY_SUBJECT = {
    "games": ("pace", "threads", "forum", "channels", "house", "openings"),
    "server": ("language", "house-rules", "audit"),
    "ladders": ("ladder-channel", "announcements"),
    "puzzles": ("puzzle-channel", "zone"),
}
"""The names of the settings, in the order of the panel."""
MAX_CHANNELS_LISTED = 20
"""Channels that the list names before it counts the rest."""

SERVER_FORM = Family("rt-server-form", Setting)


@slash_command("server settings")
async def server_settings_command(interaction: Interaction) -> None:
    """Shows every setting, and a menu of them."""
    require_manager(interaction)
    caller = Caller(interaction)
    servers = caller.context.servers
    note = ""
    if servers.settings_of(caller.guild).untold:
        note = "\n" + text(caller.locale, "server.gone")
        await servers.change_settings(caller.guild, lambda settings: replace(settings, untold=False))
    await send_answer(interaction, None, view=_settings_panel(interaction, note=note))


@SERVER_PANEL.register_handler("which")
async def choose_server_setting(interaction: Interaction, _: Setting) -> None:
    """Shows the values of the chosen setting, or opens the form in which it is typed."""
    require_manager(interaction)
    name, caller = submitted_value(interaction), Caller(interaction)
    settings = context_of(interaction).servers.settings_of(caller.guild)
    if name in CHOICE_SETTINGS or name in CHANNEL_SETTINGS:
        await update_message(interaction, None, view=_settings_panel(interaction, about=name))
    elif name == ZONE_NAME:
        zone: TextInput[discord.ui.View] = TextInput(
            custom_id="x", default=zone_named(settings.zone).key, max_length=MAX_ZONE_LENGTH
        )
        title, hint = text(caller.locale, "server.zone.name"), text(caller.locale, "server.zone.hint")
        await interaction.response.send_modal(SERVER_FORM.make_form("", Setting(name), title, title, hint, zone))
    elif name == HOUSE_RULES_NAME:
        await interaction.response.send_modal(_house_rules_form(caller.locale, settings.house_rules))
    else:
        raise outdated_error()


@SERVER_PANEL.register_handler("value")
async def choose_server_value(interaction: Interaction, setting: Setting) -> None:
    """Sets the setting to the chosen value."""
    value = submitted_value(interaction)
    if value not in CHOICE_SETTINGS.get(setting.name, ()):
        raise outdated_error()
    if setting.name in ("pace", "threads"):
        parsed: Pace | Threads | bool | str | None = (Pace if setting.name == "pace" else Threads)(value)
    elif setting.name == "language":
        parsed = None if value == AUTOMATIC_LANGUAGE else value
    else:
        parsed = value == "yes"
    await _change_setting(interaction, setting.name, lambda _: parsed)


@SERVER_PANEL.register_handler("channels")
async def choose_channels(interaction: Interaction, setting: Setting) -> None:
    """Sets the setting to the chosen channels, or to none."""
    require_manager(interaction)
    name = setting.name
    if name not in CHANNEL_SETTINGS:
        raise outdated_error()
    numbers = chosen_numbers(interaction)[: CHANNEL_SETTINGS[name]]
    channels = [_channel_of_kind(interaction, name, number) for number in numbers]
    for channel in channels:
        if name == "ladder-channel":
            require_public_channel(interaction, channel.id)
        elif name != "channels":
            require_permissions(channel.permissions_for(channel.guild.me), channel)

    def channel_value(settings: GuildSettings) -> object:
        if name != "channels":
            return numbers[0] if numbers else None
        # Channels that did not fit into the menu stay.
        return (*numbers, *present_channels(interaction.guild, settings, name)[CHANNEL_SETTINGS[name] :])

    await _change_setting(interaction, name, channel_value)


@SERVER_FORM.register_handler()
async def submit_server_value(interaction: Interaction, setting: Setting) -> None:
    """Sets the typed time zone."""
    require_manager(interaction)
    if setting.name != ZONE_NAME:
        raise outdated_error()
    zone = find_zone(submitted_value(interaction).strip())
    await _change_setting(interaction, ZONE_NAME, lambda _: zone)


async def _change_setting(interaction: Interaction, name: str, new_value: Callable[[GuildSettings], object]) -> None:
    """Changes the setting, and shows all settings afterwards; below the welcome, shows the welcome again."""
    require_manager(interaction)
    thinking = interaction.message is None
    await interaction.response.defer(ephemeral=thinking, thinking=thinking)
    changes: dict[str, Any] = {}

    def change(settings: GuildSettings) -> GuildSettings:
        changes[name.replace("-", "_")] = new_value(settings)
        return replace(settings, **changes)

    context, guild = context_of(interaction), Caller(interaction).guild
    _, after = await context.servers.change_settings(guild, change)
    if interaction.message is not None and not interaction.message.flags.ephemeral:  # everybody sees the welcome
        content, menus = welcome_message(
            context.server_language(guild), interaction.guild, after, menu_nonce(interaction)
        )
        await update_message(interaction, content, view=make_view(*menus))
        return
    panel = _settings_panel(interaction, changed=True)
    await (send_answer if interaction.message is None else update_message)(interaction, None, view=panel)


def _settings_panel(interaction: Interaction, about: str = "", *, changed: bool = False, note: str = "") -> Layout:
    """Returns every setting with its value, the menu of settings, and below it the values of the setting `about`."""
    caller, nonce = Caller(interaction), menu_nonce(interaction)
    locale, settings = caller.locale, caller.context.servers.settings_of(caller.guild)
    options = setting_options(locale, "server", chain(*SERVER_SETTINGS_BY_SUBJECT.values()), about)
    menus: list[discord.ui.Item[Any]] = [
        SERVER_PANEL.make_menu("which", Setting(fresh=nonce), options, text(locale, "settings.choose"))
    ]
    if about in CHOICE_SETTINGS or about in CHANNEL_SETTINGS:
        hint = text(locale, "settings.choose-value")
        menus.append(value_menu(locale, interaction.guild, settings, Setting(about, nonce), hint))
    return lay_out_settings(server_settings_text(locale, settings, changed=changed) + note, menus)


def _channel_of_kind(interaction: Interaction, name: str, number: int) -> discord.abc.GuildChannel:
    """Returns that channel of the server. Raises Declined if the server has none of a type that the setting accepts."""
    channel = interaction.guild.get_channel(number) if interaction.guild else None
    if channel is None or channel.type not in channel_types_of(name):
        raise Declined("failure.unfit-option", value=f"<#{number}>")
    return channel


def _house_rules_form(locale: Language, present_rules: str) -> discord.ui.Modal:
    field: TextInput[discord.ui.View] = TextInput(
        style=discord.TextStyle.paragraph,
        custom_id="rules",
        default=present_rules,
        required=False,
        max_length=MAX_HOUSE_RULES_LENGTH,
    )
    title, hint = text(locale, "server.house-rules.name"), text(locale, "server.house-rules.hint")
    return HOUSE_RULES_FORM.make_form(HOUSE_RULES_NAME, NoState(), title, title, hint, field)


@HOUSE_RULES_FORM.register_handler(HOUSE_RULES_NAME)
async def submit_house_rules(interaction: Interaction, _: NoState) -> None:
    """Saves the typed house rules; empty text removes them."""
    rules = submitted_value(interaction).strip()
    await _change_setting(interaction, HOUSE_RULES_NAME, lambda _: rules)


@HOUSE_RULES_BUTTONS.register_handler(HOUSE_RULES_NAME)
async def show_house_rules(interaction: Interaction, _: Action) -> None:
    """Shows the house rules, from the button below the help or a rulebook."""
    caller = Caller(interaction)
    rules = caller.context.servers.settings_of(caller.guild).house_rules
    key = "server.house-rules.shown" if rules else "server.house-rules.none"
    await send_answer(interaction, text(caller.locale, key, rules=whole_text(rules)))


def house_rules_button(interaction: Interaction) -> list[Button]:
    """Returns the button that opens the server's house rules, if it has any."""
    guild = server_here(interaction) or 0
    return (
        [action_button(reader_language(interaction), HOUSE_RULES_NAME)]
        if context_of(interaction).servers.settings_of(guild).house_rules
        else []
    )


def server_settings_text(locale: Language, settings: GuildSettings, *, changed: bool) -> str:
    """Returns every setting of a server with its value, one to a line, by subject."""
    title = text(locale, "server.changed" if changed else "server.title")
    values_by_setting, lines = _values_by_setting(locale, settings), [title]
    for subject, names in SERVER_SETTINGS_BY_SUBJECT.items():
        lines.append(text(locale, f"server.subject.{subject}"))
        lines += [setting_text(locale, "server", name, values_by_setting[name]) for name in names]
    return "\n".join(lines)


def _values_by_setting(locale: Language, settings: GuildSettings) -> dict[str, str]:
    """Returns the value of every setting in words, by the setting's name."""
    nothing = text(locale, "server.none")
    channels = {name: getattr(settings, name.replace("-", "_")) for name in CHANNEL_SETTINGS}
    return {name: f"<#{channel}>" if channel else nothing for name, channel in channels.items()} | {
        "channels": _channel_list(locale, settings.channels),
        "pace": choice_text(locale, "pace", settings.pace.value),
        "threads": choice_text(locale, "threads", settings.threads.value),
        "language": language_told(locale, settings),
        "house": choice_text(locale, "house", "yes" if settings.house else "no"),
        "openings": choice_text(locale, "openings", "yes" if settings.openings else "no"),
        "house-rules": text(locale, "server.house-rules.set") if settings.house_rules else nothing,
        "zone": zone_text(locale, settings.zone),
    }


def _channel_list(locale: Language, channels: tuple[int, ...]) -> str:
    if not channels:
        return text(locale, "server.channels.any")
    listed = " ".join(f"<#{channel}>" for channel in channels[:MAX_CHANNELS_LISTED])
    unlisted_count = len(channels) - MAX_CHANNELS_LISTED
    return f"{listed} {text(locale, 'server.channels.more', count=unlisted_count)}" if unlisted_count > 0 else listed


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
            await self._context.send_post(Post(channel.id, guild.id, content, f"w{guild.id:x}", buttons=menus))
