"""`/me settings`: how boards look to a person, when they are asked and reminded, and when their clocks stand still."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import chain
from operator import or_
from typing import Any

import discord
from discord import SelectOption, app_commands
from discord.ext import commands
from discord.ui import TextInput

from bot.commands.app import Asker, app
from bot.commands.options import CHOICES
from bot.kit.components import Family, Setting, all_given, fresh, given, outdated, row
from bot.kit.reply import Interaction, answer, now, reader, update
from bot.kit.slash import command
from bot.people.clock import MOST_FREE, Weekdays
from bot.people.preferences import SWITCH, VALUES, Preferences, format_preferences
from bot.people.settings import Reminders, UserSettings, check_user
from bot.people.zones import find_zone, format_sleep, parse_sleep, zone_named, zones_like
from bot.posting.elsewhere import DEADLINE, left_to_other
from bot.posting.turn import show_deadline
from bot.texts.clocks import zone_text
from bot.texts.i18n import Language, join, text

CHANNEL, DIRECT = "channel", "dm"
DAYS = "weekends"
"""The setting of the days of the week on which a person's clocks stand still; buttons carry the name."""

SUBJECTS = {
    "boards": ("theme", "board", "coordinates"),
    "moves": ("confirm", "warn", "automove"),
    "time": ("zone", "sleep", DAYS),
    "reminders": ("reminders", "reminders-by"),
    "others": ("public", "puzzles"),
}
"""Every setting, in the order in which they are shown."""


TYPED = ("zone", "sleep")
"""Those that are typed into a form; the others are chosen from a menu."""

LONGEST_TYPED = 60


PANEL, FORM = Family("rt-mine", Setting), Family("rt-mine-form", Setting)


async def suggest_zones(_: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Time zones that fit what is typed."""
    return [app_commands.Choice(name=zone, value=zone) for zone in zones_like(current, CHOICES)]


class OwnSettingsCommands(commands.Cog):
    """The settings of whoever asks."""

    @command("me settings")
    @app_commands.autocomplete(zone=suggest_zones)
    async def me(self, interaction: Interaction, zone: str | None = None) -> None:
        """Show every setting with a menu of them; the time zone alone is an option as well, for its suggestions."""
        if zone is None:
            said, view = await _panel(interaction)
            await answer(interaction, said, view=view)
        else:
            await _set(interaction, "zone", zone)


@PANEL.on("which")
async def choose_setting(interaction: Interaction, _: Setting) -> None:
    """Show what the chosen setting can be set to, or open the form in which it is typed."""
    name, locale = _known(given(interaction)), reader(interaction)
    if name not in TYPED:
        said, view = await _panel(interaction, about=name)
        await update(interaction, said, view=view)
        return
    settings = await app(interaction).service.people.user_settings(interaction.user.id)
    present = (
        zone_named(settings.zone).key if name == "zone" else format_sleep(settings.sleep) if settings.sleep else "off"
    )
    field: TextInput[discord.ui.View] = TextInput(custom_id="x", default=present, max_length=LONGEST_TYPED)
    title, hint = text(locale, f"setting.{name}.name"), text(locale, f"setting.{name}.hint")
    await interaction.response.send_modal(FORM.form("", Setting(name), title, title, hint, field))


@PANEL.on("value")
async def choose_value(interaction: Interaction, setting: Setting) -> None:
    """Set it to what is chosen."""
    name, chosen = _known(setting.name), all_given(interaction)
    offered = SWITCH if name == DAYS and chosen and chosen[0] in SWITCH else values(name)  # of an older panel
    if not set(chosen) <= set(offered) or not (name == DAYS or len(chosen) == 1) or len(chosen) > MOST_FREE:
        raise outdated()
    await _set(interaction, name, " ".join(chosen))


@FORM.on()
async def type_value(interaction: Interaction, setting: Setting) -> None:
    """Set it to what is typed."""
    if setting.name not in TYPED:
        raise outdated()
    await _set(interaction, setting.name, given(interaction))


async def _set(interaction: Interaction, name: str, value: str) -> None:
    """Set it, and show everything as it is then."""
    if interaction.message is None:
        await interaction.response.defer(ephemeral=True, thinking=True)
    else:
        await interaction.response.defer()
    asker = Asker(interaction)
    preferred = {name: value} if name in VALUES else {}

    def change(settings: UserSettings) -> UserSettings:
        wished = settings if preferred else asked(settings, name, value)
        return wished if wished == settings else replace(wished, language=asker.locale if wished.by_dm else None)

    before, wished = await asker.service.people.change_user_settings(asker.user, change, now(), preferred)
    said, view = await _panel(interaction, changed=True)
    await (answer if interaction.message is None else update)(interaction, said, view=view)
    if habits(wished) != habits(before):
        await _show_deadlines(interaction)


async def _panel(
    interaction: Interaction, about: str | None = None, *, changed: bool = False
) -> tuple[str, discord.ui.View]:
    """Every setting with its value, and the menu of them; below it the menu of what one can be set to."""
    people, user, locale = app(interaction).service.people, interaction.user.id, reader(interaction)
    settings, preferences = await people.user_settings(user), await people.preferences(user)
    unset, again = preferences.warn != (await people.preferences(user, ladder=True)).warn, fresh(interaction)
    said = settings_text(locale, preferences, settings, changed=changed, warn_unset=unset)
    options = [
        SelectOption(label=text(locale, f"setting.{name}.name")[:100], value=name, default=name == about)
        for name in chain(*SUBJECTS.values())
    ]
    menus = [PANEL.menu("which", Setting(fresh=again), options, text(locale, "settings.choose"))]
    if about is not None:
        free = _day_names(settings.free_days) if about == DAYS else ()
        ways = [
            SelectOption(label=text(locale, f"setting.{about}.{way}")[:100], value=way, default=way in free)
            for way in values(about)
        ]
        hint, most = ("settings.choose-days", MOST_FREE) if about == DAYS else ("settings.choose-value", None)
        menus.append(PANEL.menu("value", Setting(about, again), ways, text(locale, hint), most))
    return said, row(*menus)


def _known(name: str) -> str:
    """That setting. Raises NO_SUCH_BUTTON where there is none of the name."""
    if name not in chain(*SUBJECTS.values()):
        raise outdated()
    return name


def values(name: str) -> Sequence[str]:
    """What that setting can be set to; nothing for one that is typed."""
    ways = dict.fromkeys(("automove", "public", "puzzles"), SWITCH) | {DAYS: _day_names(~Weekdays.NONE)}
    reminding = {"reminders": tuple(wish.value for wish in Reminders), "reminders-by": (CHANNEL, DIRECT)}
    return {**VALUES, **ways, **reminding}.get(name, ())


def habits(settings: UserSettings) -> tuple[object, ...]:
    """Those of the settings by which a person's clock goes."""
    return settings.zone, settings.sleep, settings.free_days


async def _show_deadlines(interaction: Interaction) -> None:
    """Let the boards at which the person is to move say when the time is up by the new habits."""
    asker, desk = Asker(interaction), app(interaction)
    for match_id in await asker.service.people.games_on(asker.user):
        match = await asker.service.reminded_match(match_id, None, asker.user)
        if match.to_move == asker.user and not left_to_other(desk, DEADLINE, match):
            desk.errands.tidy(match.where, partial(show_deadline, desk, match))


READ: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "zone": ("zone", find_zone),
    "sleep": ("sleep", parse_sleep),
    DAYS: ("free_days", lambda ways: _read_days(ways)),
    "reminders": ("reminders", Reminders),
    "reminders-by": ("by_dm", lambda way: way == DIRECT),
    "automove": ("automove", lambda way: way == "on"),
    "public": ("public", lambda way: way == "on"),
    "puzzles": ("puzzles", lambda way: way == "on"),
}
"""What each setting that is not one of taste sets, and what it makes of what is given."""


