"""`/server settings`: the settings that the managers of a server choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import discord
from discord.ext import commands
from discord.ui import TextInput

from bot.core.clock import Pace
from bot.core.settings import MAX_HOUSE_RULES_LENGTH, GuildSettings, Threads, find_zone, zone_named
from bot.discordkit.components import (
    Button,
    Family,
    NoState,
    chosen_numbers,
    make_view,
    menu_nonce,
    outdated_error,
    submitted_value,
)
from bot.discordkit.errors import Declined
from bot.discordkit.permissions import require_permissions
from bot.discordkit.reply import Interaction, Layout, reader_language, send_answer, server_here, update_message
from bot.discordkit.slash import slash_command
from bot.play.access import require_manager
from bot.play.app import Caller, app_of
from bot.play.options import require_public_channel
from bot.play.places.welcome import welcome_message
from bot.play.server_menus import (
    AUTOMATIC_LANGUAGE,
    CHANNEL_SETTINGS,
    CHOICE_SETTINGS,
    SERVER_PANEL,
    channel_types_of,
    choice_text,
    language_told,
    present_channels,
    value_menu,
)
from bot.play.settings_panel import lay_out_settings, setting_options, setting_text
from bot.play.shared_components import FORMS, Action, Setting, action_button, handles_action
from bot.texts.i18n import Language, text
from bot.texts.markup import whole_text
from bot.texts.sentences import zone_text

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


class ServerSettingsCommands(commands.Cog):
    """The settings of a server. Discord hides them from others, but servers can change that, so the code checks too."""

    @slash_command("server settings")
    async def server(self, interaction: Interaction) -> None:
        """Shows every setting, and a menu of them."""
        require_manager(interaction)
        caller, servers = Caller(interaction), app_of(interaction).servers
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
    settings = app_of(interaction).servers.settings_of(caller.guild)
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
    parsers: dict[str, Callable[[str], Any]] = {
        "pace": Pace,
        "threads": Threads,
        "language": lambda chosen: None if chosen == AUTOMATIC_LANGUAGE else chosen,
        "house": "yes".__eq__,
        "openings": "yes".__eq__,
    }
    parsed_value = parsers[setting.name](value)
    await _change_setting(interaction, setting.name, lambda _: parsed_value)


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

    context, guild = app_of(interaction), Caller(interaction).guild
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
    locale, settings = caller.locale, app_of(interaction).servers.settings_of(caller.guild)
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
    return FORMS.make_form(HOUSE_RULES_NAME, NoState(), title, title, hint, field)


@FORMS.register_handler(HOUSE_RULES_NAME)
async def submit_house_rules(interaction: Interaction, _: NoState) -> None:
    """Saves the typed house rules; empty text removes them."""
    rules = submitted_value(interaction).strip()
    await _change_setting(interaction, HOUSE_RULES_NAME, lambda _: rules)


@handles_action(HOUSE_RULES_NAME)
async def show_house_rules(interaction: Interaction, _: Action) -> None:
    """Shows the house rules, from the button below the help or a rulebook."""
    caller = Caller(interaction)
    rules = app_of(interaction).servers.settings_of(caller.guild).house_rules
    key = "server.house-rules.shown" if rules else "server.house-rules.none"
    await send_answer(interaction, text(caller.locale, key, rules=whole_text(rules)))


def house_rules_button(interaction: Interaction) -> list[Button]:
    """Returns the button that opens the server's house rules, if it has any."""
    guild = server_here(interaction) or 0
    return (
        [action_button(reader_language(interaction), HOUSE_RULES_NAME)]
        if app_of(interaction).servers.settings_of(guild).house_rules
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
    return {
        "pace": choice_text(locale, "pace", settings.pace.value),
        "threads": choice_text(locale, "threads", settings.threads.value),
        "forum": f"<#{settings.forum}>" if settings.forum else nothing,
        "channels": _channel_list(locale, settings.channels),
        "language": language_told(locale, settings),
        "announcements": f"<#{settings.announcements}>" if settings.announcements else nothing,
        "audit": f"<#{settings.audit}>" if settings.audit else nothing,
        "house-rules": text(locale, "server.house-rules.set") if settings.house_rules else nothing,
        "house": choice_text(locale, "house", "yes" if settings.house else "no"),
        "ladder-channel": f"<#{settings.ladder_channel}>" if settings.ladder_channel else nothing,
        "openings": choice_text(locale, "openings", "yes" if settings.openings else "no"),
        "puzzle-channel": f"<#{settings.puzzle_channel}>" if settings.puzzle_channel else nothing,
        "zone": zone_text(locale, settings.zone),
    }


def _channel_list(locale: Language, channels: tuple[int, ...]) -> str:
    if not channels:
        return text(locale, "server.channels.any")
    listed = " ".join(f"<#{channel}>" for channel in channels[:MAX_CHANNELS_LISTED])
    unlisted_count = len(channels) - MAX_CHANNELS_LISTED
    return f"{listed} {text(locale, 'server.channels.more', count=unlisted_count)}" if unlisted_count > 0 else listed
