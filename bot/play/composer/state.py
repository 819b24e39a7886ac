"""What the buttons and menus of the private board carry: the match, and the part of the move that is chosen."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from bot.core.draft import format_path, parse_path
from bot.discordkit.components import CountField, Family, FieldFormat, IdField, NonceField
from rules.board import Cell

STORED_PATH_MARK = "~"
"""Stands before the fingerprint of a path that is too long for a custom id."""

MAX_CELLS_CARRIED = 28
"""Landings that always fit into a custom id, however large the numbers of the match and its board are."""

EndField = Annotated[
    Cell | None,
    FieldFormat(
        "[0-9a-z]{2}|-",
        lambda code: None if code == "-" else parse_path(code)[0],
        lambda cell: "-" if cell is None else format_path([cell]),
    ),
]
PathField = Annotated[str, FieldFormat(rf"(?:[0-9a-z]{{2}}){{0,{MAX_CELLS_CARRIED}}}|{STORED_PATH_MARK}[0-9a-f]{{8}}")]


class ComposerState(NamedTuple):
    """The state of a panel of the composer: the match, and the part of the move that is chosen."""

    match: IdField
    board_version: CountField
    """The match's board version when the panel was drawn. A ply number returns after a takeback, a
    version never does.
    """
    end: EndField = None
    """The chosen destination, if several routes lead to it."""
    path: PathField = ""
    """The landings as `format_path` writes them; or `~` and the fingerprint of landings kept in the store."""
    fresh: NonceField = ""
    """Used by the composer's menus only."""


COMPOSER = Family("rt-press", ComposerState)
"""The composer's buttons and menus. The button "open" stands below the boards that the bot posts."""
