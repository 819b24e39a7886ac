"""`/me settings`: how a person's boards look, when they are asked and reminded, and when their clocks stand still."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain
from operator import or_
from typing import Any

import discord
from discord import SelectOption, app_commands
from discord.ui import TextInput

from bot.core.clock import MAX_FREE_DAYS, Weekdays
from bot.core.settings import (
    PREFERENCE_VALUES,
    SWITCH,
    Preferences,
    Reminders,
    UserSettings,
    check_user_settings,
    find_zone,
    format_sleep,
    parse_sleep,
    zone_named,
    zones_like,
)
from bot.discordkit.components import Family, all_given, menu_nonce, outdated_error, submitted_value
from bot.discordkit.reply import (
    Controls,
    Interaction,
    Layout,
    RowList,
    lay_out_rows,
    reader_language,
    send_answer,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.play.caller import Caller, context_of
from bot.play.options import MAX_SUGGESTIONS
from bot.play.shared_components import Setting
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import zone_text


def setting_text(locale: Language, family: str, name: str, value: str) -> str:
    """Returns a setting with its value, and what it does in a line below. `family` is "setting" or "server"."""
    line = text(locale, "settings.line", name=text(locale, f"{family}.{name}.name"), value=value)
    return f"{line}\n-# {text(locale, f'{family}.{name}.about')}"


def setting_options(locale: Language, family: str, names: Iterable[str], about: str | None) -> list[SelectOption]:
    """Returns an option for each setting, with what it does; `about` is the one that is chosen."""
    return [
        SelectOption(
            label=text(locale, f"{family}.{name}.name")[:100],
            value=name,
            description=text(locale, f"{family}.{name}.about")[:100],
            default=name == about,
        )
        for name in names
    ]


def lay_out_settings(content: str, menus: Controls) -> Layout:
    """Returns the panel: all settings, and the menus below them."""
    return lay_out_rows(RowList(content, components=menus))


BY_CHANNEL, BY_MESSAGE = "channel", "dm"
FREE_DAYS_NAME = "weekends"
"""The setting for the weekdays on which a person's clocks stand still. Buttons carry the name."""

SETTINGS_BY_SUBJECT = {
    "moves": ("board", "confirm", "automove"),
    "time": ("zone", "sleep", FREE_DAYS_NAME),
    "reminders": ("reminders", "reminders-by"),
    "others": ("public",),
}
"""All settings by subject, in display order."""


SHARING_WAYS = ("on", "results", "off")
"""The values of the setting `public`. Between yes and no: their results are shown, but their games are used nowhere."""
TYPED_SETTINGS = ("zone", "sleep")
"""The settings that are typed into a form. The others are chosen from a menu."""

MAX_TYPED_SETTING_LENGTH = 60


OWN_PANEL, OWN_FORM = Family("rt-mine", Setting), Family("rt-mine-form", Setting)


