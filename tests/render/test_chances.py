"""Charts of chances: compared with golden pictures, and tested with arbitrary numbers."""

from __future__ import annotations

from io import BytesIO
from itertools import combinations, pairwise
from math import dist
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageStat

from render import THEMES, run_steps
from render.chances import (
    _BOTTOM,
    _EMBLEM_SIZE,
    _TOP,
    _TURNING_DISC_SIZE,
    ChancesChart,
    _spread_discs,
    _spread_heights,
    render_chances_in_steps,
)
from render.rating_chart import CHART_SIZE
from rules import VARIANTS

GOLDEN = Path(__file__).with_name("chances")
TOLERANCE = 0.5
"""Mean difference of a colour channel, of 255: another FreeType may smooth digits differently."""


def swung(moves: int, seats: int) -> tuple[tuple[float, ...], ...]:
    """Chances that rise and fall."""
    weights = [[1 + ((3 + seat) * at * at + 7 * seat) % 11 for seat in range(seats)] for at in range(moves + 1)]
    return tuple(tuple(weight / sum(each) for weight in each) for each in weights)


CURVES = {
    "two": ChancesChart(VARIANTS["camelot"], swung(23, 2), ((4, 0), (11, 1), (20, 0))),
    "three": ChancesChart(VARIANTS["tri-camelot"], swung(60, 3), ((9, 0), (31, 1)), THEMES["dark"]),
    "close": ChancesChart(VARIANTS["tri-camelot"], swung(60, 3), ((40, 1), (41, 2), (43, 0))),
    "decided": ChancesChart(VARIANTS["tri-camelot"], ((0.4, 0.3, 0.3), (0.0, 0.0, 1.0)), theme=THEMES["print"]),
}


@pytest.mark.parametrize("name", CURVES)
def test_the_chances_are_as_golden(name: str, regold: bool) -> None:
    path = GOLDEN / f"{name}.png"
    png = run_steps(render_chances_in_steps(CURVES[name]))
    if regold:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(png)
    assert path.exists(), "run: pytest tests/render --regold, and look at what it draws"
    golden, drawn = (Image.open(BytesIO(one)).convert("RGB") for one in (path.read_bytes(), png))
    assert drawn.size == golden.size == CHART_SIZE
    assert max(ImageStat.Stat(ImageChops.difference(golden, drawn)).mean) < TOLERANCE


def test_no_golden_picture_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == CURVES.keys()


@given(st.lists(st.floats(0, CHART_SIZE[1]), min_size=2, max_size=3))
def test_the_knights_stand_apart_and_within_the_picture(ends: list[float]) -> None:
    found = sorted(_spread_heights(dict(enumerate(ends))).values())
    assert all(below - above >= _EMBLEM_SIZE - 1e-6 for above, below in pairwise(found))
    assert found[0] >= _EMBLEM_SIZE / 2
    assert found[-1] <= CHART_SIZE[1] - _EMBLEM_SIZE / 2


@given(st.lists(st.tuples(st.floats(0, CHART_SIZE[0]), st.floats(_TOP, CHART_SIZE[1] - _BOTTOM)), max_size=4))
def test_no_number_of_a_turning_point_hides_another(points: list[tuple[float, float]]) -> None:
    places = _spread_discs(points)
    assert all(dist(one, other) >= 2 * _TURNING_DISC_SIZE for one, other in combinations(places, 2))
    assert all(_TURNING_DISC_SIZE <= y <= CHART_SIZE[1] - _BOTTOM for _, y in places)
    assert [x for x, _ in places] == [x for x, _ in points]
    assert places[:1] == points[:1]


@given(st.integers(1, 2000))
def test_a_few_moves_are_numbered_below(moves: int) -> None:
    counts = ChancesChart(VARIANTS["camelot"], ((0.5, 0.5),) * (moves + 1)).labelled_moves()
    assert 1 <= len(counts) <= 9
    assert counts[-1] <= moves
