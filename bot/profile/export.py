"""The export of games: files with their records, handed over by a command or a button."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

import discord

from bot.core.listings import ExportedMatch
from bot.core.match import Match
from bot.discordkit.components import Button
from bot.discordkit.errors import Declined
from bot.discordkit.reply import (
    Interaction,
    make_attachment,
    reader_language,
    send_answer,
    zip_files,
)
from bot.play.app import Caller, app_of, run_heavy_in_steps, take_turn
from bot.play.context import ButtonPlace
from bot.play.record import record_name
from bot.play.shared_components import Action, action_button, handles_action
from bot.play.visible_games import find_visible_match
from bot.texts.i18n import Language, plural_text
from bot.texts.records import people_named, record_line, record_text

MAX_EXPORT_BYTES = 8_000_000
"""Bytes of both files together. Larger exports are zipped, since Discord accepts at most ten million."""


@handles_action("export")
async def export_by_button(interaction: Interaction, action: Action) -> None:
    """Hands over the game."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await take_turn(interaction)
    match, caller = await find_visible_match(interaction, action.match), Caller(interaction)
    await answer_with_export(interaction, (await caller.service.archive.export_game(match.id, caller.guild),))


async def answer_with_export(interaction: Interaction, games: Sequence[ExportedMatch]) -> None:
    """Hands over the games. Raises Declined if there are none."""
    if not games:
        raise Declined("export.none")
    files = await make_export_files(interaction, games)
    await send_answer(interaction, plural_text(reader_language(interaction), "export.done", len(games)), files=files)


def export_buttons(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button that hands over that game."""
    return (action_button(locale, "export", match=match.id),) if place is ButtonPlace.MORE else ()


async def make_export_files(interaction: Interaction, games: Sequence[ExportedMatch]) -> list[discord.File]:
    """Returns two files with those games of one server, with the players' names there; one archive if
    they are large.
    """
    app = app_of(interaction)
    guild, users = games[0].match.guild, [user for game in games for user in people_named(game.match)]
    names_found = await app.names.find_names(guild, users, app.timings.export_names_wait_s)
    names = {user: record_name(name) for user, name in names_found.items()}
    stem = f"game-{games[0].match.id}" if len(games) == 1 else "games"
    written = await run_heavy_in_steps(interaction, _write_export(stem, games, names))
    return [make_attachment(content, name) for name, content in written.items()]


def _write_export(
    stem: str, games: Sequence[ExportedMatch], names: Mapping[int, str]
) -> Generator[None, None, dict[str, bytes]]:
    """Returns the contents of the files by their names, written game by game."""
    texts, json_lines = list[str](), list[str]()
    for game in games:
        texts.append(record_text(game, names))
        json_lines.append(record_line(game, names))
        yield
    text, lines = "\n".join(texts).encode(), "".join(json_lines).encode()
    files = {f"{stem}.txt": text, f"{stem}.jsonl": lines}
    if len(text) + len(lines) <= MAX_EXPORT_BYTES:
        return files
    return {f"{stem}.zip": (yield from zip_files(files))}
