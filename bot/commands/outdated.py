"""Buttons, menus and forms of which nothing in the program knows any more: they get an answer like any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from discord.ui import DynamicItem

from bot.kit.components import FORM as TYPED
from bot.kit.components import outdated
from bot.kit.composer_items import FORM
from bot.kit.reply import Interaction
from bot.kit.translator import localized


class Outdated(commands.Cog):
    """Hears of every press, and answers those for which discord.py finds nothing of ours."""

    def __init__(self, items: Sequence[type[DynamicItem[Any]]]) -> None:
        # The class keeps its pattern in no public place; discord.py compares the same one in the same way.
        components = [item.__discord_ui_compiled_template__ for item in items]
        self._known = {
            discord.InteractionType.component: components,
            discord.InteractionType.modal_submit: [FORM, TYPED],
        }

    @commands.Cog.listener()
    async def on_interaction(self, interaction: Interaction) -> None:
        """Answer what nothing else answers."""
        pressed: dict[str, Any] = dict(interaction.data or {})
        custom_id = str(pressed.get("custom_id"))
        patterns = self._known.get(interaction.type)
        if patterns is not None and not any(pattern.fullmatch(custom_id) for pattern in patterns):
            await interaction.client.guarded(interaction, outdated())


def game_group(*commands: app_commands.Command[Any, ..., None]) -> app_commands.Group:
    """`/game` with those commands. The client adds it to its tree."""
    group = app_commands.Group(name="game", description=localized("command.game.description"))
    for command in commands:
        group.add_command(command)
    return group
