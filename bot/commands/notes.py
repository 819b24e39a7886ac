"""Notes: a private page for each game, shown to whoever has written it beside the board on which they move."""

from __future__ import annotations

from typing import Any, NamedTuple

import discord
from discord.ui import TextInput

from bot.commands.app import app
from bot.commands.options import seen_match
from bot.kit.components import Action, Family, Game, given, on
from bot.kit.reply import Interaction, answer, hold, now, reader
from bot.match.tree import LONGEST_PAGE
from bot.texts.i18n import text


class Page(NamedTuple):
    """Whose notes the form takes."""

    match: Game


PAGES = Family("rt-notes", Page)


@on("notes")
async def open_page(interaction: Interaction, action: Action) -> None:
    """Open the person's notes on the game, to read and to write."""
    match, locale = await seen_match(interaction, action.match), reader(interaction)
    present = await app(interaction).service.trees.page(interaction.user.id, match.id)
    style = discord.TextStyle.paragraph
    field: TextInput[Any] = TextInput(
        custom_id="page", style=style, default=present, max_length=LONGEST_PAGE, required=False
    )
    title, hint = text(locale, "notes.title", id=match.id), text(locale, "notes.hint")
    await interaction.response.send_modal(PAGES.form("", Page(match.id), title, title, hint, field))


@PAGES.on()
async def write_page(interaction: Interaction, page: Page) -> None:
    """Keep the notes."""
    match = await seen_match(interaction, page.match)
    written = given(interaction)
    await hold(interaction)
    await app(interaction).service.trees.set_page(interaction.user.id, match.id, written, now())
    await answer(interaction, text(reader(interaction), "notes.kept" if written else "notes.gone", id=match.id))
