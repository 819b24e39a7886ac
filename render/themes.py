"""The themes that people can choose. In each of them the sides differ in lightness as well as in hue."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from render.theme import Livery, Theme, rgb

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
