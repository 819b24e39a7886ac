"""The layout of boards of squares: one level, or several that nest in two rows. Draws nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import hypot
from string import ascii_uppercase

from render.geometry import (
    HEADING_SIZE,
    LETTER,
    LIT_SCALE,
    SHOWN_SIZE,
    Box,
    CellArea,
    Heading,
    Label,
    Layout,
    Medallion,
    NarrowRow,
    Point,
    centre_points,
    mean_point,
    rotate_points,
)
from rules import Seat, Variant
from rules.board import Board, Cell, Vector

MAX_SIZE = 960, 1200
"""The largest width and height. Boards of squares fill one of them unless they are small; hexagons nearly the width."""
SQUARE_SIDE = 100
"""The largest side of a square, so that the smallest boards have small pictures."""
_NESTED_RANKS = 2
"""By how many ranks the tips of levels reach into the gaps between the levels of the other row."""
_FRAMES, _TIP, _MARGIN = (10.5, 12.5), 3.0, 1.5
"""In pixels of what is shown: how far the frame reaches beyond the cells, with one digit on it or two, and beyond tips;
and the table around it."""
_PIECE_SHARE = 0.9
"""A Knight's diameter as a share of a square."""


def layout_squares(variant: Variant, bottom: Seat, scale: float) -> Layout:
    """The layout of a board of squares. Levels stand in one frame from left to right, every second one lower, so that
    they nest in two rows: side by side, they would be a third smaller on a phone.

    The squares of a tip have their names beside them, and hardly any frame beyond them: height is what is scarce.
    """
    board, castle = variant.board, variant.armies[bottom].castle
    files, ranks = (max(vector[axis] for vector in board.vectors) for axis in (0, 1))
    on_levels = len(board.vectors[0]) == 3
    levels = max(vector[2] for vector in board.vectors) if on_levels else 1
    floors = [v[2] - 1 if on_levels else 0 for v in board.vectors]
    rows = _narrow_rows(board)
    across, lower = files * (levels + 1) / 2, ranks - _NESTED_RANKS if levels > 1 else 0
    strips = (levels + 3) / 2, 1 if levels > 1 else 0
    side, frame, end, margin, letter = _square_lengths(scale, (across, ranks + lower), strips, tipped=bool(rows))
    width = round(across * side + strips[0] * frame) + 2 * margin
    drop = lower * side + strips[1] * frame
    height = ranks * side + drop + 2 * (end + margin)
    middles = [
        Point(width / 2 + (level - (levels - 1) / 2) * (files * side + frame) / 2, drop if level % 2 else 0)
        for level in range(levels)
    ]
    flat = rotate_points(castle, [(v[0] * side, -v[1] * side) for v in board.vectors], 2)
    flat = centre_points(flat, Point(0, margin + end + ranks * side / 2))
    centres = [at.moved(*middles[floor]) for at, floor in zip(flat, floors, strict=True)]
    tips, labels = list[NarrowRow](), list[Label]()
    for row in rows:
        tip, names = _narrow_row(board, row, centres, side, frame, end, letter, width / 2)
        tips.append(tip)
        labels += names
    narrow, full_names = {cell for row in rows for cell in row}, tuple(labels)
    for level in range(levels):
        cells = [cell for cell, floor in enumerate(floors) if floor == level]
        for label in _edge_labels(board, cells, narrow, centres, (side, frame, letter)):
            if levels == 1 or _belongs_to_one_level(board, label, centres, full_names, (side, frame, letter)):
                labels.append(label)
    corner = Point(files * side / 2 + frame, side / 2 + end)
    return Layout(
        width=width,
        height=height,
        pitch=side,
        frame=frame,
        piece=round(side * _PIECE_SHARE),
        letter_size=letter,
        name_size=letter,
        areas=tuple(CellArea(at, _square_corners(at, side), at) for at in centres),
        labels=tuple(labels),
        headings=tuple(_level_headings(middles, (side, frame, margin + end), (files, ranks), scale)),
        medallions=_corner_medallions(variant, centres, labels, corner, side, letter),
        narrow_rows=tuple(tips),
        tones=tuple(_square_tone(v) for v in board.vectors),
        scale=scale,
    )


def _square_tone(vector: Vector) -> int:
    """The colour of a square in `Theme.floors`. Every second column of a board with levels has a colour of its own."""
    file, rank, *level = vector
    checker = (file + rank) % 2
    return 3 + (file - 1) // 2 % 3 * 2 + checker if level and file % 2 else checker


