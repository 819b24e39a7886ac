"""The empty board that a picture needs, its layout, and the layout of an enlarged part of a board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from string import ascii_uppercase
from typing import NamedTuple

from render.geometry import Box, CellArea, Heading, Label, Layout, Medallion, Point, bounding_box, mean_point
from render.layout import HEXAGON_SIDE, layout_of
from render.squares import MAX_SIZE
from render.theme import Theme
from rules import Seat, Variant
from rules.board import SIX_WAYS, Cell

ZOOM_REACH = 3
"""How many steps a part reaches to each side of its middle."""
_SQUARE, _EDGE = 104, 74
"""Side of an enlarged square and of an enlarged hexagon, in pixels; larger squares keep their size.

√3/2 times the hexagon's side is (almost) a whole number.
"""
_LEAST_SIDE = 8
"""The fewest squares on each side of the part with a choice."""
_BLEED_SHARE = 0.18
"""How much of the next cells is visible at the edge of a part, as a share of a cell."""
_BAND, _RIM = 44, 26
"""Width of the band around a part: with labels, and without."""
_HEADING_HEIGHT = 64
"""Height of the sign above a part of a level."""
_LAMP_RADIUS = 26
"""Radius of the medallion in a corner."""


class EmptyBoard(NamedTuple):
    """Everything that the empty board of a picture depends on: the key of the caches of boards and layouts."""

    variant: Variant
    bottom: Seat
    theme: Theme
    part: tuple[Cell, ...] = ()
    """The cells of the part that is shown; empty for the whole board."""
    scale: float = 1
    """The scale of the whole board; parts have their own size."""
    reader: Seat | None = None
    """The seat whose barred castle has a grille; None where none has."""


@lru_cache(maxsize=128)
def plan_of(sheet: EmptyBoard) -> Layout:
    """The geometry of a sheet."""
    variant, bottom = sheet.variant, sheet.bottom
    if not sheet.part:
        return layout_of(variant, bottom, scale=sheet.scale)
    if _is_hexagonal(variant):
        scale = _EDGE / HEXAGON_SIDE
    else:
        across = max(len({variant.board.vectors[cell][axis] for cell in sheet.part}) for axis in (0, 1))
        scale = min(_SQUARE, (MAX_SIZE[0] - 2 * _BAND) // across) / layout_of(variant, bottom).pitch
    return _layout_part(variant, layout_of(variant, bottom, scale=scale), sheet.part)


@lru_cache(maxsize=1024)
def cells_around(variant: Variant, middle: Cell, reach: int = ZOOM_REACH) -> tuple[Cell, ...]:
    """The cells on the same level within that many steps of the cell, in board order."""
    vectors, hexagonal = variant.board.vectors, _is_hexagonal(variant)
    hub = vectors[middle]

    def steps(cell: Cell) -> int:
        files, ranks = (abs(a - b) for a, b in zip(vectors[cell][:2], hub[:2], strict=True))
        # Hexagons have doubled ranks: a step to another file is also half a step along the file.
        return files + max(0, ranks - files) // 2 if hexagonal else max(files, ranks)

    return tuple(cell for cell, vector in enumerate(vectors) if vector[2:] == hub[2:] and steps(cell) <= reach)


@lru_cache(maxsize=1024)
def part_around(variant: Variant, zoom: Cell) -> tuple[Cell, ...]:
    """The part for a cell: among those that show every leap from it, the one with most cells. Many cells share one."""
    leaps = set(cells_around(variant, zoom, 2))
    nearest = (cell for reach in range(ZOOM_REACH + 1) for cell in cells_around(variant, zoom, reach))
    parts = (cells_around(variant, cell) for cell in dict.fromkeys(nearest))
    return max((part for part in parts if leaps <= set(part)), key=len)


@lru_cache(maxsize=1024)
def part_with(variant: Variant, cells: frozenset[Cell]) -> tuple[Cell, ...]:
    """The square part with those cells, if the squares of the board are small; empty for the whole board.

    Its sides are even and begin at odd lines, so that there are few parts to draw.
    """
    vectors = variant.board.vectors
    if not layout_of(variant, variant.seats[0]).has_small_cells:
        return ()
    ends = [(min(numbers), max(numbers)) for numbers in ([vectors[cell][axis] for cell in cells] for axis in (0, 1))]
    most = [max(vector[axis] for vector in vectors) for axis in (0, 1)]
    for side in range(_LEAST_SIDE, min(most), 2):
        files, ranks = (_spans_with(*end, end_of_board, side) for end, end_of_board in zip(ends, most, strict=True))
        if files and ranks:
            break
    else:
        return ()
    return tuple(cell for cell, (file, rank) in enumerate(vectors) if file in files[0] and rank in ranks[0])


def _spans_with(first: int, last: int, most: int, side: int) -> list[range]:
    """The spans of so many of the lines 1 to `most` that hold the lines from `first` to `last`.

    The one with these nearest to its middle comes first, and of two the one nearer to the board's.
    """
    spans = (range(begin, begin + side) for begin in range(1, most - side + 2, 2))
    holding = [span for span in spans if first in span and last in span]
    return sorted(holding, key=lambda span: [abs(span[0] + span[-1] - twice) for twice in (first + last, 1 + most)])


def _layout_part(variant: Variant, whole: Layout, cells: tuple[Cell, ...]) -> Layout:
    """The layout of the part with those cells: a band with labels around it, and medallions in its corners."""
    whole = _set_levels_apart(variant, whole, variant.board.vectors[cells[0]][2:])
    window = _window_around(variant, whole, cells)
    levels = [heading for heading in whole.headings if heading.level == variant.board.vectors[cells[0]][2]]
    head = _HEADING_HEIGHT if levels else 0
    band = _RIM if _is_hexagonal(variant) else _BAND
    dx, dy = band - window.left, band + head - window.top
    here = Box(band, band + head, window.right + dx, window.bottom + dy)
    width, height = here.right + band, here.bottom + band
    labels = [label._replace(at=label.at.moved(dx, dy)) for label in whole.labels if label.cell is not None]
    areas = tuple(area.moved(dx, dy) for area in whole.areas)
    if not _is_hexagonal(variant):
        labels += _band_labels(variant, areas, cells, here)
    return replace(
        whole,
        width=width,
        height=height,
        areas=areas,
        labels=tuple(labels),
        letter_size=30,
        scale=1,
        headings=tuple(Heading(sign.level, sign.levels, Point(width / 2, head / 2)) for sign in levels),
        medallions=tuple(_corner_medallions_of_part(whole, width, height, head)),
        narrow_rows=(),
        window=here,
    )


def _set_levels_apart(variant: Variant, whole: Layout, shown: tuple[int, ...]) -> Layout:
    """The layout with the other levels side by side with the one shown, so far away that no part shows them too."""
    vectors = variant.board.vectors
    middles = {
        level: mean_point(
            [area.centre for area, vector in zip(whole.areas, vectors, strict=True) if vector[2:] == level]
        )
        for level in {vector[2:] for vector in vectors}
    }
    reach = (max(vector[0] for vector in vectors) + 2 * ZOOM_REACH) * whole.pitch
    shifts = {
        level: (middles[shown].x - at.x + sum(level) * reach - sum(shown) * reach, middles[shown].y - at.y)
        for level, at in middles.items()
    }
    return replace(
        whole,
        areas=tuple(area.moved(*shifts[vector[2:]]) for area, vector in zip(whole.areas, vectors, strict=True)),
        labels=tuple(
            label if label.cell is None else label._replace(at=label.at.moved(*shifts[vectors[label.cell][2:]]))
            for label in whole.labels
        ),
    )


def _window_around(variant: Variant, whole: Layout, cells: tuple[Cell, ...]) -> Box:
    """The box around those cells, plus a strip of the next cells on sides where the board continues."""
    vectors = variant.board.vectors
    level = [cell for cell, vector in enumerate(vectors) if vector[2:] == vectors[cells[0]][2:]]
    bleed = whole.pitch * _BLEED_SHARE
    shown, there = (bounding_box(at for cell in some for at in whole.areas[cell].corners) for some in (cells, level))
    more = (0 if abs(here - end) < 1 else bleed for here, end in zip(shown, there, strict=True))
    left, top, right, bottom = (
        round(side + way * bit) for side, way, bit in zip(shown, (-1, -1, 1, 1), more, strict=True)
    )
    return Box(left, top, right, bottom)


def _band_labels(
    variant: Variant, areas: tuple[CellArea, ...], cells: tuple[Cell, ...], window: Box
) -> Iterator[Label]:
    """Yields the files and ranks on the band, at both ends of every line."""
    vectors = variant.board.vectors
    half = _BAND / 2
    for x, file in {areas[cell].centre.x: vectors[cell][0] for cell in cells}.items():
        for y in (window.top - half, window.bottom + half):
            yield Label(ascii_uppercase[file - 1], Point(x, y), None)
    for y, rank in {areas[cell].centre.y: vectors[cell][1] for cell in cells}.items():
        for x in (window.left - half, window.right + half):
            yield Label(str(rank), Point(x, y), None)


def _corner_medallions_of_part(whole: Layout, width: int, height: int, head: int) -> Iterator[Medallion]:
    """Yields the medallion of each side, in the corner of the picture nearest to its castle."""
    inset = _LAMP_RADIUS * 1.25
    for home in whole.medallions:
        right, low = home.at.x > whole.width / 2, home.at.y > whole.height / 2
        at = Point(width - inset if right else inset, height - inset if low else head + inset)
        yield Medallion(at, _LAMP_RADIUS)


def _is_hexagonal(variant: Variant) -> bool:
    return variant.board.directions == SIX_WAYS
