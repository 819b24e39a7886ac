"""Notes: a private page for each game, shown only to its author beside the board on which they move."""

from __future__ import annotations

from typing import Any, NamedTuple

import discord
from discord.ui import TextInput

from bot.core.match import Match
from bot.discordkit.components import Family, IdField, submitted_value
from bot.discordkit.reply import Interaction, acknowledge_press, now, reader_language, send_answer
from bot.explore.service import Trees
from bot.explore.tree import MAX_GAME_NOTES_LENGTH
from bot.play.app import app_of
from bot.play.shared_components import Action, handles_action
from bot.play.visible_games import find_visible_match
from bot.texts.i18n import text


class NotesState(NamedTuple):
    """The game of the notes in a form."""

    match: IdField


NOTES_FORM = Family("rt-notes", NotesState)


async def notes_on_match(interaction: Interaction, match: Match) -> str:
    """Returns the person's notes on that match."""
    return await app_of(interaction).service.part(Trees).load_notes(interaction.user.id, match.id)


@handles_action("notes")
async def open_notes(interaction: Interaction, action: Action) -> None:
    """Opens the person's notes on the game, to read and edit."""
    match, locale = await find_visible_match(interaction, action.match), reader_language(interaction)
    present_notes = await notes_on_match(interaction, match)
    style = discord.TextStyle.paragraph
    field: TextInput[Any] = TextInput(
        custom_id="page", style=style, default=present_notes, max_length=MAX_GAME_NOTES_LENGTH, required=False
    )
    title, hint = text(locale, "notes.title", id=match.id), text(locale, "notes.hint")
    await interaction.response.send_modal(NOTES_FORM.make_form("", NotesState(match.id), title, title, hint, field))


@NOTES_FORM.register_handler()
async def save_notes(interaction: Interaction, page: NotesState) -> None:
    """Saves the notes."""
    match = await find_visible_match(interaction, page.match)
    notes = submitted_value(interaction)
    await acknowledge_press(interaction)
    await app_of(interaction).service.part(Trees).set_notes(interaction.user.id, match.id, notes, now())
    await send_answer(
        interaction, text(reader_language(interaction), "notes.kept" if notes else "notes.gone", id=match.id)
    )
