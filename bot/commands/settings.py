"""`/me settings`: how boards look to a person, when they are asked and reminded, and when their clocks stand still."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app
from bot.commands.options import CHOICES
from bot.kit.reply import Interaction, answer, now
from bot.kit.slash import choices, command
from bot.people.preferences import SWITCH, VALUES, Preferences, format_preferences
from bot.people.settings import Reminders, UserSettings, check_user
from bot.people.zones import find_zone, format_sleep, parse_sleep, zones_like
from bot.posting.turn import show_deadline
from bot.texts.i18n import Language, text

CHANNEL, DIRECT = "channel", "dm"

SUBJECTS = {
    "boards": ("theme", "board", "coordinates"),
    "moves": ("confirm", "warn", "automove"),
    "time": ("zone", "sleep", "weekends"),
    "reminders": ("reminders", "reminders-by"),
    "others": ("public",),
}
"""Every setting, in the order in which they are shown."""


async def suggest_zones(_: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Time zones that fit what is typed."""
    return [app_commands.Choice(name=zone, value=zone) for zone in zones_like(current, CHOICES)]


class OwnSettingsCommands(commands.Cog):
    """The settings of whoever asks."""

    @command("me settings")
    @app_commands.rename(reminders_by="reminders-by")
    @app_commands.choices(
        reminders=choices("setting.reminders", (wish.value for wish in Reminders)),
        reminders_by=choices("setting.reminders-by", (CHANNEL, DIRECT)),
        theme=choices("setting.theme", VALUES["theme"]),
        board=choices("setting.board", VALUES["board"]),
        confirm=choices("setting.confirm", VALUES["confirm"]),
    )
    @app_commands.autocomplete(zone=suggest_zones)
    async def me(
        self,
        interaction: Interaction,
        zone: str | None = None,
        sleep: str | None = None,
        weekends: bool | None = None,
        reminders: str | None = None,
        reminders_by: str | None = None,
        automove: bool | None = None,
        theme: str | None = None,
        board: str | None = None,
        confirm: str | None = None,
        warn: bool | None = None,
        coordinates: bool | None = None,
        public: bool | None = None,
    ) -> None:
        """Set what is named, all of it or nothing, and show that alone; with nothing named, show every setting."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker = Asker(interaction)
        people, user, locale = asker.service.people, asker.user, asker.locale
        looks = {"theme": theme, "board": board, "confirm": confirm, "warn": warn, "coordinates": coordinates}
        preferred = {
            key: value if isinstance(value, str) else _switch(value)
            for key, value in looks.items()
            if value is not None
        }
        wishes = {"zone": zone, "sleep": sleep, "weekends": weekends, "reminders": reminders, "automove": automove}
        wishes |= {"reminders_by": reminders_by, "public": public}

        def change(settings: UserSettings) -> UserSettings:
            wished = asked(settings, **wishes)
            return wished if wished == settings else replace(wished, language=locale if wished.by_dm else None)

        before, wished = await people.change_user_settings(user, change, now(), preferred)
        changed = {*preferred, *(key.replace("_", "-") for key, value in wishes.items() if value is not None)}
        preferences = await people.preferences(user)
        unset = preferences.warn != (await people.preferences(user, ladder=True)).warn
        await answer(interaction, settings_text(locale, preferences, wished, changed, warn_unset=unset))
        if habits(wished) != habits(before):
            await _show_deadlines(interaction)


def habits(settings: UserSettings) -> tuple[object, ...]:
    """Those of the settings by which a person's clock goes."""
    return settings.zone, settings.sleep, settings.free_weekends


async def _show_deadlines(interaction: Interaction) -> None:
    """Let the boards at which the person is to move say when the time is up by the new habits."""
    asker, desk = Asker(interaction), app(interaction)
    for match_id in await asker.service.people.games_on(asker.user):
        match = await asker.service.reminded_match(match_id, None, asker.user)
        if match.to_move == asker.user:
            desk.errands.tidy(match.where, partial(show_deadline, desk, match))


READ: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "zone": ("zone", find_zone),
    "sleep": ("sleep", parse_sleep),
    "weekends": ("free_weekends", bool),
    "reminders": ("reminders", Reminders),
    "reminders_by": ("by_dm", lambda way: way == DIRECT),
    "automove": ("automove", bool),
    "public": ("public", bool),
}
"""The setting that each option is about, and what it makes of what is given."""


def asked(settings: UserSettings, **wishes: Any) -> UserSettings:
    """The settings with what is asked for; None asks for nothing. Raises NO_SUCH_ZONE or BAD_SLEEP."""
    meant = [(*READ[option], value) for option, value in wishes.items() if value is not None]
    return check_user(replace(settings, **{setting: read(value) for setting, read, value in meant}))


def settings_text(
    locale: Language,
    preferences: Preferences,
    settings: UserSettings,
    changed: Collection[str] = (),
    *,
    warn_unset: bool = False,
) -> str:
    """Every setting and what it is set to, a line each, by subject; once some have been changed, those alone.

    `warn_unset`: they have never said whether to be warned, so that it depends on the game.
    """
    values = {
        key: text(locale, f"setting.{key}.{value}") for key, value in format_preferences(preferences).items()
    } | _times(locale, settings)
    if warn_unset:
        values["warn"] = text(locale, "setting.warn.unset")
    lines = [text(locale, "settings.changed" if changed else "settings.title")]
    for subject, keys in SUBJECTS.items():
        keys = tuple(key for key in keys if not changed or key in changed)
        if keys:
            lines.append(text(locale, f"settings.{subject}"))
        lines += [
            text(locale, "settings.line", name=text(locale, f"setting.{key}.name"), value=values[key]) for key in keys
        ]
    if settings.zone == UserSettings().zone and (settings.sleep or settings.free_weekends):
        lines.append(text(locale, "settings.utc"))
    return "\n".join([*lines, text(locale, "settings.rest" if changed else "settings.how")])


def _times(locale: Language, settings: UserSettings) -> dict[str, str]:
    """What concerns time, reminders and other people, in words by name."""
    return {
        "zone": settings.zone,
        "sleep": format_sleep(settings.sleep) if settings.sleep else text(locale, "setting.sleep.off"),
        "weekends": text(locale, f"setting.weekends.{_switch(settings.free_weekends)}"),
        "reminders": text(locale, f"setting.reminders.{settings.reminders.value}"),
        "reminders-by": text(locale, f"setting.reminders-by.{DIRECT if settings.by_dm else CHANNEL}"),
        "automove": text(locale, f"setting.automove.{_switch(settings.automove)}"),
        "public": text(locale, f"setting.public.{_switch(settings.public)}"),
    }


def _switch(value: bool) -> str:
    return SWITCH[not value]
