"""The empty board: frame, cells, castles and labels, drawn once per variant, side at the bottom and theme.

Drawing an empty board takes about 80 ms and a megabyte. Its PNG file has 17 to 62 KB and opens within a millisecond,
so the cache keeps PNG files: every side in every theme, and a hundred enlarged parts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import lru_cache
from io import BytesIO
from math import hypot

from PIL import Image, ImageChops, ImageDraw

from render.framing import EmptyBoard, plan_of
from render.geometry import HEADING_SIZE, CellArea, Heading, Label, Layout, Medallion, Point
from render.shapes import BASES, FLAG, ROUNDEL, TOWER, load_font, place_path
from render.theme import TABLE_SHADOW_ALPHA, Rgb, Theme, blend_colours
from rules.position import Army

BOARD_OVERSAMPLING = 2
_COMPRESSION = 3
"""Of zlib's nine levels. The default, 6, takes more than twice as long and saves a sixth of the bytes."""
_FRAME_COLLAR = 8
"""Width of the frame around a medallion, in pixels."""


def empty_board(sheet: EmptyBoard) -> Generator[None, None, Image.Image]:
    """A generator that returns a new copy of the board without pieces (mode P); callers paint on it."""
    kept = _kept_board(sheet)
    if not kept:
        picture = yield from _draw_board(sheet)
        yield
        kept.append(encode_png(picture))
        yield
    return Image.open(BytesIO(kept[0])).copy()


@lru_cache(maxsize=256)
def _kept_board(_: EmptyBoard) -> list[bytes]:
    """Where the file of a board is kept once it is drawn."""
    return []


def encode_png(picture: Image.Image) -> bytes:
    """The picture as a PNG file.

    >>> encode_png(Image.new("P", (1, 1)))[1:4]
    b'PNG'
    """
    file = BytesIO()
    picture.save(file, "PNG", compress_level=_COMPRESSION)
    return file.getvalue()


def _draw_board(sheet: EmptyBoard) -> Generator[None, None, Image.Image]:
    variant, theme, plan = sheet.variant, sheet.theme, plan_of(sheet)
    canvas = _BoardCanvas(plan, theme)
    yield
    yield from canvas.draw_frame()
    for seat, attacker in enumerate(variant.armies):
        canvas.draw_castle(variant.armies[variant.attacked_by(seat)], attacker)
        yield
    castles = {cell: theme.liveries[army.colour] for army in variant.armies for cell in army.castle}
    for label in plan.labels:
        if label.cell in castles:
            canvas.clear_label_gap(label, castles[label.cell].castle)
        if label.cell is not None:
            ink = castles[label.cell].tower if label.cell in castles else theme.name
            canvas.draw_text(label.text, label.at, plan.name_size, ink)
        yield
    if plan.windows:
        canvas.draw_bands()
    else:
        for army, home in zip(variant.armies, plan.medallions, strict=True):
            canvas.draw_medallion(army, home)
    for label in plan.labels:
        if label.cell is None:
            canvas.draw_text(label.text, label.at, plan.letter_size, theme.lettering)
    for heading in plan.headings:
        canvas.draw_heading(heading)
    yield
    return theme.palette.index_picture(canvas.picture.reduce(BOARD_OVERSAMPLING))


