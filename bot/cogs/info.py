"""`/board`, `/games`, `/history`, `/rules` and `/help`: what people look at."""

from __future__ import annotations

import io

import discord
from discord import app_commands
from discord.ext import commands

from bot.cogs._board import show_board
from bot.cogs._buttons import Action, button, on, row
from bot.cogs._games import games_text
from bot.cogs._options import VARIANT_CHOICES, sees, suggest_all_games, the_game, where
from bot.cogs._record import LONGEST_QUOTED, record_text
from bot.cogs._reply import NOBODY, Press, answer, picture, reader
from bot.cogs._translator import words
from bot.i18n import Language, text
from bot.problems import MatchError, Problem
from bot.rulebook import rulebook
from bot.words import variant_name


class Info(commands.Cog):
    """Boards, lists, records and rules."""

    @app_commands.command(name="board", description=words("command.board.description"))
    @app_commands.describe(
        game=words("command.board.game"), ply=words("command.board.ply"), public=words("command.board.public")
    )
    @app_commands.autocomplete(game=suggest_all_games)
    async def board(
        self,
        interaction: Press,
        game: str | None = None,
        ply: app_commands.Range[int, 0, 100_000] | None = None,
        public: bool = False,
    ) -> None:
        """Show the board as it is, or as it was after that many moves."""
        guild, _ = where(interaction)
        service = interaction.client.service
        match = await service.match(await the_game(interaction, game, "view"), guild)
        if match.game is None:
            raise MatchError(Problem.NOT_STARTED, number=match.id)
        if ply is not None and ply != match.ply:
            match = await service.match_at(match.id, guild, ply)
        before = await service.match_at(match.id, guild, match.ply - 1) if match.ply else None
        # Not before everything is found: what is wrong is said to the asker alone, also where the board is for all.
        await interaction.response.defer(ephemeral=not public, thinking=True)
        await show_board(interaction, match, before=before, public=public)

    @app_commands.command(name="games", description=words("command.games.description"))
    @app_commands.describe(player=words("command.games.player"))
    async def games(self, interaction: Press, player: discord.User | None = None) -> None:
        """List somebody's games, those that wait for him first; another's only where the reader may look."""
        guild, _ = where(interaction)
        user = player or interaction.user
        found = await interaction.client.service.games_of(guild, user.id)
        if user.id != interaction.user.id:
            found = [game for game in found if interaction.user.id in game.players or sees(interaction, game.channel)]
        await answer(interaction, games_text(reader(interaction), guild, user.id, interaction.user.id, found))

    @app_commands.command(name="history", description=words("command.history.description"))
    @app_commands.describe(game=words("command.history.game"))
    @app_commands.autocomplete(game=suggest_all_games)
    async def history(self, interaction: Press, game: str | None = None) -> None:
        """Show the record, and attach it as a file that `python -m rules check` reads."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        locale = reader(interaction)
        match = await interaction.client.service.match(await the_game(interaction, game, "view"), guild)
        if match.game is None:
            raise MatchError(Problem.NOT_STARTED, number=match.id)
        record = await record_text(interaction.client, match)
        title = text(locale, "history.title", variant=variant_name(locale, match.variant), id=match.id)
        if not match.game.moves:
            body = text(locale, "history.empty")
        elif len(record) > LONGEST_QUOTED:
            body = text(locale, "history.long")
        else:
            body = f"```\n{record.rstrip()}\n```"
        file = discord.File(io.BytesIO(record.encode()), filename=f"game-{match.id}.txt")
        await answer(interaction, f"{title}\n{body}", files=[file])

    @app_commands.command(name="rules", description=words("command.rules.description"))
    @app_commands.describe(variant=words("command.rules.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def rules(self, interaction: Press, variant: str) -> None:
        """Open the rulebook at its first page."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _open_book(interaction, variant, 0)

    @app_commands.command(name="help", description=words("command.help.description"))
    async def help(self, interaction: Press) -> None:
        """Say how to start and how to move."""
        locale = reader(interaction)
        books = [button(locale, "rules", label=choice.value, book=choice.value) for choice in VARIANT_CHOICES]
        await answer(interaction, text(locale, "help.text"), view=row(*books))


@on("rules")
async def open_rules(press: Press, action: Action) -> None:
    """Open a rulebook from a button below a turn: a new private message."""
    await press.response.defer(ephemeral=True, thinking=True)
    await _open_book(press, action.book, 0)


@on("page")
async def turn_page(press: Press, action: Action) -> None:
    """Turn to another page of the rulebook that is open."""
    locale = reader(press)
    content, files, view = await _page(press, locale, action.book, action.number)
    await press.response.edit_message(content=content, attachments=files, view=view, allowed_mentions=NOBODY)


async def _open_book(interaction: Press, variant: str, number: int) -> None:
    content, files, view = await _page(interaction, reader(interaction), variant, number)
    await answer(interaction, content, files=files, view=view)


async def _page(
    interaction: Press, locale: Language, variant: str, number: int
) -> tuple[str, list[discord.File], discord.ui.View]:
    """A page of a rulebook with its picture, and the buttons to the pages around it."""
    pages = rulebook(locale, variant)
    number = min(number, len(pages) - 1)
    page = pages[number]
    files = []
    if page.illustration:
        png = await interaction.client.pictures.draw(page.illustration.view)
        files = [picture(png, f"{variant}-{number + 1}", page.illustration.words)]
    buttons = []
    if number > 0:
        buttons.append(button(locale, "page", label="back", number=number - 1, book=variant))
    if number + 1 < len(pages):
        buttons.append(button(locale, "page", label="next", primary=True, number=number + 1, book=variant))
    foot = text(locale, "rules.page", page=number + 1, pages=len(pages))
    return f"{page.text}\n-# {foot}", files, row(*buttons)
