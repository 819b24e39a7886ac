"""Pieces can be distinguished without colour, by colour-blind people, and on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import dist
from operator import mul

import pytest
from _pytest.mark import ParameterSet
from PIL import Image, ImageChops, ImageStat

from render import THEMES, Theme
from render.layout import layout_of
from render.pieces import hatched_piece, piece_picture
from render.theme import Rgb
from rules import VARIANTS, Piece, PieceKind, Variant
from tests.render.scenes import ROOMS, each_variant, seat_name, share_shown

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

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))


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
    picture = picture.resize((side, side), Image.Resampling.LANCZOS)
    return as_seen(picture, eyes)


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
