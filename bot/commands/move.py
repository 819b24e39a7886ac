"""`/move`, `/game why`, `/game moves` and `/game resign`: what a player does in a game."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.commands.acting import also_waiting, announce_move
from bot.commands.app import Asker, app
from bot.commands.board import show_board
from bot.commands.composer import open_composer
from bot.commands.options import seen_match, started, suggest_games, suggest_moves, suggest_pieces, the_match
from bot.commands.plan import missed_text
from bot.commands.why import explain_move, refuse
from bot.kit.components import Action, button, on, row
from bot.kit.permissions import unposted
from bot.kit.reply import Interaction, answer, now, reader, update
from bot.kit.slash import command
from bot.match import turns
from bot.match.match import Match
from bot.people.problems import MatchError, Problem
from bot.texts.i18n import Language, text
from bot.texts.sentences import code_list, duty, mention, variant_name
from rules import PieceKind, Position, RulesError, format_move, some_moves
from rules.landings import Found


class MoveCommands(commands.Cog):
    """Moves, and the end of moving."""

    @command("move")
    @app_commands.autocomplete(move=suggest_moves, game=suggest_games)
    async def move(self, interaction: Interaction, move: str | None = None, game: str | None = None) -> None:
        """Play a move: stored first, announced second, and confirmed to the player alone. Without one, compose it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        before, asker = await the_match(interaction, game, "waiting"), Asker(interaction)
        missed = await missed_text(interaction, before)
        if move is None:
            await open_composer(interaction, before)
            return
        try:
            match = await asker.service.move(before.id, asker.guild, asker.user, move, now())
        except RulesError as error:
            await refuse(interaction, await asker.service.match(before.id, asker.guild), move, error)
            return
        waiting = await also_waiting(interaction, match)
        said = await announce_move(interaction, match, waiting)
        await answer(interaction, f"{said}\n{missed}" if missed else said, view=waiting.view)

    @command("game why")
    @app_commands.autocomplete(move=suggest_moves, game=suggest_games)
    async def why(self, interaction: Interaction, move: str, game: str | None = None) -> None:
        """Explain a move of the player to move, or why it is none; nothing is played, whoever asks."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match = await the_match(interaction, game, "any")
        if started(match).outcome:
            raise MatchError(Problem.GAME_OVER, number=match.id)
        await explain_move(interaction, match, match.started_game.position, move)

    @command("game moves")
    @app_commands.autocomplete(piece=suggest_pieces, game=suggest_games)
    async def moves(self, interaction: Interaction, piece: str | None = None, game: str | None = None) -> None:
        """List the legal moves of the player who asks."""
        await _list_moves(interaction, await the_match(interaction, game, "waiting"), piece)

    @command("game resign")
    @app_commands.autocomplete(game=suggest_games)
    async def resign(self, interaction: Interaction, game: str | None = None) -> None:
        """Ask whether the player means it."""
        match = await the_match(interaction, game, "own")
        # Decided and not stored: refuses what the button would refuse.
        turns.resign(match, interaction.user.id, now())
        locale = reader(interaction)
        values = {"id": match.id, "variant": variant_name(locale, match.variant)}
        others = [user for user in match.still_in if user != interaction.user.id]
        if len(others) == 1:
            question = text(locale, "resign.ask-two", winner=mention(others[0], locale), **values)
        elif not match.opponents(interaction.user.id):
            question = text(locale, "resign.ask-house", **values)
        else:
            question = text(locale, "resign.ask-vacant", **values)
        yes, no = button(locale, "resign", danger=True, match=match.id), button(locale, "play-on", match=match.id)
        await answer(interaction, question, view=row(yes, no))


@on("resign")
async def give_up(interaction: Interaction, action: Action) -> None:
    """Give the game up."""
    await interaction.response.defer()
    asker = Asker(interaction)
    match = await asker.service.act(
        action.match, asker.guild, lambda match, people: turns.resign(match, asker.user, now(), people)
    )
    await update(interaction, text(asker.locale, "resign.done", id=match.id), view=None)
    if trouble := await app(interaction).announcer.announce(match.id):
        await answer(interaction, unposted(asker.locale, trouble, match))


@on("play-on")
async def play_on(interaction: Interaction, action: Action) -> None:
    """Think better of it."""
    kept = text(reader(interaction), "resign.kept", id=action.match)
    await interaction.response.edit_message(content=kept, view=None)


@on("moves")
async def my_moves(interaction: Interaction, action: Action) -> None:
    """List the moves of whoever asks, or show the board if it has moved on since the button was posted."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match = await seen_match(interaction, action.match)
    if match.board_version != action.number or not match.is_live:
        await show_board(interaction, match, text(reader(interaction), "moves.stale"))
        return
    await _list_moves(interaction, match, None)


async def _list_moves(interaction: Interaction, match: Match, piece: str | None) -> None:
    match.require_turn(interaction.user.id)
    await answer(interaction, moves_text(reader(interaction), match, piece))


LONGEST = 1900


def moves_text(locale: Language, match: Match, piece: str | None) -> str:
    """The legal moves of the player to move, a line for each piece; of one piece only if its cell is given.

    Raises NotationError for a cell that the board does not have.
    """
    position = match.started_game.position
    title = text(locale, "moves.title", variant=variant_name(locale, match.variant), id=match.id)
    demand = duty(locale, position)
    lines = [title, *([demand] if demand else [])]
    cell = None if piece is None else match.variant.board.cell(piece.strip())
    found = some_moves(position, start=cell)
    if cell is not None and not found.moves:
        return "\n".join([*lines, text(locale, "moves.no-such", cell=match.variant.board.names[cell])])
    return _fitted(locale, position, lines, found)


def _fitted(locale: Language, position: Position, lines: list[str], found: Found) -> str:
    """The lines, then the moves by piece for as long as there is room, then how many are left."""
    by_piece: dict[int, list[str]] = {}
    for move in found.moves:
        by_piece.setdefault(move.start, []).append(format_move(move, position.variant.board))
    left, room = len(found.moves), LONGEST - sum(map(len, lines))
    pieces = position.pieces
    for start, moves in by_piece.items():
        kind = "knight" if pieces[start].kind is PieceKind.KNIGHT else "man"
        piece = text(locale, f"moves.{kind}", cell=f"**{position.variant.board.names[start]}**")
        room -= len(piece) + len("\n: ")
        shown = 0
        while shown < len(moves) and len(moves[shown]) + len("``, ") <= room:
            room -= len(moves[shown]) + len("``, ")
            shown += 1
        if shown:
            lines.append(text(locale, "moves.line", piece=piece, moves=code_list(moves[:shown])))
            left -= shown
        if shown < len(moves):
            break
    if left:
        lines.append(text(locale, "moves.more", count=left if found.whole else f"{left}+"))
    return "\n".join(lines)