def _level_headings(
    middles: Sequence[Point], lengths: tuple[int, int, int], size: tuple[int, int], scale: float
) -> Iterator[Heading]:
    """Yields the signs of levels: of upper ones in the gap between tips, of lower ones beside their right edge."""
    side, frame, top = lengths
    for level, (x, down) in enumerate(middles if len(middles) > 1 else (), start=1):
        inward = 1 if x < mean_point(middles).x else -1
        # A quarter of the way from tip to tip, above the frame of the next row.
        beside = Point(x + inward * ((size[0] + 1) * side + 2 * frame) / 4, (top + side - frame) / 2)
        lower = Point(
            x + size[0] * side / 2 + 1.5 * frame + HEADING_SIZE[0] * scale / 2, top + down + size[1] * side / 2
        )
        yield Heading(level, len(middles), lower if down else beside)


def _belongs_to_one_level(
    board: Board, label: Label, centres: Sequence[Point], full_names: Sequence[Label], lengths: tuple[int, int, int]
) -> bool:
    """False if a label on the frame is between two levels, which may both seem to bear it, or hides a full name."""
    side, frame, letter = lengths
    reach = side / 2 + frame * 0.6
    near = (
        board.vectors[cell][2:]
        for cell, at in enumerate(centres)
        if max(abs(at.x - label.at.x), abs(at.y - label.at.y)) < reach
    )
    hidden = (
        abs(at.x - label.at.x) < letter * 1.1 and abs(at.y - label.at.y) < letter * 0.75 for _, at, _ in full_names
    )
    return len(set(near)) < 2 and not any(hidden)


def _square_lengths(
    scale: float, squares: tuple[float, float], strips: tuple[float, float], *, tipped: bool
) -> tuple[int, ...]:
    """Returns lengths in pixels: the side of a square, the frame, the frame at the ends, the margin, and the labels.

    `squares` and `strips` count the squares and the strips of frame, across and up. The lengths are computed for the
    size at which clients show the picture, and then scaled up until the picture has its largest allowed size.
    """
    frame = _FRAMES[squares[1] > 9]
    end = _TIP if tipped else frame
    around = strips[0] * frame + 2 * _MARGIN, strips[1] * frame + 2 * (end + _MARGIN)
    side = min((room - rim) / number for room, rim, number in zip(SHOWN_SIZE, around, squares, strict=True))
    whole = (number * side + rim for rim, number in zip(around, squares, strict=True))
    unit = scale * min(SQUARE_SIDE / side, *(most / length for most, length in zip(MAX_SIZE, whole, strict=True)))
    frames, ends, margin, letter = (round(length * unit) for length in (frame, end, _MARGIN, LETTER))
    return int(side * unit + 1e-6), frames, ends, margin, letter


def _corner_medallions(
    variant: Variant, centres: Sequence[Point], labels: Sequence[Label], corner: Point, side: float, letter: float
) -> tuple[Medallion, ...]:
    """The medallions in the corners beside the castles, at the distance `corner`, as large as the room allows."""

    def free(home: Medallion) -> bool:
        rest = [(at, side * 0.7) for at in centres] + [(label.at, letter * 0.5) for label in labels]
        return all(hypot(home.at.x - x, home.at.y - y) > home.radius * LIT_SCALE + reach for (x, y), reach in rest)

    radius = min(side * 0.6, letter * 1.4)
    while True:
        inset = radius * (LIT_SCALE + 0.02)
        homes = tuple(_side_medallions(variant, centres, Point(corner.x - inset, corner.y - inset), radius))
        if all(map(free, homes)) or radius < side * 0.4:
            return homes
        radius *= 0.97


def _square_corners(centre: Point, side: float) -> tuple[Point, ...]:
    half = side / 2
    return tuple(centre.moved(dx, dy) for dx, dy in ((-half, -half), (half, -half), (half, half), (-half, half)))


def _narrow_rows(board: Board) -> list[tuple[Cell, ...]]:
    """The rows at both ends of every level, if none of them has more than two squares."""
    ranks = [vector[1] for vector in board.vectors]
    rows: dict[tuple[int, ...], list[Cell]] = defaultdict(list)
    for cell, (_, *row) in enumerate(board.vectors):
        if row[0] in (min(ranks), max(ranks)):
            rows[tuple(row)].append(cell)
    return [tuple(row) for row in rows.values()] if max(map(len, rows.values())) <= 2 else []


