"""What every server uses: tables, moves, the composer, boards, announcements, clocks, and referees.

A command is a function with `bot.discordkit.slash.slash_command` in any module here or in a feature's folder. The
function that answers a button, menu or form is decorated with a family's `register_handler` of
`bot.discordkit.components`. Neither is listed anywhere else; only the first words of the commands are, in `TOP_LEVELS`
and in the `Feature` that has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from importlib import import_module
from pkgutil import walk_packages

from discord import app_commands

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


def declared_commands(features: Sequence[Feature]) -> Iterator[Command]:
    """Yields the commands of `bot.play` and of the features, not yet grouped. Imports all of their modules."""
    for package in ("bot.play", *(feature.package for feature in features)):
        for module_info in walk_packages(import_module(package).__path__, f"{package}."):
            for member in vars(import_module(module_info.name)).values():
                if isinstance(member, app_commands.Command) and member.module == module_info.name:
                    yield copy(member)  # each client puts its own into groups


def every_command(features: Sequence[Feature]) -> list[Command | app_commands.Group | app_commands.ContextMenu]:
    """Returns all commands as Discord registers them: single commands, groups, and the menu on people."""
    top_levels = dict(TOP_LEVELS)
    for feature in features:
        for word, level in feature.top_levels.items():
            known = top_levels.get(word, level._replace(first=()))
            top_levels[word] = known._replace(first=(*known.first, *level.first))
    return [*group_commands(declared_commands(features), top_levels), *USER_MENUS]
