"""`/server settings`: what those who manage a server ask for there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import discord
from discord import SelectOption
from discord.ext import commands
from discord.ui import TextInput

from bot.commands.app import Asker, app
from bot.commands.ladder import require_open
from bot.kit.components import (
    FORMS,
    Action,
    Button,
    Family,
    Nothing,
    Setting,
    button,
    chosen,
    fresh,
    given,
    on,
    outdated,
    row,
)
from bot.kit.errors import Declined
from bot.kit.permissions import require_permissions
from bot.kit.reply import Interaction, answer, here, reader, update
from bot.kit.server_menus import (
    AUTOMATIC,
    CHANNELS,
    CHOSEN,
    PANEL,
    kinds,
    language_told,
    there,
    value_menu,
    value_of,
    way_told,
)
from bot.kit.slash import command
from bot.people.clock import Pace
from bot.people.settings import LONGEST_MEMBERSHIP, LONGEST_RULES, LONGEST_SEASON, GuildSettings, Threads
from bot.people.zones import find_zone, zone_named
from bot.posting.people import require_manager
from bot.posting.welcome import welcome
from bot.texts.clocks import zone_text
from bot.texts.i18n import Language, text
from bot.texts.sentences import whole_text

HOUSE_RULES, ZONE = "house-rules", "zone"
LONGEST_ZONE = 60
SHOWN_CHANNELS = 20
"""Channels that the list names before it counts the rest."""
NUMBERS = {
    "most-open": (1, 1000),
    "most-live": (1, 1000),
    "most-house": (0, 1000),
    "season-weeks": (1, LONGEST_SEASON),
    "membership-days": (0, LONGEST_MEMBERSHIP),
    "puzzle-hour": (0, 23),
}
"""Those that are numbers, typed into a form, and the least and the most of each."""

FORM = Family("rt-server-form", Setting)


class ServerSettingsCommands(commands.Cog):
    """The settings of a server. Discord hides them from others; servers can change that, so the code checks as well."""

    @command("server settings")
    async def server(self, interaction: Interaction) -> None:
        """Show every setting, and a menu of them."""
        require_manager(interaction)
        said, view = _panel(interaction)
        await answer(interaction, said, view=view)


@PANEL.on("which")
async def choose_setting(interaction: Interaction, _: Setting) -> None:
    """Show what the chosen setting can be set to, or open the form in which it is typed."""
    require_manager(interaction)
    name, asker = given(interaction), Asker(interaction)
    present = app(interaction).servers.settings(asker.guild)
    if name in CHOSEN or name in CHANNELS:
        said, view = _panel(interaction, about=name)
        await update(interaction, said, view=view)
    elif name in NUMBERS:
        least, most = NUMBERS[name]
        field: TextInput[discord.ui.View] = TextInput(custom_id="x", default=str(value_of(present, name)), max_length=4)
        title = text(asker.locale, f"server.{name}.name")
        hint = text(asker.locale, "server.number", least=least, most=most)
        await interaction.response.send_modal(FORM.form("", Setting(name), title, title, hint, field))
    elif name == ZONE:
        zone: TextInput[discord.ui.View] = TextInput(
            custom_id="x", default=zone_named(present.zone).key, max_length=LONGEST_ZONE
        )
        title, hint = text(asker.locale, "server.zone.name"), text(asker.locale, "server.zone.hint")
        await interaction.response.send_modal(FORM.form("", Setting(name), title, title, hint, zone))
    elif name == HOUSE_RULES:
        await interaction.response.send_modal(_house_rules_form(asker.locale, present.house_rules))
    else:
        raise outdated()


@PANEL.on("value")
async def choose_value(interaction: Interaction, setting: Setting) -> None:
    """Set it to what is chosen."""
    value = given(interaction)
    if value not in CHOSEN.get(setting.name, ()):
        raise outdated()
    read: dict[str, Callable[[str], Any]] = {
        "pace": Pace,
        "threads": Threads,
        "language": lambda chosen: None if chosen == AUTOMATIC else chosen,
        "plans": "yes".__eq__,
    }
    meant = read[setting.name](value)
    await _set(interaction, setting.name, lambda _: meant)


@PANEL.on("channels")
async def choose_channels(interaction: Interaction, setting: Setting) -> None:
    """Set it to the channels that are chosen, or to none."""
    require_manager(interaction)
    name, numbers = setting.name, chosen(interaction)
    if name not in CHANNELS:
        raise outdated()
    channels = [_channel(interaction, name, number) for number in numbers[: CHANNELS[name]]]
    for channel in channels:
        if name == "ladder-channel":
            require_open(interaction, channel.id)
        elif name != "channels":
            require_permissions(channel.permissions_for(channel.guild.me), channel)

    def meant(settings: GuildSettings) -> object:
        if name != "channels":
            return numbers[0] if numbers else None
        # Those for which the menu has had no room stay.
        return (*numbers, *there(interaction.guild, settings, name)[CHANNELS[name] :])

    await _set(interaction, name, meant)


@FORM.on()
async def type_value(interaction: Interaction, setting: Setting) -> None:
    """Set it to the number or the time zone that is typed."""
    least, most = NUMBERS.get(setting.name, (0, -1))
    require_manager(interaction)
    typed = given(interaction).strip()
    if setting.name == ZONE:
        zone = find_zone(typed)
        await _set(interaction, ZONE, lambda _: zone)
        return
    if most < 0:
        raise outdated()
    if not typed.isdecimal() or not least <= int(typed) <= most:
        raise Declined("server.number", least=least, most=most)
    await _set(interaction, setting.name, lambda _: int(typed))


async def _set(interaction: Interaction, name: str, meant: Callable[[GuildSettings], object]) -> None:
    """Set it to what is meant, and show everything as it is set then; below the welcome, the welcome."""
    require_manager(interaction)
    thinking = interaction.message is None
    await interaction.response.defer(ephemeral=thinking, thinking=thinking)
    field: dict[str, Any] = {}

    def change(settings: GuildSettings) -> GuildSettings:
        field[name.replace("-", "_")] = meant(settings)
        return replace(settings, **field)

    desk, guild = app(interaction), Asker(interaction).guild
    before, after = await desk.servers.change(guild, change)
    if interaction.message is not None and not interaction.message.flags.ephemeral:  # everybody sees the welcome
        said, menus = welcome(desk.language(guild), interaction.guild, after, fresh(interaction))
        await update(interaction, said, view=row(*menus))
        return
    said, view = _panel(interaction, changed=True)
    if after.season_weeks != before.season_weeks:  # nobody's season becomes longer or shorter while it is played
        said += "\n" + text(reader(interaction), "server.season-weeks.next")
    await (answer if interaction.message is None else update)(interaction, said, view=view)


def _panel(interaction: Interaction, about: str = "", *, changed: bool = False) -> tuple[str, discord.ui.View]:
    """Every setting with its value, and the menu of them; below it the menu of what one can be set to."""
    asker, again = Asker(interaction), fresh(interaction)
    locale, settings = asker.locale, app(interaction).servers.settings(asker.guild)
    options = [
        SelectOption(label=text(locale, f"server.{name}.name")[:100], value=name, default=name == about)
        for name in _values(locale, settings)
    ]
    menus: list[discord.ui.Item[Any]] = [
        PANEL.menu("which", Setting(fresh=again), options, text(locale, "settings.choose"))
    ]
    if about in CHOSEN or about in CHANNELS:
        hint = text(locale, "settings.choose-value")
        menus.append(value_menu(locale, interaction.guild, settings, Setting(about, again), hint))
    return settings_text(locale, settings, changed=changed), row(*menus)


def _channel(interaction: Interaction, name: str, number: int) -> discord.abc.GuildChannel:
    """That channel of the server. Raises Declined where it has none of the number that the setting can be."""
    channel = interaction.guild.get_channel(number) if interaction.guild else None
    if channel is None or channel.type not in kinds(name):
        raise Declined("failure.unfit-option", value=f"<#{number}>")
    return channel


def _house_rules_form(locale: Language, present: str) -> discord.ui.Modal:
    field: TextInput[discord.ui.View] = TextInput(
        style=discord.TextStyle.paragraph,
        custom_id="rules",
        default=present,
        required=False,
        max_length=LONGEST_RULES,
    )
    title, hint = text(locale, "server.house-rules.name"), text(locale, "server.house-rules.hint")
    return FORMS.form(HOUSE_RULES, Nothing(), title, title, hint, field)


@FORMS.on(HOUSE_RULES)
async def set_house_rules(interaction: Interaction, _: Nothing) -> None:
    """Keep what was typed; nothing takes the rules away."""
    rules = given(interaction).strip()
    await _set(interaction, HOUSE_RULES, lambda _: rules)


@on(HOUSE_RULES)
async def show_house_rules(interaction: Interaction, _: Action) -> None:
    """Show the house rules from the button below the help or a rulebook."""
    asker = Asker(interaction)
    rules = app(interaction).servers.settings(asker.guild).house_rules
    key = "server.house-rules.shown" if rules else "server.house-rules.none"
    await answer(interaction, text(asker.locale, key, rules=whole_text(rules)))


def house_rules_button(interaction: Interaction) -> list[Button]:
    """The button that opens the server's house rules, if it has any."""
    guild = here(interaction) or 0
    return [button(reader(interaction), HOUSE_RULES)] if app(interaction).servers.settings(guild).house_rules else []