def _narrow_row(
    board: Board,
    row: Sequence[Cell],
    centres: Sequence[Point],
    side: float,
    frame: float,
    end: float,
    letter: float,
    middle: float,
) -> tuple[NarrowRow, list[Label]]:
    """The narrow row, and the labels of its outer squares on the wood beside them.

    A single square is named once, on the side away from the middle of the picture.
    """
    row = sorted(row, key=lambda cell: centres[cell].x)
    outer = [(row[0], -1), (row[-1], 1)]
    names = {cell: f"{ascii_uppercase[board.vectors[cell][0] - 1]}{board.vectors[cell][1]}" for cell in row}
    aside = letter * (0.45 + 0.57 * max(map(len, names.values())))
    ys = [at.y for cell, at in enumerate(centres) if board.vectors[cell][2:] == board.vectors[row[0]][2:]]
    outward = 1 if centres[row[0]].y > (min(ys) + max(ys)) / 2 else -1
    # The next row's file stands on the wood beside it too, towards the board.
    y = outward * max(0.0, letter * 0.92 - (side - frame) / 2)
    named = outer if len(row) > 1 else [outer[centres[row[0]].x > middle + 1]]
    labels = [Label(names[cell], centres[cell].moved(way * (side + aside) / 2, y), None) for cell, way in named]
    left, right = (
        centres[cell].x + way * (side / 2 + (aside if (cell, way) in named else frame)) for cell, way in outer
    )
    top, bottom = (centres[row[0]].y + way * (side / 2 + end) for way in (-1, 1))
    return NarrowRow(tuple(row), Box(round(left), round(top), round(right), round(bottom))), labels


def _edge_labels(
    board: Board, cells: Sequence[Cell], apart: set[Cell], centres: Sequence[Point], lengths: tuple[int, int, int]
) -> Iterator[Label]:
    """The rank at both ends of every row of squares, and the file at both ends of every column; none at those apart."""
    at = {board.vectors[cell][:2]: centres[cell] for cell in cells}
    side, frame, letter = lengths
    apart_at = {centres[cell] for cell in apart}
    give = max(side * 0.08, letter * 0.82 - (side - frame) / 2)
    floor = {(round(x), round(y)) for x, y in at.values()}
    for axis in (0, 1):
        lines: dict[int, list[Point]] = defaultdict(list)
        for vector, centre in at.items():
            lines[vector[axis]].append(centre)
        for number, line in lines.items():
            for end, way in ((min(line), -1), (max(line), 1)):
                if end in apart_at:
                    continue
                label = end.moved(*_label_shift(axis, way * (side + frame) / 2, 0))
                for turn in (-1, 1):
                    # Two labels meet in an inner corner of the outline, so each moves aside.
                    if tuple(map(round, end.moved(*_label_shift(axis, way * side, turn * side)))) in floor:
                        label = label.moved(*_label_shift(axis, 0, -turn * give))
                yield Label(str(number) if axis else ascii_uppercase[number - 1], label, None)


def _label_shift(axis: int, outward: float, aside: float) -> tuple[float, float]:
    """A shift seen from the end of a line of cells: a column (axis 0) ends vertically, a row (axis 1) horizontally."""
    return (outward, aside) if axis else (aside, outward)


def _side_medallions(variant: Variant, centres: Sequence[Point], reach: Point, radius: float) -> Iterator[Medallion]:
    """The medallions, each `reach.x` beside its castle and `reach.y` outward from it, in an outer corner."""
    middle = mean_point(centres)
    for army in variant.armies:
        levels = {variant.board.vectors[cell][2:] for cell in army.castle}
        hub = mean_point([at for at, v in zip(centres, variant.board.vectors, strict=True) if v[2:] in levels])
        gate = mean_point([centres[cell] for cell in army.castle])
        away = hypot(gate.x - hub.x, gate.y - hub.y)
        dx, dy = (gate.x - hub.x) / away, (gate.y - hub.y) / away
        right = gate.moved(dx * reach.y + dy * reach.x, dy * reach.y - dx * reach.x)
        left = gate.moved(dx * reach.y - dy * reach.x, dy * reach.y + dx * reach.x)
        yield Medallion(max((right, left), key=lambda at: round(abs(at.x - middle.x))), radius)
