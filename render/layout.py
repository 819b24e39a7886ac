"""Where everything stands in a picture, in pixels, exactly. Nothing is drawn here.

The board is turned so that the castle of the army at the bottom is lowest: squares by half turns, hexagons by
thirds. Levels stay in order from left to right, each turned in itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from math import cos, hypot, pi, sin, sqrt
from string import ascii_uppercase
from typing import NamedTuple

from rules.board import SIX_WAYS, Board, Cell
from rules.position import Seat, Variant


class Point(NamedTuple):
    """A place in the picture: pixels to the right of its left edge, and below its top edge."""

    x: float
    y: float

    def moved(self, dx: float, dy: float) -> Point:
        """The point that far to the right and further down."""
        return Point(self.x + dx, self.y + dy)


class Ground(Enum):
    """What a label is written on."""

    FRAME = "frame"
    CELL = "cell"


class Label(NamedTuple):
    """A few letters or digits, centred on a point."""

    text: str
    at: Point
    ground: Ground


class Place(NamedTuple):
    """Where a cell is: its centre, its corners clockwise, and the centre of a piece that stands on it."""

    centre: Point
    corners: tuple[Point, ...]
    stand: Point


class Home(NamedTuple):
    """Where the badge of a side is, beside its castle, and the direction (of length 1) from there into the board."""

    at: Point
    inward: tuple[float, float]


class Heading(NamedTuple):
    """The sign above a level: its number, how many there are, and the centre of the sign."""

    level: int
    levels: int
    at: Point


@dataclass(frozen=True)
class Layout:
    """The geometry of one variant seen by one seat. Lengths are pixels."""

    width: int
    height: int
    pitch: float
    """Between the centres of cells that share an edge."""
    frame: int
    """How far the frame reaches beyond the cells."""
    piece: int
    """Diameter of a Knight; the largest piece there is."""
    letter: int
    """Size of the labels."""
    places: tuple[Place, ...]
    """By cell."""
    labels: tuple[Label, ...]
    headings: tuple[Heading, ...]
    homes: tuple[Home, ...]
    """By seat."""
    tones: tuple[int, ...]
    """By cell: 0, 1 or 2, different from every cell that shares an edge with it."""


WIDTH = 1000
"""Every picture is this wide."""


@cache
def layout(variant: Variant, bottom: Seat) -> Layout:
    """The geometry of that variant with that seat's army at the bottom."""
    board = variant.board
    if board.directions == SIX_WAYS:
        return _hexagons(variant, bottom)
    if len(board.vectors[0]) == 3:
        return _levels(variant, bottom)
    return _squares(variant, bottom)


def _squares(variant: Variant, bottom: Seat) -> Layout:
    frame, margin = 36, 14
    board = variant.board
    files, ranks = (max(vector[axis] for vector in board.vectors) for axis in (0, 1))
    side = (WIDTH - 2 * (frame + margin)) // files
    height = ranks * side + 2 * (frame + margin)
    centres = _turned(variant.armies[bottom].castle, [(v[0] * side, -v[1] * side) for v in board.vectors], 2)
    centres = _centred(centres, Point(WIDTH / 2, height / 2))
    return Layout(
        width=WIDTH,
        height=height,
        pitch=side,
        frame=frame,
        piece=round(side * 0.84),
        letter=24,
        places=tuple(Place(centre, _square(centre, side), centre) for centre in centres),
        labels=tuple(_edge_labels(board, range(board.edge), centres, side / 2 + frame / 2)),
        headings=(),
        homes=tuple(
            _beside(centres, army.castle, Point(WIDTH / 2, height / 2), side * 2.15, frame) for army in variant.armies
        ),
        tones=tuple((v[0] + v[1]) % 2 for v in board.vectors),
    )


def _levels(variant: Variant, bottom: Seat) -> Layout:
    frame, margin, gap, head = 25, 9, 12, 64
    board = variant.board
    files, ranks, levels = (max(vector[axis] for vector in board.vectors) for axis in (0, 1, 2))
    side = (WIDTH - 2 * margin - levels * 2 * frame - (levels - 1) * gap) // (levels * files)
    height = head + ranks * side + 2 * frame + 2 * margin
    stride = files * side + 2 * frame + gap
    left = (WIDTH - (levels - 1) * stride) / 2
    middle = head + margin + frame + ranks * side / 2
    flat = _turned(variant.armies[bottom].castle, [(v[0] * side, -v[1] * side) for v in board.vectors], 2)
    flat = _centred(flat, Point(0, middle))
    centres = [at.moved(left + (v[2] - 1) * stride, 0) for at, v in zip(flat, board.vectors, strict=True)]
    labels: list[Label] = []
    for level in range(1, levels + 1):
        cells = [cell for cell, vector in enumerate(board.vectors) if vector[2] == level]
        labels += _edge_labels(board, cells, centres, side / 2 + frame / 2)
    return Layout(
        width=WIDTH,
        height=height,
        pitch=side,
        frame=frame,
        piece=round(side * 0.86),
        letter=19,
        places=tuple(Place(centre, _square(centre, side), centre) for centre in centres),
        labels=tuple(labels),
        headings=tuple(
            Heading(level, levels, Point(left + (level - 1) * stride, margin + head / 2 - 2))
            for level in range(1, levels + 1)
        ),
        homes=tuple(
            _beside(centres, army.castle, Point(_mean([centres[cell] for cell in army.castle]).x, middle), side * 2.05, frame)
            for army in variant.armies
        ),
        tones=tuple((v[0] + v[1]) % 2 for v in board.vectors),
    )


