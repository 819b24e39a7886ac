"""Layouts of boards, whole and in parts."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import hypot, isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageChops

from render import DEFAULT_THEME, View
from render.framing import EmptyBoard, cells_around, part_around, part_with, plan_of
from render.geometry import HEADING_SIZE, Box, CellArea, Layout, Point, distance
from render.layout import layout_of
from render.scene import paint_view, sheet_of
from render.shapes import load_font
from render.signs import badge_places
from render.squares import SQUARE_SIDE
from rules import VARIANTS, Move, Seat, Variant
from rules.board import SIX_WAYS, Cell
from tests.render.scenes import charged, each_seat, each_variant, growing

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
def test_cells_that_share_an_edge_differ_in_tone(variant: Variant, bottom: Seat) -> None:
    plan = layout_of(variant, bottom)
    for one, other in combinations(range(len(variant.board.names)), 2):
        if level(variant, one) == level(variant, other) and apart(plan, one, other) < plan.pitch * 1.1:
            assert plan.tones[one] != plan.tones[other]


@each_seat
def test_a_badge_lies_inside_its_own_cell(variant: Variant, bottom: Seat) -> None:
    for plan in (layout_of(variant, bottom), *map(plan_of, parts(variant, bottom))):
        centre = plan.areas[0].centre
        for place in badge_places(plan, plan.badge_size):
            at = centre.moved(*place)
            assert min(distance(at, edge) for edge in edges(plan.areas[0])) > plan.badge_size / 2
            assert max(hypot(corner.x - at.x, corner.y - at.y) for corner in plan.areas[0].corners) > plan.pitch / 2


@pytest.mark.parametrize("bottom", [0, 1])
def test_the_signs_of_levels_stand_clear_of_the_board_and_each_other(bottom: Seat) -> None:
    variant = VARIANTS["cam-3d"]
    plan, half = layout_of(variant, bottom), [side / 2 for side in HEADING_SIZE]
    signs = [heading.at for heading in plan.headings]
    assert min(max(abs(a.x - b.x) / half[0], abs(a.y - b.y) / half[1]) for a, b in combinations(signs, 2)) > 2.2
    for at in signs:
        for area in plan.areas:
            reach = plan.pitch / 2 + plan.frame
            assert max(abs(at.x - area.centre.x) - half[0], abs(at.y - area.centre.y) - half[1]) > reach
        for _, wood in plan.narrow_rows:
            assert max(wood.left - at.x, at.x - wood.right) > half[0] or wood.top - at.y > half[1] or at.y > wood.bottom
        for home in plan.medallions:
            assert hypot(at.x - home.at.x, at.y - home.at.y) > home.radius * 1.2 + half[0]


# Parts of boards


def parts(variant: Variant, bottom: Seat) -> list[EmptyBoard]:
    """Every different part of that board."""
    cells = range(len(variant.board.names))
    return list(dict.fromkeys(sheet_of(View(variant.start_position, bottom, zoom=cell)) for cell in cells))


@each_variant
def test_a_part_shows_its_cell_and_every_leap_on_its_level(variant: Variant) -> None:
    for cell, vector in enumerate(variant.board.vectors):
        shown = part_around(variant, cell)
        assert cell in shown
        assert {variant.board.vectors[other][2:] for other in shown} == {vector[2:]}
        for start, end in variant.board.between:
            if start == cell and variant.board.vectors[end][2:] == vector[2:]:
                assert end in shown


@each_variant
@given(data=st.data())
def test_choices_on_small_cells_are_shown_enlarged(variant: Variant, data: st.DataObject) -> None:
    cells = frozenset(data.draw(st.lists(st.integers(0, len(variant.board.names) - 1), min_size=1, max_size=9)))
    part, whole = part_with(variant, cells), layout_of(variant, 0)
    vectors = [variant.board.vectors[cell] for cell in cells]
    levels = {level(variant, cell) for cell in cells}
    reach = max(max(line) - min(line) for line in ([v[axis] for v in vectors] for axis in (0, 1)))
    if not part:  # the bug: no part of a board with levels was ever shown
        assert reach >= (5 if len(levels) == 3 else 12) or not whole.has_small_cells
        return
    plan = plan_of(EmptyBoard(variant, 0, DEFAULT_THEME, part))
    assert cells <= {*part}
    assert {level(variant, cell) for cell in part} == levels
    assert whole.has_small_cells
    assert reach >= 8 or not plan.has_small_cells


def holds(window: Box, at: Point) -> bool:
    return window.left < at.x < window.right and window.top < at.y < window.bottom


@pytest.mark.parametrize("bottom", [0, 1])
@pytest.mark.parametrize("levels", ["1", "3", "12", "13", "23", "123"])
def test_each_level_of_a_choice_has_a_window_with_its_sign(levels: str, bottom: Seat) -> None:
    variant = VARIANTS["cam-3d"]
    for ranks in ((1, 4), (2, 6), (5, 8)):
        cells = frozenset(variant.board.find_cell(f"{shown}C{rank}") for shown in levels for rank in ranks)
        plan = plan_of(EmptyBoard(variant, bottom, DEFAULT_THEME, part := part_with(variant, cells)))
        assert [str(sign.level) for sign in plan.headings] == [*levels]
        for sign, window in zip(plan.headings, plan.windows, strict=True):
            inside = {cell for cell, area in enumerate(plan.areas) if holds(window, area.centre)}
            assert inside == {cell for cell in part if level(variant, cell) == (sign.level,)}
        around = [label.at for label in plan.labels] + [sign.at for sign in plan.headings]
        assert not any(holds(window, at) for at in around for window in plan.windows)
        assert all(holds(Box(0, 0, plan.width, plan.height), at) for at in around)
        assert min(hypot(a.x - b.x, a.y - b.y) for a, b in combinations(around, 2)) > plan.letter_size * 0.9


def test_a_last_move_beyond_the_windows_of_levels_is_left_out() -> None:
    variant = VARIANTS["cam-3d"]
    *choice, start, end = map(variant.board.find_cell, ("1B2", "2B2", "3B2", "3C8", "3C7"))
    view = View(variant.start_position, reachable=tuple(choice))
    assert paint_view(replace(view, last_move=Move((start, end), ()))).tobytes() == paint_view(view).tobytes()


def test_the_last_move_is_in_sight_of_a_choice_unless_far() -> None:
    variant = VARIANTS["chivalry"]
    choice, *cells = map(variant.board.find_cell, ("D3", "G4", "I6", "K4", "I2", "H15", "G14"))
    view = View(variant.start_position, numbers=((choice, 1),))
    near, far = (replace(view, last_move=Move(tuple(path), ())) for path in (cells[:4], cells[4:]))
    assert {choice, *cells[:4]} <= {*sheet_of(near).part}
    assert sheet_of(far).part == sheet_of(view).part != ()


@each_variant
def test_steps_are_counted_as_the_board_counts_them(variant: Variant) -> None:
    vectors = variant.board.vectors
    for cell, neighbours in enumerate(variant.board.neighbours):
        flat = {near for near in neighbours if vectors[near][2:] == vectors[cell][2:]}
        assert set(cells_around(variant, cell, 1)) == flat | {cell}


@each_variant
def test_at_an_edge_a_part_moves_inwards(variant: Variant) -> None:
    sizes = [len(sheet.part) for sheet in parts(variant, 0)]
    assert min(sizes) > max(sizes) / 2


@each_seat
def test_a_part_fits_its_window_whole_with_labels_on_the_band(variant: Variant, bottom: Seat) -> None:
    for sheet in parts(variant, bottom):
        plan, (window,) = plan_of(sheet), plan_of(sheet).windows
        assert max(plan.width, plan.height) <= 1000
        cells = sheet.part
        for corner in (corner for cell in cells for corner in plan.areas[cell].corners):
            assert window.left - 1 <= corner.x <= window.right + 1
            assert window.top - 1 <= corner.y <= window.bottom + 1
        on_band = [label for label in plan.labels if label.cell is None]
        for label in on_band:
            assert not holds(window, label.at)
            assert plan.letter_size / 2 < label.at.x < plan.width - plan.letter_size / 2
            assert plan.letter_size / 2 < label.at.y < plan.height - plan.letter_size / 2
        if variant.board.directions != SIX_WAYS:
            lines = {f"{axis}{variant.board.vectors[cell][axis]}" for cell in cells for axis in (0, 1)}
            assert len(on_band) == 2 * len(lines)


@each_variant
def test_nothing_leaves_the_window(variant: Variant) -> None:
    view = growing(variant, 3)
    assert view.grown
    for cell in (view.grown.start, view.grown.end):
        zoomed = replace(view, zoom=cell, to_move=False)
        bare = replace(view.position, cells=bytes(len(view.position.cells)))
        empty = View(bare, view.bottom, zoom=cell, to_move=False)
        pictures = [paint_view(shown).convert("RGB") for shown in (zoomed, empty)]
        difference = ImageChops.difference(*pictures).getbbox()
        (window,) = plan_of(sheet_of(zoomed)).windows
        assert difference
        assert window.left <= difference[0] < difference[2] <= window.right
        assert window.top <= difference[1] < difference[3] <= window.bottom


@each_seat
def test_the_side_to_move_is_shown_beside_a_part_too(variant: Variant, bottom: Seat) -> None:
    view = replace(charged(variant, bottom), zoom=0)
    pictures = {
        paint_view(replace(view, position=replace(view.position, turn=seat))).tobytes() for seat in variant.seats
    }
    assert len(pictures) == len(variant.seats)
