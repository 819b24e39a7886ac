"""Slash commands: declared with the words of the catalogues, and told to Discord in every language."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeAlias

import discord
from discord import app_commands

from bot.texts.i18n import DEFAULT, catalogue, language, text

Command: TypeAlias = app_commands.Command[Any, ..., None]


def command(path: str) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Command]:
    """Declare what follows as the command of that path, such as "ladder join".

    The catalogue has its description as `command.ladder.join.description`, and that of an option `variant` as
    `command.ladder.join.variant`, or where the commands of a group share it, as `command.ladder.variant`.
    """
    key = path.replace(" ", ".")
    above, _, name = key.rpartition(".")

    def declare(callback: Callable[..., Coroutine[Any, Any, None]]) -> Command:
        declared: Command = app_commands.command(name=name, description=localized(f"command.{key}.description"))(
            callback
        )
        words = {}
        for option in declared.parameters:
            own, shared = f"command.{key}.{option.display_name}", f"command.{above}.{option.display_name}"
            words[option.name] = localized(shared if shared in catalogue(DEFAULT) else own)
        app_commands.describe(**words)(declared)
        return declared

    return declare


def group(name: str) -> dict[str, Any]:
    """What a class of commands says beside `GroupCog`, so that it is the group of that name."""
    return {"group_name": name, "group_description": localized(f"command.{name}.description")}


def choices(key: str, values: Iterable[str]) -> list[app_commands.Choice[str]]:
    """Those values to choose from; the catalogue has the words for each, below that key."""
    return [app_commands.Choice(name=localized(f"{key}.{value}"), value=value) for value in values]


def localized(key: str) -> app_commands.locale_str:
    """The text of that key, to be translated when the commands are sent to Discord."""
    return app_commands.locale_str(text(DEFAULT, key), key=key)


class CatalogueTranslator(app_commands.Translator):
    """Looks up the key that `localized` has left with each text."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """The text in that language; None where English serves."""
        reader = language(locale.value)
        key = string.extras.get("key")
        if key is None or reader == DEFAULT:
            return None
        return catalogue(reader)[key]
