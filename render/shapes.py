"""Outlines as SVG path data in a box of 100 units around the origin, their polygons, and the typeface.

Paths use only absolute M, L, C and Z. These outlines distinguish sides and kinds of piece without colour. The typeface
is Cabin by Pablo Impallari and Igino Marini; its licence is in the same folder.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from unicodedata import normalize

from PIL import ImageFont

Polygon = tuple[tuple[float, float], ...]

ROUNDEL = (
    "M 0,-50 C 27.6,-50 50,-27.6 50,0 C 50,27.6 27.6,50 0,50 C -27.6,50 -50,27.6 -50,0 C -50,-27.6 -27.6,-50 0,-50 Z"
)
SHIELD = (
    "M -49,-43 C -30,-47 -15,-47 0,-50 C 15,-47 30,-47 49,-43 C 50,-20 51,2 43,20 C 35,37 18,47 0,54"
    " C -18,47 -35,37 -43,20 C -51,2 -50,-20 -49,-43 Z"
)
LOZENGE = (
    "M 0,-53 C 4,-53 7,-50 10,-47 L 47,-10 C 50,-7 53,-4 53,0 C 53,4 50,7 47,10 L 10,47 C 7,50 4,53 0,53"
    " C -4,53 -7,50 -10,47 L -47,10 C -50,7 -53,4 -53,0 C -53,-4 -50,-7 -47,-10 L -10,-47 C -7,-50 -4,-53 0,-53 Z"
)

HORSE = (
    "M -19,36 C -19,24 -6,19 -3,6 C -9,11 -14,10 -19,12 C -22,16 -24,20 -28,20 C -33,19 -38,15 -38,9"
    " C -38,3 -31,-3 -27,-10 C -25,-18 -20,-25 -12,-29 L -11,-42 C -6,-39 -1,-36 1,-31"
    " C 19,-29 32,-11 31,14 C 31,22 30,29 29,36 Z"
)
HORSE_EYE = "M -17,-11 C -15,-15 -10,-15 -8,-12 C -11,-9 -14,-9 -17,-11 Z"
HORSE_MANE = "M 5,-22 C 16,-17 22,-4 21,12 C 21,16 20,20 19,23 C 18,6 16,-10 5,-22 Z"
PAWN = (
    "M -27,37 C -27,29 -20,27 -15,22 C -10,15 -8,7 -7,-2 L -15,-2 C -17,-2 -17,-8 -15,-8 L -10,-8"
    " C -16,-12 -18,-18 -18,-23 C -18,-33 -10,-41 0,-41 C 10,-41 18,-33 18,-23 C 18,-18 16,-12 10,-8"
    " L 15,-8 C 17,-8 17,-2 15,-2 L 7,-2 C 8,7 10,15 15,22 C 20,27 27,29 27,37 Z"
)
TOWER = (
    "M -30,40 L -30,32 L -22,32 L -22,-10 L -30,-18 L -30,-40 L -18,-40 L -18,-30 L -6,-30 L -6,-40 L 6,-40"
    " L 6,-30 L 18,-30 L 18,-40 L 30,-40 L 30,-18 L 22,-10 L 22,32 L 30,32 L 30,40 L 8,40 L 8,24"
    " C 8,12 -8,12 -8,24 L -8,40 Z"
)
FLAG = "M -30,44 L -30,-46 L -21,-46 L -21,-42 L 40,-20 L -21,4 L -21,44 Z"
HOURGLASS = (
    "M -32,-48 L 32,-48 L 32,-38 L 26,-38 L 26,-28 L 5,0 L 26,28 L 26,38 L 32,38 L 32,48 L -32,48 L -32,38 L -26,38"
    " L -26,28 L -5,0 L -26,-28 L -26,-38 L -32,-38 Z"
)

BASES = {"White": ROUNDEL, "Black": SHIELD, "Blue": ROUNDEL, "Red": SHIELD, "Green": LOZENGE}
"""The outline of an army's pieces, by its colour."""

_CURVE_STEPS = 12
_PLAIN_LETTERS = str.maketrans("łŁđĐħĦŧŦŋŊ", "lLdDhHtTnN")
"""Letters that the typeface lacks and Unicode does not take apart."""


@cache
def path_polygon(path: str) -> Polygon:
    """The corners of a path, with curves approximated by short straight lines.

    >>> path_polygon("M 0,0 L 10,0 L 10,5 Z")
    ((0.0, 0.0), (10.0, 0.0), (10.0, 5.0))
    """
    corners: list[tuple[float, float]] = []
    words = iter(path.split())

    def point() -> tuple[float, float]:
        x, y = next(words).split(",")
        return float(x), float(y)

    for command in words:
        if command in "ML":
            corners.append(point())
        elif command == "C":
            start, first, second, end = corners[-1], point(), point(), point()
            for step in range(1, _CURVE_STEPS + 1):
                t = step / _CURVE_STEPS
                a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                x, y = (a * p + b * q + c * r + d * s for p, q, r, s in zip(start, first, second, end, strict=True))
                corners.append((x, y))
    return tuple(corners)


def place_path(path: str, at: tuple[float, float], size: float) -> list[tuple[float, float]]:
    """The corners of a path, scaled to a box of `size` and centred on `at`."""
    scale = size / 100
    return [(at[0] + x * scale, at[1] + y * scale) for x, y in path_polygon(path)]


@lru_cache(maxsize=16)
def load_font(size: int) -> ImageFont.FreeTypeFont:
    """Cabin Bold in that size (pixels). Boards and charts use its capitals and digits, all of one height.

    The names and words of people go through `drawable_text` first.
    """
    cabin = Path(__file__).parent / "fonts" / "Cabin-Bold.otf"
    return ImageFont.truetype(cabin, size, layout_engine=ImageFont.Layout.BASIC)


def drawable_text(text: str) -> str:
    """The text in signs that the typeface has. Other signs become the letters they consist of, or are left out.

    >>> drawable_text("Łukasz 🐎 Ødegård"), drawable_text("囲碁")
    ('Lukasz  Ødegård', '')
    """
    return "".join(map(_drawable_sign, normalize("NFC", text).translate(_PLAIN_LETTERS)))


@lru_cache(maxsize=4096)
def _drawable_sign(sign: str) -> str:
    if sign.isspace() or _has_glyph(sign):
        return sign
    return "".join(part for part in normalize("NFKD", sign) if part.isspace() or _has_glyph(part))


def _has_glyph(sign: str) -> bool:
    font = load_font(32)
    return sign.isprintable() and bytes(font.getmask(sign)) != bytes(font.getmask("\uffff"))
