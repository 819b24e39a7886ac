"""Lists as rows, each with its own button: messages of Components V2.

A message of this kind has no content of its own, and stays of this kind: `lay_out` makes one of what replaces a list in
its message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import discord
from discord import ui

from bot.texts.markup import cut_text

Layout: TypeAlias = ui.LayoutView
Controls: TypeAlias = Sequence[ui.Item[Any]]

MAX_COMPONENTS = 40
"""Components in a message of this kind, nested ones included."""
MAX_LAYOUT_TEXT = 4000
"""Characters in all texts of such a message together."""
MAX_BUTTONS_IN_ROW = 5
PICTURE_ENDINGS = (".png", ".gif")


class Row(NamedTuple):
    """A row of a list."""

    text: str
    button: ui.Button[Any] | None = None
    accent: int | None = None
    """The colour of the stripe beside it; a row with one stands in a container of its own."""
    controls: Controls = ()
    """Menus below its text."""


class RowList(NamedTuple):
    """A list of rows with what stands above and below."""

    title: str
    rows: Sequence[Row] = ()
    footer: str = ""
    components: Controls = ()


def lay_out_rows(shown: RowList) -> Layout:
    """Returns the message of a list. The longest rows lose their ends if the texts exceed what Discord takes."""
    layout = _new_layout()
    texts = _fit_texts([shown.title, *(row.text for row in shown.rows), shown.footer])
    title, footer = texts[0], texts[-1]
    sections = [_row_items(text, row) for text, row in zip(texts[1:-1], shown.rows, strict=True)]
    if any(row.accent is not None for row in shown.rows):
        layout.add_item(ui.TextDisplay(title))
        for items, row in zip(sections, shown.rows, strict=True):
            layout.add_item(ui.Container(*items, accent_colour=row.accent))
        if footer:
            layout.add_item(ui.TextDisplay(footer))
    else:
        inside = [ui.TextDisplay(title), *(item for items in sections for item in items)]
        layout.add_item(ui.Container(*inside, *([ui.TextDisplay(footer)] if footer else [])))
    _add_controls(layout, shown.components)
    assert layout.total_children_count <= MAX_COMPONENTS, layout.total_children_count
    return layout


def lay_out(content: str, files: Iterable[discord.File], controls: Controls) -> Layout:
    """Returns an ordinary message as one of Components V2: its text, its pictures and files, and its controls."""
    layout = _new_layout()
    pictures, others = list[discord.File](), list[discord.File]()
    layout.add_item(ui.TextDisplay(content or "\u200b"))
    for file in files:
        (pictures if file.filename.endswith(PICTURE_ENDINGS) else others).append(file)
    if pictures:
        media = [discord.MediaGalleryItem(file.uri, description=file.description) for file in pictures]
        layout.add_item(ui.MediaGallery(*media))
    for file in others:
        layout.add_item(ui.File(file.uri))
    _add_controls(layout, controls)
    return layout


def has_layout(interaction: discord.Interaction[Any]) -> bool:
    """Returns whether the message whose component was used is of Components V2."""
    return interaction.message is not None and interaction.message.flags.components_v2


def _new_layout() -> Layout:
    layout = ui.LayoutView(timeout=None)
    layout.stop()  # as in `make_view`: presses are answered by custom id
    return layout


def _row_items(text: str, row: Row) -> list[ui.Item[Any]]:
    display = ui.TextDisplay[Layout](text)
    first: ui.Item[Any] = display if row.button is None else ui.Section(display, accessory=row.button)
    return [first, *(ui.ActionRow(control) for control in row.controls)]


def _add_controls(layout: Layout, controls: Controls) -> None:
    """Adds rows of up to five buttons, and a row for each menu."""
    for are_buttons, group in groupby(controls, lambda control: isinstance(control, ui.Button)):
        items = list(group)
        width = MAX_BUTTONS_IN_ROW if are_buttons else 1
        for start in range(0, len(items), width):
            layout.add_item(ui.ActionRow(*items[start : start + width]))


def _fit_texts(texts: Sequence[str]) -> list[str]:
    """Returns the texts, the longest of them cut so that all together fit."""
    room = MAX_LAYOUT_TEXT
    fitted = dict[int, str]()
    for left, number in zip(
        range(len(texts), 0, -1), sorted(range(len(texts)), key=lambda n: len(texts[n])), strict=True
    ):
        fitted[number] = cut_text(texts[number], room // left)
        room -= len(fitted[number])
    return [fitted[number] for number in range(len(texts))]
