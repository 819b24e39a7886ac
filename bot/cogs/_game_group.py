"""`/game`: what is done to a game as a whole. Each command comes from the module of its subject."""

from __future__ import annotations

from typing import Any

from discord import app_commands

from bot.cogs._answers.translator import words


def game_group(*commands: app_commands.Command[Any, ..., None]) -> app_commands.Group:
    """`/game` with those commands. The client adds it to its tree."""
    group = app_commands.Group(name="game", description=words("command.game.description"))
    for command in commands:
        group.add_command(command)
    return group
