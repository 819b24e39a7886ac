"""The panel of settings, a person's own or a server's: what each does, and the menu of all settings."""

from __future__ import annotations

from collections.abc import Iterable

from discord import SelectOption

from bot.discordkit.reply import Controls, Layout, RowList, lay_out_rows
from bot.texts.i18n import Language, text


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
