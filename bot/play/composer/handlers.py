"""The handlers of every private board's buttons, menus and form. Every button carries the whole cursor: so a panel
survives a restart, and an outdated one shows the board as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from discord.ui import TextInput

from bot.core.draft import Draft, UnfitPathError, parse_cell, parse_path
from bot.discordkit.components import Family, given_number, outdated_error, submitted_value
from bot.discordkit.paging import page_chosen
from bot.discordkit.reply import Interaction, reader_language
from bot.play.caller import run_heavy
from bot.play.composer.panel import BoardPanel, Cursor, Look, update_panel
from bot.play.why import cells_named, example_notation, marks_for_error, reason_text
from bot.texts.i18n import text
from rules import RulesError, parse_move
from rules.board import Cell

MAX_TYPED_MOVE_LENGTH = 300

PanelT = TypeVar("PanelT", bound=BoardPanel[Any])
PanelType = type[BoardPanel[Any]]
Board = BoardPanel[Any]


def register_handlers(purpose: PanelType, *without: str) -> None:
    """Registers this module's handlers for the purpose's menus, buttons and form, except those named in `without`."""
    form_family, form_name = purpose.forms
    handled: list[tuple[Family[Any], str, str, Act]] = [
        *((purpose.menus, name, name, partial(choose_option, name, act)) for name, act in MENU_ACTS.items()),
        *((purpose.buttons, name, name, act) for name, act in BUTTON_ACTS.items()),
        (form_family, form_name, "type", submit_typed_move),
    ]
    for family, name, kind, act in handled:
        if kind not in without:
            family.register_handler(name)(partial(answer_with_act, act, purpose))


async def answer_with_act(act: Act, purpose: PanelType, interaction: Interaction, cursor: Cursor) -> None:
    """Calls the act with the board and the draft of that state, unless the interaction has been answered."""
    if resumed := await resume_panel(purpose, interaction, cursor):
        await act(interaction, *resumed, cursor)


async def choose_option(menu: str, act: Act, interaction: Interaction, board: Board, draft: Draft, cursor: Any) -> None:
    """Does what a button would do that carries what was chosen from the menu; or turns the menu's page."""
    value = submitted_value(interaction)
    page = page_chosen(value)
    if page is not None:
        await update_panel(interaction, board, Look(draft.path, cursor.end, {menu: page}))
    elif menu == "way":
        await take_way(interaction, board, draft, cursor, given_number(interaction))
    else:
        await act(interaction, board, draft, cursor._replace(end=_option_cell(value)))


async def take_cell(interaction: Interaction, board: Board, draft: Draft, cursor: Cursor) -> None:
    """Continues with that piece or leg."""
    cell = _carried_cell(cursor)
    try:
        draft = draft.choose_cell(cell)
    except UnfitPathError:
        await show_outdated_panel(interaction, board)
    else:
        await finish_or_show(interaction, board, draft)


async def take_end(interaction: Interaction, board: Board, draft: Draft, cursor: Cursor) -> None:
    """Continues with the way to that destination; if there are several, asks which."""
    end, ends = _carried_cell(cursor), await run_heavy(interaction, draft.find_ends)
    if end not in ends.by_cell:
        await show_outdated_panel(interaction, board)
    elif only := ends.only_way(end):
        await finish_or_show(interaction, board, draft.follow_move(only), whole=True)
    else:
        await update_panel(interaction, board, Look(draft.path, end))


async def take_way(
    interaction: Interaction, board: Board, draft: Draft, cursor: Cursor, number: int | None = None
) -> None:
    """Continues with one of several ways to the destination. A button carries the way's number in `fresh`.

    The numbers follow the order in which the ways are found.
    """
    if number is None:
        number = _option_cell(cursor.fresh)
    ends = await run_heavy(interaction, draft.find_ends)
    ways = [] if cursor.end is None else ends.by_cell.get(cursor.end, [])
    if number < len(ways):
        await finish_or_show(interaction, board, draft.follow_move(ways[number]), whole=True)
    else:
        await show_outdated_panel(interaction, board)


async def go_back(interaction: Interaction, board: Board, draft: Draft, cursor: Cursor) -> None:
    """Takes back the last choice: the destination, the last leg or the piece."""
    await update_panel(interaction, board, Look(draft.path[:-1] if cursor.end is None else draft.path))


async def start_over(interaction: Interaction, board: Board, _draft: Draft, _place: Cursor) -> None:
    """Starts over with the choice of a piece."""
    await update_panel(interaction, board)


