"""Buttons, menus and forms of which nothing in the program knows any more: they get an answer like any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord.ext import commands
from discord.ui import DynamicItem

from bot.cogs._answers.forms import FORM as TYPED
from bot.cogs._answers.outdated import outdated
from bot.cogs._answers.reply import Press
from bot.cogs._composer.form import FORM


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
    async def on_interaction(self, press: Press) -> None:
        """Answer what nothing else answers."""
        pressed: dict[str, Any] = dict(press.data or {})
        custom_id = str(pressed.get("custom_id"))
        patterns = self._known.get(press.type)
        if patterns is not None and not any(pattern.fullmatch(custom_id) for pattern in patterns):
            await press.client.guarded(press, outdated())
