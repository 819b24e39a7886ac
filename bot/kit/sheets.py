"""Tables of several pages, of which only the reader sees one at a time. Their buttons outlive restarts.

A command module says what a sheet shows by `@sheet("standings")`, and opens one by `open_sheet(interaction, Sheet(…))`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, NamedTuple

import discord
from discord import ButtonStyle, SelectOption
from discord.ui import Item, Select

from bot.kit.components import Button, Codec, Count, Family, Fresh, Key, Menu, User, fresh, given, outdated, row
from bot.kit.reply import LONGEST, RESOLVED, Interaction, answer
from bot.match.events import LARGEST
from bot.texts.i18n import Language, text
from rules import VARIANTS

ANY = "-"
"""Instead of a variant: all of them."""


class Sheet(NamedTuple):
    """What a reader looks at: everything that its buttons have to know."""

    name: Key
    variant: Key = ANY
    user: User = 0
    other: User = 0
    page: Count = 0
    """Counted from 0."""


class Shown(NamedTuple):
    """What a sheet shows."""

    content: str
    components: Sequence[Button | Menu] = ()
    files: Sequence[discord.File] = ()


Drawer = Callable[[Interaction, Sheet], Coroutine[Any, Any, Shown]]

DRAWERS: dict[str, Drawer] = {}
"""What draws each sheet, filled by the command modules at import."""


def sheet(name: str) -> Callable[[Drawer], Drawer]:
    """Register the function as what draws the sheets of that name."""

    def enter(drawer: Drawer) -> Drawer:
        assert name not in DRAWERS, name
        DRAWERS[name] = drawer
        return drawer

    return enter


TURNING, OPENING = Family("rt-sheet", Sheet), Family("rt-open", Sheet)
"""Buttons that turn to another page or another sheet, and those that open one in a message of its own."""


class Turned(NamedTuple):
    """Carried by menus of sheets."""

    fresh: Fresh = ""


MENUS = Family("rt-sheets", Turned)
"""Menus of sheets; what is chosen says all that is needed."""

SHEET = Codec(Sheet)


def sheet_menu(choices: Sequence[tuple[Sheet, str]], placeholder: str, *, opens: bool = False) -> Menu:
    """A menu that leads to those sheets, each with its label."""
    options = [SelectOption(label=label[:100], value=SHEET.write(leads_to)) for leads_to, label in choices]
    return MENUS.menu("open" if opens else "turn", Turned(), options, placeholder)


def _afresh(interaction: Interaction, items: Iterable[Item[Any]]) -> discord.ui.View:
    """Those components, whose menus can be chosen in again as if nothing had been chosen."""
    shown = list(items)
    for menu in shown:
        if isinstance(menu, Select) and (sent := MENUS.read(menu.custom_id)):
            menu.custom_id = MENUS.custom_id(sent[0], Turned(fresh(interaction)))
    return row(*shown)


@MENUS.on("turn")
async def turn_to_chosen(interaction: Interaction, _: Turned) -> None:
    """Turn to the sheet that is chosen in a menu."""
    await turn(interaction, _chosen(interaction))


@MENUS.on("open")
async def open_chosen(interaction: Interaction, _: Turned) -> None:
    """Open the sheet that is chosen in a menu, beside the message in which the menu stands."""
    wanted = _chosen(interaction)
    require_known(wanted)
    assert interaction.message is not None
    shown = discord.ui.View.from_message(interaction.message, timeout=None)
    await interaction.response.edit_message(view=_afresh(interaction, shown.children), allowed_mentions=RESOLVED)
    await show_sheet(interaction, await DRAWERS[wanted.name](interaction, wanted))


def _chosen(interaction: Interaction) -> Sheet:
    chosen = SHEET.read(given(interaction))
    if chosen is None:
        raise outdated()
    return chosen


@OPENING.on()
async def open_sheet(interaction: Interaction, wanted: Sheet) -> None:
    """Answer with that sheet in a message of its own, which only the reader sees."""
    require_known(wanted)
    await interaction.response.defer(ephemeral=True, thinking=True)
    await show_sheet(interaction, await DRAWERS[wanted.name](interaction, wanted))


async def show_sheet(interaction: Interaction, shown: Shown) -> None:
    """Answer with what a sheet shows, in a message that only the reader sees."""
    await answer(interaction, shown.content, files=list(shown.files), view=row(*shown.components))


@TURNING.on()
async def turn(interaction: Interaction, wanted: Sheet) -> None:
    """Put that sheet in the place of the one whose button was pressed."""
    require_known(wanted)
    await interaction.response.defer()
    shown = await DRAWERS[wanted.name](interaction, wanted)
    await interaction.edit_original_response(
        content=shown.content,
        attachments=list(shown.files),
        view=_afresh(interaction, shown.components),
        allowed_mentions=RESOLVED,
    )


def require_known(wanted: Sheet) -> None:
    """Raises NO_SUCH_BUTTON unless there is such a sheet: what comes in need not be what any version has sent."""
    named = wanted.name in DRAWERS and wanted.variant in (ANY, *VARIANTS)
    if not named or not all(-LARGEST <= number <= LARGEST for number in wanted[2:]):
        raise outdated()


def leaves(locale: Language, shown: Sheet, pages: int) -> list[Button]:
    """The buttons to the pages before and after the one that is shown, as far as there are any."""
    found = []
    if shown.page > 0:
        back = shown._replace(page=min(shown.page, pages) - 1)
        found.append(TURNING.button("", back, text(locale, "button.back")))
    if shown.page + 1 < pages:
        following = shown._replace(page=shown.page + 1)
        found.append(TURNING.button("", following, text(locale, "button.next"), ButtonStyle.primary))
    return found


def variants(locale: Language, shown: Sheet, others: Sequence[str]) -> list[Button]:
    """A button to the same for each of those other games."""
    return [
        TURNING.button("", shown._replace(variant=key, page=0), text(locale, f"variant.{key}"))
        for key in others
        if key != shown.variant and key in VARIANTS
    ]


def ranking_buttons(locale: Language, shown: Sheet, pages: int) -> list[Button]:
    """The buttons of a ranking that every variant has: to its other pages, and to those of the other variants."""
    return [*leaves(locale, shown, pages), *variants(locale, shown, list(VARIANTS))]


def fitting(lines: Sequence[str], room: int = LONGEST) -> str:
    """Those lines, as many of the first ones as fit into a message."""
    while len(said := "\n".join(lines)) > room:
        lines = lines[:-1]
    return said
