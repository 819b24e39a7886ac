"""Words below the board of an animation: wrapped, cut to a few lines, and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PIL import Image, ImageDraw

from render.shapes import drawable_text, load_font
from render.theme import Theme

NOTE_LINES = 8
"""The most lines of one note."""
_LETTER_SIZE, _LINE_HEIGHT, _MARGIN = 16, 21, 14
"""In pixels."""
_FINER = 4
"""Letters are drawn that many times as large, then reduced."""


def wrap_note(words: str, width: int) -> list[str]:
    """Returns the words as lines for a picture of that width, the last one ending in "…" if there were more.

    Leaves out signs that cannot be drawn, such as emoji.
    """
    lines = [line for paragraph in words.splitlines() for line in _wrap(paragraph, width - 2 * _MARGIN)]
    if len(lines) <= NOTE_LINES:
        return lines
    last = lines[NOTE_LINES - 1]
    while _width(f"{last}…") > width - 2 * _MARGIN:
        last = last[:-1]
    return [*lines[: NOTE_LINES - 1], f"{last}…"]


def note_height(lines: int) -> int:
    """Returns the height of that many lines, in pixels."""
    return lines * _LINE_HEIGHT + _MARGIN if lines else 0


def draw_note(theme: Theme, lines: Sequence[str], width: int, height: int) -> Image.Image:
    """Returns the lines on the table (mode P)."""
    picture = Image.new("RGB", (width * _FINER, height * _FINER), theme.table)
    draw, font = ImageDraw.Draw(picture), load_font(_LETTER_SIZE * _FINER)
    for number, line in enumerate(lines):
        middle = (number + 0.5) * _LINE_HEIGHT * _FINER
        draw.text((_MARGIN * _FINER, middle), line, fill=theme.ink, font=font, anchor="lm")
    return theme.palette.index_picture(picture.reduce(_FINER))


def _wrap(paragraph: str, room: int) -> Iterator[str]:
    """Yields the lines of one paragraph. A word longer than a line is broken."""
    line = ""
    for word in drawable_text(paragraph).split():
        longer = f"{line} {word}" if line else word
        if line and _width(longer) > room:
            yield line
            longer = word
        line = longer
        while _width(line) > room:
            end = next(end for end in range(len(line), 0, -1) if _width(line[:end]) <= room)
            yield line[:end]
            line = line[end:]
    if line:
        yield line


def _width(words: str) -> float:
    return load_font(_LETTER_SIZE * _FINER).getlength(words) / _FINER
