"""`/me data`: what is stored about a person, to download and to delete."""

from __future__ import annotations

import json
from collections.abc import Generator
from itertools import islice
from typing import Any

import discord
from discord.ui import TextInput

from bot.core.problems import MatchError, Problem
from bot.discordkit.components import Family, NoState, submitted_value
from bot.discordkit.reply import Interaction, make_attachment, make_view, send_answer, think_beside, zip_files
from bot.discordkit.slash import slash_command
from bot.play.caller import caller_of, run_heavy_in_steps, take_turn
from bot.play.context import Action, action_button
from bot.privacy import service as privacy_service
from bot.texts.i18n import LANGUAGES, plural_text, text

DATA_BUTTONS = Family("rt", Action)
DATA_FORM = Family("rt-typed", NoState)

FORGET_NAME = "forget-me"
MAX_WORD_LENGTH = 20
JSON_PIECES_PER_STEP = 10_000
"""Pieces of JSON written in one step."""


@slash_command("me data")
async def me_data_command(interaction: Interaction) -> None:
    """Says what is stored, why and for how long, with buttons to download and to delete it."""
    locale = caller_of(interaction).locale
    await send_answer(interaction, text(locale, "privacy.text"))  # both together exceed the length of a message
    buttons = (action_button(locale, "data-export"), action_button(locale, "data-delete", danger=True))
    await send_answer(interaction, text(locale, "privacy.thoughts"), view=make_view(*buttons))


@DATA_BUTTONS.register_handler("data-export")
async def export_data(interaction: Interaction, _: Action) -> None:
    """Hands over all of the person's data in one file."""
    await take_turn(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = caller_of(interaction)
    exported = await privacy_service.export_person(caller.service, caller.user)
    archive = await run_heavy_in_steps(interaction, pack_export(exported))
    sentence = plural_text(caller.locale, "data.exported", len(exported["games"]))
    await send_answer(interaction, sentence, files=[make_attachment(archive, "round-table.zip")])


@DATA_BUTTONS.register_handler("data-delete", first=think_beside)
async def ask_to_delete_data(interaction: Interaction, _: Action) -> None:
    """Says what would be deleted, and what would happen to the games."""
    caller, locale = caller_of(interaction), caller_of(interaction).locale
    counts = await privacy_service.footprint_of(caller.service, caller.user)
    lines = [plural_text(locale, f"data.{name}", count) for name, count in counts.items() if count]
    content = "\n".join([text(locale, "data.delete"), *lines, text(locale, "data.for-good")])
    await send_answer(interaction, content, view=make_view(action_button(locale, FORGET_NAME, danger=True)))


@DATA_BUTTONS.register_handler(FORGET_NAME)
async def ask_for_forget_word(interaction: Interaction, _: Action) -> None:
    """Opens the form in which the person has to type the word."""
    locale = caller_of(interaction).locale
    word = text(locale, "data.word")
    field: TextInput[discord.ui.View] = TextInput(custom_id="word", max_length=MAX_WORD_LENGTH, placeholder=word)
    title, label = text(locale, "button.forget-me"), text(locale, "data.type", word=word)
    form = DATA_FORM.make_form(FORGET_NAME, NoState(), title, label, text(locale, "data.type-hint"), field)
    await interaction.response.send_modal(form)


@DATA_FORM.register_handler(FORGET_NAME)
async def forget_person(interaction: Interaction, _: NoState) -> None:
    """Deletes the person's data, and lets their games continue without them."""
    if submitted_value(interaction).strip().casefold() not in {
        text(locale, "data.word").casefold() for locale in LANGUAGES
    }:
        raise MatchError(Problem.WORD_MISSING)
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = caller_of(interaction)
    await privacy_service.forget_person(caller.service, caller.user, caller.now)
    caller.context.names.forget_person(caller.user)
    caller.context.announcements_due.set()
    await send_answer(interaction, text(caller.locale, "data.deleted"))


def pack_export(exported: dict[str, Any]) -> Generator[None, None, bytes]:
    """Writes an archive with everything as JSON, and the record of each game as text; in steps."""
    pieces, written = json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(exported), list[str]()
    while part := "".join(islice(pieces, JSON_PIECES_PER_STEP)):
        written.append(part)
        yield
    records = {f"game-{game['match']}.txt": game["record"] for game in exported["games"] if game["record"]}
    return (yield from zip_files({"round-table.json": "".join(written), **records}))