async def suggest_zones(_: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the time zones that fit the typed text."""
    return [app_commands.Choice(name=zone, value=zone) for zone in zones_like(current, MAX_SUGGESTIONS)]


@slash_command("me settings")
@app_commands.autocomplete(zone=suggest_zones)
async def me_settings_command(interaction: Interaction, zone: str | None = None) -> None:
    """Shows every setting with a menu of them. The time zone is also an option, because an option can suggest
    zones.
    """
    if zone is None:
        told = await context_of(interaction).service.people.note_told(interaction.user.id)
        note = text(reader_language(interaction), "settings.gone") if told else ""
        await send_answer(interaction, None, view=await _settings_panel(interaction, note=note))
    else:
        await _change_setting(interaction, "zone", zone)


@OWN_PANEL.register_handler("which")
async def choose_own_setting(interaction: Interaction, _: Setting) -> None:
    """Shows the values of the chosen setting, or opens the form in which it is typed."""
    name, locale = _require_known_setting(submitted_value(interaction)), reader_language(interaction)
    if name not in TYPED_SETTINGS:
        await update_message(interaction, None, view=await _settings_panel(interaction, about=name))
        return
    settings = await context_of(interaction).service.people.user_settings(interaction.user.id)
    present_text = (
        zone_named(settings.zone).key if name == "zone" else format_sleep(settings.sleep) if settings.sleep else "off"
    )
    field: TextInput[discord.ui.View] = TextInput(
        custom_id="x", default=present_text, max_length=MAX_TYPED_SETTING_LENGTH
    )
    title, hint = text(locale, f"setting.{name}.name"), text(locale, f"setting.{name}.hint")
    await interaction.response.send_modal(OWN_FORM.make_form("", Setting(name), title, title, hint, field))


@OWN_PANEL.register_handler("value")
async def choose_own_value(interaction: Interaction, setting: Setting) -> None:
    """Sets the setting to the chosen value."""
    name, options = _require_known_setting(setting.name), all_given(interaction)
    allowed = (
        SWITCH if name == FREE_DAYS_NAME and options and options[0] in SWITCH else setting_values(name)
    )  # panels of earlier versions only switched free days on or off
    if (
        not set(options) <= set(allowed)
        or not (name == FREE_DAYS_NAME or len(options) == 1)
        or len(options) > MAX_FREE_DAYS
    ):
        raise outdated_error()
    await _change_setting(interaction, name, " ".join(options))


@OWN_FORM.register_handler()
async def submit_own_value(interaction: Interaction, setting: Setting) -> None:
    """Sets the setting to the typed value."""
    if setting.name not in TYPED_SETTINGS:
        raise outdated_error()
    await _change_setting(interaction, setting.name, submitted_value(interaction))


async def _change_setting(interaction: Interaction, name: str, value: str) -> None:
    """Changes the setting, and shows all settings afterwards."""
    if interaction.message is None:
        await interaction.response.defer(ephemeral=True, thinking=True)
    else:
        await interaction.response.defer()
    caller = Caller(interaction)
    preferences = {name: value} if name in PREFERENCE_VALUES else {}

    def change(settings: UserSettings) -> UserSettings:
        new_settings = settings if preferences else with_setting(settings, name, value)
        return (
            new_settings
            if new_settings == settings
            else replace(new_settings, language=caller.locale if new_settings.by_dm else None)
        )

    await caller.service.people.change_user_settings(caller.user, change, caller.now, preferences)
    caller.context.jobs_due.set()
    panel = await _settings_panel(interaction, changed=True)
    await (send_answer if interaction.message is None else update_message)(interaction, None, view=panel)


async def _settings_panel(
    interaction: Interaction, about: str | None = None, *, changed: bool = False, note: str = ""
) -> Layout:
    """Returns every setting with its value, the menu of settings, and below it the values of the setting `about`."""
    people, user, locale = context_of(interaction).service.people, interaction.user.id, reader_language(interaction)
    settings, preferences = await people.user_settings(user), await people.preferences_of(user)
    nonce, content = menu_nonce(interaction), own_settings_text(locale, preferences, settings, changed=changed)
    options = setting_options(locale, "setting", chain(*SETTINGS_BY_SUBJECT.values()), about)
    menus = [OWN_PANEL.make_menu("which", Setting(fresh=nonce), options, text(locale, "settings.choose"))]
    if about is not None:
        free_days = _day_names(settings.free_days) if about == FREE_DAYS_NAME else ()
        value_options = [
            SelectOption(
                label=text(locale, f"setting.{about}.{option_value}")[:100],
                value=option_value,
                default=option_value in free_days,
            )
            for option_value in setting_values(about)
        ]
        hint, most = (
            ("settings.choose-days", MAX_FREE_DAYS) if about == FREE_DAYS_NAME else ("settings.choose-value", None)
        )
        menus.append(OWN_PANEL.make_menu("value", Setting(about, nonce), value_options, text(locale, hint), most))
    return lay_out_settings(f"{content}\n{note}".strip(), menus)


def _require_known_setting(name: str) -> str:
    """Returns the setting's name if it exists. Raises NO_SUCH_BUTTON otherwise."""
    if name not in chain(*SETTINGS_BY_SUBJECT.values()):
        raise outdated_error()
    return name


def setting_values(name: str) -> Sequence[str]:
    """Returns the values of that setting; none for a typed one."""
    switches = {"automove": SWITCH, "public": SHARING_WAYS, FREE_DAYS_NAME: _day_names(~Weekdays.NONE)}
    reminder_values = {"reminders": tuple(wish.value for wish in Reminders), "reminders-by": (BY_CHANNEL, BY_MESSAGE)}
    return {**PREFERENCE_VALUES, **switches, **reminder_values}.get(name, ())


SETTING_PARSERS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "zone": ("zone", find_zone),
    "sleep": ("sleep", parse_sleep),
    FREE_DAYS_NAME: ("free_days", lambda ways: _parse_days(ways)),
    "reminders": ("reminders", Reminders),
    "reminders-by": ("by_dm", lambda way: way == BY_MESSAGE),
    "automove": ("automove", lambda way: way == "on"),
}
"""For each setting of one field, other than preferences: the field, and the parser of its value."""


