"""What people type and press: thin layers that translate between interactions and decisions.

May import every other room but `bot.ops`. A command is declared by `bot.kit.slash.slash_command` in a cog of any module
here. The function that answers a button, menu or form is decorated with a family's `register_handler` of
`bot.kit.components`. Neither is listed anywhere else; only the first words of the commands are, in `TOP_LEVELS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from inspect import getmembers, isclass
from pkgutil import iter_modules

from discord import app_commands
from discord.ext.commands import Cog

from bot.kit.slash import USER_MENUS, Command, TopLevel, group_commands

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
"""The first words of all commands. Only the first word decides where Discord offers a command, so there are few."""


def every_cog() -> Iterator[Cog]:
    """Yields one of each cog that a module of this package defines. Imports all of the modules."""
    for module_info in iter_modules(__path__, f"{__name__}."):
        module = import_module(module_info.name)
        for _, member in getmembers(module, isclass):
            if issubclass(member, Cog) and member.__module__ == module_info.name:
                yield member()


def every_command() -> list[Command | app_commands.Group | app_commands.ContextMenu]:
    """Returns all commands as Discord registers them: single words, groups, and the menu on people's names."""
    commands = [command for cog in every_cog() for command in cog.get_app_commands()]
    return [
        *group_commands([command for command in commands if isinstance(command, app_commands.Command)], TOP_LEVELS),
        *USER_MENUS,
    ]
