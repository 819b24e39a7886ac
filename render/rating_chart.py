"""A chart of a person's rating, game by game. It has digits only; the message beside it explains them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property

from PIL import Image, ImageDraw

from render.board_drawing import encode_png
from render.shapes import load_font
from render.theme import THEMES, Rgb, Theme, blend_colours

CHART_SIZE = (1000, 510)
"""Width and height in pixels. On a phone, at a width of 400, the smallest digits are still 13 pixels high."""
CHART_OVERSAMPLING = 2
"""Factor by which a picture is enlarged while drawn, for smooth edges."""
_LEFT, _TOP, _RIGHT, _BOTTOM = 118, 46, 156, 96
"""Margins: ratings on the left, game numbers below, the last rating on the right. The lower left corner
stays free, because clients lay a badge over it for pictures with a description."""
CHART_DIGITS, _LAST = 34, 44
_GRID_LINE_ALPHA = 0.25
_RATING_STEPS = (10, 20, 50, 100, 200, 500, 1000)
"""Points between two lines."""
_MAX_RATING_LINES = 5
_MIN_RATING_SPAN = 60
"""The least range of ratings in the picture, so that small changes look small."""
_LINE_STRETCHES = 100
"""Stretches of a line of which only the lowest and the highest point are drawn. Lines are wider than a stretch."""
_COUNT_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_MAX_COUNTS = 8


@dataclass(frozen=True)
class RatingCurve:
    """The ratings before the first game and after each game; at least two.

    >>> from render import run_steps
    >>> curve = RatingCurve((1500, 1512, 1498))
    >>> run_steps(render_curve_in_steps(curve))[1:4]
    b'PNG'
    """

    ratings: tuple[int, ...]
    theme: Theme = THEMES["default"]

    def __post_init__(self) -> None:
        assert len(self.ratings) > 1, self.ratings

    @cached_property
    def rating_span(self) -> tuple[int, int, int]:
        """The lowest and the highest rating in the picture, and the distance between two lines."""
        low, high = min(self.ratings), max(self.ratings)
        low, high = min(low, (low + high - _MIN_RATING_SPAN) // 2), max(high, (low + high + _MIN_RATING_SPAN) // 2)
        step = next((step for step in _RATING_STEPS if (high - low) / step <= _MAX_RATING_LINES), _RATING_STEPS[-1])
        return low // step * step, -(-high // step) * step, step

    def rating_lines(self) -> range:
        """The ratings with a horizontal line."""
        low, high, step = self.rating_span
        return range(low, high + 1, step)

    def labelled_games(self) -> range:
        """The games with a number below the chart."""
        return labelled_counts(len(self.ratings) - 1)

    def position_of(self, game: int, number: float) -> tuple[float, float]:
        """The pixel of the rating `number` after that game; game 0 is before the first game."""
        low, high, _ = self.rating_span
        width, height = CHART_SIZE[0] - _LEFT - _RIGHT, CHART_SIZE[1] - _TOP - _BOTTOM
        return _LEFT + width * game / (len(self.ratings) - 1), _TOP + height * (high - number) / (high - low)


def render_curve_in_steps(curve: RatingCurve) -> Generator[None, None, bytes]:
    """A generator that draws a line per step and returns the chart as a PNG file. Pure and thread-safe."""
    theme = curve.theme
    canvas = ChartCanvas(theme)
    _draw_grid(canvas, curve)
    yield
    points = [curve.position_of(game, number) for game, number in enumerate(curve.ratings)]
    for width, ink in ((9, theme.casing), (5, theme.trail)):
        canvas.draw_line(points, width, ink)
        yield
    for x, y in points[:-1] if points[1][0] - points[0][0] >= 24 else ():  # there is room between them
        canvas.draw_disc(x, y, 9, theme.casing)
        canvas.draw_disc(x, y, 7, theme.trail)
    x, y = points[-1]
    canvas.draw_disc(x, y, 15, theme.frame_dark)
    canvas.draw_disc(x, y, 12, theme.gold)
    canvas.draw_text(str(curve.ratings[-1]), (x + 26, y), _LAST, theme.ink, "lm")
    return canvas.encode_png()


def labelled_counts(last: int) -> range:
    """The numbers below a chart that counts to `last`: at most eight round ones."""
    step = next((step for step in _COUNT_STEPS if last // step <= _MAX_COUNTS), last)
    return range(step, last + 1, step)


def _draw_grid(canvas: ChartCanvas, curve: RatingCurve) -> None:
    for number in curve.rating_lines():
        end = curve.position_of(len(curve.ratings) - 1, number)
        canvas.draw_grid_line(str(number), curve.position_of(0, number), end, 20)
    for game in curve.labelled_games():
        canvas.draw_tick(game, curve.position_of(game, curve.rating_span[0]))


class ChartCanvas:
    """Draws a chart in pixels of CHART_SIZE, enlarged by CHART_OVERSAMPLING for smooth edges."""

    def __init__(self, theme: Theme) -> None:
        size = CHART_SIZE[0] * CHART_OVERSAMPLING, CHART_SIZE[1] * CHART_OVERSAMPLING
        self._theme = theme
        self._image = Image.new("RGB", size, theme.table)
        self._draw = ImageDraw.Draw(self._image)

    def draw_line(self, points: Sequence[tuple[float, float]], width: float, ink: Rgb) -> None:
        """Draws a line through those points, with round corners. Draws at most two points in each stretch, and the
        last one.
        """
        corners = [(x * CHART_OVERSAMPLING, y * CHART_OVERSAMPLING) for x, y in _thin_points(points)]
        self._draw.line(corners, fill=ink, width=round(width * CHART_OVERSAMPLING), joint="curve")

    def draw_disc(self, x: float, y: float, radius: float, ink: Rgb) -> None:
        """Draws a filled circle."""
        self._draw.circle((x * CHART_OVERSAMPLING, y * CHART_OVERSAMPLING), radius * CHART_OVERSAMPLING, fill=ink)

    def draw_text(self, text: str, at: tuple[float, float], size: int, ink: Rgb, anchor: str) -> None:
        """Writes digits; `anchor` is one of Pillow's text anchors."""
        place = (at[0] * CHART_OVERSAMPLING, at[1] * CHART_OVERSAMPLING)
        self._draw.text(place, text, fill=ink, font=load_font(size * CHART_OVERSAMPLING), anchor=anchor)

    def draw_grid_line(self, words: str, start: tuple[float, float], end: tuple[float, float], distance: float) -> None:
        """Draws a faint line of the grid, with digits at that distance to its left."""
        theme = self._theme
        self.draw_line([start, end], 2, blend_colours(theme.table, theme.ink, _GRID_LINE_ALPHA))
        self.draw_text(words, (start[0] - distance, start[1]), CHART_DIGITS, theme.ink, "rm")

    def draw_tick(self, number: int, at: tuple[float, float]) -> None:
        """Draws a short line below that point, with the number."""
        x, y = at
        self.draw_line([at, (x, y + 10)], 2, self._theme.ink)
        self.draw_text(str(number), (x, y + 16), CHART_DIGITS, self._theme.ink, "mt")

    def paste_sprite(self, sprite: Image.Image, at: tuple[float, float]) -> None:
        """Pastes an RGBA picture, already enlarged by CHART_OVERSAMPLING, centred on that point."""
        left, top = (round(place * CHART_OVERSAMPLING - side / 2) for place, side in zip(at, sprite.size, strict=True))
        self._image.paste(sprite, (left, top), sprite)

    def encode_png(self) -> bytes:
        """The finished chart as a PNG file, reduced to CHART_SIZE."""
        return encode_png(self._theme.palette.index_picture(self._image.reduce(CHART_OVERSAMPLING)))


def _thin_points(points: Sequence[tuple[float, float]]) -> Sequence[tuple[float, float]]:
    size = -(-len(points) // _LINE_STRETCHES)
    if size <= 2:
        return points
    stretches = (range(first, min(first + size, len(points))) for first in range(0, len(points), size))
    ends = (f(stretch, key=lambda at: points[at][1]) for stretch in stretches for f in (min, max))
    return [points[at] for at in sorted({0, *ends, len(points) - 1})]