async def look_again(interaction: Interaction, board: Board, draft: Draft, _place: Cursor) -> None:
    """Shows the panel again: back from the question to the move, or from one board to another."""
    await update_panel(interaction, board, Look(draft.path))


async def commit_move(
    interaction: Interaction, board: Board, draft: Draft, _place: Cursor, *, sure: bool = False
) -> None:
    """Finishes the move as the purpose defines, if the move is complete."""
    if draft.is_complete and board.is_open:
        await board.finish(interaction, draft, sure=sure)
    else:
        await update_panel(interaction, board, Look(draft.path))


async def open_move_form(interaction: Interaction, board: Board, _draft: Draft, cursor: Cursor) -> None:
    """Opens the form for typing a move in notation."""
    locale, example = reader_language(interaction), example_notation(board.game.position)
    field: TextInput[Any] = TextInput(custom_id="move", max_length=MAX_TYPED_MOVE_LENGTH)
    title, hint = text(locale, "composer.typed"), text(locale, "composer.typed-hint", example=example)
    family, name = board.forms
    await interaction.response.send_modal(family.make_form(name, cursor, title, title, hint, field))


async def submit_typed_move(interaction: Interaction, board: Board, draft: Draft, _place: Cursor) -> None:
    """Continues with the typed move, or says in the panel why it is illegal."""
    await apply_notation(interaction, board, draft, submitted_value(interaction))


Act = Callable[[Interaction, Board, Draft, Any], Coroutine[Any, Any, None]]
"""What a component does, given the board and the draft of its state, and the state."""

MENU_ACTS: Mapping[str, Act] = {"piece": take_cell, "leg": take_cell, "end": take_end, "way": take_way}
BUTTON_ACTS: Mapping[str, Act] = {
    "cell": take_cell,
    "goal": take_end,
    "route": take_way,
    "back": go_back,
    "restart": start_over,
    "look": look_again,
    "commit": commit_move,
    "sure": partial(commit_move, sure=True),
    "type": open_move_form,
}


async def apply_notation(interaction: Interaction, board: Board, draft: Draft, typed: str) -> None:
    """Continues with that notation, judged by the rules. A cell alone chooses its piece."""
    position = board.game.position
    try:
        move = await run_heavy(interaction, parse_move, position, typed)
    except RulesError as error:
        cells = cells_named(position, typed)
        if len(cells) == 1 and cells[0] in Draft.from_path(position).start_cells:
            await update_panel(interaction, board, Look(cells))
            return
        remark = await run_heavy(interaction, reason_text, reader_language(interaction), error, position, typed)
        await update_panel(interaction, board, Look(draft.path, remark=remark, marks=marks_for_error(position, error)))
    else:
        await finish_or_show(interaction, board, Draft.from_path(position, move.path), whole=True)


async def finish_or_show(interaction: Interaction, board: Board, draft: Draft, *, whole: bool = False) -> None:
    """Finishes the move if the purpose does so at once and the move is `whole` or cannot continue; else shows it so
    far.
    """
    if board.finishes_at_once and draft.is_complete and (whole or not draft.next_legs):
        await board.finish(interaction, draft, sure=False)
    else:
        await update_panel(interaction, board, Look(draft.path))


async def resume_panel(purpose: type[PanelT], interaction: Interaction, cursor: Cursor) -> tuple[PanelT, Draft] | None:
    """Returns the board and the draft to continue with; None if the interaction has been answered."""
    board = await purpose.from_state(interaction, cursor)
    if board is None:
        return None
    if cursor.end is None or cursor.end < len(board.game.variant.board.names):
        with suppress(UnfitPathError):  # the rules have been corrected since
            return board, Draft.from_path(board.game.position, parse_path(cursor.path))
    await show_outdated_panel(interaction, board)
    return None


async def show_outdated_panel(interaction: Interaction, board: Board) -> None:
    """Replaces a panel that no longer fits its board with a panel of the board as it is now."""
    await update_panel(interaction, board, Look(remark=text(reader_language(interaction), "moves.stale")))


def _carried_cell(cursor: Cursor) -> Cell:
    """Returns the cell that the state carries. Raises NO_SUCH_BUTTON if it carries none."""
    if cursor.end is None:
        raise outdated_error()
    return cursor.end


def _option_cell(value: str) -> Cell:
    """Returns the cell that a menu's option stands for. Raises NO_SUCH_BUTTON if it is not an option that we can have
    offered.
    """
    try:
        return parse_cell(value)
    except UnfitPathError:
        raise outdated_error() from None
