"""Colours: what a board is made of, the one fixed palette in which all of it is drawn, and the themes to choose from.

In each theme the sides differ in lightness as well as in hue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from PIL import Image, ImageColor

Rgb = tuple[int, int, int]

TABLE_SHADOW = 1 / 6
"""How much of the shadow's colour is mixed into the table below the frame."""
PIECE_SHADOW = 1 / 3
"""How much of it is mixed into a cell below a piece."""
FADED = 1 / 2
"""How much of a captured piece is still to be seen."""


def rgb(text: str) -> Rgb:
    """Red, green and blue (0 to 255) of a colour written as RRGGBB."""
    red, green, blue = ImageColor.getrgb(f"#{text}")[:3]
    return red, green, blue


def blend(under: Rgb, over: Rgb, share: float) -> Rgb:
    """The colour that lies `share` (0 to 1) of the way from `under` to `over`."""
    red, green, blue = (round(u + (o - u) * share) for u, o in zip(under, over, strict=True))
    return red, green, blue


def glazed(under: Rgb, glaze: Rgb) -> Rgb:
    """The colour that `under` has when seen through a coloured glass: dark stays dark.

    Parts of the glass above 255 are a light behind it, which makes things brighter.
    """
    red, green, blue = (min(255, u * g // 255) for u, g in zip(under, glaze, strict=True))
    return red, green, blue


@dataclass(frozen=True)
class Livery:
    """The colours of one side."""

    body: Rgb
    """Its pieces."""
    rim: Rgb
    """The line around them, dark or light enough to stand out from the body."""
    emblem: Rgb
    """What is painted on them: the horse's head, the pawn."""
    castle: Rgb
    """The floor of its castle."""
    tower: Rgb
    """The tower drawn on that floor."""


@dataclass(frozen=True, eq=False)
class Theme:
    """Everything a picture takes its colours from. Compared by identity, since boards are cached by it."""

    table: Rgb
    """What the board lies on."""
    ink: Rgb
    """Signs, letters and digits on the table."""
    shade: Rgb
    """Shadows: mixed into whatever they fall on."""
    frame: Rgb
    frame_light: Rgb
    frame_dark: Rgb
    lettering: Rgb
    """Letters and digits on the frame."""
    cells: tuple[Rgb, Rgb, Rgb]
    """The tones of the cells; boards of squares use the first two."""
    line: Rgb
    """Between cells."""
    name: Rgb
    """Names written on cells."""
    trail: Rgb
    """The path of the last move."""
    casing: Rgb
    """The line on both sides of the path and around marks."""
    glaze: Rgb
    """What the cells where the last move began and ended are seen through."""
    gold: Rgb
    """The medallion of the side to move."""
    wrong: Rgb
    """Marks on what a refusal names, and the crosses on captured pieces."""
    hint: Rgb
    focus: Rgb
    liveries: Mapping[str, Livery]
    """By the colour of an army."""

    @cached_property
    def palette(self) -> Palette:
        """At most 255 colours: those named above and the steps between those that meet."""
        apart: list[Rgb] = []
        for colour in self._colours():
            if not any(_confused(colour, other) for other in apart):
                apart.append(colour)
        return Palette(tuple(apart))

    def _colours(self) -> Iterator[Rgb]:
        # Few steps, chosen by eye: every further colour makes each picture larger.
        yield from (self.table, blend(self.table, self.shade, TABLE_SHADOW))
        yield from _ramp(self.frame, self.table, 3)
        yield from _ramp(self.ink, self.table, 3)
        yield from _ramp(self.frame, self.lettering, 3)
        yield from _ramp(self.frame_dark, self.frame_light, 3)
        yield from _ramp(self.trail, self.casing, 3)
        yield from _ramp(self.gold, self.frame_dark, 3)
        for mark in (self.wrong, self.hint, self.focus):
            yield from _ramp(mark, self.casing, 3)
        for floor in (*self.cells, *(livery.castle for livery in self.liveries.values())):
            for seen in (floor, glazed(floor, self.glaze)):
                yield from (seen, blend(seen, self.shade, PIECE_SHADOW))
        for tone in self.cells:
            yield from _ramp(tone, self.name, 3)
            yield glazed(self.name, self.glaze)
            yield self.line
        for livery in self.liveries.values():
            yield from _ramp(livery.body, livery.emblem, 4)
            yield from _ramp(livery.body, livery.rim, 3)
            yield from _ramp(livery.castle, livery.tower, 3)
            yield from (blend(tone, livery.body, FADED) for tone in self.cells)
            yield from _ramp(livery.body, self.cells[0], 3)
            yield from _ramp(livery.rim, self.cells[1], 3)


def _ramp(start: Rgb, end: Rgb, steps: int) -> Iterator[Rgb]:
    """`steps` colours from `start` to `end`, both included."""
    for step in range(steps):
        yield blend(start, end, step / (steps - 1))


def _confused(one: Rgb, other: Rgb) -> bool:
    """Whether Pillow would take one of them for the other: it looks for the nearest colour in steps of four."""

    def off(seen: Rgb, colour: Rgb) -> int:
        return sum((part - part % 4 - other) ** 2 for part, other in zip(seen, colour, strict=True))

    return off(one, other) <= off(one, one) or off(other, one) <= off(other, other)


class Palette:
    """A fixed list of colours, and what it takes to paint with their indices instead of with colours."""

    def __init__(self, colours: tuple[Rgb, ...]) -> None:
        assert len(colours) <= 255, len(colours)  # one is left for what is transparent in moving pictures
        self.colours = colours
        flat = [part for colour in colours for part in colour]
        self.flat = flat + flat[-3:] * (256 - len(colours))
        """Red, green and blue of all 256 indices, one after the other."""
        self._image = Image.new("P", (1, 1))
        self._image.putpalette(self.flat)

    def indexed(self, picture: Image.Image) -> Image.Image:
        """An RGB picture in the nearest colours of the palette (mode P)."""
        return picture.quantize(palette=self._image, dither=Image.Dither.NONE)

    def melt(self, ground: Image.Image, sprite: Image.Image) -> Image.Image:
        """A picture (mode P) with an RGBA one of the same size over it, in the nearest colours."""
        picture = ground.convert("RGB")
        picture.paste(sprite, mask=sprite)
        return self.indexed(picture)

    def veil(self, colour: Rgb, alpha: int) -> bytes:
        """For each index the one that is nearest when `colour` is laid over it with that alpha (0 to 255)."""
        return self._nearest(blend(under, colour, alpha / 255) for under in self.colours)

    def glass(self, glaze: Rgb) -> bytes:
        """For each index the one that is nearest when it is seen through `glaze`."""
        return self._nearest(glazed(under, glaze) for under in self.colours)

    def _nearest(self, colours: Iterable[Rgb]) -> bytes:
        swatch = Image.new("RGB", (256, 1))
        swatch.putdata(list(colours))
        return self.indexed(swatch).tobytes()


_WHITE, _BLACK = rgb("FFFFFF"), rgb("000000")
_IVORY, _EBONY = rgb("FBF6E9"), rgb("2C2521")
# Okabe and Ito's colours, which the colour-blind tell apart; but their blue (0072B2) is deepened, since without the
# sense of blue it is too close to the green.
_BLUE, _VERMILION, _GREEN = rgb("00559A"), rgb("D55E00"), rgb("009E73")

LINEN = Theme(
    table=rgb("E8E0D0"),
    ink=rgb("4F3828"),
    shade=rgb("33241A"),
    frame=rgb("4F3828"),
    frame_light=rgb("7B5B42"),
    frame_dark=rgb("38271B"),
    lettering=rgb("F2E4C6"),
    cells=(rgb("EBDAB7"), rgb("D9C297"), rgb("E2CEA7")),
    line=rgb("B3966A"),
    name=rgb("6B5230"),
    trail=rgb("5A2A6B"),
    casing=_IVORY,
    glaze=rgb("FFDB7D"),
    gold=rgb("E7B23E"),
    wrong=rgb("B5121B"),
    hint=rgb("5A2A6B"),
    focus=rgb("1F1A16"),
    liveries=MappingProxyType(
        {
            "White": Livery(_IVORY, rgb("4A3A2B"), rgb("33271D"), rgb("F6EDD8"), rgb("7A644A")),
            "Black": Livery(_EBONY, rgb("120E0C"), rgb("F7EEDC"), rgb("6A5646"), rgb("F0E2C6")),
            "Blue": Livery(_BLUE, rgb("0B2E47"), _IVORY, rgb("9CC3D8"), rgb("0B4467")),
            "Red": Livery(_VERMILION, rgb("5B2500"), _IVORY, rgb("EDAE7E"), rgb("7A3300")),
            "Green": Livery(_GREEN, rgb("053B2B"), _IVORY, rgb("9FD1BC"), rgb("055A42")),
        }
    ),
)
"""A wooden board with a dark frame on linen."""

NIGHT = Theme(
    table=rgb("1D1A18"),
    ink=rgb("CDBB98"),
    shade=rgb("0B0806"),
    frame=rgb("3B2B20"),
    frame_light=rgb("765A43"),
    frame_dark=rgb("150E09"),
    lettering=rgb("EBDCBC"),
    cells=(rgb("7C6850"), rgb("655340"), rgb("705D48")),
    line=rgb("4A3B2C"),
    name=rgb("F3E7CD"),
    trail=rgb("DDB4F2"),
    casing=rgb("1A130E"),
    glaze=(380, 285, 120),
    gold=rgb("E7B23E"),
    wrong=rgb("FF6F61"),
    hint=rgb("DDB4F2"),
    focus=_WHITE,
    liveries=MappingProxyType(
        {
            "White": Livery(_IVORY, rgb("1E1610"), rgb("33271D"), rgb("B8A88B"), rgb("3A2C20")),
            "Black": Livery(rgb("17130F"), rgb("D8C8A8"), rgb("F7EEDC"), rgb("2E251D"), rgb("D8C8A8")),
            "Blue": Livery(_BLUE, rgb("CFE6F5"), _WHITE, rgb("1F4560"), rgb("BFE0F5")),
            "Red": Livery(_VERMILION, rgb("FFE0C7"), _WHITE, rgb("7A3A12"), rgb("FFD9BC")),
            "Green": Livery(rgb("14B083"), rgb("D5F7EA"), _WHITE, rgb("0E5A45"), rgb("C3F0DF")),
        }
    ),
)
"""The same wood at night."""

CONTRAST = Theme(
    table=_WHITE,
    ink=_BLACK,
    shade=rgb("808080"),
    frame=_BLACK,
    frame_light=rgb("A0A0A0"),
    frame_dark=rgb("101010"),
    lettering=_WHITE,
    cells=(_WHITE, rgb("D4D4D4"), rgb("EAEAEA")),
    line=rgb("505050"),
    name=rgb("101010"),
    trail=rgb("8A00B8"),
    casing=_WHITE,
    glaze=rgb("FFE640"),
    gold=rgb("FFD000"),
    wrong=rgb("D00010"),
    hint=rgb("8A00B8"),
    focus=rgb("101010"),
    liveries=MappingProxyType(
        {
            "White": Livery(_WHITE, _BLACK, _BLACK, _WHITE, _BLACK),
            "Black": Livery(_BLACK, _BLACK, _WHITE, rgb("303030"), _WHITE),
            "Blue": Livery(rgb("0A3F9C"), _BLACK, _WHITE, rgb("BBD0FF"), rgb("062A6B")),
            "Red": Livery(rgb("D24A00"), _BLACK, _WHITE, rgb("FFC49E"), rgb("7A2A00")),
            "Green": Livery(rgb("009C70"), _BLACK, _WHITE, rgb("A8EBD3"), rgb("00543C")),
        }
    ),
)
"""Black, white and strong colours, for eyes that need them."""

PAPER = Theme(
    table=_WHITE,
    ink=_BLACK,
    shade=_WHITE,
    frame=_WHITE,
    frame_light=rgb("C0C0C0"),
    frame_dark=rgb("303030"),
    lettering=_BLACK,
    cells=(_WHITE, rgb("E4E4E4"), rgb("F2F2F2")),
    line=rgb("909090"),
    name=rgb("404040"),
    trail=rgb("303030"),
    casing=_WHITE,
    glaze=rgb("C4C4C4"),
    gold=rgb("D8D8D8"),
    wrong=_BLACK,
    hint=rgb("303030"),
    focus=_BLACK,
    liveries=MappingProxyType(
        {
            "White": Livery(_WHITE, _BLACK, _BLACK, _WHITE, rgb("606060")),
            "Black": Livery(rgb("202020"), _BLACK, _WHITE, rgb("606060"), _WHITE),
            "Blue": Livery(rgb("D8EAF6"), _BLACK, rgb("0B2E47"), rgb("EAF4FB"), rgb("0B4467")),
            "Red": Livery(rgb("7A2C00"), _BLACK, _WHITE, rgb("F8DCC8"), rgb("7A3300")),
            "Green": Livery(rgb("74C7AA"), _BLACK, _BLACK, rgb("DDF1E9"), rgb("055A42")),
        }
    ),
)
"""Little ink on white paper, and nothing that is lost when it is printed in grey."""

THEMES: Mapping[str, Theme] = MappingProxyType({"default": LINEN, "dark": NIGHT, "contrast": CONTRAST, "print": PAPER})
"""Every theme by the key under which people choose it."""
