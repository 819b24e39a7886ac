"""Tables of several pages, of which only the reader sees one at a time. Their buttons outlive restarts.

A cog names what a sheet shows with `@sheet("standings")`, and opens one with `open_sheet(interaction, Sheet(…))`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

import discord
from discord.ui import Button, DynamicItem, Select, View

from bot.kit.components import Lasting, entered, outdated, row
from bot.kit.reply import LONGEST, NO_MENTIONS, Interaction, answer
from bot.match.events import LARGEST
from bot.texts.i18n import Language, text
from rules import VARIANTS

ANY = "-"
"""Instead of a variant: all of them."""


class Sheet(NamedTuple):
    """What a reader looks at: everything that its buttons have to know."""

    name: str
    variant: str = ANY
    user: int = 0
    other: int = 0
    page: int = 0
    """Counted from 0."""


class Shown(NamedTuple):
    """What a sheet shows."""

    content: str
    buttons: Sequence[DynamicItem[Any]] = ()
    files: Sequence[discord.File] = ()


Drawer = Callable[[Interaction, Sheet], Coroutine[Any, Any, Shown]]

DRAWERS: dict[str, Drawer] = {}
"""What draws each sheet, filled by the cogs at import."""


def sheet(name: str) -> Callable[[Drawer], Drawer]:
    """Register the function as what draws the sheets of that name."""
    return entered(DRAWERS, name)


_SHEET = re.compile(
    r"(?P<name>[a-z-]{1,20}):(?P<variant>[a-z0-9-]{1,20}):(?P<user>-?\d{1,20}):(?P<other>-?\d{1,20}):(?P<page>\d{1,6})"
)


def _read(found: re.Match[str]) -> Sheet:
    """The sheet that its own words name."""
    return Sheet(found["name"], found["variant"], int(found["user"]), int(found["other"]), int(found["page"]))


class SheetButton(
    Lasting,
    DynamicItem[Button[View]],
    template=rf"rt-(?P<way>sheet|open):{_SHEET.pattern}",
):
    """Turns to another page or another sheet; or opens that in a message of its own."""

    def __init__(self, leads_to: Sheet, label: str = "…", *, primary: bool = False, opens: bool = False) -> None:
        self.leads_to, self.opens = leads_to, opens
        style = discord.ButtonStyle.primary if primary else discord.ButtonStyle.secondary
        custom_id = ":".join(["rt-open" if opens else "rt-sheet", *map(str, leads_to)])
        super().__init__(Button(label=label[:80], style=style, custom_id=custom_id))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: Any, match: re.Match[str], /
    ) -> SheetButton:
        """The button that a press on `custom_id` means."""
        return cls(_read(match), opens=match["way"] == "open")

    async def work(self, interaction: Interaction) -> None:
        """Show the sheet."""
        await (open_sheet if self.opens else _turn)(interaction, self.leads_to)


class SheetMenu(Lasting, DynamicItem[Select[View]], template=r"rt-sheets:(?P<way>turn|open)"):
    """A menu of sheets; what is chosen says all that is needed."""

    def __init__(
        self, choices: Sequence[tuple[Sheet, str]] = (), placeholder: str | None = None, *, opens: bool = False
    ) -> None:
        self.opens = opens
        options = [
            discord.SelectOption(label=label[:100], value=":".join(map(str, leads_to))) for leads_to, label in choices
        ]
        custom_id = f"rt-sheets:{'open' if opens else 'turn'}"
        super().__init__(Select(custom_id=custom_id, options=options, placeholder=placeholder))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: Any, match: re.Match[str], /
    ) -> SheetMenu:
        """The menu in which something was chosen."""
        return cls(opens=match["way"] == "open")

    async def work(self, interaction: Interaction) -> None:
        """Show what was chosen."""
        found = _SHEET.fullmatch(self.item.values[0])
        chosen = _read(found) if found else Sheet("")
        await (open_sheet if self.opens else _turn)(interaction, chosen)


def leaves(locale: Language, shown: Sheet, pages: int) -> list[SheetButton]:
    """The buttons to the pages before and behind the one that is shown, as far as there are any."""
    found = []
    if shown.page > 0:
        found.append(SheetButton(shown._replace(page=min(shown.page, pages) - 1), text(locale, "button.back")))
    if shown.page + 1 < pages:
        found.append(SheetButton(shown._replace(page=shown.page + 1), text(locale, "button.next"), primary=True))
    return found


def variants(locale: Language, shown: Sheet, others: Sequence[str]) -> list[SheetButton]:
    """A button to the same for each of those other games."""
    return [
        SheetButton(shown._replace(variant=key, page=0), text(locale, f"variant.{key}"))
        for key in others
        if key != shown.variant
    ]


def fitting(lines: Sequence[str], room: int = LONGEST) -> str:
    """Those lines, as many of the first ones as fit into a message."""
    while len(said := "\n".join(lines)) > room:
        lines = lines[:-1]
    return said


async def open_sheet(interaction: Interaction, wanted: Sheet) -> None:
    """Answer with that sheet in a message of its own, which only the reader sees."""
    if not _is_known(wanted):
        await outdated(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    await show_sheet(interaction, await DRAWERS[wanted.name](interaction, wanted))


async def show_sheet(interaction: Interaction, shown: Shown) -> None:
    """Answer with what a sheet shows, in a message that only the reader sees."""
    await answer(interaction, shown.content, files=list(shown.files), view=row(*shown.buttons))


async def _turn(interaction: Interaction, wanted: Sheet) -> None:
    """Put that sheet in the place of the one whose button was pressed."""
    if not _is_known(wanted):
        await outdated(interaction)
    await interaction.response.defer()
    shown = await DRAWERS[wanted.name](interaction, wanted)
    await interaction.edit_original_response(
        content=shown.content, attachments=list(shown.files), view=row(*shown.buttons), allowed_mentions=NO_MENTIONS
    )


def _is_known(wanted: Sheet) -> bool:
    """Whether there is such a sheet: what comes with a press need not be what any version has sent."""
    named = wanted.name in DRAWERS and wanted.variant in (ANY, *VARIANTS)
    return named and all(-LARGEST <= number <= LARGEST for number in wanted[2:])
