"""Themes, pieces, and what can be seen on a phone and told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from colorsys import rgb_to_hsv
from dataclasses import replace
from io import BytesIO
from itertools import combinations, product
from math import cos, dist, sin
from operator import mul

import pytest
from _pytest.mark import ParameterSet
from PIL import Image, ImageChops, ImageStat

from render import DEFAULT_THEME, THEMES, Theme, View
from render.board_drawing import empty_board
from render.framing import EmptyBoard, plan_of
from render.geometry import LIT_SCALE, Label, Layout
from render.layout import layout_of
from render.pieces import hatched_piece, piece_picture
from render.replay import Replay, render_gif, replay_scale
from render.scene import paint_view, run_steps, sheet_of
from render.shapes import load_font
from render.signs import lit_medallion_stamp
from render.theme import Rgb, glaze_colour, parse_rgb
from rules import VARIANTS, Game, Piece, PieceKind, Variant
from tests.render.scenes import ROOMS, each_variant, seat_name, share_shown, shrunk

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))


def test_the_theme_that_nobody_chose_has_a_key_too() -> None:
    assert THEMES["default"] is DEFAULT_THEME
    assert len(set(THEMES.values())) == len(THEMES) == 4


@each_theme
def test_every_army_has_a_livery(theme: Theme) -> None:
    for variant in VARIANTS.values():
        assert {army.colour for army in variant.armies} <= theme.liveries.keys()


@each_theme
def test_the_palette_fits_and_leaves_room(theme: Theme) -> None:
    assert 64 < len(theme.palette.colours) <= 255
    assert len(set(theme.palette.colours)) == len(theme.palette.colours)


@each_theme
def test_every_colour_of_the_palette_stays_itself(theme: Theme) -> None:
    """Pillow looks for the nearest colour in coarse steps: two that are too close would be taken for each other."""
    for colour in theme.palette.colours:
        assert theme.palette.index_picture(Image.new("RGB", (1, 1), colour)).convert("RGB").getpixel((0, 0)) == colour


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast of two colours as the Web Content Accessibility Guidelines measure it, from 1 to 21."""

    def luminance(colour: Rgb) -> float:
        linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@each_theme
def test_what_is_written_can_be_read(theme: Theme) -> None:
    assert contrast(theme.lettering, theme.frame) > 7
    assert contrast(theme.ink, theme.table) > 7
    assert contrast(theme.gold, theme.frame_dark) > 4.5
    glazed = [(glaze_colour(theme.name, theme.glaze), glaze_colour(tone, theme.glaze)) for tone in theme.cells]
    assert min(contrast(theme.name, tone) for tone in theme.cells) > 4  # names are fainter than the pieces
    assert min(contrast(*pair) for pair in glazed) > 3.2


@each_theme
def test_neighbouring_cells_can_be_told_apart(theme: Theme) -> None:
    light, dark, between = theme.cells
    assert contrast(light, dark) > 1.35
    assert min(contrast(light, between), contrast(dark, between)) > 1.15
    for one, other in zip(theme.floors[3::2], theme.floors[4::2], strict=True):
        assert contrast(one, other) > 1.35
    assert min(contrast(theme.line, tone) for tone in theme.cells) > 1.5


@each_theme
@pytest.mark.parametrize(
    ("colour", "sign"), [("Blue", "55ACEE"), ("Red", "DD2E44"), ("Green", "78B159")], ids=["🔵", "🔴", "🟢"]
)
def test_pieces_have_the_hue_of_the_sign_in_text(theme: Theme, colour: str, sign: str) -> None:
    """The colours of the signs are those of Twemoji, which Discord shows. Red was orange (48 degrees), Green teal."""
    hues = [rgb_to_hsv(*(part / 255 for part in body))[0] for body in (theme.liveries[colour].body, parse_rgb(sign))]
    apart = abs(hues[0] - hues[1]) * 360
    assert min(apart, 360 - apart) < 12


def test_high_contrast_is_higher() -> None:
    theme = THEMES["contrast"]
    assert min(contrast(theme.name, tone) for tone in theme.cells) > 10
    for livery in theme.liveries.values():
        assert contrast(livery.emblem, livery.body) > 3
        assert max(contrast(livery.rim, tone) for tone in theme.cells) > 15


