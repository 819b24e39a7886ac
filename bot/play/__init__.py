"""What people type and press: thin layers that translate between interactions and acts.

May import every other room but `bot.ops`. A command is declared by `bot.discordkit.slash.slash_command` in a cog of any module
here; what answers a button, a menu or a form says so by `@on(…)` of `bot.discordkit.components`. Neither is listed anywhere
else; only the first words of the commands are, in `TOP_LEVELS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from inspect import getmembers, isclass, signature
from pkgutil import walk_packages

from discord import app_commands
from discord.ext.commands import Cog

import bot
from bot.discordkit.slash import USER_MENUS, Command, TopLevel, group_commands

WITHOUT_COGS = ("__main__", "client", "sandbox", "ops", "store", "core", "texts")

TOP_LEVELS = {
    "play": TopLevel(),
    "move": TopLevel(),
    "board": TopLevel(),
    "games": TopLevel(private=True),
    "plan": TopLevel(private=True),
    "game": TopLevel(first=("moves", "resign", "draw", "takeback", "history", "replay", "why")),
    "ladder": TopLevel(first=("show", "join", "queue", "challenge")),
    "puzzle": TopLevel(private=True),
    "me": TopLevel(private=True, first=("settings",)),
    "learn": TopLevel(private=True, first=("lessons",)),
    "help": TopLevel(private=True),
    "referee": TopLevel(managers=True),
    "server": TopLevel(managers=True),
}
"""The first words of all commands. They are few, and where a command is offered is said of its first word alone."""


def every_cog() -> Iterator[Cog]:
    """One of each cog that a module of `bot` defines. All of the modules that may have any are imported on the way."""
    for module_info in walk_packages(bot.__path__, "bot."):
        if module_info.name.split(".")[1] not in WITHOUT_COGS:
            module = import_module(module_info.name)
            for _, member in getmembers(module, isclass):
                if (
                    issubclass(member, Cog)
                    and member.__module__ == module_info.name
                    and not signature(member).parameters
                ):
                    yield member()


def every_command() -> list[Command | app_commands.Group | app_commands.ContextMenu]:
    """The commands of all cogs, as Discord is told of them: what has one word, groups, and the menu on people."""
    commands = [command for cog in every_cog() for command in cog.get_app_commands()]
    return [
        *group_commands([command for command in commands if isinstance(command, app_commands.Command)], TOP_LEVELS),
        *USER_MENUS,
    ]
