"""Pictures while a move is composed: numbered pieces, possible landings, and the move so far."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

from PIL import Image, ImageChops, ImageDraw, ImageStat

from render import View, render_png
from render.layout import layout_of
from render.pieces import MAN_SIZE
from render.scene import paint_view
from render.shapes import HORSE, PAWN, place_path
from rules import VARIANTS, PieceKind, Variant
from tests.render.scenes import charged, choosing, each_variant, growing

DENSEST = min(VARIANTS.values(), key=lambda variant: layout_of(variant, 0).piece)
"""Where numbers are smallest."""


def news(one: View, other: View) -> Image.Image:
    """A mask of the pixels in which two pictures differ (255), else 0."""
    pictures = [Image.open(BytesIO(render_png(view))).convert("RGB") for view in (one, other)]
    return ImageChops.difference(*pictures).convert("L").point(lambda value: 255 if value else 0)


@each_variant
def test_a_number_covers_no_emblem(variant: Variant) -> None:
    """Neither that of its own piece nor that of another one beside it."""
    plain, plan = View(variant.start_position, 0), layout_of(variant, 0)
    pieces = variant.start_position.pieces
    for cell in list(pieces)[::3]:
        badge = news(plain, replace(plain, numbers=((cell, 25),)))
        assert badge.getbbox()
        for other, piece in pieces.items():
            emblem = Image.new("L", badge.size)
            path = HORSE if piece.kind is PieceKind.KNIGHT else PAWN
            size = plan.piece * 0.72 * (1 if piece.kind is PieceKind.KNIGHT else MAN_SIZE)
            ImageDraw.Draw(emblem).polygon(place_path(path, plan.areas[other].stand, size), fill=255)
            hidden = ImageStat.Stat(ImageChops.darker(emblem, badge)).sum[0]
            assert hidden < 0.02 * ImageStat.Stat(emblem).sum[0], (cell, other)


@each_variant
def test_every_destination_has_its_number(variant: Variant) -> None:
    view = growing(variant, 1)
    cells = view.reachable
    pictures = {render_png(replace(view, reachable=order)) for order in (cells, (*cells[1:], cells[0]))}
    assert len(pictures) == min(2, len(cells))


@each_variant
def test_numbers_can_be_told_from_each_other(variant: Variant) -> None:
    cell = next(iter(variant.start_position.pieces))
    numbers = range(1, 100) if variant is DENSEST else (1, 2, 3, 6, 7, 8, 9, 12, 21, 68, 86, 89, 98, 99)
    pictures = {paint_view(View(variant.start_position, 0, numbers=((cell, number),))).tobytes() for number in numbers}
    assert len(pictures) == len(numbers)


@each_variant
def test_a_piece_that_is_chosen_glows_where_it_stands(variant: Variant) -> None:
    view = growing(variant, 0)
    assert view.grown
    start = view.grown.start
    shown = news(replace(view, grown=None, reachable=()), replace(view, reachable=())).getbbox()
    plan = layout_of(variant, view.bottom)
    assert shown
    centre = plan.areas[start].centre
    assert shown[0] < centre.x < shown[2] < centre.x + plan.pitch * 0.7
    assert shown[1] < centre.y < shown[3] < centre.y + plan.pitch * 0.7


@each_variant
def test_every_cell_within_reach_is_shown(variant: Variant) -> None:
    view = growing(variant, 1)
    assert view.reachable
    shown = news(view, replace(view, reachable=()))
    areas = layout_of(variant, view.bottom).areas
    for cell, area in enumerate(areas):
        x, y = area.stand
        here = shown.crop((int(x) - 4, int(y) - 4, int(x) + 4, int(y) + 4))
        assert (here.getbbox() is not None) == (cell in view.reachable)


@each_variant
def test_a_composed_move_looks_the_same_once_it_has_been_played(variant: Variant) -> None:
    after = replace(charged(variant, 0), to_move=False)
    assert after.last_move
    assert after.before
    composed = View(after.before, 0, grown=after.last_move, to_move=False)
    assert render_png(composed) == render_png(after)


@each_variant
def test_the_mover_has_the_light_until_the_move_is_played(variant: Variant) -> None:
    view = growing(variant, 2)
    assert news(view, replace(view, to_move=False)).crop(box_of_home(view)).getbbox() is not None


def box_of_home(view: View) -> tuple[int, int, int, int]:
    home = layout_of(view.position.variant, view.bottom).medallions[view.position.turn]
    x, y, radius = (round(part) for part in (*home.at, home.radius))
    return x - radius, y - radius, x + radius, y + radius


@each_variant
def test_what_is_captured_on_the_way_is_faded(variant: Variant) -> None:
    played = charged(variant, 0).last_move
    assert played
    view = growing(variant, len(played.path) - 1)
    assert view.grown
    assert view.grown.captures
    uncaptured = replace(view, grown=view.grown._replace(captures=()))
    shown = news(view, uncaptured)
    plan = layout_of(variant, view.bottom)
    for cell in view.grown.captures:
        x, y = (round(part) for part in plan.areas[cell].stand)
        reach = round(plan.piece * 0.4)
        assert shown.crop((x - reach, y - reach, x + reach, y + reach)).getbbox()


@each_variant
def test_a_move_that_is_composed_hides_the_last_one(variant: Variant) -> None:
    view = growing(variant, 1)
    assert render_png(replace(view, last_move=charged(variant, 0).last_move)) == render_png(view)


@each_variant
def test_pictures_of_every_kind_are_in_the_palette_of_their_theme(variant: Variant) -> None:
    for view in (choosing(variant), growing(variant, 2), replace(growing(variant, 2), zoom=0)):
        picture = paint_view(view)
        assert picture.mode == "P"
        assert picture.getextrema()[1] < len(view.theme.palette.colours)