def asked(settings: UserSettings, name: str, value: str) -> UserSettings:
    """The settings with that one set. Raises NO_SUCH_ZONE or BAD_SLEEP."""
    setting, read = READ[name]
    return check_user(replace(settings, **{setting: read(value)}), settings)


def settings_text(
    locale: Language,
    preferences: Preferences,
    settings: UserSettings,
    *,
    changed: bool = False,
    warn_unset: bool = False,
) -> str:
    """Every setting and what it is set to, a line each, by subject.

    `warn_unset`: they have never said whether to be warned, so that it depends on the game.
    """
    shown = {
        key: text(locale, f"setting.{key}.{value}") for key, value in format_preferences(preferences).items()
    } | _times(locale, settings)
    if warn_unset:
        shown["warn"] = text(locale, "setting.warn.unset")
    lines = [text(locale, "settings.changed" if changed else "settings.title")]
    for subject, keys in SUBJECTS.items():
        lines.append(text(locale, f"settings.{subject}"))
        lines += [
            text(locale, "settings.line", name=text(locale, f"setting.{key}.name"), value=shown[key]) for key in keys
        ]
    if zone_named(settings.zone).key == UserSettings().zone and (settings.sleep or settings.free_days):
        lines.append(text(locale, "settings.utc"))
    return "\n".join([*lines, text(locale, "settings.how")])


def _times(locale: Language, settings: UserSettings) -> dict[str, str]:
    """What concerns time, reminders and other people, in words by name."""
    return {
        "zone": zone_text(locale, settings.zone),
        "sleep": format_sleep(settings.sleep) if settings.sleep else text(locale, "setting.sleep.off"),
        DAYS: join(locale, [text(locale, f"setting.{DAYS}.{day}") for day in _day_names(settings.free_days)])
        or text(locale, f"setting.{DAYS}.off"),
        "reminders": text(locale, f"setting.reminders.{settings.reminders.value}"),
        "reminders-by": text(locale, f"setting.reminders-by.{DIRECT if settings.by_dm else CHANNEL}"),
        "automove": text(locale, f"setting.automove.{_switch(settings.automove)}"),
        "public": text(locale, f"setting.public.{_switch(settings.public)}"),
        "puzzles": text(locale, f"setting.puzzles.{_switch(settings.puzzles)}"),
    }


def _day_names(days: Weekdays) -> tuple[str, ...]:
    """What stands for each of the days in the menu of them."""
    return tuple((day.name or "").lower() for day in days)


def _read_days(ways: str) -> Weekdays:
    if ways in SWITCH:  # of a panel from before there was a choice
        return Weekdays.WEEKEND if ways == SWITCH[0] else Weekdays.NONE
    return reduce(or_, (Weekdays[way.upper()] for way in ways.split()), Weekdays.NONE)


def _switch(value: bool) -> str:
    return SWITCH[not value]