def with_setting(settings: UserSettings, name: str, value: str) -> UserSettings:
    """Returns the settings with that one changed. Raises NO_SUCH_ZONE or BAD_SLEEP."""
    if name == "public":
        return replace(settings, public=value != "off", puzzles=value == "on")
    field_name, parse = SETTING_PARSERS[name]
    return check_user_settings(replace(settings, **{field_name: parse(value)}), settings)


def own_settings_text(
    locale: Language, preferences: Preferences, settings: UserSettings, *, changed: bool = False
) -> str:
    """Returns every setting with its value, one to a line, by subject."""
    values_by_setting = {
        key: text(locale, f"setting.{key}.{getattr(preferences, key)}") for key in PREFERENCE_VALUES
    } | _texts_by_setting(locale, settings)
    lines = [text(locale, "settings.changed" if changed else "settings.title")]
    for subject, keys in SETTINGS_BY_SUBJECT.items():
        lines.append(text(locale, f"settings.{subject}"))
        lines += [setting_text(locale, "setting", key, values_by_setting[key]) for key in keys]
    if zone_named(settings.zone).key == UserSettings().zone and (settings.sleep or settings.free_days):
        lines.append(text(locale, "settings.utc"))
    return "\n".join([*lines, text(locale, "settings.how")])


def _texts_by_setting(locale: Language, settings: UserSettings) -> dict[str, str]:
    """Returns the settings about time, reminders and other people in words, by name."""
    return {
        "zone": zone_text(locale, settings.zone),
        "sleep": format_sleep(settings.sleep) if settings.sleep else text(locale, "setting.sleep.off"),
        FREE_DAYS_NAME: join_list(
            locale, [text(locale, f"setting.{FREE_DAYS_NAME}.{day}") for day in _day_names(settings.free_days)]
        )
        or text(locale, f"setting.{FREE_DAYS_NAME}.off"),
        "reminders": text(locale, f"setting.reminders.{settings.reminders.value}"),
        "reminders-by": text(locale, f"setting.reminders-by.{BY_MESSAGE if settings.by_dm else BY_CHANNEL}"),
        "automove": text(locale, f"setting.automove.{SWITCH[not settings.automove]}"),
        "public": text(locale, f"setting.public.{SHARING_WAYS[(not settings.puzzles) + (not settings.public)]}"),
    }


def _day_names(days: Weekdays) -> tuple[str, ...]:
    """Returns the option values for those days."""
    return tuple((day.name or "").lower() for day in days)


def _parse_days(ways: str) -> Weekdays:
    if ways in SWITCH:  # from a panel before days could be chosen
        return Weekdays.WEEKEND if ways == SWITCH[0] else Weekdays.NONE
    return reduce(or_, (Weekdays[way.upper()] for way in ways.split()), Weekdays.NONE)
