"""Colours: one palette for everything, in which every colour is what it should be."""

from __future__ import annotations

from PIL import Image

from render import DEFAULT
from render.theme import blend, glazed, rgb
from rules import VARIANTS


def test_every_army_has_a_livery() -> None:
    for variant in VARIANTS.values():
        assert {army.colour for army in variant.armies} <= DEFAULT.liveries.keys()


def test_the_palette_fits_and_leaves_room() -> None:
    assert 64 < len(DEFAULT.palette.colours) <= 256
    assert len(set(DEFAULT.palette.colours)) == len(DEFAULT.palette.colours)


def test_every_colour_of_the_palette_stays_itself() -> None:
    """Pillow looks for the nearest colour in coarse steps: two that are too close would be taken for each other."""
    for colour in DEFAULT.palette.colours:
        assert DEFAULT.palette.indexed(Image.new("RGB", (1, 1), colour)).convert("RGB").getpixel((0, 0)) == colour


def test_a_glass_keeps_dark_dark() -> None:
    assert glazed((0, 0, 0), (255, 200, 100)) == (0, 0, 0)
    assert glazed((255, 255, 255), (255, 200, 100)) == (255, 200, 100)


def test_a_blend_goes_from_one_colour_to_the_other() -> None:
    black, white = rgb("000000"), rgb("FFFFFF")
    assert [blend(black, white, share) for share in (0, 0.5, 1)] == [black, (128, 128, 128), white]


def test_a_veil_that_covers_nothing_changes_nothing_and_one_that_covers_all_hides_all() -> None:
    palette = DEFAULT.palette
    used = len(palette.colours)
    assert palette.veil(DEFAULT.casing, 0)[:used] == bytes(range(used))
    assert set(palette.veil(DEFAULT.casing, 255)[:used]) == {palette.colours.index(DEFAULT.casing)}
