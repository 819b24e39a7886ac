"""Themes: one palette holds every colour, and Pillow finds each of them exactly."""

from __future__ import annotations

from colorsys import rgb_to_hsv

import pytest
from PIL import Image

from render import DEFAULT_THEME, THEMES, Theme
from render.theme import blend_colours, glaze_colour, parse_rgb
from rules import VARIANTS
from tests.render.contrast import contrast

each_theme = pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))


def test_the_theme_that_nobody_chose_has_a_key_too() -> None:
    assert THEMES["default"] is DEFAULT_THEME
    assert len(set(THEMES.values())) == len(THEMES) == 4


@each_theme
def test_every_army_has_a_livery(theme: Theme) -> None:
    for variant in VARIANTS.values():
        assert {army.colour for army in variant.armies} <= theme.liveries.keys()


@each_theme
def test_the_palette_fits_and_leaves_room(theme: Theme) -> None:
    assert 64 < len(theme.palette.colours) <= 255
    assert len(set(theme.palette.colours)) == len(theme.palette.colours)


@each_theme
def test_every_colour_of_the_palette_stays_itself(theme: Theme) -> None:
    """Pillow looks for the nearest colour in coarse steps: two that are too close would be taken for each other."""
    for colour in theme.palette.colours:
        assert theme.palette.index_picture(Image.new("RGB", (1, 1), colour)).convert("RGB").getpixel((0, 0)) == colour


@each_theme
def test_what_is_written_can_be_read(theme: Theme) -> None:
    assert contrast(theme.lettering, theme.frame) > 7
    assert contrast(theme.ink, theme.table) > 7
    assert contrast(theme.gold, theme.frame_dark) > 4.5
    assert min(contrast(theme.name, tone) for tone in theme.floors) > 2.4
    assert min(contrast(theme.name, tone) for tone in theme.cells) > 3  # names step back behind the pieces


@each_theme
def test_neighbouring_cells_can_be_told_apart(theme: Theme) -> None:
    light, dark, between = theme.cells
    assert contrast(light, dark) > 1.35
    assert min(contrast(light, between), contrast(dark, between)) > 1.15
    for one, other in zip(theme.floors[3::2], theme.floors[4::2], strict=True):
        assert contrast(one, other) > 1.35
    assert min(contrast(theme.line, tone) for tone in theme.cells) > 1.5


@each_theme
@pytest.mark.parametrize(
    ("colour", "sign"), [("Blue", "55ACEE"), ("Red", "DD2E44"), ("Green", "78B159")], ids=["🔵", "🔴", "🟢"]
)
def test_pieces_have_the_hue_of_the_sign_in_text(theme: Theme, colour: str, sign: str) -> None:
    """The colours of the signs are those of Twemoji, which Discord shows. Red was orange (48 degrees), Green teal."""
    hues = [rgb_to_hsv(*(part / 255 for part in body))[0] for body in (theme.liveries[colour].body, parse_rgb(sign))]
    apart = abs(hues[0] - hues[1]) * 360
    assert min(apart, 360 - apart) < 12


def test_high_contrast_is_higher() -> None:
    theme = THEMES["contrast"]
    assert min(contrast(theme.name, tone) for tone in theme.cells) > 10
    for livery in theme.liveries.values():
        assert contrast(livery.emblem, livery.body) > 3
        assert max(contrast(livery.rim, tone) for tone in theme.cells) > 15


def test_paper_needs_little_ink() -> None:
    theme = THEMES["print"]
    assert {theme.table, theme.frame, theme.shade} == {parse_rgb("FFFFFF")}
    assert min(sum(tone) / 3 for tone in theme.cells) > 210


def test_a_glass_keeps_dark_dark() -> None:
    assert glaze_colour((0, 0, 0), (255, 200, 100)) == (0, 0, 0)
    assert glaze_colour((255, 255, 255), (255, 200, 100)) == (255, 200, 100)


def test_a_light_behind_the_glass_makes_things_brighter() -> None:
    assert glaze_colour((100, 100, 200), (510, 255, 510)) == (200, 100, 255)


def test_a_blend_goes_from_one_colour_to_the_other() -> None:
    black, white = parse_rgb("000000"), parse_rgb("FFFFFF")
    assert [blend_colours(black, white, share) for share in (0, 0.5, 1)] == [black, (128, 128, 128), white]


def test_an_empty_veil_changes_nothing_and_a_full_one_hides_all() -> None:
    palette = DEFAULT_THEME.palette
    used = len(palette.colours)
    assert palette.veil_table(DEFAULT_THEME.casing, 0)[:used] == bytes(range(used))
    assert set(palette.veil_table(DEFAULT_THEME.casing, 255)[:used]) == {palette.colours.index(DEFAULT_THEME.casing)}
