"""`/move`, `/moves` and `/resign`: what a player does in a game."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.cogs._board import show_board
from bot.cogs._buttons import Action, button, on, row
from bot.cogs._moves import moves_text
from bot.cogs._options import suggest_games, suggest_moves, suggest_pieces, the_game, where
from bot.cogs._permissions import complaint
from bot.cogs._reply import Press, answer, now, picture, reader
from bot.cogs._translator import words
from bot.i18n import text
from bot.match import Match
from bot.matches import turns
from bot.problems import MatchError, Problem
from bot.words import code_list, refusal, variant_name
from render import Mark, MarkKind, View
from rules import IllegalMove, NotationError, Reason, RulesError, format_move, suggest

UNFINISHED = {Reason.MUST_GO_ON, Reason.KNIGHT_MUST_CAPTURE}
"""Refusals of a move that has begun well: the answer lists how it may go on."""

SHOWN_WAYS = 8

CALL = False
"""Whether a substitute is called for when one of three gives up: not while no command takes a seat over."""


class Moving(commands.Cog):
    """Moves, and the end of moving."""

    @app_commands.command(name="move", description=words("command.move.description"))
    @app_commands.describe(move=words("command.move.move"), game=words("command.move.game"))
    @app_commands.autocomplete(move=suggest_moves, game=suggest_games)
    async def move(self, interaction: Press, move: str, game: str | None = None) -> None:
        """Play a move: stored first, announced second, and confirmed to the player alone."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, channel = where(interaction)
        match_id = await the_game(interaction, game, "move")
        service = interaction.client.service
        try:
            match = await service.move(match_id, guild, interaction.user.id, move, now())
        except RulesError as error:
            await _refuse(interaction, await service.match(match_id, guild), move, error)
            return
        await _confirm(interaction, match, channel)

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
        turns.resign(match, interaction.user.id, now(), call=CALL)
        locale = reader(interaction)
        question = "resign.ask" if len(match.players) == 2 else "resign.ask-three"
        await answer(
            interaction,
            text(locale, question, id=match.id, variant=variant_name(locale, match.variant)),
            view=row(
                button(locale, "resign", danger=True, match=match.id),
                button(locale, "play-on", match=match.id),
            ),
        )


@on("resign")
async def give_up(press: Press, action: Action) -> None:
    """Give the game up."""
    guild, _ = where(press)
    match = await press.client.service.resign(action.match, guild, press.user.id, now(), call=CALL)
    await press.response.edit_message(content=text(reader(press), "resign.done", id=match.id), view=None)
    trouble = await press.client.announcer.announce(match.id)
    if trouble:
        await answer(press, complaint(reader(press), trouble))


@on("play-on")
async def play_on(press: Press, action: Action) -> None:
    """Think better of it."""
    await press.response.edit_message(content=text(reader(press), "resign.kept", id=action.match), view=None)


@on("moves")
async def my_moves(press: Press, action: Action) -> None:
    """List the presser's moves, or show the board if it has moved on since the button was posted."""
    guild, _ = where(press)
    await press.response.defer(ephemeral=True, thinking=True)
    match = await press.client.service.match(action.match, guild)
    if match.ply != action.number or not match.is_live:
        await show_board(press, match, text(reader(press), "moves.stale"))
        return
    await _list_moves(press, match, None)


async def _list_moves(interaction: Press, match: Match, piece: str | None) -> None:
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    if match.seat_of(interaction.user.id) is None:
        raise MatchError(Problem.NOT_A_PLAYER, number=match.id)
    if match.game.outcome:
        raise MatchError(Problem.GAME_OVER, number=match.id)
    if match.to_move != interaction.user.id:
        raise MatchError(Problem.NOT_YOUR_TURN, number=match.id, next=match.to_move)
    await answer(interaction, moves_text(reader(interaction), match, piece))


async def _confirm(interaction: Press, match: Match, channel: int) -> None:
    """Announce the move and tell the player that it is played, or what kept it from being posted."""
    assert match.game is not None
    locale = reader(interaction)
    played = format_move(match.game.moves[-1], match.variant.board)
    trouble = await interaction.client.announcer.announce(match.id)
    if trouble:
        why = complaint(locale, trouble)
        await answer(interaction, text(locale, "move.unposted", move=played, id=match.id, why=why))
        return
    match = await interaction.client.service.match(match.id, match.guild)  # the announcement may have left its thread
    there = text(locale, "move.see", where=f"<#{match.where}>") if match.where != channel else ""
    await answer(interaction, text(locale, "move.done", move=played, id=match.id, where=there).strip())


async def _refuse(interaction: Press, match: Match, typed: str, error: RulesError) -> None:
    """Say why, list how the move may go on if it began well, and show the cells concerned."""
    assert match.game is not None
    locale = reader(interaction)
    position = match.game.position
    ways = suggest(position, "", 1)
    example = next(iter(suggest(position, ways[0], 1)), "F7-F9") if ways else "F7-F9"
    lines = [refusal(locale, error, example)]
    if error.reason in UNFINISHED and (on_from_here := suggest(position, typed, SHOWN_WAYS)):
        lines.append(text(locale, "move.try-these", moves=code_list(on_from_here)))
    files = []
    if isinstance(error, IllegalMove) and error.cells and not isinstance(error, NotationError):
        cell = position.variant.board.cell
        hints = {cell(over) for _, over in error.captures}
        marks = [Mark(cell(name), MarkKind.WRONG) for name in error.cells]
        marks += [Mark(hint, MarkKind.HINT) for hint in hints]
        png = await interaction.client.pictures.draw(View(position, position.turn, marks=tuple(marks)))
        files = [picture(png, f"game-{match.id}", text(locale, "alt.refusal", cells=", ".join(error.cells)))]
    await answer(interaction, "\n".join(lines), files=files)
