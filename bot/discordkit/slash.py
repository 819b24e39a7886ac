"""Slash commands, declared with the words of the catalogues and registered with Discord in every language."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import discord
from discord import app_commands

from bot.texts.i18n import DEFAULT_LANGUAGE, language_for, load_catalogue, text

Command: TypeAlias = app_commands.Command[Any, ..., None]
PATH_KEY = "path"
"""The key of a command's extras that holds its whole path until the command is put into its group."""

SERVER_CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False)
SERVER_INSTALLS = app_commands.AppInstallationType(guild=True, user=False)
PRIVATE_CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)
PRIVATE_INSTALLS = app_commands.AppInstallationType(guild=True, user=True)


class TopLevel(NamedTuple):
    """What Discord allows only on the first word of a command: where it is offered, and to whom."""

    private: bool = False
    """True if it is also offered in direct messages with the bot, and to people who have installed the bot for
    themselves.
    """
    managers: bool = False
    """True if only people who manage the server see it, unless the server says otherwise."""
    first: tuple[str, ...] = ()
    """The commands listed first in the group."""


def slash_command(path: str) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Command]:
    """Declares the decorated function as the command of that path, such as "ladder join".

    The catalogue has its description as `command.ladder.join.description`, and that of an option `variant` as
    `command.ladder.join.variant`, or else as `command.ladder.variant` for the whole group.
    """
    key = path.replace(" ", ".")
    above, _, name = key.rpartition(".")

    def declare_command(callback: Callable[..., Coroutine[Any, Any, None]]) -> Command:
        described = localized_text(f"command.{key}.description")
        declared: Command = app_commands.command(name=name, description=described, extras={PATH_KEY: path})(callback)
        words = {}
        for option in declared.parameters:
            own, shared = f"command.{key}.{option.display_name}", f"command.{above}.{option.display_name}"
            words[option.name] = localized_text(own if own in load_catalogue(DEFAULT_LANGUAGE) else shared)
        app_commands.describe(**words)(declared)
        return declared

    return declare_command


UserMenuCallback: TypeAlias = Callable[[discord.Interaction[Any], discord.User], Coroutine[Any, Any, None]]


def user_menu(name: str) -> Callable[[UserMenuCallback], app_commands.ContextMenu]:
    """Offers the function in the menu on people's names, in servers. Its name is the catalogue's
    `user-menu.challenge`.
    """

    def declare_menu(callback: UserMenuCallback) -> app_commands.ContextMenu:
        menu = app_commands.ContextMenu(name=localized_text(f"user-menu.{name}"), callback=callback)
        menu.allowed_contexts, menu.allowed_installs = SERVER_CONTEXTS, SERVER_INSTALLS
        return menu

    return declare_menu


def group_commands(commands: Iterable[Command], tops: Mapping[str, TopLevel]) -> list[Command | app_commands.Group]:
    """Puts the commands whose paths have two words into groups named by the first one, in the order of `tops`.

    Raises KeyError for a first word that is not in `tops`.
    """
    roots: dict[str, Command | app_commands.Group] = {}
    paths = {command.extras[PATH_KEY]: command for command in commands}
    first = [f"{top} {name}" for top, known in tops.items() for name in known.first]
    for path in sorted(paths, key=lambda path: first.index(path) if path in first else len(first)):
        word, _, name = path.partition(" ")
        if not name:
            roots[word] = paths[path]
            continue
        described = localized_text(f"command.{word}.description")
        group = roots.setdefault(word, app_commands.Group(name=word, description=described))
        assert isinstance(group, app_commands.Group), path
        group.add_command(paths[path])
    for name, root in roots.items():
        top = tops[name]
        root.allowed_contexts, root.allowed_installs = (
            (PRIVATE_CONTEXTS, PRIVATE_INSTALLS) if top.private else (SERVER_CONTEXTS, SERVER_INSTALLS)
        )
        root.default_permissions = discord.Permissions(manage_guild=True) if top.managers else None
    return [roots[name] for name in tops if name in roots]


def localized_choices(key: str, values: Iterable[str]) -> list[app_commands.Choice[str]]:
    """Returns those values as choices. The catalogue has their words below that key."""
    return [app_commands.Choice(name=localized_text(f"{key}.{value}"), value=value) for value in values]


def localized_text(key: str) -> app_commands.locale_str:
    """Returns the text of that key, to be translated when the commands are sent to Discord."""
    return app_commands.locale_str(text(DEFAULT_LANGUAGE, key), key=key)


class KnownCommands(NamedTuple):
    """The commands that were last sent to Discord."""

    digest: str
    numbers: dict[str, int]
    """Discord's numbers of the commands, by name."""


def read_known_commands(stored: str | None) -> KnownCommands | None:
    """Reads the store's note of the commands; None if there is none, or this version cannot read it."""
    try:
        digest, ids_by_name = json.loads(stored or "")
        return KnownCommands(str(digest), {str(name): int(number) for name, number in ids_by_name.items()})
    except (ValueError, TypeError, AttributeError):
        return None


def command_numbers(commands: Iterable[app_commands.AppCommand]) -> dict[str, int]:
    """Returns Discord's number for each command, by its full name such as "game resign". The number is that of its
    first word.
    """
    numbers = dict[str, int]()
    for command in commands:
        if command.type is discord.AppCommandType.chat_input:
            inner = [one.qualified_name for one in command.options if isinstance(one, app_commands.AppCommandGroup)]
            numbers |= dict.fromkeys(inner or [command.name], command.id)
    return numbers


class CatalogueTranslator(app_commands.Translator):
    """Looks up the catalogue key that `localized_text` attached to each text."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """Returns the text in that language; None for English, which is sent anyway."""
        reader = language_for(locale.value)
        key = string.extras.get("key")
        return None if key is None or reader == DEFAULT_LANGUAGE else load_catalogue(reader)[key]
