"""Tables of several pages, shown to one reader a page at a time. Their buttons outlive restarts.

A command module draws a sheet in a function with `@draws_sheets("standings")`, and opens one by
`open_sheet(interaction, Sheet(…))`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

import discord

from bot.core.events import LARGEST_STORED_INT
from bot.discordkit.components import (
    Button,
    CountField,
    Family,
    KeyField,
    Menu,
    NonceField,
    UserField,
    make_option,
    menu_nonce,
    outdated_error,
    submitted_value,
)
from bot.discordkit.paging import pager_buttons
from bot.discordkit.reply import Controls, Interaction, RowList, lay_out_rows, make_view, send_answer, update_message
from bot.play.caller import context_of
from bot.play.context import declared
from bot.texts.i18n import Language, text
from rules import VARIANTS

ANY_VARIANT = "-"
"""Stands for all variants."""


class Sheet(NamedTuple):
    """The page that a reader looks at: everything that its buttons have to know."""

    name: KeyField
    variant: KeyField = ANY_VARIANT
    subject: UserField = 0
    """The number of the person or game that it is about; 0 for none."""
    other: UserField = 0
    """A second person, or a league."""
    page: CountField = 0
    """Counted from 0."""


class SheetContent(NamedTuple):
    """The message that shows a sheet."""

    content: str
    components: Controls = ()
    files: Sequence[discord.File] = ()


DrawSheet = Callable[[Interaction, Sheet], Coroutine[Any, Any, SheetContent | RowList]]


class SheetDrawer(NamedTuple):
    """The function that draws the sheets of a name."""

    name: str
    draw: DrawSheet


def draws_sheets(name: str) -> Callable[[DrawSheet], SheetDrawer]:
    """Declares the decorated function as the one that draws the sheets of that name."""
    return lambda draw: SheetDrawer(name, draw)


async def draw_sheet(interaction: Interaction, wanted: Sheet) -> SheetContent | RowList:
    """Returns that sheet. Raises NO_SUCH_BUTTON if there is none: an interaction may carry what no version has sent."""
    drawers = {drawer.name: drawer.draw for drawer in declared(context_of(interaction).features, SheetDrawer)}
    fits = wanted.variant in (ANY_VARIANT, *VARIANTS) and all(abs(one) <= LARGEST_STORED_INT for one in wanted[2:])
    if wanted.name not in drawers or not fits:
        raise outdated_error()
    return await drawers[wanted.name](interaction, wanted)


TURN_BUTTONS, OPEN_BUTTONS = Family("rt-sheet", Sheet), Family("rt-open", Sheet)
"""Buttons that turn to another page or sheet, and buttons that open a sheet in a message of its own."""


class SheetMenuState(NamedTuple):
    """The state that menus of sheets carry."""

    fresh: NonceField = ""


SHEET_MENUS = Family("rt-sheets", SheetMenuState)
"""Menus of sheets. The chosen value holds the whole sheet."""


def sheet_menu(interaction: Interaction, choices: Sequence[tuple[Sheet, str]], placeholder: str) -> Menu:
    """Returns a menu that turns to those sheets, each with its label."""
    options = [make_option(label, TURN_BUTTONS.format_state(leads_to)) for leads_to, label in choices]
    return SHEET_MENUS.make_menu("turn", SheetMenuState(menu_nonce(interaction)), options, placeholder)


@SHEET_MENUS.register_handler("turn")
async def turn_to_chosen(interaction: Interaction, _: SheetMenuState) -> None:
    """Turns to the sheet chosen in a menu."""
    wanted = TURN_BUTTONS.parse_state(submitted_value(interaction))
    if wanted is None:
        raise outdated_error()
    await turn_to_sheet(interaction, wanted)


@OPEN_BUTTONS.register_handler()
async def open_sheet(interaction: Interaction, wanted: Sheet) -> None:
    """Answers with that sheet in a message of its own, which only the reader sees."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await show_sheet(interaction, await draw_sheet(interaction, wanted))


async def show_sheet(interaction: Interaction, shown: SheetContent | RowList) -> None:
    """Answers with a drawn sheet, in a message that only the reader sees."""
    content, view, files = _message_of(shown)
    await send_answer(interaction, content, view=view, files=files)


@TURN_BUTTONS.register_handler()
async def turn_to_sheet(interaction: Interaction, wanted: Sheet) -> None:
    """Replaces the sheet whose button was pressed with the wanted one."""
    await interaction.response.defer()
    content, view, files = _message_of(await draw_sheet(interaction, wanted))
    await update_message(interaction, content, view=view, files=files)


def _message_of(
    shown: SheetContent | RowList,
) -> tuple[str | None, discord.ui.View | discord.ui.LayoutView, list[discord.File]]:
    if isinstance(shown, RowList):
        return None, lay_out_rows(shown), []
    return shown.content, make_view(*shown.components), list(shown.files)


def page_buttons(locale: Language, shown: Sheet, pages: int) -> list[Button]:
    """Returns the buttons to the other pages of the sheet: see `pager_buttons`."""
    return pager_buttons(locale, TURN_BUTTONS, "", shown, pages)


def variant_buttons(locale: Language, shown: Sheet, others: Sequence[str]) -> list[Button]:
    """Returns one button for each other variant, to the same sheet of that variant."""
    return [
        TURN_BUTTONS.make_button("", shown._replace(variant=key, page=0), text(locale, f"variant.{key}"))
        for key in others
        if key != shown.variant and key in VARIANTS
    ]