def _hexagons(variant: Variant, bottom: Seat) -> Layout:
    frame, margin = 20, 10
    board = variant.board
    files, ranks = (max(vector[axis] for vector in board.vectors) for axis in (0, 1))
    side = (WIDTH - 2 * (frame + margin)) / (1.5 * (files - 1) + 2)
    height = round((ranks + 1) * side * sqrt(3) / 2 + 2 * (frame + margin))
    flat = [(v[0] * 1.5 * side, -v[1] * side * sqrt(3) / 2) for v in board.vectors]
    centres = _turned(variant.armies[bottom].castle, flat, 3)
    centres = _centred(centres, Point(WIDTH / 2, height / 2))
    hub = _mean([centres[cell] for army in variant.armies for cell in army.castle])
    return Layout(
        width=WIDTH,
        height=height,
        pitch=side * sqrt(3),
        frame=frame,
        piece=round(side * 1.2),
        letter=20,
        places=tuple(Place(at, _hexagon(at, side), at.moved(0, side * 0.16)) for at in centres),
        labels=tuple(
            Label(name, at.moved(0, -side * 0.61), Ground.CELL) for name, at in zip(board.names, centres, strict=True)
        ),
        headings=(),
        homes=tuple(_beside(centres, army.castle, hub, side * 2.75, side * 0.4) for army in variant.armies),
        # Along each of the three axes the tones follow each other, so every straight line can be followed.
        tones=tuple((v[0] + (v[0] + v[1]) // 2) % 3 for v in board.vectors),
    )


def _turned(castle: frozenset[Cell], flat: Sequence[tuple[float, float]], folds: int) -> list[Point]:
    """The points turned around the origin by the one of `folds` rotations that puts `castle` lowest."""
    def turned(fold: int) -> list[Point]:
        if fold == 0:
            return [Point(x, y) for x, y in flat]
        if 2 * fold == folds:
            return [Point(-x, -y) for x, y in flat]
        c, s = cos(2 * pi * fold / folds), sin(2 * pi * fold / folds)
        return [Point(x * c - y * s, x * s + y * c) for x, y in flat]

    def depth(points: list[Point]) -> float:
        return _mean([points[cell] for cell in castle]).y - _mean(points).y

    return max((turned(fold) for fold in range(folds)), key=depth)


def _centred(points: Sequence[Point], middle: Point) -> list[Point]:
    """The points moved so that the box around them has its middle there."""
    xs, ys = [at.x for at in points], [at.y for at in points]
    dx, dy = middle.x - (min(xs) + max(xs)) / 2, middle.y - (min(ys) + max(ys)) / 2
    return [at.moved(dx, dy) for at in points]


def _mean(points: Sequence[Point]) -> Point:
    return Point(sum(at.x for at in points) / len(points), sum(at.y for at in points) / len(points))


def _square(centre: Point, side: float) -> tuple[Point, ...]:
    half = side / 2
    return tuple(centre.moved(dx, dy) for dx, dy in ((-half, -half), (half, -half), (half, half), (-half, half)))


def _hexagon(centre: Point, side: float) -> tuple[Point, ...]:
    return tuple(centre.moved(side * cos(k * pi / 3), side * sin(k * pi / 3)) for k in range(6))


def _edge_labels(board: Board, cells: Sequence[Cell], centres: Sequence[Point], reach: float) -> Iterator[Label]:
    """The rank at both ends of every row of squares, and the file at both ends of every column."""
    at = {board.vectors[cell][:2]: centres[cell] for cell in cells}
    for axis, (dx, dy) in ((0, (0.0, reach)), (1, (reach, 0.0))):
        lines: dict[int, list[Point]] = defaultdict(list)
        for vector, centre in at.items():
            lines[vector[axis]].append(centre)
        for number, line in lines.items():
            text = str(number) if axis else ascii_uppercase[number - 1]
            yield Label(text, min(line).moved(-dx, -dy), Ground.FRAME)
            yield Label(text, max(line).moved(dx, dy), Ground.FRAME)


def _beside(centres: Sequence[Point], castle: frozenset[Cell], hub: Point, aside: float, outward: float) -> Home:
    """The home that is `aside` of the castle and `outward` from the hub, where the picture has a free corner."""
    gate = _mean([centres[cell] for cell in castle])
    distance = hypot(gate.x - hub.x, gate.y - hub.y)
    dx, dy = (gate.x - hub.x) / distance, (gate.y - hub.y) / distance
    right = gate.moved(dx * outward + dy * aside, dy * outward - dx * aside)
    left = gate.moved(dx * outward - dy * aside, dy * outward + dx * aside)
    return Home(min((right, left), key=lambda at: round(abs(at.x - hub.x))), (-dx, -dy))
