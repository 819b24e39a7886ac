"""`/game explore`: opens the board on which lines are tried, and goes from one position to another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from discord import app_commands
from discord.ext import commands

from bot.core.match import Match
from bot.discordkit.components import (
    Button,
    Family,
    FieldFormat,
    KeyField,
    NonceField,
    outdated_error,
    submitted_value,
)
from bot.discordkit.reply import Interaction, now, send_answer
from bot.discordkit.slash import slash_command
from bot.explore.openings import list_opening_games
from bot.explore.panel import (
    EXPLORE_FAMILY,
    MAX_MOVES_LOOKED,
    POSITION_PATTERN,
    ExplorePanel,
    ExploreState,
    ExploreToolsPanel,
)
from bot.explore.service import Trees
from bot.play.app import app_of, take_turn
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
        trees, user, key = app_of(interaction).service.part(Trees), interaction.user.id, position.strip().lower()
        if key in VARIANTS:
            tree = await trees.find_tree(user, key)
        else:
            tree = await trees.open_tree(user, None, format_position(parse_position(position)), now())
        await answer_with_panel(interaction, await build_panel(interaction, await ExplorePanel.open(interaction, tree)))


async def open_explore(interaction: Interaction, match: Match, ply: int | None = None) -> None:
    """Opens the board at the position after `ply` moves of the match; without `ply`, at the current one."""
    require_started_game(match)
    tree = await app_of(interaction).service.part(Trees).find_tree(interaction.user.id, f"m{match.id}")
    board = await ExplorePanel.open(interaction, tree, "" if ply is None else f"p{ply}")
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
    await update_panel(interaction, await build_panel(interaction, await ExplorePanel.from_state(interaction, place)))


@EXPLORE_FAMILY.register_handler("tools")
@EXPLORE_FAMILY.register_handler("count")
async def show_tools(interaction: Interaction, place: ExploreState) -> None:
    """Shows the tools instead of the choices of a move, or lets other games count in openings."""
    await update_panel(
        interaction, await build_panel(interaction, await ExploreToolsPanel.from_state(interaction, place))
    )


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


@EXPLORE_FAMILY.register_handler("games")
async def show_games(interaction: Interaction, place: ExploreState) -> None:
    """Lists the latest games that had the position, in a message of its own."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    board = await (await ExploreToolsPanel.from_state(interaction, place)).look_up(interaction)
    if board.openings is None:
        raise outdated_error()
    words = board.openings.closed or await list_opening_games(interaction, board.game, every=place.every)
    await send_answer(interaction, words)


class OldOpeningsState(NamedTuple):
    """The state of the buttons and menus of openings before Explore showed them."""

    variant: KeyField
    line: Annotated[str, FieldFormat(r"(?:[0-9A-Za-z]{2}){0,28}")] = ""
    games: Annotated[str, FieldFormat(r"[0-2]{3}")] = "000"
    user: Annotated[str, FieldFormat("[0-9a-z]{1,13}")] = "0"
    fresh: NonceField = ""


OLD_OPENINGS_FAMILY = Family("rt-op", OldOpeningsState)


async def open_old_openings(interaction: Interaction, old: OldOpeningsState) -> None:
    """Opens the board at the position of that button, or as near to it as a button of Explore reaches."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    tree = await app_of(interaction).service.part(Trees).find_tree(interaction.user.id, old.variant)
    steps = old.line[: 2 * MAX_MOVES_LOOKED]
    board = await ExploreToolsPanel.open(interaction, tree, f"p0~{steps}" if steps else "p0")
    await answer_with_panel(interaction, await build_panel(interaction, board))


for _name in ("open", "look", "home", "go", "what", "who", "list"):
    OLD_OPENINGS_FAMILY.register_handler(_name)(open_old_openings)
