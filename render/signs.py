"""Signs painted over the board: the trail of a move, crosses, marks, and the lit medallion of the side to move."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from math import hypot
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from render.geometry import LIT_SCALE, Layout
from render.pieces import mask_between
from render.shapes import BASES, HOURGLASS, TOWER, load_font, place_path
from render.theme import Rgb, Theme
from rules.board import Cell

SIGN_OVERSAMPLING = 4
ARROW_HEAD_LENGTH = 3.7
"""The length of an arrowhead, in widths of its line."""
_Points = Sequence[tuple[float, float]]


class MarkKind(Enum):
    """Why a cell is marked."""

    WRONG = "wrong"
    """The cell is the obstacle of a refused move."""
    HINT = "hint"
    """The cell belongs to a possible or required action, such as a capture that is due."""


class Mark(NamedTuple):
    """A mark on a cell."""

    cell: Cell
    kind: MarkKind


class Stamp(NamedTuple):
    """A small picture to paint onto pictures of the same theme without leaving palette mode."""

    veil: Image.Image
    """The mask of its translucent pixels, where the colours below change."""
    change: bytes
    """For each palette index below, the index that replaces it there."""
    solid: Image.Image | None = None
    """The mask of its opaque pixels."""
    picture: Image.Image | None = None

    def put_on(self, onto: Image.Image, centre: tuple[int, int]) -> None:
        """Paints the stamp onto a picture, in place, centred on `centre`."""
        width, height = self.veil.size
        left, top = centre[0] - width // 2, centre[1] - height // 2
        box = left, top, left + width, top + height
        below = onto.crop(box).tobytes().translate(self.change)  # Image.point prepares its table in Python every time
        onto.paste(Image.frombytes("P", (width, height), below), box, self.veil)
        if self.picture:
            onto.paste(self.picture, box, self.solid)


class _StampPad:
    """A transparent picture of odd width and height, centred on (0, 0), on which a stamp is drawn enlarged."""

    def __init__(self, theme: Theme, half_width: float, half_height: float, edge: Rgb | None = None) -> None:
        """Transparent pixels have the colour `edge`, by default that of casings, for smooth edges."""
        self.theme = theme
        self.edge = edge or theme.casing
        self.half = int(half_width) + 1, int(half_height) + 1
        size = (2 * self.half[0] + 1) * SIGN_OVERSAMPLING, (2 * self.half[1] + 1) * SIGN_OVERSAMPLING
        self.picture = Image.new("RGB", size, self.edge)
        self.alpha = Image.new("L", size)
        self._draws = ImageDraw.Draw(self.picture), ImageDraw.Draw(self.alpha)

    def _pad_point(self, x: float, y: float) -> tuple[float, float]:
        return (x + self.half[0] + 0.5) * SIGN_OVERSAMPLING, (y + self.half[1] + 0.5) * SIGN_OVERSAMPLING

    def _draw_layers(self, ink: Rgb) -> tuple[tuple[ImageDraw.ImageDraw, Rgb | int], ...]:
        """The two layers to draw on, colour and opacity, each with its fill."""
        colours, alpha = self._draws
        return (colours, ink), (alpha, 255)

    def draw_line(self, points: _Points, width: float, ink: Rgb) -> None:
        """Draws straight strokes from point to point, with round ends and corners."""
        corners = [self._pad_point(*point) for point in points]
        radius = width * SIGN_OVERSAMPLING / 2
        for draw, fill in self._draw_layers(ink):
            draw.line(corners, fill=fill, width=round(2 * radius), joint="curve")
            for corner in corners:
                draw.circle(corner, radius, fill=fill)

    def draw_cased(self, strokes: Sequence[_Points], width: float, ink: Rgb) -> None:
        """Draws several strokes with a casing around them."""
        for grown, colour in ((width * 0.8, self.theme.casing), (0, ink)):
            for stroke in strokes:
                self.draw_line(stroke, width + grown, colour)

    def draw_area(self, points: _Points, ink: Rgb) -> None:
        """Draws a filled polygon."""
        corners = [self._pad_point(*point) for point in points]
        for draw, fill in self._draw_layers(ink):
            draw.polygon(corners, fill=fill)

    def draw_disc(self, x: float, y: float, radius: float, ink: Rgb) -> None:
        """Draws a filled circle."""
        for draw, fill in self._draw_layers(ink):
            draw.circle(self._pad_point(x, y), radius * SIGN_OVERSAMPLING, fill=fill)

    def draw_text(self, text: str, face: ImageFont.FreeTypeFont, stroke: int, ink: Rgb) -> None:
        """Writes capitals and digits centred on (0, 0), thickened by `stroke` enlarged pixels."""
        height = -face.getbbox("H", anchor="ls")[1]
        x, y = self._pad_point(0, 0)
        for draw, fill in self._draw_layers(ink):
            draw.text((x, y + height / 2), text, fill=fill, font=face, anchor="ms", stroke_width=stroke)

    def make_stamp(self) -> Stamp:
        """The stamp in its final size."""
        picture, alpha = self.picture.reduce(SIGN_OVERSAMPLING), self.alpha.reduce(SIGN_OVERSAMPLING)
        palette = self.theme.palette
        # One step between transparent and opaque looks smooth enough, and more steps make larger files.
        return Stamp(
            mask_between(alpha, 64, 192),
            palette.veil_table(self.edge, 127),
            mask_between(alpha, 192),
            palette.index_picture(picture),
        )


def leg_stamp(theme: Theme, dx: int, dy: int, gauge: int, tip: int, dashed: bool) -> Stamp:
    """One leg of a trail, to place midway between its ends, which lie `dx`, `dy` apart.

    `gauge` is the width of the line. With a `tip` above 0 the leg ends in an arrowhead that far from its end, else in
    a dot on the landing.
    """
    # The stamp of a leg to another level may have a megabyte, so few of those are kept.
    draw = _short_leg if abs(dx) <= _SHORT and abs(dy) <= _SHORT else _long_leg
    return draw(theme, dx, dy, gauge, tip, dashed)


def _draw_leg(theme: Theme, dx: int, dy: int, gauge: int, tip: int, dashed: bool) -> Stamp:
    distance = hypot(dx, dy)
    ux, uy = dx / distance, dy / distance
    barb, casing = gauge * 1.9, gauge * 0.4

    def point(along: float, across: float = 0) -> tuple[float, float]:
        return (along - distance / 2) * ux - across * uy, (along - distance / 2) * uy + across * ux

    pad = _StampPad(theme, abs(dx) / 2 + 3 * gauge, abs(dy) / 2 + 3 * gauge)
    end = distance - tip
    length = min(gauge * ARROW_HEAD_LENGTH, end * 0.6)  # so that every arrow has a shaft
    base, neck = end - length, end - length * 0.76 if tip else end
    head = [point(end), point(base, barb), point(neck), point(base, -barb)]
    for grown, ink in ((casing, theme.casing), (0.0, theme.trail)):
        for start, stop in _cut_dashes(neck, gauge * 2.4) if dashed else [(0.0, neck)]:
            pad.draw_line([point(start), point(stop)], gauge + 2 * grown, ink)
        if tip:
            pad.draw_area(head, ink)
            pad.draw_line([*head, head[0]], 2 * grown + 1, ink)
        else:
            pad.draw_disc(*point(end), gauge * 1.15 + grown, ink)
    return pad.make_stamp()


_SHORT = 210
"""The longest short leg, in pixels to a side: a leap on one level is no longer."""
_short_leg, _long_leg = lru_cache(maxsize=96)(_draw_leg), lru_cache(maxsize=24)(_draw_leg)


def _cut_dashes(length: float, dash: float) -> list[tuple[float, float]]:
    """The dashes of a line as (begin, end), with gaps as long as the dashes; both ends of the line have a dash."""
    count = max(1, round((length / dash - 1) / 2))
    unit = length / (2 * count + 1)
    return [(2 * index * unit, (2 * index + 1) * unit) for index in range(count + 1)]


@lru_cache(maxsize=32)
def start_stamp(theme: Theme, gauge: int) -> Stamp:
    """The ring at the start of a trail."""
    pad = _StampPad(theme, gauge * 2, gauge * 2)
    pad.draw_disc(0, 0, gauge * 1.1 + gauge * 0.36, theme.casing)
    pad.draw_disc(0, 0, gauge * 1.1, theme.trail)
    pad.draw_disc(0, 0, gauge * 0.5, theme.casing)
    return pad.make_stamp()


@lru_cache(maxsize=32)
def cross_stamp(theme: Theme, size: int) -> Stamp:
    """The cross on a captured piece, `size` pixels wide."""
    half, width = size / 2, size / 6
    pad = _StampPad(theme, half + width, half + width)
    pad.draw_cased([[(-half, -half), (half, half)], [(-half, half), (half, -half)]], width, theme.wrong)
    return pad.make_stamp()


@lru_cache(maxsize=256)
def target_stamp(theme: Theme, number: int, size: int) -> Stamp:
    """The sign of a possible next landing: its number in a ring, `size` pixels wide."""
    radius, width = size / 2, size / 10
    pad = _StampPad(theme, radius + width, radius + width)
    pad.draw_disc(0, 0, radius + 0.6 * width, theme.casing)
    pad.draw_disc(0, 0, radius, theme.hint)
    pad.draw_disc(0, 0, radius - width, theme.casing)
    _draw_number(pad, number, size * 0.9, theme.hint)
    return pad.make_stamp()


@lru_cache(maxsize=256)
def badge_stamp(theme: Theme, number: int, size: int) -> Stamp:
    """A number of one or two digits on a gold disc of that width."""
    radius = size / 2
    pad = _StampPad(theme, radius + 1, radius + 1, theme.frame_dark)
    pad.draw_disc(0, 0, radius, theme.frame_dark)
    pad.draw_disc(0, 0, radius - max(1, size / 18), theme.gold)
    _draw_number(pad, number, size, theme.frame_dark)
    return pad.make_stamp()


def _draw_number(pad: _StampPad, number: int, size: float, ink: Rgb) -> None:
    """Writes a number of one or two digits as large as a disc of that width takes it."""
    face = load_font(round(size * (0.88 if number < 10 else 0.74) * SIGN_OVERSAMPLING))
    pad.draw_text(str(number), face, 0, ink)


@lru_cache(maxsize=256)
def name_stamp(theme: Theme, text: str, size: int) -> Stamp:
    """The name of a cell with a light seam, legible on top of a trail."""
    face = load_font(size * SIGN_OVERSAMPLING)
    seam = 3 * SIGN_OVERSAMPLING
    box = face.getbbox(text, anchor="mm", stroke_width=seam)
    pad = _StampPad(theme, max(-box[0], box[2]) / SIGN_OVERSAMPLING, size / 2 + 3)
    pad.draw_text(text, face, seam, theme.casing)
    pad.draw_text(text, face, 0, theme.name)
    return pad.make_stamp()


@lru_cache(maxsize=128)
def glow_stamp(theme: Theme, plan: Layout) -> Stamp:
    """The glow of a whole cell, to place on its centre: the cell appears through coloured glass."""
    corners = _inner_corners(plan, 1 - 1 / plan.pitch)
    pad = _StampPad(theme, max(x for x, _ in corners), max(y for _, y in corners))
    pad.draw_area(corners, theme.casing)
    return Stamp(mask_between(pad.alpha.reduce(SIGN_OVERSAMPLING), 128), theme.palette.glaze_table(theme.glaze))


@lru_cache(maxsize=32)
def mark_stamp(theme: Theme, plan: Layout, kind: MarkKind) -> Stamp:
    """The mark of a cell: a whole border with a badge (WRONG), or a broken border (HINT)."""
    width = plan.pitch * 0.085
    corners = _inner_corners(plan, 1 - 2.1 * width / plan.pitch)
    ink = theme.wrong if kind is MarkKind.WRONG else theme.hint
    pad = _StampPad(theme, plan.pitch * 0.78, plan.pitch * 0.78)
    pad.draw_cased(_border_strokes(corners, kind), width, ink)
    if kind is MarkKind.WRONG:
        radius = plan.pitch * 0.21
        *_, (x, y) = badge_places(plan, 2 * radius + width)
        pad.draw_disc(x, y, radius + width * 0.4, theme.casing)
        pad.draw_disc(x, y, radius, ink)
        pad.draw_line([(x, y - radius * 0.5), (x, y + radius * 0.05)], radius * 0.3, theme.casing)
        pad.draw_disc(x, y + radius * 0.5, radius * 0.19, theme.casing)
    return pad.make_stamp()


def _border_strokes(corners: _Points, kind: MarkKind) -> list[_Points]:
    """The strokes of a border: whole, or three dashes per edge."""
    spans = ((0.0, 1.0),) if kind is MarkKind.WRONG else ((0.1, 0.24), (0.43, 0.57), (0.76, 0.9))
    return [
        [(a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share) for share in span]
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)
        for span in spans
    ]


@lru_cache(maxsize=64)
def lit_medallion_stamp(theme: Theme, colour: str, radius: int) -> Stamp:
    """The lit medallion of the side to move: an hourglass beside its token on gold, wider than the unlit medallion."""
    rim, livery, base = radius * LIT_SCALE, theme.liveries[colour], BASES[colour]
    pad = _StampPad(theme, rim, rim, theme.frame_dark)
    pad.draw_disc(0, 0, rim, theme.frame_dark)
    pad.draw_disc(0, 0, rim - max(2, radius * 0.09), theme.gold)
    token = 1.15 * radius
    x, y = -radius * 0.32, 0.0
    for path, share, ink in ((base, 1.0, livery.rim), (base, 0.9, livery.body), (TOWER, 0.58, livery.emblem)):
        pad.draw_area(place_path(path, (x, y), token * share), ink)
    pad.draw_area(place_path(HOURGLASS, (radius * 0.62, 0), radius * 0.9), theme.frame_dark)
    return pad.make_stamp()


def badge_places(plan: Layout, size: float) -> list[tuple[float, float]]:
    """The places of a badge of that diameter inside a cell, relative to its centre: in the corners, as they are read
    backwards.

    A hexagon's outermost corners, at the right and at the left, are the first and the last one.
    """
    return sorted(_inner_corners(plan, 1 - (size + 2) / plan.pitch), key=lambda at: -at[0] - at[1] / 2)


def _inner_corners(plan: Layout, share: float) -> _Points:
    """The corners of a cell relative to its centre, scaled towards it by `share`."""
    area = plan.areas[0]
    return [((at.x - area.centre.x) * share, (at.y - area.centre.y) * share) for at in area.corners]
