"""The values of a layout, and the sizes from which the layouts of all boards are computed. Draws nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import NamedTuple

from rules.board import Board, Cell

SHOWN_SIZE = 400, 350
"""The box in which every client shows a whole picture: the width of a phone, the height of a desktop (550 wide)."""
LETTER = 10.4
"""Size of labels as they are shown, in pixels; capitals are 0.7 times as high, and smaller ones could not be read."""
HEADING_SIZE = 74, 40
"""Width and height of the sign of a level on a board that is not scaled, in pixels."""
_BADGE_LETTERS, _MAX_BADGE, _MAX_PIECE_BADGE = 1.32, 0.56, 0.485
"""The diameter of a legible badge as a share of the size of labels; the largest as a share of a cell, and a piece's."""
LIT_SCALE = 1.17
"""Factor by which the medallion of the side to move is wider than the others."""


class Point(NamedTuple):
    """A point of the picture: pixels from its left edge and from its top edge."""

    x: float
    y: float

    def moved(self, dx: float, dy: float) -> Point:
        """The point `dx` pixels to the right and `dy` pixels further down."""
        return Point(self.x + dx, self.y + dy)


def distance(at: Point, line: tuple[Point, Point]) -> float:
    """The distance of a point from the line segment between two others, in pixels."""
    (x1, y1), (x2, y2) = line
    dx, dy = x2 - x1, y2 - y1
    along = ((at.x - x1) * dx + (at.y - y1) * dy) / (dx * dx + dy * dy)
    along = min(1.0, max(0.0, along))
    return hypot(at.x - x1 - along * dx, at.y - y1 - along * dy)


class Box(NamedTuple):
    """A rectangle of the picture; `right` and `bottom` are exclusive."""

    left: int
    top: int
    right: int
    bottom: int


class Label(NamedTuple):
    """A few letters or digits, centred on a point."""

    text: str
    at: Point
    cell: Cell | None
    """The cell that bears the label; None for the frame."""


class CellArea(NamedTuple):
    """The area of a cell: its centre, its corners clockwise, and the centre of a piece on it."""

    centre: Point
    corners: tuple[Point, ...]
    stand: Point

    def moved(self, dx: float, dy: float) -> CellArea:
        """The area `dx` pixels to the right and `dy` pixels further down."""
        corners = tuple(corner.moved(dx, dy) for corner in self.corners)
        return CellArea(self.centre.moved(dx, dy), corners, self.stand.moved(dx, dy))


class Medallion(NamedTuple):
    """The medallion of a side, beside its castle: its centre and its radius."""

    at: Point
    radius: float


class Heading(NamedTuple):
    """The sign of a level: its number, how many there are, and the centre of the sign."""

    level: int
    levels: int
    at: Point


class NarrowRow(NamedTuple):
    """The narrow row at an end of a board, with a castle: its cells from left to right, and the wood around it."""

    cells: tuple[Cell, ...]
    wood: Box


@dataclass(frozen=True, eq=False)
class Layout:
    """The geometry of one variant seen by one seat. Lengths are pixels. Compared by identity."""

    width: int
    height: int
    pitch: float
    """Distance between the centres of cells that share an edge."""
    frame: int
    """Width of the frame around the cells."""
    piece: int
    """Diameter of a Knight, the largest piece."""
    letter_size: int
    """Size of the labels on the frame."""
    name_size: int
    """Size of the names on cells."""
    areas: tuple[CellArea, ...]
    """By cell."""
    labels: tuple[Label, ...]
    headings: tuple[Heading, ...]
    medallions: tuple[Medallion, ...]
    """By seat."""
    narrow_rows: tuple[NarrowRow, ...]
    tones: tuple[int, ...]
    """By cell its colour in `Theme.floors`, different from every cell that shares an edge with it."""
    scale: float
    """Factor by which the frame and the signs around the board are enlarged."""
    windows: tuple[Box, ...] = ()
    """If only a part of the board is shown, the box of each of its levels, inside a band with labels."""

    @property
    def badge_size(self) -> int:
        """The diameter of a badge with a number: legible wherever the picture is shown, unless cells are small."""
        return round(max(min(self.letter_size * _BADGE_LETTERS, self.pitch * _MAX_BADGE), self.pitch * 0.4))

    @property
    def piece_badge_size(self) -> int:
        """The diameter of a badge on a piece, which has to leave the piece recognisable."""
        return min(self.badge_size, round(self.pitch * _MAX_PIECE_BADGE))

    @property
    def has_small_cells(self) -> bool:
        """Whether a legible badge would hide the piece on its cell."""
        return self.badge_size > self.piece_badge_size


def bounding_box(points: Iterable[Point]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the bounding box of those points."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def rotate_points(castle: frozenset[Cell], flat: Sequence[tuple[float, float]], folds: int) -> list[Point]:
    """The points, rotated around the origin by the one of `folds` rotations that puts `castle` lowest."""

    def turned(fold: int) -> list[Point]:
        c, s = cos(2 * pi * fold / folds), sin(2 * pi * fold / folds)
        # Rounded so that equal cells stay equal to the last digit and the last pixel.
        return [Point(round(x * c - y * s, 6), round(x * s + y * c, 6)) for x, y in flat]

    def depth(points: list[Point]) -> float:
        return mean_point([points[cell] for cell in castle]).y - mean_point(points).y

    return max((turned(fold) for fold in range(folds)), key=depth)


def centre_points(points: Sequence[Point], middle: Point) -> list[Point]:
    """The points, moved so that `middle` is the centre of their bounding box."""
    left, top, right, bottom = bounding_box(points)
    dx, dy = middle.x - (left + right) / 2, middle.y - (top + bottom) / 2
    return [at.moved(dx, dy) for at in points]


def mean_point(points: Sequence[Point]) -> Point:
    return Point(sum(at.x for at in points) / len(points), sum(at.y for at in points) / len(points))


def cell_names(board: Board, centres: Sequence[Point], up: float) -> list[Label]:
    """The name of every cell, `up` pixels above its centre."""
    return [Label(board.names[cell], at.moved(0, -up), cell) for cell, at in enumerate(centres)]
