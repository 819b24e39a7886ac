"""The outlines of pieces, before anything is drawn with them."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops, ImageDraw

from render.shapes import BASES, HORSE, HORSE_EYE, HORSE_MANE, PAWN, TOWER, path_polygon, place_path
from rules import VARIANTS

SIDE = 400


def drawn(path: str, size: float) -> Image.Image:
    mask = Image.new("L", (SIDE, SIDE))
    ImageDraw.Draw(mask).polygon(place_path(path, (SIDE / 2, SIDE / 2), size * SIDE / 120), fill=255)
    return mask


def outside(inner: Image.Image, outer: Image.Image) -> bool:
    return ImageChops.subtract(inner, outer).getbbox() is not None


def test_every_side_has_a_shape_of_its_own() -> None:
    for variant in VARIANTS.values():
        shapes = [BASES[army.colour] for army in variant.armies]
        assert len(set(shapes)) == len(shapes)


@pytest.mark.parametrize("base", sorted(set(BASES.values())))
@pytest.mark.parametrize("emblem", [HORSE, PAWN, TOWER])
def test_an_emblem_stays_within_the_shape_it_is_painted_on(base: str, emblem: str) -> None:
    assert not outside(drawn(emblem, 72), drawn(base, 91))


def test_eye_and_mane_are_cut_into_the_head() -> None:
    for part in (HORSE_EYE, HORSE_MANE):
        assert not outside(drawn(part, 100), drawn(HORSE, 100))


@pytest.mark.parametrize("path", [*BASES.values(), HORSE, PAWN, TOWER])
def test_outlines_fill_their_box_and_hardly_leave_it(path: str) -> None:
    corners = path_polygon(path)
    assert len(corners) > 10
    assert 35 < max(abs(part) for corner in corners for part in corner) < 56


def test_a_straight_path_keeps_its_corners() -> None:
    assert path_polygon("M 0,0 L 10,0 L 10,10 Z") == ((0, 0), (10, 0), (10, 10))


def test_a_curve_ends_where_it_says() -> None:
    assert path_polygon("M 0,0 C 5,0 10,5 10,10 Z")[-1] == pytest.approx((10, 10))
