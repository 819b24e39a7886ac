"""`/move`, `/why`, `/moves` and `/resign`: what a player does in a game."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.cogs._answers.buttons import Action, button, on
from bot.cogs._answers.lasting import row
from bot.cogs._answers.options import seen_match, suggest_games, suggest_moves, suggest_pieces, the_game, where
from bot.cogs._answers.permissions import unposted
from bot.cogs._answers.reply import Press, answer, now, reader
from bot.cogs._answers.translator import words
from bot.cogs._board import show_board
from bot.cogs._moves import moves_text
from bot.cogs._posts.played import also_waiting, announce_move
from bot.cogs._why import explain_move, refuse
from bot.cogs.composer import open_composer
from bot.i18n import text
from bot.match import Match
from bot.matches import turns
from bot.problems import MatchError, Problem
from bot.words import mention, variant_name
from rules import RulesError


class Moving(commands.Cog):
    """Moves, and the end of moving."""

    @app_commands.command(name="move", description=words("command.move.description"))
    @app_commands.describe(move=words("command.move.move"), game=words("command.move.game"))
    @app_commands.autocomplete(move=suggest_moves, game=suggest_games)
    async def move(self, interaction: Press, move: str | None = None, game: str | None = None) -> None:
        """Play a move: stored first, announced second, and confirmed to the player alone. Without one, compose it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        match_id = await the_game(interaction, game, "move")
        service = interaction.client.service
        if move is None:
            await open_composer(interaction, await service.match(match_id, guild))
            return
        try:
            match = await service.move(match_id, guild, interaction.user.id, move, now())
        except RulesError as error:
            await refuse(interaction, await service.match(match_id, guild), move, error)
            return
        waiting = await also_waiting(interaction, match)
        await answer(interaction, await announce_move(interaction, match, waiting))

    @app_commands.command(name="why", description=words("command.why.description"))
    @app_commands.describe(move=words("command.why.move"), game=words("command.why.game"))
    @app_commands.autocomplete(move=suggest_moves, game=suggest_games)
    async def why(self, interaction: Press, move: str, game: str | None = None) -> None:
        """Explain a move of the player to move, or why it is none; nothing is played, whoever asks."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        match = await interaction.client.service.match(await the_game(interaction, game, "view"), guild)
        if match.game is None:
            raise MatchError(Problem.NOT_STARTED, number=match.id)
        if match.game.outcome:
            raise MatchError(Problem.GAME_OVER, number=match.id)
        await explain_move(interaction, match, match.game.position, move)

    @app_commands.command(name="moves", description=words("command.moves.description"))
    @app_commands.describe(piece=words("command.moves.piece"), game=words("command.moves.game"))
    @app_commands.autocomplete(piece=suggest_pieces, game=suggest_games)
    async def moves(self, interaction: Press, piece: str | None = None, game: str | None = None) -> None:
        """List the legal moves of the player who asks."""
        guild, _ = where(interaction)
        match = await interaction.client.service.match(await the_game(interaction, game, "move"), guild)
        await _list_moves(interaction, match, piece)

    @app_commands.command(name="resign", description=words("command.resign.description"))
    @app_commands.describe(game=words("command.resign.game"))
    @app_commands.autocomplete(game=suggest_games)
    async def resign(self, interaction: Press, game: str | None = None) -> None:
        """Ask whether the player means it."""
        guild, _ = where(interaction)
        match = await interaction.client.service.match(await the_game(interaction, game, "resign"), guild)
        # Decided and not stored: refuses what the button would refuse.
        turns.resign(match, interaction.user.id, now())
        locale = reader(interaction)
        values = {"id": match.id, "variant": variant_name(locale, match.variant)}
        others = match.opponents(interaction.user.id)
        if len(others) == 1:
            question = text(locale, "resign.ask-two", winner=mention(others[0], locale), **values)
        else:
            question = text(locale, "resign.ask-vacant", **values)
        await answer(
            interaction,
            question,
            view=row(
                button(locale, "resign", danger=True, match=match.id),
                button(locale, "play-on", match=match.id),
            ),
        )


@on("resign")
async def give_up(press: Press, action: Action) -> None:
    """Give the game up."""
    guild, _ = where(press)
    match = await press.client.service.resign(action.match, guild, press.user.id, now())
    await press.response.edit_message(content=text(reader(press), "resign.done", id=match.id), view=None)
    trouble = await press.client.announcer.announce(match.id)
    if trouble:
        await answer(press, unposted(reader(press), trouble, match))


@on("play-on")
async def play_on(press: Press, action: Action) -> None:
    """Think better of it."""
    await press.response.edit_message(content=text(reader(press), "resign.kept", id=action.match), view=None)


@on("moves")
async def my_moves(press: Press, action: Action) -> None:
    """List the presser's moves, or show the board if it has moved on since the button was posted."""
    await press.response.defer(ephemeral=True, thinking=True)
    match = await seen_match(press, action.match)
    if match.changes != action.number or not match.is_live:
        await show_board(press, match, text(reader(press), "moves.stale"))
        return
    await _list_moves(press, match, None)


async def _list_moves(interaction: Press, match: Match, piece: str | None) -> None:
    match.require_turn(interaction.user.id)
    await answer(interaction, moves_text(reader(interaction), match, piece))
