"""Forms (Discord's modals) that outlive restarts: everything they need stands in their `custom_id`.

A cog names what a form does with `@on_form("house-rules")`, and opens one with `form("house-rules", …)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import Any

import discord
from discord.ext import commands
from discord.ui import Label, Modal, TextInput

from bot.cogs._answers.lasting import entered
from bot.cogs._answers.outdated import outdated
from bot.cogs._answers.reply import Press
from bot.cogs._composer.form import typed_in

FormHandler = Callable[[Press, str], Coroutine[Any, Any, None]]
"""Takes what was typed into the form's only field."""

HANDLERS: dict[str, FormHandler] = {}
"""What each form does, filled by the cogs at import."""

FORM = re.compile(r"rt-typed:([a-z-]{1,20})")

REMEMBERED = 900.0
"""Seconds for which discord.py keeps a form that it has opened. Later ones are answered all the same."""


def on_form(name: str) -> Callable[[FormHandler], FormHandler]:
    """Register the function as what submitting the form of that name does."""
    return entered(HANDLERS, name)


def form(name: str, title: str, label: str, hint: str, field: TextInput[Any]) -> Modal:
    """The form with that one field. Nothing listens to this object: what is submitted is found by the `custom_id`."""
    modal = Modal(title=title[:45], custom_id=f"rt-typed:{name}", timeout=REMEMBERED)
    modal.add_item(Label(text=label[:45], description=hint[:100], component=field))
    return modal


class Forms(commands.Cog):
    """Hears every form that was opened by `form`."""

    @commands.Cog.listener()
    async def on_interaction(self, press: Press) -> None:
        """Answer a form by its `custom_id`: discord.py knows only those that it has opened since the start."""
        if press.type is not discord.InteractionType.modal_submit or press.data is None:
            return
        found = FORM.fullmatch(str(press.data.get("custom_id")))
        if found:
            handler = HANDLERS.get(found[1], outdated)
            await press.client.guarded(press, handler(press, typed_in(press.data)))
