"""A crosstable: a line for each player, their results against each other, and their points.

Columns are numbered like the lines: 1, 2, 3 … The first column has the places; where people share places or have none,
the number of each line stands after it. The picture has names and numbers only; the message beside it explains them.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from PIL import Image, ImageDraw, ImageFont

from render.board_drawing import encode_png
from render.shapes import drawable_text, load_font
from render.theme import THEMES, Rgb, Theme, blend_colours

TABLE_WIDTH = 1100
"""Width in pixels: twice that of Discord's largest picture beside a text, three times that of one on a phone."""
MAX_HEIGHT = 700
_MARGIN = 16
_LARGEST_ROW = 110
_TEXT_SHARE = 0.62
"""Size of the type as a share of the height of a row."""
_LONG_NAME_SHARE, _SMALLEST_NAME = 0.75, 32
_NAME_END = 6
"""How many signs at the end of a name stay when it is cut."""
_FRACTIONS = {"⅓": "1/3", "⅔": "2/3", "⅙": "1/6", "⅚": "5/6"}
"""Fractions that the typeface lacks, in smaller digits."""
_SMALL_SIGNS = {"+", "–", "="}
"""Small and low in the typeface, so that a phone would show a dot."""


class RowZone(Enum):
    """What the place of a line means for the next season."""

    UP = "up"
    NONE = "none"
    DOWN = "down"


@dataclass(frozen=True)
class TableLine:
    """One player's line."""

    place: str
    """Empty for a player without a place."""
    name: str
    """Cut off if it is too long; signs that the typeface lacks are left out."""
    results: tuple[tuple[str, ...], ...]
    """Per column the results there, at most two; an empty text is a game that is not over."""
    points: str
    zone: RowZone = RowZone.NONE
    has_left: bool = False
    """Whether the name is struck out."""


