"""The rules pages: text files in every language, cut into pages, with illustrations that the renderer draws.

A line `---` separates pages. A line `![words](position | move | colour at the bottom | cell)` illustrates the
surroundings of that cell. Without the cell it shows the whole board; then the move may be left out too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from bot.texts.i18n import Language, read_page
from render import View
from rules import parse_move, parse_position

_ILLUSTRATION = re.compile(r"^!\[(?P<words>.*?)\]\((?P<drawing>.*)\)\s*$", re.MULTILINE)


class Illustration(NamedTuple):
    """A drawing and its alt text."""

    view: View
    words: str


class RulebookPage(NamedTuple):
    """One page of a rulebook: a text of at most 1000 characters, and its illustration if it has one."""

    text: str
    illustration: Illustration | None


@cache
def rulebook_pages(locale: Language, variant: str) -> tuple[RulebookPage, ...]:
    """The pages of that variant's rules. Raises RulesError if an illustration is wrong."""
    sections = re.split(r"^---\s*$", read_page(locale, f"rules/{variant}.md"), flags=re.MULTILINE)
    return tuple(_parse_page(section) for section in sections if section.strip())


def _parse_page(section: str) -> RulebookPage:
    illustration = _ILLUSTRATION.search(section)
    body = re.sub(r"\n{3,}", "\n\n", _ILLUSTRATION.sub("", section)).strip()
    drawn = Illustration(parse_drawing(illustration["drawing"]), illustration["words"]) if illustration else None
    return RulebookPage(body, drawn)


def parse_drawing(drawing: str) -> View:
    """The view described by `position | move | colour | cell`; the cell and then the move may be left out."""
    drawn, *rest = (part.strip() for part in drawing.split("|"))
    position = parse_position(drawn)
    move, bottom, *around = rest if len(rest) > 1 else ("", *rest)
    seat = position.variant.find_seat(bottom)
    if not move:
        return View(position, seat)
    last = parse_move(position, move)
    after = position.after_move(last)
    won = position.variant.ending(after) is not None
    zoom = position.variant.board.find_cell(around[0]) if around else None
    return View(after, seat, last_move=last, before=position, to_move=not won, zoom=zoom)
