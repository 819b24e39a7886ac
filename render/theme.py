"""Colours: what a board is made of, and the one fixed palette in which all of it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    """The colour that `under` has when seen through a coloured glass: dark stays dark."""
    red, green, blue = (u * g // 255 for u, g in zip(under, glaze, strict=True))
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
        """At most 256 colours: those named above and the steps between those that meet."""
        return Palette(tuple(dict.fromkeys(self._colours())))

    def _colours(self) -> Iterator[Rgb]:
        # Few steps, chosen by eye: every further colour makes each picture larger.
        yield from (self.table, blend(self.table, self.shade, TABLE_SHADOW))
        yield from _ramp(self.frame, self.table, 3)
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


class Palette:
    """A fixed list of colours, and what it takes to paint with their indices instead of with colours."""

    def __init__(self, colours: tuple[Rgb, ...]) -> None:
        assert len(colours) <= 256, len(colours)
        self.colours = colours
        flat = [part for colour in colours for part in colour]
        self._flat = flat + flat[-3:] * (256 - len(colours))
        self._image = Image.new("P", (1, 1))
        self._image.putpalette(self._flat)
        self._tables: dict[tuple[Rgb, int], bytes] = {}

    def indexed(self, picture: Image.Image) -> Image.Image:
        """An RGB picture in the nearest colours of the palette (mode P)."""
        return picture.quantize(palette=self._image, dither=Image.Dither.NONE)

    def veil(self, colour: Rgb, alpha: int) -> bytes:
        """For each index the one that is nearest when `colour` is laid over it with that alpha (0 to 255)."""
        return self._table((colour, alpha), lambda under: blend(under, colour, alpha / 255))

    def glass(self, glaze: Rgb) -> bytes:
        """For each index the one that is nearest when it is seen through `glaze`."""
        return self._table((glaze, -1), lambda under: glazed(under, glaze))

    def _table(self, key: tuple[Rgb, int], recolour: Callable[[Rgb], Rgb]) -> bytes:
        if key not in self._tables:
            swatch = Image.new("RGB", (256, 1))
            swatch.putdata([recolour(under) for under in self.colours])
            self._tables[key] = self.indexed(swatch).tobytes()
        return self._tables[key]


_IVORY, _EBONY = rgb("FBF6E9"), rgb("2C2521")

LINEN = Theme(
    table=rgb("E8E0D0"),
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
            # The Okabe-Ito colours, which the colour-blind tell apart.
            "Blue": Livery(rgb("0072B2"), rgb("0B2E47"), _IVORY, rgb("9CC3D8"), rgb("0B4467")),
            "Red": Livery(rgb("D55E00"), rgb("5B2500"), _IVORY, rgb("EDAE7E"), rgb("7A3300")),
            "Green": Livery(rgb("009E73"), rgb("053B2B"), _IVORY, rgb("9FD1BC"), rgb("055A42")),
        }
    ),
)
"""A wooden board with a dark frame on linen."""
