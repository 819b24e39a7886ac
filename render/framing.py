"""The empty board that a picture needs, its layout, and the layout of an enlarged part of a board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from string import ascii_uppercase
from typing import NamedTuple

from render.geometry import HEADING_SIZE, Box, CellArea, Heading, Label, Layout, Medallion, Point, bounding_box
from render.layout import HEXAGON_SIDE, layout_of
from render.squares import MAX_SIZE
from render.theme import Theme
from rules import Seat, Variant
from rules.board import SIX_WAYS, Cell, Vector

ZOOM_REACH = 3
"""How many steps a part reaches to each side of its middle."""
_SQUARE, _EDGE = 104, 74
"""Side of an enlarged square and of an enlarged hexagon, in pixels; larger squares keep their size.

√3/2 times the hexagon's side is (almost) a whole number.
"""
_LEAST_SIDE, _NESTED_SIDES = 8, (4, 5)
"""The fewest squares on each side of the part with a choice, and the ranks of one with three levels."""
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


@lru_cache(maxsize=128)
def plan_of(sheet: EmptyBoard) -> Layout:
    """The geometry of a sheet."""
    variant, bottom = sheet.variant, sheet.bottom
    if not sheet.part:
        return layout_of(variant, bottom, scale=sheet.scale)
    if _is_hexagonal(variant):
        scale = _EDGE / HEXAGON_SIDE
    else:
        columns = min(len(_levels_of(variant, sheet.part)), 2)
        files, ranks = (len({variant.board.vectors[cell][axis] for cell in sheet.part}) for axis in (0, 1))
        room = (MAX_SIZE[0] - (columns + 1) * _BAND) // max(columns * files, ranks)
        scale = min(_SQUARE, room) / layout_of(variant, bottom).pitch
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
    """The part with those cells, if the squares of the board are small; empty for the whole board.

    It is a square as far as the board is one, even and from an odd line on, so that there are few parts to draw. Of
    levels it has those with these cells: the same ranks of all three, or the whole of one or two.
    """
    vectors, levels = variant.board.vectors, _levels_of(variant, cells)
    if not layout_of(variant, variant.seats[0]).has_small_cells:
        return ()
    ends = [(min(numbers), max(numbers)) for numbers in ([vectors[cell][axis] for cell in cells] for axis in (0, 1))]
    most = [max(vector[axis] for vector in vectors) for axis in (0, 1)]
    sizes, step = [(min(side, most[0]), side) for side in range(_LEAST_SIDE, max(most), 2)], 2
    if levels != [()]:
        sizes, step = [(most[0], side) for side in (_NESTED_SIDES if len(levels) > 2 else most[1:])], 1
    for size in sizes:
        files, ranks = (_spans_with(*ends[axis], most[axis], size[axis], step) for axis in (0, 1))
        if files and ranks:
            break
    else:
        return ()
    return tuple(
        cell
        for cell, (file, rank, *level) in enumerate(vectors)
        if file in files[0] and rank in ranks[0] and tuple(level) in levels
    )


def _levels_of(variant: Variant, cells: Iterable[Cell]) -> list[Vector]:
    """The levels of those cells, the first one first; of a board without levels, one."""
    return sorted({variant.board.vectors[cell][2:] for cell in cells})


def _spans_with(first: int, last: int, most: int, side: int, step: int) -> list[range]:
    """The spans of so many of the lines 1 to `most` that hold the lines from `first` to `last`.

    The one with these nearest to its middle comes first, and of two the one nearer to the board's.
    """
    begins = *range(1, most - side + 1, step), most - side + 1
    spans = (range(begin, begin + side) for begin in begins)
    holding = [span for span in spans if first in span and last in span]
    return sorted(holding, key=lambda span: [abs(span[0] + span[-1] - twice) for twice in (first + last, 1 + most)])


def _layout_part(variant: Variant, whole: Layout, cells: tuple[Cell, ...]) -> Layout:
    """The layout of the part with those cells: each level in a window in a band with labels, and medallions in the
    corners.
    """
    vectors, levels = variant.board.vectors, _levels_of(variant, cells)
    signs = [heading for heading in whole.headings if (heading.level,) in levels]
    band, head = _RIM if _is_hexagonal(variant) else _BAND, _HEADING_HEIGHT if signs else 0
    boxes = [_window_around(variant, whole, cells, level) for level in levels]
    windows = tuple(_place_windows(boxes, band, band + head))
    width, height = (max(window[end] for window in windows) + band for end in (2, 3))
    moves = {at: (to.left - box.left, to.top - box.top) for at, box, to in zip(levels, boxes, windows, strict=True)}
    # The other cells of three levels would lie in each other's windows.
    near, away = {*cells} if len(levels) > 2 else range(len(vectors)), (-2 * whole.width, 0)
    shifts = [moves.get(vector[2:], away) if cell in near else away for cell, vector in enumerate(vectors)]
    areas = tuple(area.moved(*shift) for area, shift in zip(whole.areas, shifts, strict=True))
    labels = [name._replace(at=name.at.moved(*shifts[name.cell])) for name in whole.labels if name.cell is not None]
    if not _is_hexagonal(variant):
        labels += dict.fromkeys(_band_labels(variant, areas, cells, windows))
    return replace(
        whole,
        width=width,
        height=height,
        areas=areas,
        labels=tuple(labels),
        letter_size=30,
        scale=1,
        headings=tuple(map(_place_sign, signs, windows)),
        medallions=tuple(_corner_medallions_of_part(whole, width, height, head)),
        narrow_rows=(),
        windows=windows,
    )


def _place_windows(boxes: Sequence[Box], left: int, top: int) -> Iterator[Box]:
    """Yields the boxes side by side, from that corner on; of three, the second below the others, as on whole boards."""
    for index, box in enumerate(boxes):
        column, row = (index / 2, index % 2) if len(boxes) > 2 else (index, 0)
        width, height = box.right - box.left, box.bottom - box.top
        x, y = left + round(column * (width + _BAND)), top + row * (height + _BAND)
        yield Box(x, y, x + width, y + height)


def _place_sign(sign: Heading, window: Box) -> Heading:
    """The sign of a level above its window, or at the right of one in a second row."""
    above = Point((window.left + window.right) / 2, _HEADING_HEIGHT / 2)
    beside = Point(window.right + _BAND + HEADING_SIZE[0], (window.top + window.bottom) / 2)
    return sign._replace(at=beside if window.top > _BAND + _HEADING_HEIGHT else above)


def _window_around(variant: Variant, whole: Layout, cells: Sequence[Cell], level: Vector) -> Box:
    """The box around those cells on that level. If no others are shown, it has a strip of the next cells on sides where
    the board continues.
    """
    on_level = [cell for cell, vector in enumerate(variant.board.vectors) if vector[2:] == level]
    here = {*cells}.intersection(on_level)
    bleed = whole.pitch * _BLEED_SHARE if len(here) == len(cells) else 0
    shown, there = (bounding_box(at for cell in some for at in whole.areas[cell].corners) for some in (here, on_level))
    more = (0 if abs(side - end) < 1 else bleed for side, end in zip(shown, there, strict=True))
    left, top, right, bottom = (
        round(side + way * bit) for side, way, bit in zip(shown, (-1, -1, 1, 1), more, strict=True)
    )
    return Box(left, top, right, bottom)


def _band_labels(
    variant: Variant, areas: Sequence[CellArea], cells: Sequence[Cell], windows: Sequence[Box]
) -> Iterator[Label]:
    """Yields the files and ranks on the band, at both ends of every line; no files between two windows."""
    vectors, half = variant.board.vectors, _BAND / 2
    ends = min(window.top for window in windows) - half, max(window.bottom for window in windows) + half
    for cell in cells:
        (x, y), (file, rank, *_) = areas[cell].centre, vectors[cell]
        for left, top, right, bottom in windows:
            if left < x < right and top < y < bottom:
                yield from (Label(str(rank), Point(at, y), None) for at in (left - half, right + half))
                at_ends = (at for at in (top - half, bottom + half) if at in ends)
                yield from (Label(ascii_uppercase[file - 1], Point(x, at), None) for at in at_ends)


def _corner_medallions_of_part(whole: Layout, width: int, height: int, head: int) -> Iterator[Medallion]:
    """Yields the medallion of each side, in the corner of the picture nearest to its castle."""
    inset = _LAMP_RADIUS * 1.25
    for home in whole.medallions:
        right, low = home.at.x > whole.width / 2, home.at.y > whole.height / 2
        at = Point(width - inset if right else inset, height - inset if low else head + inset)
        yield Medallion(at, _LAMP_RADIUS)


def _is_hexagonal(variant: Variant) -> bool:
    return variant.board.directions == SIX_WAYS
