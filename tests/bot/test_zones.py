from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.problems import Problem
from bot.core.settings import find_zone, format_sleep, parse_sleep, place_zones, zones_like
from tests.bot.playing import refused


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("Europe/Oslo", "Europe/Oslo"),
        (" europe/oslo ", "Europe/Oslo"),
        ("oslo", "Europe/Oslo"),
        ("New York", "America/New_York"),
        ("america/new york", "America/New_York"),
        ("Buenos Aires", "America/Buenos_Aires"),
        ("utc", "UTC"),
    ],
)
def test_a_zone_is_found_by_its_name_or_by_its_city(typed: str, zone: str) -> None:
    assert find_zone(typed) == zone


@pytest.mark.parametrize("typed", ["Mars", "", " ", "Europe", "../etc/passwd"])
def test_what_is_no_zone_is_refused_by_name(typed: str) -> None:
    with refused(Problem.NO_SUCH_ZONE, zone=typed):
        find_zone(typed)


def test_suggestions_begin_with_the_typed_city_and_fill_the_list() -> None:
    assert zones_like("os", 25)[0] == "Europe/Oslo"
    assert "America/New_York" in zones_like("new y", 25)
    assert len(zones_like("", 25)) == 25
    assert zones_like("no such city", 25) == []


@given(st.sampled_from(place_zones()))
def test_every_suggestion_is_taken_back_as_typed(zone: str) -> None:
    assert find_zone(zone) == zone


@pytest.mark.parametrize(
    ("typed", "sleep"),
    [
        ("23:00-07:00", (23 * 60, 7 * 60)),
        ("23-7", (23 * 60, 7 * 60)),
        ("22.30 – 6.15", (22 * 60 + 30, 6 * 60 + 15)),
        ("2230-0615", (22 * 60 + 30, 6 * 60 + 15)),
        ("fra 23 til 7", (23 * 60, 7 * 60)),
        ("24:00-08:00", (0, 8 * 60)),
        ("off", None),
        ("AV", None),
    ],
)
def test_a_sleep_window_is_read_as_people_write_it(typed: str, sleep: tuple[int, int] | None) -> None:
    assert parse_sleep(typed) == sleep


@pytest.mark.parametrize("typed", ["", "late", "23:00", "25-7", "23:60-7", "23-7-9", "-1-7"])
def test_what_is_no_sleep_window_is_refused(typed: str) -> None:
    with refused(Problem.BAD_SLEEP, most=10):
        parse_sleep(typed)


@given(st.tuples(st.integers(0, 1439), st.integers(0, 1439)))
def test_a_sleep_window_is_read_back_as_it_is_written(sleep: tuple[int, int]) -> None:
    assert parse_sleep(format_sleep(sleep)) == sleep
