"""What is laid over the board: the trail of a move, crosses, marks, and the lit medallion of the side to move."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from math import hypot
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from render.fonts import font
from render.ink import Glaze, Stamp
from render.layout import Layout
from render.pieces import token
from render.theme import Rgb, Theme
from rules import PieceKind
from rules.board import Cell

OVERSAMPLING = 4
_Points = list[tuple[float, float]]
_Spans = list[tuple[float, float]]


class MarkKind(Enum):
    """Why a cell is pointed at."""

    WRONG = "wrong"
    """It is what stands in the way of a refused move."""
    HINT = "hint"
    """It belongs to what could or should be done, such as a capture that is open."""
    FOCUS = "focus"
    """It is what the message talks about."""


class Mark(NamedTuple):
    """A cell pointed at."""

    cell: Cell
    kind: MarkKind


class _Pad:
    """A transparent picture of odd width and height around the point (0, 0), enlarged while it is drawn."""

    def __init__(self, half_width: float, half_height: float, edge: Rgb) -> None:
        self.half = int(half_width) + 1, int(half_height) + 1
        self.size = (2 * self.half[0] + 1) * OVERSAMPLING, (2 * self.half[1] + 1) * OVERSAMPLING
        self.picture = Image.new("RGB", self.size, edge)
        self.alpha = Image.new("L", self.size)
        self._draws = ImageDraw.Draw(self.picture), ImageDraw.Draw(self.alpha)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return (x + self.half[0] + 0.5) * OVERSAMPLING, (y + self.half[1] + 0.5) * OVERSAMPLING

    def _inked(self, ink: Rgb) -> tuple[tuple[ImageDraw.ImageDraw, Rgb | int], ...]:
        """What to draw everything on, and with which fill: the colours, and where there is any."""
        colours, alpha = self._draws
        return (colours, ink), (alpha, 255)

    def line(self, points: _Points, width: float, ink: Rgb) -> None:
        """Straight strokes from point to point with round ends and corners."""
        corners = [self._at(*point) for point in points]
        radius = width * OVERSAMPLING / 2
        for draw, fill in self._inked(ink):
            draw.line(corners, fill=fill, width=round(2 * radius), joint="curve")
            for x, y in corners:
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)

    def area(self, points: _Points, ink: Rgb) -> None:
        """A filled polygon."""
        corners = [self._at(*point) for point in points]
        for draw, fill in self._inked(ink):
            draw.polygon(corners, fill=fill)

    def disc(self, x: float, y: float, radius: float, ink: Rgb) -> None:
        """A filled circle."""
        left, top = self._at(x - radius, y - radius)
        right, bottom = self._at(x + radius, y + radius)
        for draw, fill in self._inked(ink):
            draw.ellipse((left, top, right, bottom), fill=fill)

    def text(self, text: str, face: ImageFont.FreeTypeFont, stroke: int, ink: Rgb) -> None:
        """Capitals and digits around the point (0, 0), their lines thickened by `stroke` enlarged pixels."""
        height = -face.getbbox("H", anchor="ls")[1]
        x, y = self._at(0, 0)
        for draw, fill in self._inked(ink):
            draw.text((x, y + height / 2), text, fill=fill, font=face, anchor="ms", stroke_width=stroke)

    def finished(self) -> Image.Image:
        """The RGBA picture in its true size."""
        picture = self.picture.reduce(OVERSAMPLING)
        picture.putalpha(self.alpha.reduce(OVERSAMPLING))
        return picture


@lru_cache(maxsize=512)
def leg(theme: Theme, dx: int, dy: int, gauge: int, tip: int, dashed: bool) -> Stamp:
    """One leg of a trail, to be put at the middle between its ends, which lie `dx`, `dy` apart.

    `gauge` is the width of the line. With a `tip` above 0 the leg ends in an arrowhead that far from its end, else in
    a dot on the landing.
    """
    distance = hypot(dx, dy)
    ux, uy = dx / distance, dy / distance
    barb, casing = gauge * 1.9, gauge * 0.4

    def point(along: float, across: float = 0) -> tuple[float, float]:
        return (along - distance / 2) * ux - across * uy, (along - distance / 2) * uy + across * ux

    pad = _Pad(abs(dx) / 2 + 3 * gauge, abs(dy) / 2 + 3 * gauge, theme.casing)
    end = distance - tip
    neck = end - gauge * 2.8 if tip else end
    head = [point(end), point(neck - gauge * 0.9, barb), point(neck), point(neck - gauge * 0.9, -barb)]
    for grown, ink in ((casing, theme.casing), (0.0, theme.trail)):
        for start, stop in _dashes(neck, gauge * 2.4) if dashed else [(0.0, neck)]:
            pad.line([point(start), point(stop)], gauge + 2 * grown, ink)
        if tip:
            pad.area(head, ink)
            pad.line([*head, head[0]], 2 * grown + 1, ink)
        else:
            pad.disc(*point(end), gauge * 1.15 + grown, ink)
    return Stamp(pad.finished(), theme.casing, theme)


def _dashes(length: float, dash: float) -> _Spans:
    """Pieces of a line of that length, with gaps of their own length between them; both ends are drawn."""
    count = max(1, round((length / dash - 1) / 2))
    unit = length / (2 * count + 1)
    return [(2 * index * unit, (2 * index + 1) * unit) for index in range(count + 1)]


@lru_cache(maxsize=32)
def dot(theme: Theme, gauge: int) -> Stamp:
    """Where a trail begins: a ring."""
    pad = _Pad(gauge * 2, gauge * 2, theme.casing)
    pad.disc(0, 0, gauge * 1.1 + gauge * 0.36, theme.casing)
    pad.disc(0, 0, gauge * 1.1, theme.trail)
    pad.disc(0, 0, gauge * 0.5, theme.casing)
    return Stamp(pad.finished(), theme.casing, theme)


@lru_cache(maxsize=32)
def cross(theme: Theme, size: int) -> Stamp:
    """A captured piece is crossed out with this; `size` is its width."""
    half = size / 2
    width = size / 6
    pad = _Pad(half + width, half + width, theme.casing)
    strokes: list[_Points] = [[(-half, -half), (half, half)], [(-half, half), (half, -half)]]
    for grown, ink in ((width * 0.8, theme.casing), (0.0, theme.wrong)):
        for stroke in strokes:
            pad.line(stroke, width + grown, ink)
    return Stamp(pad.finished(), theme.casing, theme)


@lru_cache(maxsize=32)
def target(theme: Theme, size: int) -> Stamp:
    """A cell to which a piece may go: a ring around a dot; `size` is its width."""
    radius, width = size / 2, size / 8
    pad = _Pad(radius + width, radius + width, theme.casing)
    for share, ink in (
        (1 + 0.6 * width / radius, theme.casing),
        (1, theme.hint),
        (0.68, theme.casing),
        (0.42, theme.hint),
    ):
        pad.disc(0, 0, radius * share, ink)
    return Stamp(pad.finished(), theme.casing, theme)


@lru_cache(maxsize=256)
def badge(theme: Theme, number: int, size: int) -> Stamp:
    """A number of one or two digits on a gold disc of that width."""
    radius = size / 2
    text = str(number)
    pad = _Pad(radius + 1, radius + 1, theme.frame_dark)
    pad.disc(0, 0, radius, theme.frame_dark)
    pad.disc(0, 0, radius - max(1, size / 18), theme.gold)
    pad.text(text, font(round(size * (0.88 if len(text) == 1 else 0.74) * OVERSAMPLING)), 0, theme.frame_dark)
    return Stamp(pad.finished(), theme.frame_dark, theme)


@lru_cache(maxsize=256)
def name(theme: Theme, text: str, size: int) -> Stamp:
    """The name of a cell with a light seam, to be read on top of a trail."""
    face = font(size * OVERSAMPLING)
    seam = 3 * OVERSAMPLING
    box = face.getbbox(text, anchor="mm", stroke_width=seam)
    pad = _Pad(max(-box[0], box[2]) / OVERSAMPLING, size / 2 + 3, theme.casing)
    pad.text(text, face, seam, theme.casing)
    pad.text(text, face, 0, theme.name)
    return Stamp(pad.finished(), theme.casing, theme)


@lru_cache(maxsize=32)
def glow(theme: Theme, plan: Layout) -> Glaze:
    """The glow of a whole cell, to be put on its centre."""
    corners = _corners(plan, 1 - 1 / plan.pitch)
    pad = _Pad(max(x for x, _ in corners), max(y for _, y in corners), theme.casing)
    pad.area(corners, theme.casing)
    return Glaze(pad.finished().getchannel("A"), theme.glaze, theme)


@lru_cache(maxsize=32)
def mark(theme: Theme, plan: Layout, kind: MarkKind) -> Stamp:
    """The sign that points at a cell: a border, whole with a badge (WRONG), broken (HINT), or corners only (FOCUS)."""
    width = plan.pitch * 0.065
    corners = _corners(plan, 1 - 2.1 * width / plan.pitch)
    ink = {MarkKind.WRONG: theme.wrong, MarkKind.HINT: theme.hint, MarkKind.FOCUS: theme.focus}[kind]
    pad = _Pad(plan.pitch * 0.72, plan.pitch * 0.72, theme.casing)
    strokes = list(_border(corners, kind))
    for grown, colour in ((width * 0.8, theme.casing), (0.0, ink)):
        for stroke in strokes:
            pad.line(stroke, width + grown, colour)
    if kind is MarkKind.WRONG:
        radius = plan.pitch * 0.16
        x, y = max(corners, key=lambda corner: corner[0] - corner[1])  # the upper right one
        x, y = x + radius * 0.4, y - radius * 0.2
        pad.disc(x, y, radius + width * 0.4, theme.casing)
        pad.disc(x, y, radius, ink)
        pad.line([(x, y - radius * 0.5), (x, y + radius * 0.05)], radius * 0.3, theme.casing)
        pad.disc(x, y + radius * 0.5, radius * 0.19, theme.casing)
    return Stamp(pad.finished(), theme.casing, theme)


def _border(corners: _Points, kind: MarkKind) -> list[_Points]:
    """The strokes of a border: whole, three dashes an edge, or a bracket at each corner."""
    edges = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    if kind is MarkKind.WRONG:
        return [[start, end] for start, end in edges]
    spans = [(0.1, 0.24), (0.43, 0.57), (0.76, 0.9)] if kind is MarkKind.HINT else [(0.0, 0.22), (0.78, 1.0)]
    return [
        [(a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share) for share in span]
        for a, b in edges
        for span in spans
    ]


@lru_cache(maxsize=64)
def lamp(theme: Theme, colour: str, radius: int) -> Stamp:
    """The medallion of the side to move, lit: its Knight on gold, a little wider than the unlit one."""
    rim = radius * 1.17
    pad = _Pad(rim, rim, theme.frame_dark)
    pad.disc(0, 0, rim, theme.frame_dark)
    pad.disc(0, 0, rim - 2, theme.gold)
    picture = pad.finished()
    piece = token(theme, colour, PieceKind.KNIGHT, round(radius * 1.62))
    picture.alpha_composite(piece, ((picture.width - piece.width) // 2, (picture.height - piece.height) // 2))
    return Stamp(picture, theme.frame_dark, theme)


def _corners(plan: Layout, share: float) -> _Points:
    """The corners of a cell, seen from its centre and drawn towards it."""
    place = plan.places[0]
    return [((at.x - place.centre.x) * share, (at.y - place.centre.y) * share) for at in place.corners]