def test_paper_needs_little_ink() -> None:
    theme = THEMES["print"]
    assert {theme.table, theme.frame, theme.shade} == {parse_rgb("FFFFFF")}
    assert min(sum(tone) / 3 for tone in theme.cells) > 210


# What can be seen on a phone


CAPITALS = 7
"""The least height of capitals and digits, in pixels as they are shown."""
CONTRAST, NAME_CONTRAST = 4.5, 2.4
"""The least contrast of what is written on the frame and on cells, in the picture as it is shown."""


def least_share(plan: Layout) -> float:
    """The factor by which the client with the least room shrinks a picture."""
    return min(share_shown((plan.width, plan.height), room) for room in ROOMS.values())


def capitals(size: int) -> int:
    """The height of capitals and digits of that size."""
    return -round(load_font(size).getbbox("H", anchor="ls")[1])


def plans(variant: Variant) -> Iterator[Layout]:
    """The whole board, and a part of it in each neighbourhood."""
    cells = range(0, len(variant.board.names), 6)
    sheets = (sheet_of(View(variant.start_position, zoom=zoom)) for zoom in (None, *cells))
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
    plan = layout_of(game.variant, seat)
    x, start = plan.areas[move.start].stand
    tip = plan.areas[move.end].stand.y + (plan.piece / 2 + 3) * (1 if start > plan.areas[move.end].stand.y else -1)
    shaft = [picture.getpixel((round(x), round(start + (tip - start) * share / 10))) for share in range(4, 10)]
    assert shaft.count(DEFAULT_THEME.trail) == len(shaft)


# Pieces


LEAST = 15
"""How much two pieces must differ on average, of 255 per pixel and channel; the least that was measured is 15.9."""
LEAST_IDLE = 7
"""The same where one of them or both are hatched; the least that was measured is 7.8."""

EYES = {
    "grey": (0.299, 0.587, 0.114) * 3,
    # Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency"
    # (2009), severity 1.0.
    "protanopia": (0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998),
    "deuteranopia": (0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881),
    "tritanopia": (1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900),
}
"""What red, green and blue turn into, row by row (applied to linear light)."""

LINEAR = [round(255 * (value / 255) ** 2.2) for value in range(256)]
SHOWN = [round(255 * (value / 255) ** (1 / 2.2)) for value in range(256)]

Cut = Callable[[Theme, str, PieceKind, int], Image.Image]
"""How a piece is cut: as it is played, or hatched."""


def looks() -> Iterator[ParameterSet]:
    """Each theme, variant and pair of eyes: each two of them together in each run, all three in a hunt."""
    assert min(len(THEMES), len(VARIANTS)) >= len(EYES), "else not each two"
    numbered = product(enumerate(THEMES.values()), enumerate(VARIANTS.values()), enumerate(EYES))
    for (at, theme), (place, variant), (number, eyes) in numbered:
        ordinary = (at + place) % len(EYES) == number
        yield pytest.param(theme, variant, eyes, marks=() if ordinary else pytest.mark.long)


each_look = pytest.mark.parametrize(("theme", "variant", "eyes"), [*looks()], ids=seat_name)


def seen(theme: Theme, variant: Variant, piece: Piece, eyes: str, cut: Cut = piece_picture) -> Image.Image:
    """A piece on the darker cells, as a person with that vision sees it at the smallest size that clients show."""
    plan = layout_of(variant, 0)
    sprite = cut(theme, variant.armies[piece.seat].colour, piece.kind, plan.piece)
    picture = Image.new("RGB", sprite.size, theme.cells[1])
    picture.paste(sprite, mask=sprite)
    side = round(sprite.width * min(share_shown((plan.width, plan.height), room) for room in ROOMS.values()))
    return as_seen(picture.resize((side, side), Image.Resampling.LANCZOS), eyes)


def as_seen(picture: Image.Image, eyes: str) -> Image.Image:
    """An RGB picture as a person with that vision sees it."""
    a, b, c, d, e, f, g, h, i = EYES[eyes]
    matrix = (a, b, c, 0, d, e, f, 0, g, h, i, 0)
    return picture.point(LINEAR * 3).convert("RGB", matrix).point(SHOWN * 3)


