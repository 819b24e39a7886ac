"""A chart of each side's chances along a game. It has digits only; the message beside it explains them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from math import dist

from render.pieces import piece_picture, tile_side
from render.rating_chart import CHART_DIGITS, CHART_OVERSAMPLING, CHART_SIZE, ChartCanvas, labelled_counts
from render.theme import THEMES, Theme
from rules import PieceKind, Seat, Variant

_LEFT, _TOP, _RIGHT, _BOTTOM = 142, 40, 96, 92
"""Margins: percentages on the left, move numbers below, each side's Knight on the right."""
_TURNING_DISC_SIZE = 27
"""Radius of the disc with the number of a turning point."""
_EMBLEM_SIZE = 60
"""Size of the Knights at the ends of the lines, and their least distance from one another."""


@dataclass(frozen=True)
class ChancesChart:
    """Each seat's chances before the first move and after each move: at least two tuples, each with the sum 1.

    >>> from render import run_steps
    >>> from rules import VARIANTS
    >>> chart = ChancesChart(VARIANTS["cam"], ((0.5, 0.5), (0.6, 0.4)))
    >>> run_steps(render_chances_in_steps(chart))[1:4]
    b'PNG'
    """

    variant: Variant
    chances: tuple[tuple[float, ...], ...]
    turning_points: tuple[tuple[int, Seat], ...] = ()
    """The numbered points of the curves, as (number of moves made, seat)."""
    theme: Theme = THEMES["default"]
    turns: tuple[int, ...] = ()
    """The number of each move, as the record counts; by default 1, 2, 3 …"""

    def __post_init__(self) -> None:
        assert len(self.chances) > 1, self.chances

    def position_of(self, moves: float, chance: float) -> tuple[float, float]:
        """The pixel of that chance (0 to 1) after that many moves."""
        width, height = CHART_SIZE[0] - _LEFT - _RIGHT, CHART_SIZE[1] - _TOP - _BOTTOM
        return _LEFT + width * moves / (len(self.chances) - 1), _TOP + height * (1 - chance)

    def labelled_turns(self) -> dict[int, int]:
        """The turns with a number below the chart, each with the number of moves made after it."""
        moves_by_turn = {turn: moves for moves, turn in enumerate(self.turns or range(1, len(self.chances)), 1)}
        return {turn: moves_by_turn[turn] for turn in labelled_counts(max(moves_by_turn))}


def render_chances_in_steps(chances: ChancesChart) -> Generator[None, None, bytes]:
    """A generator that draws a line per step and returns the chart as a PNG file. Pure and thread-safe."""
    theme = chances.theme
    canvas = ChartCanvas(theme)
    _draw_grid(canvas, chances)
    yield
    for seat in reversed(chances.variant.seats):
        livery = theme.liveries[chances.variant.armies[seat].colour]
        points = [chances.position_of(moves, by_seat[seat]) for moves, by_seat in enumerate(chances.chances)]
        for width, ink in ((13, livery.rim), (7, livery.body)):
            canvas.draw_line(points, width, ink)
            yield
    _draw_turning_points(canvas, chances)
    yield from _draw_emblems(canvas, chances)
    return canvas.encode_png()


def _draw_grid(canvas: ChartCanvas, chances: ChancesChart) -> None:
    for percent in range(0, 101, 25):
        start, end = (chances.position_of(moves, percent / 100) for moves in (0, len(chances.chances) - 1))
        canvas.draw_grid_line(f"{percent}%" if percent % 50 == 0 else str(percent), start, end, 34)
    for turn, made in chances.labelled_turns().items():
        canvas.draw_tick(turn, chances.position_of(made, 0))


def _draw_turning_points(canvas: ChartCanvas, chances: ChancesChart) -> None:
    """Draws the numbers of the turning points on the curves, or above or below them if they would overlap."""
    theme = chances.theme
    points = [chances.position_of(moves, chances.chances[moves][seat]) for moves, seat in chances.turning_points]
    places = _spread_discs(points)
    for (x, y), (_, moved) in zip(points, places, strict=True):
        if moved != y:
            canvas.draw_line([(x, y), (x, moved)], 4, theme.frame_dark)
            canvas.draw_disc(x, y, 8, theme.frame_dark)
    for number, (x, y) in enumerate(places, start=1):
        canvas.draw_disc(x, y, _TURNING_DISC_SIZE, theme.frame_dark)
        canvas.draw_disc(x, y, _TURNING_DISC_SIZE - 3, theme.gold)
        canvas.draw_text(str(number), (x, y), CHART_DIGITS, theme.frame_dark, "mm")


def _spread_discs(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The centres of the discs for those points, moved straight up or down as little as needed to avoid overlaps."""
    discs: list[tuple[float, float]] = []
    for x, y in points:
        heights = (height for shift in range(0, CHART_SIZE[1], 2) for height in (y - shift, y + shift))
        # The lowest one stands on the axis, for its turn's number is below it.
        lowest = CHART_SIZE[1] - _BOTTOM - _TURNING_DISC_SIZE
        free = (height for height in heights if _TURNING_DISC_SIZE <= height <= lowest)
        place = next((x, at) for at in free if all(dist((x, at), disc) >= 2 * _TURNING_DISC_SIZE for disc in discs))
        discs.append(place)
    return discs


def _draw_emblems(canvas: ChartCanvas, chances: ChancesChart) -> Iterator[None]:
    """Draws each side's Knight at the end of its line, in steps; moves them apart if the lines end close together."""
    theme, last = chances.theme, len(chances.chances) - 1
    ends = {seat: chances.position_of(last, chances.chances[last][seat])[1] for seat in chances.variant.seats}
    for seat, y in _spread_heights(ends).items():
        colour = chances.variant.armies[seat].colour
        cut = piece_picture(theme, colour, PieceKind.KNIGHT, _EMBLEM_SIZE * CHART_OVERSAMPLING)
        canvas.paste_sprite(cut, (CHART_SIZE[0] - _RIGHT + 20 + tile_side(_EMBLEM_SIZE) / 2, y))
        yield


def _spread_heights(ends: dict[Seat, float]) -> dict[Seat, float]:
    """The heights, top first, moved to at least `_EMBLEM_SIZE` from one another and into the picture."""
    order: Sequence[Seat] = sorted(ends, key=lambda seat: (ends[seat], seat))
    lowest = CHART_SIZE[1] - _EMBLEM_SIZE / 2 - 4
    heights: dict[Seat, float] = {}
    for place, seat in enumerate(order):
        above = heights[order[place - 1]] + _EMBLEM_SIZE if place else _EMBLEM_SIZE / 2
        room = lowest - _EMBLEM_SIZE * (len(order) - 1 - place)
        heights[seat] = min(max(ends[seat], above), room)
    return heights
