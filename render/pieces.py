"""The pieces: a token in the shape of its side, with a horse's head on Knights and a pawn on Men."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PIL import Image, ImageChops, ImageDraw

from render.shapes import BASES, HORSE, HORSE_EYE, HORSE_MANE, PAWN, place_path
from render.theme import FADED_ALPHA, PIECE_SHADOW_ALPHA, Theme
from rules import PieceKind

PIECE_OVERSAMPLING = 8
MAN_SIZE = 0.88
"""The diameter of a Man as a share of a Knight's."""

_HATCH_SPACING = 0.16
"""Distance between the lines of a hatched piece, as a share of a Knight's diameter."""
_PALE_MARGIN = 60
"""By how much the body of a pale piece may be lighter than the floor, summed over all channels."""
_HALO_WIDTH = 0.12
"""The gap between lines and emblem, both sides together, as a share of the piece."""


@lru_cache(maxsize=256)
def piece_picture(theme: Theme, colour: str, kind: PieceKind, diameter: int) -> Image.Image:
    """A piece with its shadow (RGBA), in the middle of a square a fifth wider than a Knight."""
    big = tile_side(diameter) * PIECE_OVERSAMPLING
    middle = big / 2, big / 2
    livery, base = theme.liveries[colour], BASES[colour]
    body, ink = livery.body, livery.emblem
    if kind is PieceKind.KNIGHT:
        ring = [(base, 0.83, ink), (base, 0.77, body)]
        emblem = [*ring, (HORSE, 0.72, ink), (HORSE_EYE, 0.72, body), (HORSE_MANE, 0.72, body)]
    else:
        emblem = [(PAWN, 0.72, ink)]
    size = diameter * PIECE_OVERSAMPLING * (1 if kind is PieceKind.KNIGHT else MAN_SIZE)
    face = Image.new("RGB", (big, big), livery.rim)
    for path, share, fill in [(base, 0.91, body), *emblem]:
        ImageDraw.Draw(face).polygon(place_path(path, middle, size * share), fill=fill)
    outline, drop = Image.new("L", (big, big)), Image.new("L", (big, big))
    ImageDraw.Draw(outline).polygon(place_path(base, middle, size), fill=255)
    below = middle[0], middle[1] + 2.5 * PIECE_OVERSAMPLING
    ImageDraw.Draw(drop).polygon(place_path(base, below, size), fill=round(255 * PIECE_SHADOW_ALPHA))
    face.paste(theme.shade, mask=ImageChops.invert(outline))
    face.putalpha(ImageChops.lighter(outline, drop))
    return face.reduce(PIECE_OVERSAMPLING)


@lru_cache(maxsize=32)
def hatched_piece(theme: Theme, colour: str, kind: PieceKind, diameter: int) -> Image.Image:
    """A piece that nobody plays any more (RGBA): hatched, so that the floor shows through."""
    big = tile_side(diameter) * PIECE_OVERSAMPLING
    middle = big / 2, big / 2
    livery = theme.liveries[colour]
    size = diameter * PIECE_OVERSAMPLING * (1 if kind is PieceKind.KNIGHT else MAN_SIZE)

    def shape(path: str, share: float, margin: float = 0) -> Image.Image:
        mask = Image.new("L", (big, big))
        corners = place_path(path, middle, size * share)
        ImageDraw.Draw(mask).polygon(corners, fill=255)
        if margin:
            ImageDraw.Draw(mask).line([*corners, *corners[:2]], fill=255, width=round(size * margin), joint="curve")
        return mask

    base, emblem = BASES[colour], HORSE if kind is PieceKind.KNIGHT else PAWN
    body = ImageChops.subtract(shape(base, 1), shape(base, 0.88))
    lines = ImageChops.subtract(_hatch_lines(big, diameter), shape(emblem, 0.72, _HALO_WIDTH))
    body = ImageChops.lighter(body, ImageChops.darker(lines, shape(base, 0.9)))
    # On a light floor the lines of a light piece are dark, as its emblem is: its body's colour could not be seen.
    emblem_light, body_light, floor_light = map(sum, (livery.emblem, livery.body, theme.cells[0]))
    is_pale = emblem_light < body_light < floor_light + _PALE_MARGIN
    face = Image.new("RGB", (big, big), livery.emblem if is_pale else livery.body)
    for mask in (ImageChops.subtract(shape(base, 1), shape(base, 0.95)), shape(emblem, 0.72)):
        face.paste(livery.rim, mask=mask)
    face.putalpha(ImageChops.lighter(body, shape(emblem, 0.72)))
    return face.reduce(PIECE_OVERSAMPLING)


def _hatch_lines(big: int, diameter: int) -> Image.Image:
    """The lines of a hatched piece, from the lower left to the upper right, over a square."""
    mask = Image.new("L", (big, big))
    step = diameter * PIECE_OVERSAMPLING * _HATCH_SPACING
    for number in range(-round(big / step) - 1, round(big / step) + 1):
        ImageDraw.Draw(mask).line((number * step, big, number * step + big, 0), fill=255, width=round(step * 0.38))
    return mask


def tile_side(diameter: int) -> int:
    """Width and height of the picture of a piece, in pixels."""
    return 2 * round(diameter * 0.62)


def ghost_piece(theme: Theme, colour: str, kind: PieceKind, diameter: int) -> Image.Image:
    """A captured piece (RGBA): faded."""
    ghost = piece_picture(theme, colour, kind, diameter).copy()
    ghost.putalpha(ghost.getchannel("A").point(lambda alpha: int(alpha * FADED_ALPHA)))
    return ghost


@lru_cache(maxsize=256)
def piece_masks(theme: Theme, colour: str, kind: PieceKind, diameter: int) -> tuple[Image.Image, Image.Image]:
    """Two masks of the area that a piece covers: with its shadow, and without it."""
    alpha = piece_picture(theme, colour, kind, diameter).getchannel("A")
    return mask_between(alpha, 6), mask_between(alpha, 160)


def mask_between(grey: Image.Image, low: int, high: int = 256) -> Image.Image:
    """The mask of the pixels of a one-channel picture with values from `low` up to, but excluding, `high`."""
    return grey.point([255 * (low <= value < high) for value in range(256)], "L")


PieceStyle = Callable[[Theme, str, PieceKind, int], Image.Image]
"""A function that draws a piece: as a token, hatched or faded."""
