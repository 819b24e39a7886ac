"""The pieces: a token in the shape of its side, with a horse's head on Knights and a pawn on Men."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageChops, ImageDraw

from render.shapes import BASES, HORSE, HORSE_EYE, HORSE_MANE, PAWN, placed
from render.theme import FADED, PIECE_SHADOW, Theme
from rules import Kind

OVERSAMPLING = 8
MAN_SIZE = 0.88
"""A Man's diameter as a share of a Knight's."""


@lru_cache(maxsize=64)
def token(theme: Theme, colour: str, kind: Kind, diameter: int) -> Image.Image:
    """That side's piece with its shadow (RGBA), in the middle of a square a fifth wider than a Knight."""
    side = tile_side(diameter)
    big = side * OVERSAMPLING
    middle = big / 2
    livery = theme.liveries[colour]
    base = BASES[colour]
    size = diameter * OVERSAMPLING * (1 if kind is Kind.KNIGHT else MAN_SIZE)
    face = Image.new("RGB", (big, big), livery.rim)
    draw = ImageDraw.Draw(face)
    draw.polygon(placed(base, (middle, middle), size * 0.91), fill=livery.body)
    if kind is Kind.KNIGHT:
        draw.polygon(placed(base, (middle, middle), size * 0.83), fill=livery.emblem)
        draw.polygon(placed(base, (middle, middle), size * 0.77), fill=livery.body)
    _emblem(draw, kind, (middle, middle), size * 0.72, ink=livery.emblem, ground=livery.body)
    outline = Image.new("L", (big, big))
    ImageDraw.Draw(outline).polygon(placed(base, (middle, middle), size), fill=255)
    drop = Image.new("L", (big, big))
    ImageDraw.Draw(drop).polygon(
        placed(base, (middle, middle + 2.5 * OVERSAMPLING), size), fill=round(255 * PIECE_SHADOW)
    )
    alpha = ImageChops.lighter(outline, drop)
    face.paste(theme.shade, mask=ImageChops.invert(outline))
    face.putalpha(alpha)
    return face.reduce(OVERSAMPLING)


def tile_side(diameter: int) -> int:
    """Width and height of the picture of a piece."""
    return 2 * round(diameter * 0.62)


def faded(piece: Image.Image) -> Image.Image:
    """The ghost of a piece (RGBA)."""
    ghost = piece.copy()
    ghost.putalpha(piece.getchannel("A").point(lambda alpha: int(alpha * FADED)))
    return ghost


def _emblem(
    draw: ImageDraw.ImageDraw,
    kind: Kind,
    at: tuple[float, float],
    size: float,
    *,
    ink: tuple[int, int, int],
    ground: tuple[int, int, int],
) -> None:
    if kind is Kind.KNIGHT:
        draw.polygon(placed(HORSE, at, size), fill=ink)
        draw.polygon(placed(HORSE_EYE, at, size), fill=ground)
        draw.polygon(placed(HORSE_MANE, at, size), fill=ground)
    else:
        draw.polygon(placed(PAWN, at, size), fill=ink)
