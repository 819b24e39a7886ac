"""Whole pictures: compared with golden ones, and with pictures of slightly different views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from math import dist
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from render import DEFAULT_THEME, THEMES, Mark, MarkKind, Theme, View, render_png, run_steps, warm_caches
from render.layout import layout_of
from render.scene import _SceneCanvas, paint_view
from render.theme import glaze_colour
from rules import VARIANTS, Move, Position, Seat, Variant, legal_moves, parse_move
from rules.board import EIGHT_WAYS, Cell
from tests.render.scenes import (
    GAMES,
    ROOMS,
    SEATS,
    chained,
    charged,
    choosing,
    each_look,
    each_seat,
    each_variant,
    growing,
    left,
    marked,
    shrunk,
    themes_for,
)

GOLDEN = Path(__file__).with_name("golden")
TOLERANCE = 0.5
"""Mean difference of a colour channel, of 255: another FreeType may smooth letters differently."""
SPOT, SPOT_TOLERANCE = 4, 24
"""How far a spot of so many pixels to each side may differ on average where clients show it, of 255."""


def golden_views() -> Iterator[tuple[str, View]]:
    """The views that golden pictures show, by file name: every board from every side, in all themes, and with signs."""
    for variant, seat in SEATS:
        yield f"{variant.key}-{variant.armies[seat].colour.lower()}", charged(variant, seat)
    for variant in VARIANTS.values():
        yield f"{variant.key}-marks", marked(variant)
        yield f"{variant.key}-numbers", choosing(variant)
        yield f"{variant.key}-chain", chained(variant)
        yield f"{variant.key}-growing", growing(variant, 2)
        yield f"{variant.key}-part", replace(growing(variant, 3), zoom=growing(variant, 3).grown.end)
        for key, theme in THEMES.items():
            if len(variant.armies) > 2:
                yield f"{variant.key}-passive-{key}", replace(left(variant), theme=theme)
            if theme is not DEFAULT_THEME:
                yield f"{variant.key}-{key}", replace(charged(variant, variant.seats[-1]), theme=theme)


def golden_cases() -> Iterator[ParameterSet]:
    """The pictures of the first variant with each build of board in each run, those of the others in a hunt."""
    builds = {variant.board.directions: variant for variant in reversed(VARIANTS.values())}
    for name, view in golden_views():
        ordinary = view.position.variant in builds.values()
        yield pytest.param(name, view, id=name, marks=() if ordinary else pytest.mark.long)


def opened(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


def changed(one: View, other: View) -> tuple[int, int, int, int] | None:
    """The box around the pixels in which two pictures differ."""
    return ImageChops.difference(opened(render_png(one)), opened(render_png(other))).getbbox()


def box(view: View, cell: Cell) -> tuple[float, float, float, float]:
    """The box around a cell, with room for the badge of a mark."""
    plan = layout_of(view.position.variant, view.bottom)
    at, reach = plan.areas[cell].centre, plan.pitch * 0.8
    return at.x - reach, at.y - reach, at.x + reach, at.y + reach


def test_every_variant_has_a_game_to_draw() -> None:
    assert GAMES.keys() == VARIANTS.keys(), "give the new variant a game in tests/render/scenes.py"


@pytest.mark.parametrize(("name", "view"), [*golden_cases()])
def test_the_picture_is_as_golden(name: str, view: View, regold: bool) -> None:
    path = GOLDEN / f"{name}.png"
    png = render_png(view)
    if regold:
        path.write_bytes(png)
    assert path.exists(), "run: pytest tests/render --regold, and look at what it draws"
    golden, drawn = opened(path.read_bytes()), opened(png)
    assert drawn.size == golden.size
    assert max(ImageStat.Stat(ImageChops.difference(golden, drawn)).mean) < TOLERANCE
    for room in ROOMS.values():
        # Spot by spot, so that a letter or a piece that is lost where it is shown small is not lost in the mean.
        apart = ImageChops.difference(*(shrunk(picture, room) for picture in (golden, drawn)))
        assert max(high for _, high in apart.reduce(SPOT).getextrema()) < SPOT_TOLERANCE


def test_no_golden_picture_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {name for name, _ in golden_views()}


@each_look
def test_a_picture_is_small(variant: Variant, bottom: Seat, theme: Theme) -> None:
    limit = 55 if variant.board.directions == EIGHT_WAYS else 75
    assert len(render_png(replace(charged(variant, bottom), theme=theme))) <= limit * 1024


@each_variant
def test_pieces_that_nobody_plays_keep_a_picture_small(variant: Variant) -> None:
    for theme in themes_for(variant):
        assert len(render_png(replace(left(variant), theme=theme))) <= 75 * 1024


@each_seat
def test_the_pieces_of_who_has_left_look_different_and_no_others_do(variant: Variant, bottom: Seat) -> None:
    view = charged(variant, bottom)
    for seat in variant.seats:
        shown = changed(view, replace(view, position=replace(view.position, out=frozenset({seat}))))
        assert shown
        areas = layout_of(variant, bottom).areas
        theirs = [areas[cell].stand for cell, piece in view.position.pieces.items() if piece.seat == seat]
        reach = layout_of(variant, bottom).piece
        assert min(x for x, _ in theirs) - reach < shown[0]
        assert max(x for x, _ in theirs) + reach > shown[2]
        assert min(y for _, y in theirs) - reach < shown[1]
        assert max(y for _, y in theirs) + reach > shown[3]


@each_variant
def test_signs_keep_a_picture_small(variant: Variant) -> None:
    assert len(render_png(chained(variant))) <= 90 * 1024
    for view in (choosing(variant), growing(variant, 3)):
        for zoom in (None, len(variant.board.names) // 2):
            assert len(render_png(replace(view, zoom=zoom))) <= 90 * 1024
    for theme in themes_for(variant):
        assert len(render_png(replace(charged(variant, 0), theme=theme))) <= 90 * 1024


def test_the_cell_of_a_leavers_last_move_glows_through_the_piece() -> None:
    view = left(VARIANTS["cam-3d"])
    assert view.last_move
    plan = layout_of(view.position.variant, view.bottom)
    assert view.position.cells[view.last_move.end]
    x, y = plan.areas[view.last_move.end].stand
    reach = plan.piece * 0.3
    floor = view.theme.floors[plan.tones[view.last_move.end]]
    piece = paint_view(view).convert("RGB").crop((x - reach, y - reach, x + reach, y + reach))
    colours = {colour for _, colour in piece.getcolors() or ()}
    assert glaze_colour(floor, view.theme.glaze) in colours
    assert floor not in colours


@each_variant
def test_a_picture_is_a_png_with_one_palette(variant: Variant) -> None:
    pictures = [Image.open(BytesIO(render_png(charged(variant, bottom)))) for bottom in variant.seats]
    assert {picture.format for picture in pictures} == {"PNG"}
    assert {picture.mode for picture in pictures} == {"P"}
    assert len({tuple(picture.getpalette() or ()) for picture in pictures}) == 1


def test_drawing_in_many_threads_at_once_gives_the_same_pictures() -> None:
    views = [charged(variant, seat) for variant, seat in SEATS]
    alone = [render_png(view) for view in views]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(render_png, views * 4))
    assert together == alone * 4


@each_variant
def test_drawing_leaves_the_next_picture_alone(variant: Variant) -> None:
    start = View(variant.start_position, 0)
    first = render_png(start)
    render_png(charged(variant, 0))
    render_png(marked(variant))
    assert render_png(start) == first


@each_seat
def test_a_warm_board_is_the_same_board(variant: Variant, bottom: Seat) -> None:
    run_steps(warm_caches(variant, bottom))
    assert opened(render_png(View(variant.start_position, bottom))).width == layout_of(variant, bottom).width


@each_seat
def test_the_side_to_move_is_shown_beside_its_castle_and_only_there(variant: Variant, bottom: Seat) -> None:
    view = View(variant.start_position, bottom)
    at, radius = layout_of(variant, bottom).medallions[view.position.turn]
    left, top, right, lower = changed(view, replace(view, to_move=False)) or (0, 0, 0, 0)
    assert left <= at.x <= right
    assert top <= at.y <= lower
    assert max(right - left, lower - top) < 3 * radius


@each_seat
def test_a_private_board_marks_the_castles_of_its_reader(variant: Variant, bottom: Seat) -> None:
    public = View(variant.start_position, bottom)
    private = replace(public, attacker=bottom)
    army, areas = variant.armies[bottom], layout_of(variant, bottom).areas
    difference = ImageChops.difference(opened(render_png(public)), opened(render_png(private)))
    for castle in (other.castle for other in variant.armies):
        for cell in castle:
            x, y = areas[cell].centre
            reach = layout_of(variant, bottom).pitch / 3
            marked = difference.crop((round(x - reach), round(y - reach), round(x + reach), round(y + reach))).getbbox()
            assert (marked is not None) == (castle in (army.goal, army.barred))


def test_the_flag_shows_whose_goal_a_castle_is() -> None:
    variant = VARIANTS["tri-camelot"]
    assert len({render_png(View(variant.start_position, 0, attacker=seat)) for seat in (None, *variant.seats)}) == 4


@each_seat
def test_each_side_has_a_light_of_its_own(variant: Variant, bottom: Seat) -> None:
    pictures = {render_png(View(replace(variant.start_position, turn=seat), bottom)) for seat in variant.seats}
    assert len(pictures) == len(variant.seats)


@each_seat
def test_a_move_is_shown_from_its_start_to_its_end(variant: Variant, bottom: Seat) -> None:
    view = charged(variant, bottom)
    assert view.last_move
    shown = changed(view, replace(view, last_move=None))
    assert shown
    areas = layout_of(variant, bottom).areas
    for cell in (*view.last_move.path, *view.last_move.captures):
        x, y = areas[cell].stand
        assert shown[0] <= x <= shown[2]
        assert shown[1] <= y <= shown[3]


@each_variant
def test_captured_pieces_are_ghosts_only_where_they_are_known(variant: Variant) -> None:
    view = charged(variant, 0)
    assert view.last_move
    assert changed(view, replace(view, before=None))
    assert changed(replace(view, before=None), replace(view, before=None, last_move=None))


@each_variant
@pytest.mark.parametrize("kind", MarkKind)
def test_a_mark_changes_its_cell_and_nothing_else(variant: Variant, kind: MarkKind) -> None:
    view = View(variant.start_position, 0)
    for cell in (0, len(variant.board.names) // 2):
        left, top, right, lower = changed(view, replace(view, marks=(Mark(cell, kind),))) or (0, 0, 0, 0)
        room = box(view, cell)
        assert room[0] < left < right < room[2]
        assert room[1] < top < lower < room[3]


@each_variant
def test_marks_differ_by_shape_and_not_only_by_colour(variant: Variant) -> None:
    def stencil(kind: MarkKind) -> Image.Image:
        plain, with_mark = (
            opened(render_png(View(variant.start_position, 0, marks=marks))) for marks in ((), (Mark(cell, kind),))
        )
        difference = ImageChops.difference(plain, with_mark).convert("L").point(lambda value: 255 if value > 60 else 0)
        return difference.crop(box(View(variant.start_position, 0), cell))

    cell = len(variant.board.names) // 2
    stencils = [stencil(kind) for kind in MarkKind]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        apart = ImageStat.Stat(ImageChops.difference(stencils[one], stencils[other])).sum[0] / 255
        assert apart > 0.2 * min(ImageStat.Stat(stencils[k]).sum[0] / 255 for k in (one, other))


@each_variant
def test_the_badge_of_what_is_wrong_lies_over_the_marks_beside_it(variant: Variant) -> None:
    marks = tuple(Mark(cell, MarkKind.HINT) for cell in range(len(variant.board.names)))
    wrong = Mark(len(marks) // 2, MarkKind.WRONG)
    assert paint_view(View(variant.start_position, 0, marks=(wrong, *marks))) == paint_view(
        View(variant.start_position, 0, marks=(*marks, wrong))
    )


@each_variant
def test_a_move_can_be_drawn_ending_at_its_start_or_captured_cells(variant: Variant) -> None:
    """Captured pieces leave at once, so their cells can be landed on (rulings, "Jump")."""
    view = charged(variant, 0)
    assert view.last_move
    path = view.last_move.path
    assert render_png(replace(view, last_move=view.last_move._replace(path=(path[-1], *path[1:]))))
    assert render_png(replace(view, last_move=view.last_move._replace(captures=(path[-1],))))


def places_of_numbers(start: Position, moves: Sequence[Move]) -> list[tuple[int, tuple[float, float]]]:
    """Returns the size and the middle of the number of each move from that position."""
    places = list[tuple[int, tuple[float, float]]]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_SceneCanvas, "_put_badge", lambda _self, _number, size, at: places.append((size, at)))
        paint_view(View(start, start.variant.seats[0], chain=tuple((start, move) for move in moves)))
    assert len(places) == len(moves)
    return places


def overlaps(places: Sequence[tuple[int, tuple[float, float]]]) -> bool:
    return any(dist(at, other) < size for (size, at), (_, other) in combinations(places, 2))


def test_numbers_of_four_moves_in_a_corner_do_not_overlap() -> None:
    start = VARIANTS["camette"].start_position
    moves = [parse_move(start, text) for text in ("C2-C4", "B3-B2", "B3-A3", "C2-B2")]
    assert not overlaps(places_of_numbers(start, moves))


@each_variant
@given(data=st.data())
def test_numbers_of_three_moves_from_one_position_never_overlap(variant: Variant, data: st.DataObject) -> None:
    """Each has about ten places. All ordered threes of Tri-Camelot, Cam and Camette were tried once: none overlap."""
    moves = st.sampled_from(list(legal_moves(variant.start_position)))
    chosen = data.draw(st.lists(moves, min_size=2, max_size=3, unique=True))
    assert not overlaps(places_of_numbers(variant.start_position, chosen))
