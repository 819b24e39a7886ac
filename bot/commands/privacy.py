"""`/me data` and `/me privacy`: what is kept of a person, to take away and to delete."""

from __future__ import annotations

import json
from collections.abc import Generator
from functools import partial
from itertools import islice
from typing import Any

import discord
from discord.ext import commands
from discord.ui import TextInput

from bot.commands.app import app, beside, beside_in_steps, require_few_searches, take_turn
from bot.kit.components import FORMS, Action, Nothing, button, given, on, row
from bot.kit.reply import Interaction, answer, attachment, now, reader, zipped
from bot.kit.slash import command
from bot.match.match import Phase
from bot.people.problems import MatchError, Problem
from bot.posting.elsewhere import TABLE, left_to_other
from bot.texts.i18n import LANGUAGES, plural, text

FORGET = "forget-me"
LONGEST_WORD = 20
AT_A_TIME = 10_000
"""Pieces of JSON that are written in one step."""


class DataCommands(commands.Cog):
    """What is kept of whoever asks."""

    @command("me data export")
    async def export(self, interaction: Interaction) -> None:
        """Hand over everything, as one file."""
        await take_turn(interaction)
        require_few_searches(interaction, "export")
        await interaction.response.defer(ephemeral=True, thinking=True)
        exported = await app(interaction).service.privacy.export(interaction.user.id, partial(beside, interaction))
        packed = await beside_in_steps(interaction, pack(exported))
        said = plural(reader(interaction), "data.exported", len(exported["games"]))
        await answer(interaction, said, files=[attachment(packed, "round-table.zip")])

    @command("me data delete")
    async def delete(self, interaction: Interaction) -> None:
        """Say what would be deleted, and what would become of the games."""
        require_few_searches(interaction, "delete")
        await interaction.response.defer(ephemeral=True, thinking=True)
        locale = reader(interaction)
        games = await app(interaction).service.privacy.footprint(interaction.user.id)
        counted = {name: getattr(games, name) for name in ("live", "tables", "over", "explored")}
        lines = [plural(locale, f"data.{name}", count) for name, count in counted.items() if count]
        said = "\n".join([text(locale, "data.delete"), *lines, text(locale, "data.for-good")])
        await answer(interaction, said, view=row(button(locale, FORGET, danger=True)))


class PrivacyCommands(commands.Cog):
    """The policy."""

    @command("me privacy")
    async def privacy(self, interaction: Interaction) -> None:
        """Say what is kept, why, how long, and how to have it deleted."""
        locale = reader(interaction)
        for part in ("privacy.text", "privacy.thoughts"):  # together they are longer than a text should be
            await answer(interaction, text(locale, part))


@on(FORGET)
async def ask_for_the_word(interaction: Interaction, _: Action) -> None:
    """Open the form in which the word has to be typed."""
    locale = reader(interaction)
    word = text(locale, "data.word")
    field: TextInput[discord.ui.View] = TextInput(custom_id="word", max_length=LONGEST_WORD, placeholder=word)
    title, label = text(locale, "button.forget-me"), text(locale, "data.type", word=word)
    form = FORMS.form(FORGET, Nothing(), title, label, text(locale, "data.type-hint"), field)
    await interaction.response.send_modal(form)


@FORMS.on(FORGET)
async def forget(interaction: Interaction, _: Nothing) -> None:
    """Forget the person, and let their games go on without them."""
    if given(interaction).strip().casefold() not in {text(locale, "data.word").casefold() for locale in LANGUAGES}:
        raise MatchError(Problem.WORD_MISSING)
    require_few_searches(interaction, "forget")
    await interaction.response.defer(ephemeral=True, thinking=True)
    parts, user, locale = app(interaction), interaction.user.id, reader(interaction)
    matches = await parts.service.privacy.forget(user, now())
    parts.names.forget(user)
    parts.languages.pop(user, None)
    parts.untold.set()
    await answer(interaction, text(locale, "data.deleted"))
    for match in matches:  # perhaps a thousand
        if match.phase is Phase.OPEN and not left_to_other(parts, TABLE, match):
            await parts.announcer.show_table(match)


def pack(exported: dict[str, Any]) -> Generator[None, None, bytes]:
    """An archive with everything as JSON, and the record of each game beside it as text; in steps."""
    parts, written = json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(exported), list[str]()
    while part := "".join(islice(parts, AT_A_TIME)):
        written.append(part)
        yield
    records = {f"game-{game['match']}.txt": game["record"] for game in exported["games"] if game["record"]}
    return zipped({"round-table.json": "".join(written), **records})
