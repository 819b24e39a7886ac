"""Pieces that nobody mixes up: without colour, with the eyes of the colour-blind, and on a phone."""

from __future__ import annotations

from itertools import combinations

import pytest
from PIL import Image, ImageChops, ImageStat

from render import DEFAULT
from render.layout import layout
from render.pieces import token
from rules import VARIANTS, Kind, Piece, Variant
from tests.render.scenes import seat_name

PHONE = 0.4
"""A picture 1000 pixels wide, shown 400 wide."""

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

each_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=seat_name)


def seen(variant: Variant, piece: Piece, eyes: str) -> Image.Image:
    """A piece on the darker cells, as those eyes see it on a phone."""
    sprite = token(DEFAULT, variant.armies[piece.seat].colour, piece.kind, layout(variant, 0).piece)
    picture = Image.new("RGB", sprite.size, DEFAULT.cells[1])
    picture.paste(sprite, mask=sprite)
    side = round(sprite.width * PHONE)
    picture = picture.resize((side, side), Image.Resampling.LANCZOS)
    a, b, c, d, e, f, g, h, i = EYES[eyes]
    matrix = (a, b, c, 0, d, e, f, 0, g, h, i, 0)
    return picture.point(LINEAR * 3).convert("RGB", matrix).point(SHOWN * 3)


def difference(one: Image.Image, other: Image.Image) -> float:
    """Mean difference per pixel and channel, of 255."""
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def pieces(variant: Variant) -> list[Piece]:
    return [Piece(seat, kind) for seat in variant.seats for kind in Kind]


@each_variant
@pytest.mark.parametrize("eyes", EYES)
def test_every_two_pieces_differ_clearly(variant: Variant, eyes: str) -> None:
    for one, other in combinations(pieces(variant), 2):
        assert difference(seen(variant, one, eyes), seen(variant, other, eyes)) > 12


@each_variant
def test_sides_differ_in_outline_and_kinds_in_size(variant: Variant) -> None:
    def area(piece: Piece) -> Image.Image:
        sprite = token(DEFAULT, variant.armies[piece.seat].colour, piece.kind, layout(variant, 0).piece)
        return sprite.getchannel("A").point(lambda alpha: 255 if alpha > 200 else 0)

    def size(mask: Image.Image) -> float:
        return ImageStat.Stat(mask).sum[0]

    for one, other in combinations(pieces(variant), 2):
        if one.seat != other.seat:
            apart = size(ImageChops.difference(area(one), area(other)))
            assert apart > 0.1 * size(area(one))
    for seat in variant.seats:
        assert size(area(Piece(seat, Kind.MAN))) < 0.85 * size(area(Piece(seat, Kind.KNIGHT)))


@each_variant
def test_every_piece_stands_out_from_every_cell(variant: Variant) -> None:
    for piece in pieces(variant):
        for tone in DEFAULT.cells:
            sprite = token(DEFAULT, variant.armies[piece.seat].colour, piece.kind, layout(variant, 0).piece)
            empty = Image.new("RGB", sprite.size, tone)
            with_piece = empty.copy()
            with_piece.paste(sprite, mask=sprite)
            assert difference(empty.convert("L").convert("RGB"), with_piece.convert("L").convert("RGB")) > 18
