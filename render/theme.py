"""The themes: the colours of boards and pieces, and one fixed palette per theme for everything that is drawn.

In each theme the sides differ in lightness as well as in hue.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from PIL import Image, ImageColor

Rgb = tuple[int, int, int]

TABLE_SHADOW_ALPHA = 1 / 6
"""Share of the shadow's colour on the table below the frame."""
PIECE_SHADOW_ALPHA = 1 / 3
"""Share of the shadow's colour on a cell below a piece."""
FADED_ALPHA = 1 / 2
"""Opacity of a captured piece."""


def parse_rgb(text: str) -> Rgb:
    """Red, green and blue (0 to 255) of a colour written as RRGGBB.

    >>> parse_rgb("FF8000")
    (255, 128, 0)
    """
    red, green, blue = ImageColor.getrgb(f"#{text}")[:3]
    return red, green, blue


def blend_colours(under: Rgb, over: Rgb, share: float) -> Rgb:
    """The colour at `share` (0 to 1) of the way from `under` to `over`.

    >>> blend_colours((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    red, green, blue = (round(u + (o - u) * share) for u, o in zip(under, over, strict=True))
    return red, green, blue


def glaze_colour(under: Rgb, glaze: Rgb) -> Rgb:
    """The colour `under` seen through coloured glass: dark stays dark.

    Channels of the glass above 255 brighten the colour.
    """
    red, green, blue = (min(255, u * g // 255) for u, g in zip(under, glaze, strict=True))
    return red, green, blue


@dataclass(frozen=True)
class Livery:
    """The colours of one side."""

    body: Rgb
    """The body of its pieces."""
    rim: Rgb
    """The line around them, dark or light enough to stand out from the body."""
    emblem: Rgb
    """The emblem on the body: the horse's head or the pawn."""
    castle: Rgb
    """The floor of its castle."""
    tower: Rgb
    """The tower drawn on that floor."""


@dataclass(frozen=True, eq=False)
class Theme:
    """All colours of a picture. Compared by identity, because it is a key of the cache of boards."""

    table: Rgb
    """The table under the board."""
    ink: Rgb
    """Signs, letters and digits on the table."""
    shade: Rgb
    """Shadows, blended with the colour below."""
    frame: Rgb
    frame_light: Rgb
    frame_dark: Rgb
    lettering: Rgb
    """Letters and digits on the frame."""
    cells: tuple[Rgb, Rgb, Rgb]
    """The tones of the cells; boards of squares use the first two."""
    columns: tuple[Rgb, Rgb, Rgb]
    """The coloured glass over every second column of a board with levels, by which equal cells are recognised."""
    line: Rgb
    """Between cells."""
    name: Rgb
    """Names written on cells."""
    trail: Rgb
    """The path of the last move."""
    casing: Rgb
    """The line on both sides of the path and around marks."""
    glaze: Rgb
    """The coloured glass over the cells where the last move began and ended."""
    gold: Rgb
    """The medallion of the side to move."""
    wrong: Rgb
    """Marks on the cells of a refusal, and the crosses on captured pieces."""
    hint: Rgb
    liveries: Mapping[str, Livery]
    """By the colour of an army."""

    @cached_property
    def floors(self) -> tuple[Rgb, ...]:
        """The colours of cells, by `Layout.tones`: of plain cells, then of squares under each column's glass."""
        return (*self.cells, *(glaze_colour(cell, glass) for glass in self.columns for cell in self.cells[:2]))

    @cached_property
    def palette(self) -> Palette:
        """At most 255 colours: those above, and the steps between colours that meet at an edge."""
        apart: list[Rgb] = []
        for colour in self._iter_colours():
            if not any(_are_confused(colour, other) for other in apart):
                apart.append(colour)
        return Palette(tuple(apart))

    def _iter_colours(self) -> Iterator[Rgb]:
        # Few steps, chosen by eye: each additional colour enlarges every picture.
        yield from (self.table, blend_colours(self.table, self.shade, TABLE_SHADOW_ALPHA))
        yield from _iter_ramp(self.frame, self.table, 3)
        yield from _iter_ramp(self.ink, self.table, 3)
        yield from _iter_ramp(self.frame, self.lettering, 3)
        yield from _iter_ramp(self.frame_dark, self.frame_light, 3)
        yield from _iter_ramp(self.trail, self.casing, 3)
        yield from _iter_ramp(self.gold, self.frame_dark, 3)
        for mark in (self.wrong, self.hint):
            yield from _iter_ramp(mark, self.casing, 3)
        for floor in (*self.floors, *(livery.castle for livery in self.liveries.values())):
            for seen in (floor, glaze_colour(floor, self.glaze)):
                yield from (seen, blend_colours(seen, self.shade, PIECE_SHADOW_ALPHA))
        for tone in self.floors:
            yield from _iter_ramp(tone, self.name, 3)
            yield glaze_colour(self.name, self.glaze)
            yield self.line
        for livery in self.liveries.values():
            yield from _iter_ramp(livery.body, livery.emblem, 4)
            yield from _iter_ramp(livery.body, livery.rim, 3)
            yield from _iter_ramp(livery.castle, livery.tower, 3)
            yield from (blend_colours(tone, livery.body, FADED_ALPHA) for tone in self.floors)
            yield from _iter_ramp(livery.body, self.cells[0], 3)
            yield from _iter_ramp(livery.rim, self.cells[1], 3)