def difference(one: Image.Image, other: Image.Image) -> float:
    """Mean difference per pixel and channel, of 255."""
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def pieces(variant: Variant) -> list[Piece]:
    return [Piece(seat, kind) for seat in variant.seats for kind in PieceKind]


@each_look
def test_a_piece_that_nobody_plays_is_taken_for_no_other(theme: Theme, variant: Variant, eyes: str) -> None:
    for piece in pieces(variant):
        idle = seen(theme, variant, piece, eyes, hatched_piece)
        for other in pieces(variant):
            assert difference(idle, seen(theme, variant, other, eyes)) > LEAST_IDLE
            if other != piece:
                assert difference(idle, seen(theme, variant, other, eyes, hatched_piece)) > LEAST_IDLE


@each_look
def test_every_two_pieces_differ_clearly(theme: Theme, variant: Variant, eyes: str) -> None:
    shown = {piece: seen(theme, variant, piece, eyes) for piece in pieces(variant)}
    for one, other in combinations(shown, 2):
        assert difference(shown[one], shown[other]) > LEAST


def lab(colour: Rgb, eyes: str) -> tuple[float, float, float]:
    """A colour as those eyes see it, in CIE L*a*b*, where 2.3 is a difference that can just be noticed."""
    linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
    rows = zip(*[iter(EYES[eyes])] * 3, strict=True)
    r, g, b = (min(1.0, max(0.0, sum(map(mul, row, linear)))) for row in rows)
    x, y, z = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.0888,
    )
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@each_theme
@each_variant
@pytest.mark.parametrize("eyes", ["protanopia", "deuteranopia", "tritanopia"])
def test_no_colour_blindness_takes_one_side_for_another(theme: Theme, variant: Variant, eyes: str) -> None:
    """By the colours of the bodies alone. Without any colour it is the outlines that tell them apart."""
    bodies = [lab(theme.liveries[army.colour].body, eyes) for army in variant.armies]
    assert min(dist(one, other) for one, other in combinations(bodies, 2)) > 20


@each_theme
@each_variant
def test_sides_differ_in_outline_and_kinds_in_size(theme: Theme, variant: Variant) -> None:
    def area(piece: Piece) -> Image.Image:
        sprite = piece_picture(theme, variant.armies[piece.seat].colour, piece.kind, layout_of(variant, 0).piece)
        return sprite.getchannel("A").point(lambda alpha: 255 if alpha > 200 else 0)

    def size(mask: Image.Image) -> float:
        return ImageStat.Stat(mask).sum[0]

    for one, other in combinations(pieces(variant), 2):
        if one.seat != other.seat:
            apart = size(ImageChops.difference(area(one), area(other)))
            assert apart > 0.1 * size(area(one))
    for seat in variant.seats:
        assert size(area(Piece(seat, PieceKind.MAN))) < 0.85 * size(area(Piece(seat, PieceKind.KNIGHT)))


@each_theme
@each_variant
def test_every_piece_stands_out_from_every_cell(theme: Theme, variant: Variant) -> None:
    for piece in pieces(variant):
        for tone in theme.cells:
            sprite = piece_picture(theme, variant.armies[piece.seat].colour, piece.kind, layout_of(variant, 0).piece)
            empty = Image.new("RGB", sprite.size, tone)
            with_piece = empty.copy()
            with_piece.paste(sprite, mask=sprite)
            assert difference(empty.convert("L").convert("RGB"), with_piece.convert("L").convert("RGB")) > 18


@each_variant
def test_nothing_in_a_lit_medallion_runs_into_its_rim(variant: Variant) -> None:
    for army in variant.armies:
        drawn = lit_medallion_stamp.__wrapped__(DEFAULT_THEME, army.colour, 200).picture.convert("RGB")
        places = [
            (drawn.width / 2 + 210 * cos(turn / 50), drawn.height / 2 + 210 * sin(turn / 50)) for turn in range(315)
        ]
        assert {drawn.getpixel((round(x), round(y))) for x, y in places} == {DEFAULT_THEME.gold}
