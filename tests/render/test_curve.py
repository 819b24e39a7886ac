"""Charts of ratings: compared with golden pictures, and tested with arbitrary numbers."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from render import THEMES, run_steps
from render.rating_chart import CHART_SIZE, RatingCurve, _thin_points, render_curve_in_steps

GOLDEN = Path(__file__).with_name("curves")
TOLERANCE = 0.5
"""Mean difference of a colour channel, of 255: another FreeType may smooth digits differently."""

CURVES = {
    "first-game": RatingCurve((1500, 1531)),
    "dark": RatingCurve((1500, 1620, 1561, 1611, 1602, 1585, 1660, 1702), THEMES["dark"]),
    "contrast": RatingCurve(tuple(1500 + 7 * n - (n * n) % 61 for n in range(60)), THEMES["contrast"]),
    "print": RatingCurve(tuple(1500 - 3 * n % 340 for n in range(400)), THEMES["print"]),
}

ratings = st.lists(st.integers(-200, 4000), min_size=2, max_size=300).map(tuple)


def opened(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


@pytest.mark.parametrize("name", CURVES)
def test_the_curve_is_as_golden(name: str, regold: bool) -> None:
    path = GOLDEN / f"{name}.png"
    png = run_steps(render_curve_in_steps(CURVES[name]))
    if regold:
        path.write_bytes(png)
    assert path.exists(), "run: pytest tests/render --regold, and look at what it draws"
    golden, drawn = opened(path.read_bytes()), opened(png)
    assert drawn.size == golden.size == CHART_SIZE
    assert max(ImageStat.Stat(ImageChops.difference(golden, drawn)).mean) < TOLERANCE


def test_no_golden_curve_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == CURVES.keys()


@given(ratings)
def test_every_rating_lies_between_the_lines_and_these_are_few(numbers: tuple[int, ...]) -> None:
    curve = RatingCurve(numbers)
    low, high, step = curve.rating_span
    assert low <= min(numbers) <= max(numbers) <= high
    assert high - low >= 60
    assert low % step == high % step == 0
    assert 3 <= len(curve.rating_lines()) <= 8


@given(ratings)
def test_the_last_games_have_room_for_their_numbers(numbers: tuple[int, ...]) -> None:
    curve = RatingCurve(numbers)
    places = [curve.position_of(game, numbers[0])[0] for game in curve.labelled_games()]
    assert 1 <= len(places) <= 9
    assert all(later - earlier > 60 for earlier, later in pairwise(places))
    assert all(
        0 < x < CHART_SIZE[0] and 0 < y < CHART_SIZE[1] for x, y in map(curve.position_of, range(len(numbers)), numbers)
    )


@pytest.mark.parametrize("name", CURVES)
def test_the_corner_in_which_pages_put_the_word_alt_is_empty(name: str) -> None:
    picture = opened(run_steps(render_curve_in_steps(CURVES[name])))
    # At the foot on the left: 50 by 28 of the 400 pixels that the picture is wide on a phone.
    corner = picture.crop((0, CHART_SIZE[1] - 70, 125, CHART_SIZE[1]))
    assert corner.getcolors() == [(125 * 70, picture.getpixel((0, 0)))]


def test_who_rises_is_drawn_higher() -> None:
    curve = RatingCurve((1500, 1600, 1550))
    heights = [curve.position_of(game, number)[1] for game, number in enumerate(curve.ratings)]
    assert heights[1] < heights[2] < heights[0]


def test_a_line_of_thousands_of_games_has_few_corners() -> None:
    points = [(float(x), float(x * x % 4999)) for x in range(5000)]
    drawn = _thin_points(points)
    assert len(drawn) <= 202
    assert set(drawn) <= set(points)
    assert (drawn[0], drawn[-1]) == (points[0], points[-1])
    heights, drawn_heights = {y for _, y in points}, {y for _, y in drawn}
    assert (min(drawn_heights), max(drawn_heights)) == (min(heights), max(heights))


def test_a_rating_that_stands_still_is_drawn_in_the_middle() -> None:
    curve = RatingCurve((1500, 1500, 1500))
    assert abs(curve.position_of(1, 1500)[1] - (CHART_SIZE[1] / 2)) < 40
