"""`/settings me`: how boards are shown to a person, and when he is asked before a move."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.cogs._reply import Press, answer, reader
from bot.cogs._translator import words
from bot.i18n import Language, text
from bot.preferences import SWITCH, VALUES, Preferences, format_preferences


def _choices(key: str) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=words(f"setting.{key}.{value}"), value=value) for value in VALUES[key]]


class Settings(commands.GroupCog, group_name="settings", group_description=words("command.settings.description")):
    """Settings, so far those of a person."""

    @app_commands.command(name="me", description=words("command.settings.me.description"))
    @app_commands.describe(
        theme=words("command.settings.me.theme"),
        board=words("command.settings.me.board"),
        confirm=words("command.settings.me.confirm"),
        warn=words("command.settings.me.warn"),
        coordinates=words("command.settings.me.coordinates"),
    )
    @app_commands.choices(theme=_choices("theme"), board=_choices("board"), confirm=_choices("confirm"))
    async def me(
        self,
        interaction: Press,
        theme: str | None = None,
        board: str | None = None,
        confirm: str | None = None,
        warn: bool | None = None,
        coordinates: bool | None = None,
    ) -> None:
        """Set what is named, and show everything as it is set then."""
        service, user = interaction.client.service, interaction.user.id
        chosen = {"theme": theme, "board": board, "confirm": confirm}
        chosen |= {"warn": _switch(warn), "coordinates": _switch(coordinates)}
        for key, value in chosen.items():
            if value is not None:
                await service.set_preference(user, key, value)
        changed = any(value is not None for value in chosen.values())
        await answer(interaction, _settings_text(reader(interaction), await service.preferences(user), changed=changed))


def _switch(value: bool | None) -> str | None:
    return None if value is None else SWITCH[not value]


def _settings_text(locale: Language, preferences: Preferences, *, changed: bool) -> str:
    """Every setting and what it is set to, a line each."""
    title = text(locale, "settings.changed" if changed else "settings.title")
    lines = [
        text(
            locale,
            "settings.line",
            name=text(locale, f"setting.{key}.name"),
            value=text(locale, f"setting.{key}.{value}"),
        )
        for key, value in format_preferences(preferences).items()
    ]
    return "\n".join([title, *lines, *([] if changed else [text(locale, "settings.how")])])