def settings_text(locale: Language, settings: GuildSettings, *, changed: bool) -> str:
    """Every setting of a server and what it is set to, a line each."""
    title = text(locale, "server.changed" if changed else "server.title")
    lines = [
        text(locale, "settings.line", name=text(locale, f"server.{key}.name"), value=value)
        for key, value in _values(locale, settings).items()
    ]
    return "\n".join([title, *lines])


def _values(locale: Language, settings: GuildSettings) -> dict[str, str]:
    """Every setting by its name, and what it is set to in words."""
    nothing = text(locale, "server.none")
    return {
        "pace": way_told(locale, "pace", settings.pace.value),
        "threads": way_told(locale, "threads", settings.threads.value),
        "forum": f"<#{settings.forum}>" if settings.forum else nothing,
        "channels": _channel_list(locale, settings.channels),
        "language": language_told(locale, settings),
        "announcements": f"<#{settings.announcements}>" if settings.announcements else nothing,
        "audit": f"<#{settings.audit}>" if settings.audit else nothing,
        "house-rules": text(locale, "server.house-rules.set") if settings.house_rules else nothing,
        "most-open": str(settings.most_open),
        "most-live": str(settings.most_live),
        "most-house": str(settings.most_house),
        "ladder-channel": f"<#{settings.ladder_channel}>" if settings.ladder_channel else nothing,
        "season-weeks": str(settings.season_weeks),
        "membership-days": str(settings.membership_days),
        "plans": way_told(locale, "plans", "yes" if settings.plans else "no"),
        "puzzle-channel": f"<#{settings.puzzle_channel}>" if settings.puzzle_channel else nothing,
        "puzzle-hour": f"{settings.puzzle_hour:02}:00",
        "zone": zone_text(locale, settings.zone),
    }


def _channel_list(locale: Language, channels: tuple[int, ...]) -> str:
    if not channels:
        return text(locale, "server.channels.any")
    shown = " ".join(f"<#{channel}>" for channel in channels[:SHOWN_CHANNELS])
    more = len(channels) - SHOWN_CHANNELS
    return f"{shown} {text(locale, 'server.channels.more', count=more)}" if more > 0 else shown
