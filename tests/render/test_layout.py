"""The exact geometry of every board, seen from every side."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import hypot, isclose, sqrt
from string import ascii_uppercase

import pytest
from PIL import ImageChops

from render import View
from render.geometry import CellArea, Layout, Point, distance
from render.layout import layout_of
from render.scene import paint_view
from render.shapes import load_font
from render.squares import SQUARE_SIDE
from rules import VARIANTS, Move, Seat, Variant
from rules.board import EIGHT_WAYS, SIX_WAYS, Cell
from rules.endings import castle_taken, no_move_loses
from rules.variants._setup import make_variant, white_and_black
from tests.render.scenes import SEATS, each_seat, each_variant, seat_name

EXACT = 1e-4
"""Pixels."""


def apart(plan: Layout, one: Cell, other: Cell) -> float:
    a, b = plan.areas[one].centre, plan.areas[other].centre
    return hypot(a.x - b.x, a.y - b.y)


def edges(area: CellArea) -> list[tuple[Point, Point]]:
    return list(zip(area.corners, (*area.corners[1:], area.corners[0]), strict=True))


def gap(one: CellArea, other: CellArea) -> float:
    """The largest gap between two cells of one shape over all edge directions; negative if they overlap."""
    dx, dy = other.centre.x - one.centre.x, other.centre.y - one.centre.y
    widest = -1e9
    for a, b in edges(one):
        middle = (a.x + b.x) / 2 - one.centre.x, (a.y + b.y) / 2 - one.centre.y
        reach = hypot(*middle)
        widest = max(widest, (dx * middle[0] + dy * middle[1]) / reach - 2 * reach)
    return widest


def level(variant: Variant, cell: Cell) -> tuple[int, ...]:
    return variant.board.vectors[cell][2:]


@each_seat
def test_no_two_cells_overlap(variant: Variant, bottom: Seat) -> None:
    areas = layout_of(variant, bottom).areas
    assert len(areas) == len(variant.board.names)
    assert min(gap(one, other) for one, other in combinations(areas, 2)) > -EXACT


@each_seat
def test_everything_is_inside_the_picture(variant: Variant, bottom: Seat) -> None:
    plan = layout_of(variant, bottom)
    assert plan.width <= 960
    assert plan.height <= 1200
    assert plan.width >= 900 or plan.height >= 1150 or plan.pitch == SQUARE_SIDE
    for corner in (corner for area in plan.areas for corner in area.corners):
        assert plan.width * 0.01 <= corner.x <= plan.width * 0.99
        assert plan.height * 0.01 <= corner.y <= plan.height * 0.99
    for label in plan.labels:
        assert plan.letter_size * 0.6 < label.at.x < plan.width - plan.letter_size * 0.6
        assert plan.letter_size * 0.6 < label.at.y < plan.height - plan.letter_size * 0.6
    for at, radius in plan.medallions:
        assert 1.17 * radius < min(at.x, at.y, plan.width - at.x, plan.height - at.y)


@pytest.mark.parametrize(
    ("files", "ranks", "size"),
    [(12, 16, (924, 1200)), (16, 4, (954, 282)), (7, 24, (418, 1200)), (3, 3, (322, 322))],
    ids=["as large as Camelot", "wide", "tall", "small"],
)
def test_a_board_of_squares_has_its_largest_picture_whatever_its_shape(
    files: int, ranks: int, size: tuple[int, int]
) -> None:
    rows = [".".ljust(files, ".") for _ in range(ranks)]
    castles = "A1", f"A{ranks}"
    board = make_variant(
        "made-up",
        "Made up",
        "\n".join(rows),
        directions=EIGHT_WAYS,
        armies=white_and_black(*castles),
        ending=castle_taken,
        stuck=no_move_loses,
        source="",
    )
    plan = layout_of(board, 0)
    assert (plan.width, plan.height) == size


@each_seat
def test_neighbours_of_one_kind_are_equally_far_apart(variant: Variant, bottom: Seat) -> None:
    plan = layout_of(variant, bottom)
    hexagons = variant.board.directions == SIX_WAYS
    for cell, neighbours in enumerate(variant.board.neighbours):
        for near in neighbours:
            if level(variant, cell) == level(variant, near):
                steps = [abs(a - b) for a, b in zip(*(variant.board.vectors[c] for c in (cell, near)), strict=True)]
                diagonal = not hexagons and steps[0] and steps[1]
                assert isclose(apart(plan, cell, near), plan.pitch * (sqrt(2) if diagonal else 1), abs_tol=EXACT)


@each_seat
def test_what_is_leapt_over_on_one_level_lies_midway(variant: Variant, bottom: Seat) -> None:
    stands = [area.stand for area in layout_of(variant, bottom).areas]
    for (start, end), over in variant.board.between.items():
        if level(variant, start) != level(variant, end):
            continue
        assert isclose(stands[over].x, (stands[start].x + stands[end].x) / 2, abs_tol=EXACT)
        assert isclose(stands[over].y, (stands[start].y + stands[end].y) / 2, abs_tol=EXACT)


@each_variant
def test_a_turned_board_is_the_same_board(variant: Variant) -> None:
    def outline(bottom: Seat) -> set[tuple[int, int]]:
        return {(round(at.x), round(at.y)) for at, *_ in layout_of(variant, bottom).areas}

    assert {frozenset(outline(bottom)) for bottom in variant.seats} == {frozenset(outline(0))}


@each_seat
def test_the_army_at_the_bottom_has_the_lowest_castle(variant: Variant, bottom: Seat) -> None:
    areas = layout_of(variant, bottom).areas
    for seat, army in enumerate(variant.armies):
        for cell in army.castle:
            same = [area.centre.y for at, area in enumerate(areas) if level(variant, at) == level(variant, cell)]
            lowest = max(same)
            assert isclose(areas[cell].centre.y, lowest, abs_tol=EXACT) == (seat == bottom)


@pytest.mark.parametrize("bottom", VARIANTS["tri-camelot"].seats)
def test_the_next_player_sits_to_the_left(bottom: Seat) -> None:
    """Seed 000: the players sit clockwise in the order of their turns."""
    variant = VARIANTS["tri-camelot"]
    following, last, _ = variant.turn_orders[bottom]
    plan = layout_of(variant, bottom)
    (left,), (right,) = variant.armies[following].castle, variant.armies[last].castle
    assert plan.areas[left].centre.x < plan.width / 2 < plan.areas[right].centre.x


def test_levels_stand_from_left_to_right_and_the_second_lower() -> None:
    variant = VARIANTS["cam-3d"]
    for bottom in variant.seats:
        plan = layout_of(variant, bottom)
        assert [heading.level for heading in plan.headings] == [1, 2, 3]
        for name in ("C1", "A4", "E6"):
            first, second, third = (plan.areas[variant.board.find_cell(f"{n}{name}")].centre for n in (1, 2, 3))
            assert first.y == third.y < second.y - plan.pitch * 5
            assert isclose(third.x - second.x, second.x - first.x, abs_tol=EXACT)
            assert second.x - first.x > plan.pitch * 2


def test_equal_squares_of_all_levels_have_the_colour_of_their_column() -> None:
    variant = VARIANTS["cam-3d"]
    tones = layout_of(variant, 0).tones
    columns: dict[int, set[int]] = {}
    for cell, (file, rank, _) in enumerate(variant.board.vectors):
        columns.setdefault(file, set()).add(tones[cell])
        assert tones[cell] == tones[variant.board.find_cell(f"1{ascii_uppercase[file - 1]}{rank}")]
    assert [columns[file] for file in range(1, 6)] == [{3, 4}, {0, 1}, {5, 6}, {0, 1}, {7, 8}]


def test_a_leap_between_levels_bends_at_the_cell_it_passes() -> None:
    variant = VARIANTS["cam-3d"]
    start, over, end = (variant.board.find_cell(name) for name in ("1B3", "2C3", "3D3"))
    view = View(variant.start_position, 0, last_move=Move((start, end), (over,)))
    shown = ImageChops.difference(
        *(paint_view(each).convert("RGB") for each in (view, replace(view, last_move=Move((start, end), ()))))
    )
    assert shown.getbbox()  # the cross
    x, y = layout_of(variant, 0).areas[over].stand
    one, other = (paint_view(each).convert("RGB") for each in (view, replace(view, last_move=None)))
    reach = layout_of(variant, 0).pitch
    away = ImageChops.difference(one, other).crop(tuple(map(round, (x - reach, y - reach, x + reach, y - reach / 2))))
    assert away.getbbox()


@pytest.mark.parametrize(
    ("variant", "bottom"), [seen for seen in SEATS if seen[0].board.directions != SIX_WAYS], ids=seat_name
)
def test_every_line_of_squares_is_named(variant: Variant, bottom: Seat) -> None:
    """At both ends, or at one if another level is near. The rows of castles have the whole names of their squares."""
    plan, vectors = layout_of(variant, bottom), variant.board.vectors
    used, levels = set(), {vector[2:] for vector in vectors}
    named: Counter[tuple[int, int, tuple[int, ...]]] = Counter()
    for cell, vector in enumerate(vectors):
        narrow = next((tip for tip in plan.narrow_rows if cell in tip.cells), None)
        for axis in (0, 1):
            line = [v[1 - axis] for v in vectors if (v[axis], v[2:]) == (vector[axis], vector[2:])]
            if vector[1 - axis] not in (min(line), max(line)) or (narrow and axis == 0):
                continue
            file, rank = ascii_uppercase[vector[0] - 1], str(vector[1])
            text = file + rank if narrow else rank if axis else file
            at, reach = plan.areas[cell].centre, plan.pitch / 2 + plan.frame * 1.5
            near = {
                label
                for label in plan.labels
                if label.text == text and hypot(label.at.x - at.x, label.at.y - at.y) < reach
            }
            assert near or len(levels) > 1, f"{variant.board.names[cell]} has no {text} beside it"
            named[axis, vector[axis], vector[2:]] += len(near)
            used |= near
    assert min(named.values()) >= 1
    assert used == {label for label in plan.labels if label.cell is None}


def test_every_hexagon_bears_its_name() -> None:
    variant = VARIANTS["tri-camelot"]
    for bottom in variant.seats:
        plan = layout_of(variant, bottom)
        assert tuple(label.text for label in plan.labels) == variant.board.names
        assert [label.cell for label in plan.labels] == list(range(len(variant.board.names)))
        for label, area in zip(plan.labels, plan.areas, strict=True):
            assert all(distance(label.at, edge) > plan.letter_size * 0.4 for edge in edges(area))
            assert hypot(label.at.x - area.centre.x, label.at.y - area.centre.y) < plan.pitch / 2


@each_variant
def test_labels_stay_on_the_frame(variant: Variant) -> None:
    plan = layout_of(variant, 0)
    face = load_font(plan.letter_size)
    aside = [label.text for label in plan.labels if label.text.isdigit()]
    for left, _, right, _ in map(face.getbbox, aside):
        assert right - left <= plan.frame * 0.95


@each_seat
def test_labels_keep_apart(variant: Variant, bottom: Seat) -> None:
    plan = layout_of(variant, bottom)
    face = load_font(plan.letter_size)
    half = {text: (face.getlength(text) / 2, plan.letter_size * 0.37) for text in {label.text for label in plan.labels}}
    for one, other in combinations(plan.labels, 2):
        (dx, dy), (width, height) = half[one.text], half[other.text]
        assert abs(one.at.x - other.at.x) > dx + width or abs(one.at.y - other.at.y) > dy + height, (one, other)


@each_seat
def test_a_medallion_hides_neither_cells_nor_labels(variant: Variant, bottom: Seat) -> None:
    plan = layout_of(variant, bottom)
    for at, radius in plan.medallions:
        assert min(distance(at, edge) for area in plan.areas for edge in edges(area)) > radius * 0.95
        lit = radius * 1.17 + plan.letter_size * 0.35
        assert min(hypot(at.x - label.at.x, at.y - label.at.y) for label in plan.labels) > lit


@each_seat
def test_a_medallion_stands_by_the_castle_of_its_side(variant: Variant, bottom: Seat) -> None:
    plan = layout_of(variant, bottom)

    def nearest_castle(at: Point) -> Seat:
        castles = [(seat, plan.areas[cell].centre) for seat in variant.seats for cell in variant.armies[seat].castle]
        return min(castles, key=lambda castle: hypot(at.x - castle[1].x, at.y - castle[1].y))[0]

    assert [nearest_castle(home.at) for home in plan.medallions] == list(variant.seats)


@each_seat
def test_cells_that_share_an_edge_differ_in_tone(variant: Variant, bottom: Seat) -> None:
    plan = layout_of(variant, bottom)
    for one, other in combinations(range(len(variant.board.names)), 2):
        if level(variant, one) == level(variant, other) and apart(plan, one, other) < plan.pitch * 1.1:
            assert plan.tones[one] != plan.tones[other]
