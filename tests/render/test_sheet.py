"""Parts of boards, cut out and enlarged for small screens."""

from __future__ import annotations

from dataclasses import replace

from PIL import ImageChops

from render import DEFAULT_THEME, View
from render.framing import EmptyBoard, cells_around, plan_of
from render.layout import layout_of
from render.scene import paint_view
from rules import VARIANTS, Seat, Variant
from rules.board import SIX_WAYS
from tests.render.scenes import charged, each_seat, each_variant, growing


def parts(variant: Variant, bottom: Seat) -> list[EmptyBoard]:
    """Every different part of that board."""
    cells = range(len(variant.board.names))
    return list(dict.fromkeys(EmptyBoard.of(variant, bottom, DEFAULT_THEME, cell, 1) for cell in cells))


@each_variant
def test_a_part_shows_its_cell_and_every_leap_on_its_level(variant: Variant) -> None:
    for cell, vector in enumerate(variant.board.vectors):
        zoom = EmptyBoard.of(variant, 0, DEFAULT_THEME, cell, 1).zoom
        assert zoom is not None
        shown = cells_around(variant, zoom)
        assert cell in shown
        assert {variant.board.vectors[other][2:] for other in shown} == {vector[2:]}
        for start, end in variant.board.between:
            if start == cell and variant.board.vectors[end][2:] == vector[2:]:
                assert end in shown


@each_variant
def test_steps_are_counted_as_the_board_counts_them(variant: Variant) -> None:
    vectors = variant.board.vectors
    for cell, neighbours in enumerate(variant.board.neighbours):
        flat = {near for near in neighbours if vectors[near][2:] == vectors[cell][2:]}
        assert set(cells_around(variant, cell, 1)) == flat | {cell}


@each_variant
def test_at_an_edge_a_part_moves_inwards(variant: Variant) -> None:
    sizes = [len(cells_around(variant, sheet.zoom)) for sheet in parts(variant, 0) if sheet.zoom is not None]
    assert min(sizes) > max(sizes) / 2


@each_seat
def test_cells_with_the_same_part_share_its_board(variant: Variant, bottom: Seat) -> None:
    assert len(parts(variant, bottom)) < 0.6 * len(variant.board.names)


@each_seat
def test_a_part_fits_its_window_whole_with_labels_on_the_band(variant: Variant, bottom: Seat) -> None:
    for sheet in parts(variant, bottom):
        assert sheet.zoom is not None
        plan, window = plan_of(sheet), plan_of(sheet).window
        assert window
        assert max(plan.width, plan.height) <= 1000
        cells = cells_around(variant, sheet.zoom)
        for corner in (corner for cell in cells for corner in plan.areas[cell].corners):
            assert window.left - 1 <= corner.x <= window.right + 1
            assert window.top - 1 <= corner.y <= window.bottom + 1
        on_band = [label for label in plan.labels if label.cell is None]
        for label in on_band:
            outside = not (window.left < label.at.x < window.right and window.top < label.at.y < window.bottom)
            assert outside
            assert plan.letter_size / 2 < label.at.x < plan.width - plan.letter_size / 2
            assert plan.letter_size / 2 < label.at.y < plan.height - plan.letter_size / 2
        if variant.board.directions != SIX_WAYS:
            lines = {f"{axis}{variant.board.vectors[cell][axis]}" for cell in cells for axis in (0, 1)}
            assert len(on_band) == 2 * len(lines)


@each_variant
def test_a_part_is_larger_on_a_phone_unless_the_whole_is_too(variant: Variant) -> None:
    whole = layout_of(variant, 0)
    for sheet in parts(variant, 0):
        part = plan_of(sheet)
        share, before = part.piece / part.width, whole.piece / whole.width
        assert share > 1.45 * before or share > 0.9 * before > 0.1
        assert part.height / part.width < 1.7


@each_variant
def test_nothing_leaves_the_window(variant: Variant) -> None:
    view = growing(variant, 3)
    assert view.grown
    for cell in (view.grown.start, view.grown.end):
        zoomed = replace(view, zoom=cell, to_move=False)
        empty = View(
            replace(view.position, cells=bytes(len(view.position.cells))), view.bottom, zoom=cell, to_move=False
        )
        difference = ImageChops.difference(
            paint_view(zoomed).convert("RGB"), paint_view(empty).convert("RGB")
        ).getbbox()
        window = plan_of(EmptyBoard.of(variant, view.bottom, DEFAULT_THEME, cell, 1)).window
        assert difference
        assert window
        assert window.left <= difference[0] < difference[2] <= window.right
        assert window.top <= difference[1] < difference[3] <= window.bottom


def test_a_part_of_a_level_says_which_level_it_is() -> None:
    variant = VARIANTS["cam-3d"]
    for name in ("1C1", "2C4", "3C8"):
        plan = plan_of(EmptyBoard.of(variant, 0, DEFAULT_THEME, variant.board.find_cell(name), 1))
        assert [heading.level for heading in plan.headings] == [int(name[0])]


@each_seat
def test_the_side_to_move_is_shown_beside_a_part_too(variant: Variant, bottom: Seat) -> None:
    view = replace(charged(variant, bottom), zoom=0)
    pictures = {
        paint_view(replace(view, position=replace(view.position, turn=seat))).tobytes() for seat in variant.seats
    }
    assert len(pictures) == len(variant.seats)