def _iter_ramp(start: Rgb, end: Rgb, steps: int) -> Iterator[Rgb]:
    """Yields `steps` colours from `start` to `end`, both included."""
    for step in range(steps):
        yield blend_colours(start, end, step / (steps - 1))


def _are_confused(one: Rgb, other: Rgb) -> bool:
    """Whether Pillow could confuse the two colours, because it searches the nearest colour in steps of four."""
    if abs(one[0] - other[0]) > 8 or abs(one[1] - other[1]) > 8 or abs(one[2] - other[2]) > 8:  # as nearly all pairs
        return False

    def off(seen: Rgb, colour: Rgb) -> int:
        return sum((part - part % 4 - other) ** 2 for part, other in zip(seen, colour, strict=True))

    return off(one, other) <= off(one, one) or off(other, one) <= off(other, other)


class Palette:
    """A fixed list of colours, with the tables for painting in palette indices."""

    def __init__(self, colours: tuple[Rgb, ...]) -> None:
        assert len(colours) <= 255, len(colours)  # one index stays free for transparency in animations
        self.colours = colours
        flat = [part for colour in colours for part in colour]
        self.flat = flat + flat[-3:] * (256 - len(colours))
        """Red, green and blue of each of the 256 indices in turn."""
        self._image = Image.new("P", (1, 1))
        self._image.putpalette(self.flat)

    def index_picture(self, picture: Image.Image) -> Image.Image:
        """The RGB picture in the nearest colours of the palette (mode P)."""
        return picture.quantize(palette=self._image, dither=Image.Dither.NONE)

    def blend_sprite(self, ground: Image.Image, sprite: Image.Image) -> Image.Image:
        """The picture `ground` (mode P) with an RGBA picture of the same size over it, in the nearest colours."""
        picture = ground.convert("RGB")
        picture.paste(sprite, mask=sprite)
        return self.index_picture(picture)

    def veil_table(self, colour: Rgb, alpha: int) -> bytes:
        """For each index, the nearest index after `colour` is laid over it with that alpha (0 to 255)."""
        return self._nearest_indices(blend_colours(under, colour, alpha / 255) for under in self.colours)

    def glaze_table(self, glaze: Rgb) -> bytes:
        """For each index, the nearest index of its colour seen through `glaze`."""
        return self._nearest_indices(glaze_colour(under, glaze) for under in self.colours)

    def _nearest_indices(self, colours: Iterable[Rgb]) -> bytes:
        swatch = Image.new("RGB", (256, 1))
        swatch.putdata(list(colours))
        return self.index_picture(swatch).tobytes()


