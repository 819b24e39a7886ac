"""Charts of ratings and of chances, and crosstables of groups."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from itertools import combinations, pairwise
from math import dist
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from render import THEMES, chances, crosstable, run_steps
from render.rating_chart import CHART_SIZE, RatingCurve, _thin_points, render_curve_in_steps
from render.shapes import load_font
from rules import VARIANTS
from tests.render.scenes import compare_golden, opened

GOLDEN = Path(__file__).with_name("curves")

CURVES = {
    "first-game": RatingCurve((1500, 1531)),
    "dark": RatingCurve((1500, 1620, 1561, 1611, 1602, 1585, 1660, 1702), THEMES["dark"]),
    "contrast": RatingCurve(tuple(1500 + 7 * n - (n * n) % 61 for n in range(60)), THEMES["contrast"]),
    "print": RatingCurve(tuple(1500 - 3 * n % 340 for n in range(400)), THEMES["print"]),
}

ratings = st.lists(st.integers(-200, 4000), min_size=2, max_size=300).map(tuple)


@pytest.mark.parametrize("name", CURVES)
def test_the_curve_is_as_golden(name: str, regold: bool) -> None:
    _, drawn = compare_golden(GOLDEN / f"{name}.png", run_steps(render_curve_in_steps(CURVES[name])), regold)
    assert drawn.size == CHART_SIZE


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


def test_the_last_rating_is_whole() -> None:
    chart = opened(run_steps(render_curve_in_steps(RatingCurve((1500, 2000)))))
    assert len(chart.crop((chart.width - 8, 0, *chart.size)).getcolors() or ()) == 1


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


# Crosstables


NAMES = ("Ada", "Bjørnstjerne Bjørnson-Ødegård", "Łukasz", "囲碁", "", "🐎 Eve", "Frida", "Gus", "Hal", "Ida")


def view(count: int, theme: str = "default") -> crosstable.CrosstableView:
    """Returns a table of that many people, in which everybody has beaten those below."""
    zones = {0: crosstable.RowZone.UP, count - 1: crosstable.RowZone.DOWN}
    lines = list[crosstable.TableLine]()
    for row in range(count):
        results = tuple(() if row == column else ("1" if row < column else "⅓", "") for column in range(count))
        lines.append(
            crosstable.TableLine(
                str(row + 1), NAMES[row], results, f"{count - row}½", zones.get(row, crosstable.RowZone.NONE)
            )
        )
    return crosstable.CrosstableView(tuple(lines), f"Group {theme}", THEMES[theme])


def picture(*shown: crosstable.CrosstableView) -> Image.Image:
    return Image.open(BytesIO(run_steps(crosstable.render_crosstables_in_steps(shown)))).convert("RGB")


@pytest.mark.parametrize("count", range(2, 11))
def test_every_size_of_group_fits_into_the_picture(count: int) -> None:
    assert picture(view(count)).size == view(count).size
    assert view(count).size[1] <= crosstable.MAX_HEIGHT


CANVASES = {count: crosstable._TableCanvas(view(count)) for count in range(2, 11)}


@given(st.sampled_from(sorted(CANVASES)), st.text("aW é🐎…", max_size=40))
def test_a_name_stays_in_its_column_in_at_most_two_lines(count: int, name: str) -> None:
    canvas = CANVASES[count]
    size, lines = canvas.fit_lines(name)
    assert all(0 < load_font(size).getlength(line) <= canvas.name_width for line in lines)
    assert len(lines) * size <= canvas.row


@pytest.mark.parametrize("name", ["Bartholomew of the Long Marches", "Bjørnstjerne Bjørnson-Ødegård", "x" * 28])
def test_a_long_name_is_whole_in_a_group_of_eight(name: str) -> None:
    assert "".join(CANVASES[8].fit_lines(name)[1]).replace(" ", "") == name.replace(" ", "")


def test_a_group_of_ten_has_room_for_names() -> None:
    assert CANVASES[10].fit_lines("xX_DragonSlayer_Xx_2009")[1] == ["xX_DragonSlayer_Xx_2009"]


@pytest.mark.parametrize(("count", "name"), [(10, "Wilhelmina-Charlotte Abernat"), (6, "WWWWWW MMMMMM WWWWWWWWW MMM ")])
def test_long_names_are_told_apart_and_use_empty_room(count: int, name: str) -> None:
    assert len({CANVASES[count].fit_lines(f"{name}{number}")[1][-1] for number in range(6)}) == 6
    begun = tuple(replace(line, place="", zone=crosstable.RowZone.NONE) for line in view(10).lines)
    assert crosstable._TableCanvas(replace(view(10), lines=begun)).name_width > CANVASES[10].name_width + 40


def test_points_and_results_stay_in_their_columns() -> None:
    for count in range(2, 11):
        shown = view(count)
        shown = replace(
            shown, lines=tuple(replace(line, points="12⅔", results=(("⅓",),) * count) for line in shown.lines)
        )
        drawn, canvas = picture(shown), crosstable._TableCanvas(shown)
        for x in [canvas.left_of(column) + 3 for column in range(count + 1)]:  # beside the grid, which covers it
            assert len(drawn.crop((x, canvas.top_of(0) + 2, x + 1, canvas.top_of(1) - 2)).getcolors() or ()) == 1


def test_the_name_of_who_has_left_is_struck_out() -> None:
    shown = view(5)
    struck = replace(shown, lines=(*shown.lines[:2], replace(shown.lines[2], has_left=True), *shown.lines[3:]))
    canvas, middle = crosstable._TableCanvas(struck), struck.row_height * 3.5 + 16
    names = canvas.name_left, round(middle) - 1, canvas.name_left + 100, round(middle) + 1
    assert len(picture(shown).crop(names).getcolors() or ()) > len(picture(struck).crop(names).getcolors() or ()) == 1


@pytest.mark.parametrize("sign", "+–=")
def test_the_sign_of_a_game_that_nobody_began_is_large(sign: str) -> None:
    canvas = crosstable._TableCanvas(view(10))
    canvas._draw_results((sign,), 100, 100)
    ground = Image.new("RGB", canvas.picture.size, canvas.theme.table)
    left, top, right, bottom = ImageChops.difference(canvas.picture, ground).getbbox() or (0, 0, 0, 0)
    assert right - left >= 20, "six pixels on a phone"
    assert abs(top + bottom - 200) <= 4


@pytest.mark.parametrize("theme", THEMES)
def test_who_goes_up_and_down_is_seen_by_ground_and_sign(theme: str) -> None:
    shown = view(4, theme)
    drawn, row = picture(shown), shown.row_height
    grounds = [drawn.getpixel((crosstable.TABLE_WIDTH - 120, 16 + row * (number + 1) + 8)) for number in range(4)]
    assert len({*grounds[:1], *grounds[1:3], *grounds[3:]}) >= 3
    assert grounds[0] not in grounds[1:]
    assert grounds[3] not in grounds[:3]
    signs = [drawn.getpixel((36, 16 + row * (number + 1) + row // 2)) for number in range(4)]
    assert signs[0] != grounds[0]
    assert signs[3] != grounds[3]


def test_tables_below_each_other_are_those_that_stand_alone() -> None:
    assert picture(view(4), view(3)).tobytes() == b"".join(picture(view(count)).tobytes() for count in (4, 3))


# Chances of a game


CHANCES = Path(__file__).with_name("chances")


def swung(moves: int, seats: int) -> tuple[tuple[float, ...], ...]:
    """Chances that rise and fall."""
    weights = [[1 + ((3 + seat) * at * at + 7 * seat) % 11 for seat in range(seats)] for at in range(moves + 1)]
    return tuple(tuple(weight / sum(each) for weight in each) for each in weights)


CHARTS = {
    "two": chances.ChancesChart(VARIANTS["camelot"], swung(23, 2), ((4, 0), (11, 1), (20, 0))),
    "three": chances.ChancesChart(VARIANTS["tri-camelot"], swung(60, 3), ((9, 0), (31, 1)), THEMES["dark"]),
    "close": chances.ChancesChart(VARIANTS["tri-camelot"], swung(60, 3), ((40, 1), (41, 2), (43, 0))),
    "decided": chances.ChancesChart(VARIANTS["tri-camelot"], ((0.4, 0.3, 0.3), (0.0, 0.0, 1.0)), theme=THEMES["print"]),
}


@pytest.mark.parametrize("name", CHARTS)
def test_the_chances_are_as_golden(name: str, regold: bool) -> None:
    _, drawn = compare_golden(CHANCES / f"{name}.png", run_steps(chances.render_chances_in_steps(CHARTS[name])), regold)
    assert drawn.size == CHART_SIZE


def test_no_golden_chart_is_left_over() -> None:
    assert {path.stem for path in CHANCES.iterdir()} == CHARTS.keys()


@given(st.lists(st.floats(0, CHART_SIZE[1]), min_size=2, max_size=3))
def test_the_knights_stand_apart_and_within_the_picture(ends: list[float]) -> None:
    found = sorted(chances._spread_heights(dict(enumerate(ends))).values())
    assert all(below - above >= chances._EMBLEM_SIZE - 1e-6 for above, below in pairwise(found))
    assert found[0] >= chances._EMBLEM_SIZE / 2
    assert found[-1] <= CHART_SIZE[1] - chances._EMBLEM_SIZE / 2


@given(
    st.lists(
        st.tuples(st.floats(0, CHART_SIZE[0]), st.floats(chances._TOP, CHART_SIZE[1] - chances._BOTTOM)), max_size=4
    )
)
def test_no_number_of_a_turning_point_hides_another(points: list[tuple[float, float]]) -> None:
    places = chances._spread_discs(points)
    assert all(dist(one, other) >= 2 * chances._TURNING_DISC_SIZE for one, other in combinations(places, 2))
    within = (chances._TURNING_DISC_SIZE, CHART_SIZE[1] - chances._BOTTOM - chances._TURNING_DISC_SIZE)
    assert all(within[0] <= y <= within[1] for _, y in places), "clear of the turns' numbers below the axis"
    assert [x for x, _ in places] == [x for x, _ in points]
    assert places[:1] == points[:1] or points[0][1] > within[1]


@given(st.integers(1, 2000))
def test_a_few_moves_are_numbered_below(moves: int) -> None:
    counts = [*chances.ChancesChart(VARIANTS["camelot"], ((0.5, 0.5),) * (moves + 1)).labelled_turns()]
    assert 1 <= len(counts) <= 9
    assert counts[-1] <= moves
