"""The chances of each side along a game, as lines in their colours. Digits only: what they mean stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist

from render.curve import OVERSAMPLING, SIZE, Canvas
from render.pieces import tile_side, token
from render.theme import THEMES, Theme, blend
from rules import PieceKind, Seat, Variant

_LEFT, _TOP, _RIGHT, _BOTTOM = 142, 40, 96, 92
"""Margins: on the left the percentages, below the numbers of the moves, on the right each side's Knight."""
_DIGITS, _NUMBER = 34, 34
_FAINT = 0.25
_COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_COUNTS = 8
_DISC = 27
"""Half the width of the disc that numbers a turning point."""
_EMBLEM = 60
"""The size of the Knights at the ends of the lines, which stand apart from one another at least by that."""


@dataclass(frozen=True)
class Chances:
    """The chances before the first move and after each one, at least two in all, per seat; each time 1 together."""

    variant: Variant
    chances: tuple[tuple[float, ...], ...]
    turnings: tuple[tuple[int, Seat], ...] = ()
    """The moves that are marked and numbered, by how many had been made before, and whose they were."""
    theme: Theme = THEMES["default"]

    def __post_init__(self) -> None:
        assert len(self.chances) > 1, self.chances

    def at(self, moves: float, chance: float) -> tuple[float, float]:
        """Where that chance (0 to 1) lies after so many moves, in pixels."""
        width, height = SIZE[0] - _LEFT - _RIGHT, SIZE[1] - _TOP - _BOTTOM
        return _LEFT + width * moves / (len(self.chances) - 1), _TOP + height * (1 - chance)

    def counts(self) -> range:
        """The moves whose numbers are written below."""
        moves = len(self.chances) - 1
        step = next((step for step in _COUNTS if moves // step <= _MOST_COUNTS), moves)
        return range(step, moves + 1, step)


def render_chances(chances: Chances) -> bytes:
    """The lines as a PNG file. Pure and thread-safe; keep it off the event loop."""
    theme = chances.theme
    canvas = Canvas(theme.table)
    _grid(canvas, chances)
    for seat in reversed(chances.variant.seats):
        livery = theme.liveries[chances.variant.armies[seat].colour]
        points = [chances.at(moves, found[seat]) for moves, found in enumerate(chances.chances)]
        canvas.line(points, 13, livery.rim)
        canvas.line(points, 7, livery.body)
    _mark(canvas, chances)
    _sign(canvas, chances)
    return canvas.png()


def _grid(canvas: Canvas, chances: Chances) -> None:
    theme, moves = chances.theme, len(chances.chances) - 1
    faint = blend(theme.table, theme.ink, _FAINT)
    for percent in range(0, 101, 25):
        canvas.line([chances.at(0, percent / 100), chances.at(moves, percent / 100)], 2, faint)
        x, y = chances.at(0, percent / 100)
        canvas.text(f"{percent}%" if percent % 50 == 0 else str(percent), (x - 34, y), _DIGITS, theme.ink, "rm")
    for count in chances.counts():
        x, y = chances.at(count, 0)
        canvas.line([(x, y), (x, y + 10)], 2, theme.ink)
        canvas.text(str(count), (x, y + 16), _DIGITS, theme.ink, "mt")


def _mark(canvas: Canvas, chances: Chances) -> None:
    """Number the turning points, right before the moves; above or below them where the numbers would overlap."""
    theme = chances.theme
    points = [chances.at(moves, chances.chances[moves][seat]) for moves, seat in chances.turnings]
    places = _clear(points)
    for (x, y), (_, moved) in zip(points, places, strict=True):
        if moved != y:
            canvas.line([(x, y), (x, moved)], 4, theme.frame_dark)
            canvas.disc(x, y, 8, theme.frame_dark)
    for number, (x, y) in enumerate(places, start=1):
        canvas.disc(x, y, _DISC, theme.frame_dark)
        canvas.disc(x, y, _DISC - 3, theme.gold)
        canvas.text(str(number), (x, y), _NUMBER, theme.frame_dark, "mm")


def _clear(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where the discs of those points lie, none over another: as near as possible, straight above or below."""
    found: list[tuple[float, float]] = []
    for x, y in points:
        heights = (height for shift in range(0, SIZE[1], 2) for height in (y - shift, y + shift))
        free = (height for height in heights if _DISC <= height <= SIZE[1] - _BOTTOM)
        found.append(next((x, at) for at in free if all(dist((x, at), one) >= 2 * _DISC for one in found)))
    return found


def _sign(canvas: Canvas, chances: Chances) -> None:
    """Put each side's Knight at the end of its line, moved apart where the lines end close together."""
    theme, last = chances.theme, len(chances.chances) - 1
    ends = {seat: chances.at(last, chances.chances[last][seat])[1] for seat in chances.variant.seats}
    for seat, y in _apart(ends).items():
        cut = token(theme, chances.variant.armies[seat].colour, PieceKind.KNIGHT, _EMBLEM * OVERSAMPLING)
        canvas.paste(cut, (SIZE[0] - _RIGHT + 20 + tile_side(_EMBLEM) / 2, y))


def _apart(ends: dict[Seat, float]) -> dict[Seat, float]:
    """Those heights, from above, at least `_EMBLEM` from one another and within the picture."""
    order: Sequence[Seat] = sorted(ends, key=lambda seat: (ends[seat], seat))
    lowest = SIZE[1] - _EMBLEM / 2 - 4
    found: dict[Seat, float] = {}
    for place, seat in enumerate(order):
        above = found[order[place - 1]] + _EMBLEM if place else _EMBLEM / 2
        room = lowest - _EMBLEM * (len(order) - 1 - place)
        found[seat] = min(max(ends[seat], above), room)
    return found
