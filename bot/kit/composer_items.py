"""Buttons and menus of the composer. All that a press needs stands in the `custom_id`, so they outlive restarts."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple

import discord
from discord.ui import Button, DynamicItem, Select, View

from bot.kit.components import Lasting, entered, outdated
from bot.kit.reply import Interaction
from bot.match.draft import format_path, parse_path
from rules.board import Cell

LONGEST_ID = 100
"""Characters of a `custom_id`."""

IN_STORE = "~"
"""Stands before the fingerprint of a path that is too long to be carried along."""

CELLS_CARRIED = 28
"""Landings for which there is room in a `custom_id`, whatever the numbers of the match and its board."""

FIELDS = (
    r"(?P<match>\d{1,15}):(?P<board_version>\d{1,6})"
    r":(?P<end>[0-9a-z]{2}|-):(?P<path>(?:[0-9a-z]{2}){0,28}|~[0-9a-f]{8})"
)
"""The end of every `custom_id` of the composer, which says where in which move it belongs."""


class ComposerState(NamedTuple):
    """Where in which move a panel of the composer is."""

    match: int
    board_version: int
    """Those of the match whose board this is: a ply comes again when moves are taken back, this does not."""
    path: str = ""
    """The landings as `format_path` writes them; or, behind `~`, the fingerprint of those in the store."""
    end: Cell | None = None
    """A destination that has been chosen and can be reached in several ways."""

    @property
    def fields(self) -> str:
        """The place as the end of a `custom_id`."""
        end = "-" if self.end is None else format_path([self.end])
        return f"{self.match}:{self.board_version}:{end}:{self.path}"

    @classmethod
    def read(cls, found: re.Match[str]) -> ComposerState:
        """The place in a `custom_id` that has been matched."""
        end = None if found["end"] == "-" else parse_path(found["end"])[0]
        return cls(int(found["match"]), int(found["board_version"]), found["path"], end)


Handler = Callable[[Interaction, ComposerState, str], Coroutine[Any, Any, None]]
"""What a press does; the text is the value that was chosen in a menu, and empty for a button."""

PARTS: dict[str, Handler] = {}
"""What each button and menu does, filled by the composer at import."""


def part(name: str) -> Callable[[Handler], Handler]:
    """Register the function as what that button or menu does."""
    return entered(PARTS, name)


class ComposerButton(Lasting, DynamicItem[Button[View]], template=rf"rt-press:(?P<name>[a-z]{{1,8}}):{FIELDS}"):
    """Any button that belongs to a move in the making."""

    def __init__(
        self,
        name: str,
        place: ComposerState,
        label: str = "…",
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
        row: int | None = None,
    ) -> None:
        self.name = name
        self.place = place
        custom_id = f"rt-press:{name}:{place.fields}"
        assert len(custom_id) <= LONGEST_ID, custom_id
        super().__init__(Button(label=label, style=style, custom_id=custom_id, row=row))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: Any, match: re.Match[str], /
    ) -> ComposerButton:
        """The button that a press on `custom_id` means."""
        return cls(match["name"], ComposerState.read(match))

    async def work(self, interaction: Interaction) -> None:
        """Do what the button is for."""
        await PARTS.get(self.name, outdated)(interaction, self.place, "")


class ComposerMenu(Lasting, DynamicItem[Select[View]], template=rf"rt-pick:(?P<name>[a-z]{{1,8}}):{FIELDS}"):
    """Any menu that belongs to a move in the making. Exactly one option is chosen."""

    def __init__(
        self,
        name: str,
        place: ComposerState,
        options: Sequence[discord.SelectOption] = (),
        placeholder: str | None = None,
        row: int | None = None,
    ) -> None:
        self.name = name
        self.place = place
        custom_id = f"rt-pick:{name}:{place.fields}"
        assert len(custom_id) <= LONGEST_ID, custom_id
        super().__init__(Select(custom_id=custom_id, options=list(options), placeholder=placeholder, row=row))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: Any, match: re.Match[str], /
    ) -> ComposerMenu:
        """The menu in which something was chosen."""
        return cls(match["name"], ComposerState.read(match))

    async def work(self, interaction: Interaction) -> None:
        """Do what the menu is for."""
        await PARTS.get(self.name, outdated)(interaction, self.place, self.item.values[0])


FORM = re.compile(rf"rt-form:{FIELDS}")
