"""The curve of somebody's rating, game by game. Digits only: what they mean stands beside the picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from PIL import Image, ImageDraw

from render.board import as_png
from render.shapes import font
from render.theme import THEMES, Rgb, Theme, blend

SIZE = (1000, 510)
"""Width and height in pixels. On a phone it is shown 400 wide: the smallest digits are still 13 high there."""
OVERSAMPLING = 2
"""By how much larger a picture is drawn, so that edges become smooth."""
_LEFT, _TOP, _RIGHT, _BOTTOM = 118, 46, 130, 96
"""Margins: on the left the ratings, below the numbers of the games, on the right the last rating. The
corner below on the left stays free: pages lay a badge over it, which says that there is a description."""
_DIGITS, _LAST = 34, 44
_FAINT = 0.25
_STEPS = (10, 20, 50, 100, 200, 500, 1000)
"""Points between two lines."""
_MOST_LINES = 5
_LOWEST_SPAN = 60
"""Points that the picture covers at least, so that small changes look small."""
_COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_MOST_COUNTS = 8


@dataclass(frozen=True)
class Curve:
    """The rating before the first game and after each one, at least two in all."""

    numbers: tuple[int, ...]
    theme: Theme = THEMES["default"]

    def __post_init__(self) -> None:
        assert len(self.numbers) > 1, self.numbers

    @cached_property
    def span(self) -> tuple[int, int, int]:
        """The lowest and the highest rating that the picture shows, and the points between two lines."""
        low, high = min(self.numbers), max(self.numbers)
        low, high = min(low, (low + high - _LOWEST_SPAN) // 2), max(high, (low + high + _LOWEST_SPAN) // 2)
        step = next((step for step in _STEPS if (high - low) / step <= _MOST_LINES), _STEPS[-1])
        return low // step * step, -(-high // step) * step, step

    def lines(self) -> range:
        """The ratings at which there is a line."""
        low, high, step = self.span
        return range(low, high + 1, step)

    def counts(self) -> range:
        """The games whose numbers are written below."""
        games = len(self.numbers) - 1
        step = next((step for step in _COUNTS if games // step <= _MOST_COUNTS), games)
        return range(step, games + 1, step)

    def at(self, game: int, number: float) -> tuple[float, float]:
        """Where the rating `number` after that game lies, in pixels; game 0 is before the first."""
        low, high, _ = self.span
        width, height = SIZE[0] - _LEFT - _RIGHT, SIZE[1] - _TOP - _BOTTOM
        return _LEFT + width * game / (len(self.numbers) - 1), _TOP + height * (high - number) / (high - low)


def render_curve(curve: Curve) -> bytes:
    """The curve as a PNG file. Pure and thread-safe; keep it off the event loop."""
    theme = curve.theme
    canvas = Canvas(theme.table)
    _grid(canvas, curve)
    points = [curve.at(game, number) for game, number in enumerate(curve.numbers)]
    canvas.line(points, 9, theme.casing)
    canvas.line(points, 5, theme.trail)
    for x, y in _marked(points):
        canvas.disc(x, y, 9, theme.casing)
        canvas.disc(x, y, 7, theme.trail)
    x, y = points[-1]
    canvas.disc(x, y, 15, theme.frame_dark)
    canvas.disc(x, y, 12, theme.gold)
    canvas.text(str(curve.numbers[-1]), (x + 26, y), _LAST, theme.ink, "lm")
    return canvas.png()


def _grid(canvas: Canvas, curve: Curve) -> None:
    theme, games = curve.theme, len(curve.numbers) - 1
    faint = blend(theme.table, theme.ink, _FAINT)
    for number in curve.lines():
        canvas.line([curve.at(0, number), curve.at(games, number)], 2, faint)
        x, y = curve.at(0, number)
        canvas.text(str(number), (x - 20, y), _DIGITS, theme.ink, "rm")
    for game in curve.counts():
        x, y = curve.at(game, curve.span[0])
        canvas.line([(x, y), (x, y + 10)], 2, theme.ink)
        canvas.text(str(game), (x, y + 16), _DIGITS, theme.ink, "mt")


def _marked(points: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The points that get a dot of their own: all, as long as there is room between them."""
    if points[1][0] - points[0][0] >= 24:
        yield from points[:-1]


class Canvas:
    """Draws in pixels of a picture of that SIZE, larger than that, so that edges become smooth."""

    def __init__(self, ground: Rgb) -> None:
        self._image = Image.new("RGB", (SIZE[0] * OVERSAMPLING, SIZE[1] * OVERSAMPLING), ground)
        self._draw = ImageDraw.Draw(self._image)

    def line(self, points: Sequence[tuple[float, float]], width: float, ink: Rgb) -> None:
        """A line through those points, with round corners."""
        corners = [(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points]
        self._draw.line(corners, fill=ink, width=round(width * OVERSAMPLING), joint="curve")

    def disc(self, x: float, y: float, radius: float, ink: Rgb) -> None:
        """A filled circle."""
        self._draw.circle((x * OVERSAMPLING, y * OVERSAMPLING), radius * OVERSAMPLING, fill=ink)

    def text(self, text: str, at: tuple[float, float], size: int, ink: Rgb, anchor: str) -> None:
        """Digits; the anchor is one of Pillow's."""
        place = (at[0] * OVERSAMPLING, at[1] * OVERSAMPLING)
        self._draw.text(place, text, fill=ink, font=font(size * OVERSAMPLING), anchor=anchor)

    def paste(self, sprite: Image.Image, at: tuple[float, float]) -> None:
        """An RGBA picture, drawn as much larger as everything is, with its middle there."""
        left, top = (round(place * OVERSAMPLING - side / 2) for place, side in zip(at, sprite.size, strict=True))
        self._image.paste(sprite, (left, top), sprite)

    def png(self) -> bytes:
        """The picture at its own size."""
        small = self._image.resize(SIZE, Image.Resampling.LANCZOS)
        return as_png(small.quantize(64, dither=Image.Dither.NONE))
