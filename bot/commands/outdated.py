"""`/game`."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.kit.translator import localized


def game_group(*commands: app_commands.Command[Any, ..., None]) -> app_commands.Group:
    """`/game` with those commands. The client adds it to its tree."""
    group = app_commands.Group(name="game", description=localized("command.game.description"))
    for command in commands:
        group.add_command(command)
    return group
