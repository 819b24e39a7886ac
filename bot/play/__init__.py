"""What every server uses: tables, moves, the composer, boards, announcements, clocks, and referees.

A command is declared by `bot.discordkit.slash.slash_command` in a cog of any module here or in a feature's folder. The
function that answers a button, menu or form is decorated with a family's `register_handler` of
`bot.discordkit.components`. Neither is listed anywhere else; only the first words of the commands are, in `TOP_LEVELS`
and in the `Feature` that has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from inspect import isclass
from pkgutil import walk_packages

from discord import app_commands
from discord.ext.commands import Cog

from bot.discordkit.slash import USER_MENUS, Command, TopLevel, group_commands
from bot.play.context import Feature

TOP_LEVELS = {
    "play": TopLevel(),
    "move": TopLevel(),
    "board": TopLevel(),
    "games": TopLevel(private=True),
    "game": TopLevel(first=("resign", "draw", "history", "replay", "review", "why")),
    "me": TopLevel(private=True, first=("settings",)),
    "learn": TopLevel(private=True),
    "help": TopLevel(private=True),
    "referee": TopLevel(managers=True),
    "server": TopLevel(managers=True),
}
"""The first words of all commands. Only the first word decides where Discord offers a command, so there are few."""


def every_cog(features: Sequence[Feature]) -> Iterator[Cog]:
    """Yields one of each cog with commands in a module of `bot.play` or of a feature. Imports all of these modules."""
    for package in ("bot.play", *(feature.package for feature in features)):
        for module_info in walk_packages(import_module(package).__path__, f"{package}."):
            module = import_module(module_info.name)
            for _, member in sorted(vars(module).items()):
                if not isclass(member) or member.__module__ != module_info.name:
                    continue
                if issubclass(member, Cog) and member.__cog_app_commands__:
                    yield member()


def every_command(features: Sequence[Feature]) -> list[Command | app_commands.Group | app_commands.ContextMenu]:
    """Returns the commands of all cogs as Discord registers them: single commands, groups, and the menu on people."""
    commands = [command for cog in every_cog(features) for command in cog.get_app_commands()]
    top_levels = dict(TOP_LEVELS)
    for feature in features:
        for word, level in feature.top_levels.items():
            known = top_levels.get(word, level._replace(first=()))
            top_levels[word] = known._replace(first=(*known.first, *level.first))
    return [
        *group_commands([command for command in commands if isinstance(command, app_commands.Command)], top_levels),
        *USER_MENUS,
    ]