@dataclass(frozen=True)
class CrosstableView:
    """The lines of a table, the best first; each has as many columns as there are lines.

    >>> lines = (TableLine("1", "Ada", ((), ("1",)), "1"), TableLine("2", "Bo", (("0",), ()), "0"))
    >>> from render import run_steps
    >>> run_steps(render_crosstables_in_steps([CrosstableView(lines, "Group A")]))[1:4]
    b'PNG'
    """

    lines: tuple[TableLine, ...]
    title: str = ""
    """Stands above the names."""
    theme: Theme = THEMES["default"]

    def __post_init__(self) -> None:
        assert self.lines, self.lines
        assert all(len(line.results) == len(self.lines) for line in self.lines), self.lines

    @cached_property
    def row_height(self) -> int:
        """The height of a line, and of the line of column numbers."""
        return min(_LARGEST_ROW, (MAX_HEIGHT - 2 * _MARGIN) // (len(self.lines) + 1))

    @property
    def numbers_lines(self) -> bool:
        """True if the places do not number the lines, because people share a place or have none."""
        return any(line.place != str(number) for number, line in enumerate(self.lines, 1))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        return TABLE_WIDTH, 2 * _MARGIN + self.row_height * (len(self.lines) + 1)


def render_crosstables_in_steps(views: Sequence[CrosstableView]) -> Generator[None, None, bytes]:
    """A generator that draws a line of a table per step and returns the tables, one below the other, as a PNG file."""
    pictures = list[Image.Image]()
    for view in views:
        pictures.append((yield from _draw_table(view)))
    whole = Image.new("RGB", (TABLE_WIDTH, sum(picture.height for picture in pictures)))
    top = 0
    for picture in pictures:
        whole.paste(picture, (0, top))
        top += picture.height
    return encode_png(whole)


def _draw_table(view: CrosstableView) -> Generator[None, None, Image.Image]:
    canvas = _TableCanvas(view)
    canvas.draw_heads()
    for number, line in enumerate(view.lines):
        canvas.draw_line(number, line)
        yield
    canvas.draw_grid()
    return canvas.picture


class _TableCanvas:
    """The picture in the making."""

    def __init__(self, view: CrosstableView) -> None:
        self.view, self.theme = view, view.theme
        self.row = view.row_height
        self.picture = Image.new("RGB", view.size, self.theme.table)
        self.draw = ImageDraw.Draw(self.picture)
        self.type_size = round(self.row * _TEXT_SHARE)
        self.right = TABLE_WIDTH - _MARGIN
        widths = (sum(width for *_, width in _typeset(line.points, self.type_size)) for line in view.lines)
        self.points_width = max(round(max(widths)) + 20, 100)
        self.cell = min(round(self.row * 0.75), 76)
        self.cells_left = self.right - self.points_width - self.cell * len(view.lines)
        has_places = any(line.place or line.zone is not RowZone.NONE for line in view.lines)
        self.place_width = round(load_font(self.type_size).getlength("10")) + 52 if has_places else 0
        self.head_size = round(self.type_size * 0.72)
        number_width = round(load_font(self.head_size).getlength("10")) + 14 if view.numbers_lines else 0
        self.name_left = _MARGIN + self.place_width + number_width + 10
        self.name_width = self.cells_left - self.name_left - 8

    def top_of(self, number: int) -> int:
        """The upper edge of that line."""
        return _MARGIN + self.row * (number + 1)

    def left_of(self, column: int) -> int:
        """The left edge of that column."""
        return self.cells_left + self.cell * column

    def draw_heads(self) -> None:
        """Writes the title of the table above the names, and the number of each column above it."""
        title, y = fit_name(self.view.title, self.head_size, self.name_width), _MARGIN + self.row * 0.6
        self._write(title, (self.name_left, y), self.head_size, self._faint(0.75), "lm")
        for number in range(len(self.view.lines)):
            x = self.left_of(number) + self.cell / 2
            self._write(str(number + 1), (x, y), self.head_size, self._faint(0.75), "mm")

    def draw_line(self, number: int, line: TableLine) -> None:
        """Draws a player's line on the ground of its zone."""
        top, middle = self.top_of(number), self.top_of(number) + self.row / 2
        ground = self._ground_of(line, number)
        self.draw.rectangle((_MARGIN, top, self.right, top + self.row), fill=ground)
        self._draw_zone_sign(line.zone, middle)
        place_right = _MARGIN + self.place_width
        self._write(line.place, (place_right - 8, middle), self.type_size, self.theme.ink, "rm")
        if self.view.numbers_lines:
            self._write(str(number + 1), (self.name_left - 14, middle), self.head_size, self._faint(0.75), "rm")
        size, names = self.fit_lines(line.name)
        for at, name in enumerate(names or [f"#{number + 1}"]):
            y = middle + (at - (max(len(names), 1) - 1) / 2) * size
            ink = self._faint(0.7) if line.has_left else self.theme.ink
            self._write(name, (self.name_left, y), size, ink, "lm")
            if line.has_left:
                end = self.name_left + load_font(size).getlength(name)
                self.draw.line((self.name_left - 4, y, end + 4, y), fill=ink, width=3)
        for column, results in enumerate(line.results):
            if column == number:
                left = self.left_of(column)
                self.draw.rectangle((left, top, left + self.cell, top + self.row), fill=self._faint(0.7))
            else:
                self._draw_results(results, self.left_of(column) + self.cell / 2, middle)
        self._write(line.points, (self.right - 10, middle), self.type_size, self.theme.ink, "rm")

    def draw_grid(self) -> None:
        """Draws thin lines between players and around the results."""
        count, ink = len(self.view.lines), self._faint(0.35)
        for number in range(count + 1):
            y = self.top_of(number)
            self.draw.line((_MARGIN, y, self.right, y), fill=ink, width=2)
        for column in range(count + 1):
            x = self.left_of(column)
            self.draw.line((x, self.top_of(0), x, self.top_of(count)), fill=ink, width=2)

    def _ground_of(self, line: TableLine, number: int) -> Rgb:
        theme = self.theme
        plain = theme.table if number % 2 else blend_colours(theme.table, theme.ink, 0.06)
        tints = {RowZone.UP: (theme.gold, 0.3), RowZone.DOWN: (theme.wrong, 0.16)}
        return blend_colours(plain, *tints[line.zone]) if line.zone in tints else plain

    def fit_lines(self, name: str) -> tuple[int, list[str]]:
        """The size of the type of a name and its lines, at most two: a long name is smaller, and cut off at last."""
        plain = " ".join(drawable_text(name[:100]).split())
        smaller = max(round(self.type_size * _LONG_NAME_SHARE), min(self.type_size, _SMALLEST_NAME))
        for size in (self.type_size, smaller):
            if load_font(size).getlength(plain) <= self.name_width:
                return size, [plain] if plain else []
        if self.row < 2.2 * _SMALLEST_NAME:
            return smaller, [fit_name(plain, smaller, self.name_width, _NAME_END)]
        size = max(round(self.row * 0.4), _SMALLEST_NAME)
        ends = [at for at in range(1, len(plain) + 1) if load_font(size).getlength(plain[:at]) <= self.name_width]
        whole = (
            at for at in ends if plain[at - 1] in " -_" and load_font(size).getlength(plain[at:]) <= self.name_width
        )
        cut = max(whole, default=ends[-1])  # inside a word only if that is long
        parts = plain[:cut].rstrip(), plain[cut:].lstrip()
        return size, [fit_name(part, size, self.name_width, _NAME_END) for part in parts if part]

    def _draw_zone_sign(self, zone: RowZone, middle: float) -> None:
        """Draws an arrowhead at the left edge, so that a zone is seen without its colour."""
        if zone is RowZone.NONE:
            return
        x, half, way = _MARGIN + 20, 11, -1 if zone is RowZone.UP else 1
        ink = self.theme.ink if zone is RowZone.UP else self.theme.wrong
        self.draw.polygon(
            [(x - half, middle - way * 8), (x + half, middle - way * 8), (x, middle + way * 10)], fill=ink
        )

    def _draw_results(self, results: tuple[str, ...], x: float, middle: float) -> None:
        size = min(self.type_size, self.cell * 0.75) * (1.0 if len(results) < 2 else 0.72)
        for at, result in enumerate(results):
            y = middle + (at - (len(results) - 1) / 2) * self.row * 0.46
            if result in _SMALL_SIGNS:
                self._write(result, (x, y - size * 0.15), round(size * 1.6), self.theme.ink, "mm")
            elif result:
                self._write(result, (x, y), round(size), self.theme.ink if result != "0" else self._faint(0.7), "mm")
            else:
                self.draw.circle((x, y), self.row * 0.05, fill=self._faint(0.5))

    def _faint(self, share: float) -> Rgb:
        return blend_colours(self.theme.table, self.theme.ink, share)

    def _write(self, text: str, at: tuple[float, float], size: int, ink: Rgb, anchor: str) -> None:
        """Writes text; `anchor` is one of Pillow's text anchors."""
        parts = _typeset(text, size)
        x = at[0] - sum(width for *_, width in parts) * {"l": 0, "m": 0.5, "r": 1}[anchor[0]]
        for words, font, width in parts:
            self.draw.text((x, at[1]), words, fill=ink, font=font, anchor="lm")
            x += width


def _typeset(text: str, size: int) -> tuple[tuple[str, ImageFont.FreeTypeFont, float], ...]:
    """The parts of a text with typeface and width: fractions that the typeface lacks are smaller digits at the end."""
    whole = text.rstrip("".join(_FRACTIONS))
    fraction = _FRACTIONS.get(text[len(whole) :], "")
    big, small = load_font(size), load_font(round(size * 0.62))
    gap = size * 0.12 if whole and fraction else 0
    return (whole, big, big.getlength(whole) + gap), (fraction, small, small.getlength(fraction))


def fit_name(name: str, size: int, width: int, kept: int = 0) -> str:
    """The name in signs that the typeface has, cut to that width in pixels; empty if nothing is left. So many of its
    last signs are kept: they may be what tells two names apart.

    >>> fit_name("Ødegård 🐎", 40, 400), fit_name("Łukasz", 40, 400), fit_name("囲碁", 40, 400)
    ('Ødegård', 'Lukasz', '')
    """
    plain = " ".join(drawable_text(name[:100]).split())
    font = load_font(size)
    if font.getlength(plain) <= width:
        return plain
    end = f"…{plain[len(plain) - kept :]}"
    while plain and font.getlength(plain + end) > width:
        plain = plain[:-1].rstrip()
    return plain + end if plain else ""
