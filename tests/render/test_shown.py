"""Pictures are legible as clients show them: at most 550 × 350 pixels on a desktop, 400 wide on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image, ImageChops

from render import DEFAULT_THEME, THEMES, Theme, View
from render.board_drawing import empty_board
from render.framing import EmptyBoard, plan_of
from render.geometry import LIT_SCALE, Label, Layout
from render.layout import layout_of
from render.replay import Replay, render_gif, replay_scale
from render.scene import paint_view, run_steps
from render.shapes import load_font
from rules import VARIANTS, Game, Variant
from tests.render.contrast import contrast
from tests.render.scenes import ROOMS, each_variant, share_shown, shrunk

CAPITALS = 7
"""The least height of capitals and digits, in pixels as they are shown."""
CONTRAST, NAME_CONTRAST = 4.5, 2.4
"""The least contrast of what is written on the frame and on cells, in the picture as it is shown."""
each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))


def least_share(plan: Layout) -> float:
    """The factor by which the client with the least room shrinks a picture."""
    return min(share_shown((plan.width, plan.height), room) for room in ROOMS.values())


def capitals(size: int) -> int:
    """The height of capitals and digits of that size."""
    return -round(load_font(size).getbbox("H", anchor="ls")[1])


def plans(variant: Variant) -> Iterator[Layout]:
    """The whole board, and a part of it in each neighbourhood."""
    cells = range(0, len(variant.board.names), 6)
    sheets = (EmptyBoard.of(variant, 0, DEFAULT_THEME, zoom, 1) for zoom in (None, *cells))
    yield from map(plan_of, dict.fromkeys(sheets))


@each_variant
def test_labels_are_high_enough(variant: Variant) -> None:
    for plan in plans(variant):
        written = {plan.letter_size if label.cell is None else plan.name_size for label in plan.labels}
        assert min(map(capitals, written)) * least_share(plan) >= CAPITALS


@each_variant
def test_labels_of_a_replay_are_high_enough(variant: Variant) -> None:
    plan = layout_of(variant, 0, scale=replay_scale(variant))
    still = Image.open(BytesIO(render_gif(Replay(variant.start_position, (), 0))))
    assert still.width == plan.width
    share = min(share_shown(still.size, room) for room in ROOMS.values())
    assert capitals(plan.letter_size) * share >= CAPITALS
    assert plan.piece * share > 17


@each_variant
def test_pieces_and_the_light_of_the_side_to_move_are_large_enough(variant: Variant) -> None:
    plan = layout_of(variant, 0)
    assert plan.piece * least_share(plan) > 19
    assert min(home.radius for home in plan.medallions) * 2 * LIT_SCALE * least_share(plan) > 24


@each_variant
def test_numbers_of_pieces_are_large_enough(variant: Variant) -> None:
    cell = next(iter(variant.start_position.pieces))
    plain = View(variant.start_position, 0)
    pictures = (paint_view(view).convert("RGB") for view in (plain, replace(plain, numbers=((cell, 25),))))
    left, _, right, _ = ImageChops.difference(*pictures).getbbox() or (0, 0, 0, 0)
    assert (right - left) * least_share(layout_of(variant, 0)) > 12


def spot(picture: Image.Image, label: Label, size: int, share: float) -> Image.Image:
    """The part of a picture in which a label is written."""
    reach = load_font(size).getlength(label.text) * share / 2, capitals(size) * share / 2
    box = [at * share + way * by for way in (-1, 1) for at, by in zip(label.at, reach, strict=True)]
    return picture.crop((int(box[0]), int(box[1]), int(box[2]) + 1, int(box[3]) + 1))


@each_theme
@each_variant
def test_labels_stand_out(variant: Variant, theme: Theme) -> None:
    sheet = EmptyBoard(variant, variant.seats[-1], theme)
    plan, board = plan_of(sheet), run_steps(empty_board(sheet)).convert("RGB")
    room = min(ROOMS.values(), key=lambda room: share_shown(board.size, room))
    share, picture = share_shown(board.size, room), shrunk(board, room).convert("L")
    for label in plan.labels:
        size = plan.letter_size if label.cell is None else plan.name_size
        dark, light = spot(picture, label, size, share).getextrema()
        least = CONTRAST if label.cell is None or theme is THEMES["contrast"] else NAME_CONTRAST
        assert contrast((dark,) * 3, (light,) * 3) > least, label.text


@pytest.mark.parametrize("seat", [0, 1], ids=["up", "down"])
def test_a_straight_step_shows_its_whole_arrow(seat: int) -> None:
    game = Game.start(VARIANTS["camelot"])
    moved = game.play("F7-F8")
    move = moved.moves[-1]
    picture = paint_view(View(moved.position, seat, move, game.position)).convert("RGB")
    plan = plan_of(EmptyBoard.of(game.variant, seat, DEFAULT_THEME, None, 1))
    x, start = plan.areas[move.start].stand
    tip = plan.areas[move.end].stand.y + (plan.piece / 2 + 3) * (1 if start > plan.areas[move.end].stand.y else -1)
    shaft = [picture.getpixel((round(x), round(start + (tip - start) * share / 10))) for share in range(4, 10)]
    assert shaft.count(DEFAULT_THEME.trail) == len(shaft)
