"""`/game explore`: opens the board on which lines are tried, and goes from one position to another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from discord import app_commands
from discord.ext import commands

from bot.core.match import Match
from bot.discordkit.components import Button, outdated_error, submitted_value
from bot.discordkit.reply import Interaction, now
from bot.discordkit.slash import slash_command
from bot.explore.panel import EXPLORE_FAMILY, POSITION_PATTERN, ExplorePanel, ExploreState, ExploreToolsPanel
from bot.explore.service import Trees
from bot.play.app import app_of, run_heavy, take_turn
from bot.play.composer.choices import PAGE_PREFIX
from bot.play.composer.handlers import answer_with_panel, build_panel, register_handlers, turn_menu_page, update_panel
from bot.play.context import ButtonPlace
from bot.play.options import find_meant_match, find_ply, require_started_game
from bot.play.shared_components import Action, action_button, handles_action
from bot.play.suggestions import suggest_all_games, suggest_turns
from bot.play.visible_games import find_visible_match
from bot.texts.i18n import Language
from rules import VARIANTS, format_position, parse_position

register_handlers(ExplorePanel, "sure")


class ExploreCommands(commands.Cog):
    """The command for the board on which lines are tried."""

    @slash_command("game explore")
    @app_commands.autocomplete(game=suggest_all_games, turn=suggest_turns)
    async def explore(
        self,
        interaction: Interaction,
        game: str | None = None,
        turn: str | None = None,
        position: str | None = None,
    ) -> None:
        """Opens the board at a position of a game, or at a typed position: one line of text, or the name of a variant
        for its start.
        """
        await interaction.response.defer(ephemeral=True, thinking=True)
        await take_turn(interaction)
        if position is None:
            match = await find_meant_match(interaction, game, "any")
            await open_explore(interaction, match, None if turn is None else find_ply(match, turn))
            return
        variant = VARIANTS.get(position.strip().lower())
        start = format_position(variant.start_position if variant else parse_position(position))
        tree = await app_of(interaction).service.part(Trees).open_tree(interaction.user.id, None, start, now())
        await answer_with_panel(interaction, await build_panel(interaction, ExplorePanel.at_position(tree, None, "p0")))


async def open_explore(interaction: Interaction, match: Match, ply: int | None = None) -> None:
    """Opens the board at the position after `ply` moves of the match; without `ply`, at the current one."""
    require_started_game(match)
    tree = await app_of(interaction).service.part(Trees).open_tree(interaction.user.id, match.id, "", now())
    board = await run_heavy(interaction, ExplorePanel.at_position, tree, match, f"p{match.ply if ply is None else ply}")
    await answer_with_panel(interaction, await build_panel(interaction, board))


def explore_buttons(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button that opens the board at that position, or the note on the match."""
    if place is ButtonPlace.BOARD:
        return (action_button(locale, "explore", match=match.id, number=match.ply),)
    if place in (ButtonPlace.COMPOSER, ButtonPlace.MORE):
        return (action_button(locale, "notes", match=match.id),)
    return ()


@handles_action("explore")
async def explore_from_button(interaction: Interaction, action: Action) -> None:
    """Opens the board from a button below another board, at the position shown there."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await open_explore(interaction, await find_visible_match(interaction, action.match), action.number)


@EXPLORE_FAMILY.register_handler("start")
@EXPLORE_FAMILY.register_handler("earlier")
@EXPLORE_FAMILY.register_handler("later")
async def go_to_place(interaction: Interaction, place: ExploreState) -> None:
    """Goes to the button's position."""
    if board := await ExplorePanel.from_state(interaction, place):
        await update_panel(interaction, await build_panel(interaction, board))


@EXPLORE_FAMILY.register_handler("tools")
async def show_tools(interaction: Interaction, place: ExploreState) -> None:
    """Shows the tools instead of the choices of a move."""
    if board := await ExploreToolsPanel.from_state(interaction, place):
        await update_panel(interaction, await build_panel(interaction, board))


@EXPLORE_FAMILY.register_handler("go")
async def go_to_chosen(interaction: Interaction, place: ExploreState) -> None:
    """Goes to the position chosen in the menu."""
    value = submitted_value(interaction)
    if value.startswith(PAGE_PREFIX):
        await turn_menu_page(ExploreToolsPanel, interaction, place, "go", value)
    elif re.fullmatch(POSITION_PATTERN, value):
        await go_to_place(interaction, place._replace(at=value))
    else:
        raise outdated_error()