class _BoardCanvas:
    """Draws an empty board, enlarged by BOARD_OVERSAMPLING."""

    def __init__(self, plan: Layout, theme: Theme) -> None:
        self.plan = plan
        self.theme = theme
        self.size = plan.width * BOARD_OVERSAMPLING, plan.height * BOARD_OVERSAMPLING
        self.picture, self._around = self._draw_floor()
        self.draw = ImageDraw.Draw(self.picture)

    def _draw_floor(self) -> tuple[Image.Image, Image.Image]:
        """The cells in their tones with the lines between them, on the table; and the mask of everything else."""
        size = self.plan.width, self.plan.height
        floor, around = Image.new("RGB", size, self.theme.table), Image.new("1", size, 1)
        draw, stencil = ImageDraw.Draw(floor), ImageDraw.Draw(around)
        for area, tone in zip(self.plan.areas, self.plan.tones, strict=True):
            draw.polygon(area.corners, fill=self.theme.floors[tone])
            stencil.polygon(area.corners, fill=0)
        for area in self.plan.areas:
            draw.line([*area.corners, area.corners[0]], fill=self.theme.line)
        nearest = Image.Resampling.NEAREST  # the edges of cells stay stepped
        return floor.resize(self.size, nearest), around.resize(self.size, nearest)

    def draw_frame(self) -> Iterator[None]:
        """Draws a frame along the outline of the cells, with its shadow on the table and an inlaid line, in steps."""
        theme, reach = self.theme, self.plan.frame
        shadow = blend_colours(theme.table, theme.shade, TABLE_SHADOW_ALPHA)
        self._draw_surround(shadow, self._stepped_outline(reach, down=4))
        yield
        self._draw_surround(theme.frame, self._smooth_outline(reach))
        yield
        self._draw_surround(theme.frame_light, self._stepped_outline(4))
        yield
        self._draw_surround(theme.frame_dark, self._stepped_outline(2.5))
        yield

    def _draw_surround(self, ink: Rgb, outline: Image.Image) -> None:
        self.picture.paste(ink, mask=ImageChops.logical_and(outline, self._around))

    def draw_medallion(self, army: Army, home: Medallion) -> None:
        """Draws the unlit medallion of a side: the tower of its castle on a token in the colours of its pieces."""
        livery, base = self.theme.liveries[army.colour], BASES[army.colour]
        at = home.at.x * BOARD_OVERSAMPLING, home.at.y * BOARD_OVERSAMPLING
        size = 2 * home.radius * BOARD_OVERSAMPLING
        self.draw.polygon(place_path(ROUNDEL, at, size), fill=self.theme.frame)
        for path, share, fill in ((base, 0.86, livery.rim), (base, 0.78, livery.body), (TOWER, 0.5, livery.emblem)):
            self.draw.polygon(place_path(path, at, size * share), fill=fill)

    def draw_castle(self, army: Army, attacker: Army) -> None:
        """Draws the castle of an army: within its wall a second one and the flag, both of the attacker."""
        livery, flown, pitch = self.theme.liveries[army.colour], self.theme.liveries[attacker.colour], self.plan.pitch
        size = self.plan.piece * BOARD_OVERSAMPLING
        for area in (self.plan.areas[cell] for cell in army.castle):
            self.draw.polygon(_scale_points(area.corners), fill=livery.castle)
            self._draw_outline(_shrink_area(area, 1 - 9 * min(1, self.plan.scale) / pitch), livery.tower)
            self._draw_outline(_shrink_area(area, 0.86), flown.rim, pitch * 0.12)
            self._draw_outline(_shrink_area(area, 0.86), flown.body, pitch * 0.07)
            (stand,) = _scale_points([area.stand])
            flag = place_path(FLAG, stand, size * 0.7)
            self.draw.line([*flag, *flag[:2]], fill=flown.rim, width=round(size * 0.09), joint="curve")
            self.draw.polygon(flag, fill=flown.body)

    def clear_label_gap(self, label: Label, floor: Rgb) -> None:
        """Clears a gap in the wall of a castle for the name of the cell."""
        face = load_font(self.plan.name_size * BOARD_OVERSAMPLING)
        x, y = label.at.x * BOARD_OVERSAMPLING, label.at.y * BOARD_OVERSAMPLING
        width = face.getlength(label.text) / 2 + 3 * BOARD_OVERSAMPLING
        height = self.plan.name_size * BOARD_OVERSAMPLING * 0.46
        self.draw.rectangle((x - width, y - height, x + width, y + height), fill=floor)

    def draw_bands(self) -> None:
        """Draws a band with an inlaid line around each window that shows a part of the board."""
        windows = [[side * BOARD_OVERSAMPLING for side in window] for window in self.plan.windows]
        cover, bands, width = Image.new("1", self.size, 1), Image.new("1", self.size), windows[0][0]
        for left, top, right, bottom in windows:
            cover.paste(0, (left, top, right, bottom))
            bands.paste(1, (left - width, top - width, right + width, bottom + width))
        self.picture.paste(self.theme.table, mask=cover)
        self.picture.paste(self.theme.frame, mask=ImageChops.logical_and(bands, cover))
        for left, top, right, bottom in windows:
            for reach, ink in ((4, self.theme.frame_light), (2, self.theme.frame_dark)):
                rim = reach * BOARD_OVERSAMPLING
                self.draw.rectangle((left - rim, top - rim, right + rim - 1, bottom + rim - 1), outline=ink, width=rim)

    def draw_heading(self, heading: Heading) -> None:
        """Draws the number of a level beside a stack with one leaf per level, the leaf of this level filled."""
        theme = self.theme
        scale = self.plan.scale * HEADING_SIZE[0] / 92
        self.draw_text(str(heading.level), heading.at.moved(34 * scale, 0), round(44 * scale), theme.ink)
        for level in range(heading.levels, 0, -1):
            middle = heading.at.moved(-14 * scale, (level - (heading.levels + 1) / 2) * 13 * scale)
            leaf = [middle.moved(dx * scale, dy * scale) for dx, dy in ((-32, 0), (0, -12), (32, 0), (0, 12))]
            fill = theme.ink if level == heading.level else theme.table
            self.draw.polygon(_scale_points(leaf), fill=fill)
            self._draw_outline(leaf, theme.ink)

    def _draw_outline(self, points: Iterable[Point], ink: Rgb, width: float = 2) -> None:
        corners = _scale_points(points)
        self.draw.line([*corners, *corners[:2]], fill=ink, width=round(width * BOARD_OVERSAMPLING), joint="curve")

    def draw_text(self, text: str, at: Point, size: int, ink: Rgb) -> None:
        """Writes text with its capitals and digits centred on a point, each character on whole pixels of the picture.

        So equal characters are equal bytes, which makes the file smaller.
        """
        face = load_font(size * BOARD_OVERSAMPLING)
        _, top, _, bottom = face.getbbox("H", anchor="ls")
        widths = [round(face.getlength(character) / BOARD_OVERSAMPLING) for character in text]
        x = round(at.x - sum(widths) / 2)
        y = round(at.y - (top + bottom) / 2 / BOARD_OVERSAMPLING)
        for character, width in zip(text, widths, strict=True):
            at_pixel = x * BOARD_OVERSAMPLING, y * BOARD_OVERSAMPLING
            self.draw.text(at_pixel, character, fill=ink, font=face, anchor="ls")
            x += width

    def _stepped_outline(self, reach: float, *, down: float = 0) -> Image.Image:
        """An outline without smooth edges.

        Steps are invisible where the contrast is low, and smooth edges would make the file a tenth larger.
        """
        stepped = self._smooth_outline(reach, down=down).convert("L").reduce(BOARD_OVERSAMPLING)
        return stepped.point(lambda value: 255 if value > 127 else 0, "1").resize(self.size, Image.Resampling.NEAREST)

    def _smooth_outline(self, reach: float, *, down: float = 0) -> Image.Image:
        """A mask of all cells and medallions, each enlarged by that many pixels on every side, with round corners."""
        mask = Image.new("1", self.size)  # pasting through a 1-bit mask is eight times as fast
        draw = ImageDraw.Draw(mask)
        scale, round_part = BOARD_OVERSAMPLING, reach * 0.45
        # The frame around medallions has its own width.
        tips = self.plan.narrow_rows if reach == self.plan.frame else ()
        narrow = {cell for tip in tips for cell in tip.cells}
        for area in (area for cell, area in enumerate(self.plan.areas) if cell not in narrow):
            inner = _grow_area(area, reach - round_part)
            edges: list[tuple[float, float]] = []
            for start, end in zip(inner, (*inner[1:], inner[0]), strict=True):
                outward = (start.x + end.x) / 2 - area.centre.x, (start.y + end.y) / 2 - area.centre.y
                share = round_part / hypot(*outward)
                edges += _scale_points(at.moved(outward[0] * share, outward[1] * share + down) for at in (start, end))
            draw.polygon(edges, fill=1)
            for at in inner:
                draw.circle((at.x * scale, (at.y + down) * scale), round_part * scale - 0.5, fill=1)
        for _, (left, top, right, bottom) in tips:
            box = left * scale, (top + down) * scale, right * scale - 1, (bottom + down) * scale - 1
            draw.rounded_rectangle(box, round_part * scale, fill=1)
        for at, radius in () if self.plan.windows else self.plan.medallions:
            around = radius + _FRAME_COLLAR * self.plan.scale + reach - self.plan.frame
            if around > 0:
                draw.circle((at.x * scale, (at.y + down) * scale), around * scale, fill=1)
        return mask


def _scale_points(points: Iterable[Point]) -> list[tuple[float, float]]:
    return [(at.x * BOARD_OVERSAMPLING, at.y * BOARD_OVERSAMPLING) for at in points]


def _shrink_area(area: CellArea, share: float) -> list[Point]:
    """The corners of a cell, scaled towards its centre by `share`."""
    centre = area.centre
    return [Point(centre.x + (at.x - centre.x) * share, centre.y + (at.y - centre.y) * share) for at in area.corners]


def _grow_area(area: CellArea, reach: float) -> Sequence[Point]:
    """The corners of a cell with its edges moved outward by that many pixels."""
    centre, corners = area.centre, area.corners
    middle = (corners[0].x + corners[1].x) / 2 - centre.x, (corners[0].y + corners[1].y) / 2 - centre.y
    apothem = hypot(*middle)
    return _shrink_area(area, (apothem + reach) / apothem)