# The bodies of the pieces have the hues of the circles that stand for the sides in text (🔵🔴🟢). They differ in
# lightness too, so that colour-blind people can tell them apart: green is light, with a dark emblem, and red is dark.
# Channels above FF are in decimals.
_COLOUR_TABLE = """
                  default   dark          contrast  print
    table         E8E0D0    1D1A18        FFFFFF    FFFFFF
    ink           4F3828    CDBB98        000000    000000
    shade         33241A    0B0806        808080    FFFFFF
    frame         4F3828    3B2B20        000000    FFFFFF
    frame_light   7B5B42    765A43        A0A0A0    C0C0C0
    frame_dark    38271B    150E09        101010    303030
    lettering     F2E4C6    EBDCBC        FFFFFF    000000
    cells.1       F3E6C6    816D54        FFFFFF    FFFFFF
    cells.2       CFB180    604F3B        D4D4D4    DADADA
    cells.3       E1CBA0    705E48        EAEAEA    ECECEC
    columns.1     FFEBE8    FFE0DC        FFE8E8    FFEEEE
    columns.2     E6F2FF    DAECFF        E6F2FF    ECF4FF
    columns.3     ECFFE4    DEFFD6        EAFFE4    F0FFEA
    line          9A7B4E    3E3125        505050    909090
    name          5E4722    F3E9D5        101010    505050
    trail         5A2A6B    DDB4F2        8A00B8    303030
    casing        FBF6E9    1A130E        FFFFFF    FFFFFF
    glaze         FFDB7D    380,285,120   FFE640    C4C4C4
    gold          E7B23E    E7B23E        FFD000    D8D8D8
    wrong         B5121B    FF6F61        D00010    000000
    hint          5A2A6B    DDB4F2        8A00B8    303030
    White.body    FBF6E9    FBF6E9        FFFFFF    FFFFFF
    White.rim     4A3A2B    1E1610        000000    000000
    White.emblem  33271D    33271D        000000    000000
    White.castle  F6EDD8    B8A88B        FFFFFF    FFFFFF
    White.tower   7A644A    3A2C20        000000    606060
    Black.body    2C2521    17130F        000000    202020
    Black.rim     120E0C    D8C8A8        000000    000000
    Black.emblem  F7EEDC    F7EEDC        FFFFFF    FFFFFF
    Black.castle  6A5646    2E251D        303030    606060
    Black.tower   F0E2C6    D8C8A8        FFFFFF    FFFFFF
    Blue.body     3A90E5    3A90E5        0B57B0    CFE3FA
    Blue.rim      0B2A52    D6E8FC        000000    000000
    Blue.emblem   FFFFFF    FFFFFF        FFFFFF    0B2E47
    Blue.castle   A9CDF2    1D4168        BBD0FF    EAF4FB
    Blue.tower    0B3F7A    BFDCFA        062A6B    0B4467
    Red.body      B3162A    B3162A        C8102E    8E1526
    Red.rim       4F0710    FFD6D6        000000    000000
    Red.emblem    FFFFFF    FFFFFF        FFFFFF    FFFFFF
    Red.castle    F0ABA6    6E1A24        FFBFBF    F8D4D4
    Red.tower     7A0F1E    FFC9C9        7A0012    7A1020
    Green.body    86C956    86C956        6FBF3F    84C268
    Green.rim     173A0B    E2F5D3        000000    000000
    Green.emblem  10300A    10300A        000000    000000
    Green.castle  BFE0A4    2C541B        CDEFB0    E2F2D8
    Green.tower   2A5A14    D3EFC0        1F4A08    2A5A14
"""
"""The colours as RRGGBB, one column per theme: wood on linen, the same at night, strong contrast for weak eyes, and
little ink on white paper, legible in grey print."""


def _parse_shade(text: str) -> Rgb:
    if "," not in text:
        return parse_rgb(text)
    red, green, blue = map(int, text.split(","))
    return red, green, blue


def _iter_themes() -> Iterator[tuple[str, Theme]]:
    """Yields the theme of each column of `_COLOUR_TABLE` with its key."""
    keys, *rows = (line.split() for line in _COLOUR_TABLE.strip().splitlines())
    for column, key in enumerate(keys, start=1):
        shades: dict[str, list[Rgb]] = defaultdict(list)
        for row in rows:
            shades[row[0].partition(".")[0]].append(_parse_shade(row[column]))
        light, dark, between = shades.pop("cells")
        first, middle, last = shades.pop("columns")
        liveries = {colour: Livery(*shades.pop(colour)) for colour in [name for name in shades if name.istitle()]}
        plain = {name: shade for name, (shade,) in shades.items()}
        cells, columns = (light, dark, between), (first, middle, last)
        yield key, Theme(**plain, cells=cells, columns=columns, liveries=MappingProxyType(liveries))


THEMES: Mapping[str, Theme] = MappingProxyType(dict(_iter_themes()))
"""Every theme, by the key that people choose."""
