"""The geometry of a picture, in exact pixels. Draws nothing.

The board is rotated so that the castle of the army at the bottom is lowest: squares by half turns, hexagons by thirds.
Levels stay in order from left to right; each is rotated by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import cos, pi, sin, sqrt

from render.geometry import (
    LETTER,
    LIT_SCALE,
    SHOWN_SIZE,
    CellArea,
    Layout,
    Medallion,
    Point,
    cell_names,
    centre_points,
    mean_point,
    rotate_points,
)
from render.squares import layout_squares
from rules import Seat, Variant
from rules.board import SIX_WAYS

HEXAGON_SIDE = 52
"""Edge of a hexagon. 1.5 and √3/2 times it are (almost) whole pixels, so that equal cells compress well."""


@lru_cache(maxsize=64)
def layout_of(variant: Variant, bottom: Seat, *, scale: float = 1) -> Layout:
    """The geometry of that variant with that seat's army at the bottom, enlarged by `scale`."""
    if variant.board.directions == SIX_WAYS:
        return _layout_hexagons(variant, bottom, scale)
    return layout_squares(variant, bottom, scale)


@lru_cache(maxsize=64)
def reading_places(variant: Variant, bottom: Seat) -> tuple[tuple[float, ...], ...]:
    """By cell, what sorts the cells as people read that board: by level, from top to bottom, from left to right."""
    areas, vectors = layout_of(variant, bottom).areas, variant.board.vectors
    return tuple((*v[2:], round(area.centre.y), area.centre.x) for v, area in zip(vectors, areas, strict=True))


def _layout_hexagons(variant: Variant, bottom: Seat, scale: float) -> Layout:
    frame, margin, side = (round(length * scale) for length in (14, 8, HEXAGON_SIDE))
    board = variant.board
    files, ranks = (max(vector[axis] for vector in board.vectors) for axis in (0, 1))
    width = round((1.5 * (files - 1) + 2) * side) + 2 * (frame + margin)
    height = round((ranks + 1) * side * sqrt(3) / 2) + 2 * (frame + margin)
    flat = [(v[0] * 1.5 * side, -v[1] * side * sqrt(3) / 2) for v in board.vectors]
    centres = centre_points(rotate_points(variant.armies[bottom].castle, flat, 3), Point(width / 2, height / 2))
    piece = round(side * 1.22)
    letter = round(LETTER * max(width / SHOWN_SIZE[0], height / SHOWN_SIZE[1]))
    return Layout(
        width=width,
        height=height,
        pitch=side * sqrt(3),
        frame=frame,
        piece=piece,
        letter_size=letter,
        name_size=letter,
        areas=tuple(CellArea(at, _hexagon_corners(at, side), at.moved(0, side * 0.21)) for at in centres),
        labels=tuple(cell_names(board, centres, side * 0.62)),
        headings=(),
        medallions=tuple(_hex_medallions(variant, centres, width, height, side * 0.68)),
        narrow_rows=(),
        # The tones alternate along each of the three axes, so the eye can follow every straight line.
        tones=tuple((v[0] + (v[0] + v[1]) // 2) % 3 for v in board.vectors),
        scale=scale,
    )


def _hexagon_corners(centre: Point, side: float) -> tuple[Point, ...]:
    return tuple(centre.moved(side * cos(k * pi / 3), side * sin(k * pi / 3)) for k in range(6))


def _hex_medallions(
    variant: Variant, centres: Sequence[Point], width: int, height: int, radius: float
) -> Iterator[Medallion]:
    """The medallions around a triangle: in the upper corners of the picture, and beside the castle at its foot."""
    inset = radius * (LIT_SCALE + 0.1)
    for army in variant.armies:
        gate = mean_point([centres[cell] for cell in army.castle])
        if gate.y > height / 2:
            yield Medallion(Point(gate.x + radius * 3.75, height - inset), radius)
        else:
            yield Medallion(Point(inset if gate.x < width / 2 else width - inset, inset), radius)
