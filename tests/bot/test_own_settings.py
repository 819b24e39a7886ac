"""`/me settings`, apart from Discord."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain

import pytest

from bot.core.clock import DAY, HOUR, Pace, Weekdays
from bot.core.problems import Problem
from bot.core.settings import DEFAULT_USER_SETTINGS, PREFERENCE_VALUES, Preferences, Reminders, UserSettings
from bot.play.clocks import next_morning
from bot.play.settings import (
    FREE_DAYS_NAME,
    SETTINGS_BY_SUBJECT,
    TYPED_SETTINGS,
    own_settings_text,
    setting_values,
    with_setting,
)
from bot.texts.i18n import LANGUAGES, Language, load_catalogue, text
from bot.texts.sentences import duration_text, terms_text
from tests.bot.playing import refused

ASKED = UserSettings("Europe/Oslo", (23 * 60, 7 * 60), Weekdays.WEEKEND, Reminders.EVERY_6, True, True)


def test_what_is_asked_for_is_changed_and_nothing_else() -> None:
    assert with_setting(ASKED, "sleep", "off") == replace(ASKED, sleep=None)
    assert with_setting(ASKED, "weekends", "off") == replace(ASKED, free_days=Weekdays.NONE)
    wishes = {"zone": "oslo", "sleep": "23-7", "weekends": "on", "reminders": "every-6", "reminders-by": "dm"}
    settings = DEFAULT_USER_SETTINGS
    for name, value in {**wishes, "automove": "on"}.items():
        settings = with_setting(settings, name, value)
    assert settings == ASKED


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("", Weekdays.NONE),
        ("friday saturday", Weekdays.FRIDAY | Weekdays.SATURDAY),
        ("friday", Weekdays.FRIDAY),
        ("saturday sunday", Weekdays.WEEKEND),
        ("on", Weekdays.WEEKEND),  # of a panel that offered nothing else
        ("off", Weekdays.NONE),
    ],
)
def test_free_days_are_those_of_the_week_that_are_chosen(value: str, days: Weekdays) -> None:
    assert (
        with_setting(replace(DEFAULT_USER_SETTINGS, free_days=Weekdays.MONDAY), FREE_DAYS_NAME, value).free_days == days
    )


@pytest.mark.parametrize(
    ("locale", "shown"), [("en", "Friday and Saturday"), ("no", "fredag og lørdag")], ids=["English", "Norwegian"]
)
def test_the_panel_names_the_free_days(locale: Language, shown: str) -> None:
    settings = replace(DEFAULT_USER_SETTINGS, free_days=Weekdays.FRIDAY | Weekdays.SATURDAY)
    assert f"**{shown}**" in own_settings_text(locale, Preferences(), settings)
    assert f"**{text(locale, 'setting.weekends.off')}**" in own_settings_text(
        locale, Preferences(), DEFAULT_USER_SETTINGS
    )


def test_a_bad_value_is_refused() -> None:
    with refused(Problem.BAD_SLEEP, most=10):
        with_setting(DEFAULT_USER_SETTINGS, "sleep", "20-7")
    with refused(Problem.NO_SUCH_ZONE, zone="Atlantis"):
        with_setting(DEFAULT_USER_SETTINGS, "zone", "Atlantis")


@pytest.mark.parametrize("locale", LANGUAGES)
def test_an_unknown_zones_refusal_names_the_option_that_suggests_some(locale: Language) -> None:
    # The bug: it said "choose one as you type" under a form, where nothing is suggested.
    assert "`/me settings zone:`" in text(locale, "problem.no-such-zone", zone="Atlantis")


@pytest.mark.parametrize("locale", LANGUAGES)
def test_every_setting_is_typed_or_has_values_with_words(locale: Language) -> None:
    words = load_catalogue(locale)
    for name in chain(*SETTINGS_BY_SUBJECT.values()):
        assert (name in TYPED_SETTINGS) != bool(setting_values(name)), name
        assert len(words[f"setting.{name}.name"]) <= 100
        assert all(len(words[f"setting.{name}.{value}"]) <= 100 for value in setting_values(name))
        assert name not in TYPED_SETTINGS or len(words[f"setting.{name}.hint"]) <= 100


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("settings", [DEFAULT_USER_SETTINGS, ASKED])
def test_every_setting_is_shown_with_its_value(locale: Language, settings: UserSettings) -> None:
    shown = own_settings_text(locale, Preferences(), settings)
    keys = [key for keys in SETTINGS_BY_SUBJECT.values() for key in keys]
    assert set(PREFERENCE_VALUES) < set(keys)
    for key in keys:
        assert f"{load_catalogue(locale)[f'setting.{key}.name']}: **" in shown
    assert settings.zone in shown
    assert ("23:00-07:00" in shown) == (settings is ASKED)
    assert len(shown) <= 4000


@pytest.mark.parametrize(
    ("way", "public", "puzzles"), [("on", True, True), ("results", True, False), ("off", False, False)]
)
def test_one_setting_shows_a_person_and_their_games(way: str, public: bool, puzzles: bool) -> None:
    settings = with_setting(DEFAULT_USER_SETTINGS, "public", way)
    assert (settings.public, settings.puzzles) == (public, puzzles)
    words = load_catalogue("en")
    line = f"{words['setting.public.name']}: **{words[f'setting.public.{way}']}**"
    assert line in own_settings_text("en", Preferences(), settings)


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("wish", Reminders)
def test_every_way_of_reminding_has_words(locale: Language, wish: Reminders) -> None:
    assert load_catalogue(locale)[f"setting.reminders.{wish.value}"]
    assert load_catalogue(locale)[f"setting.reminders.{wish.value}"] in own_settings_text(
        locale, Preferences(), UserSettings(reminders=wish)
    )


@pytest.mark.parametrize(
    ("seconds", "english", "norwegian"),
    [
        (0, "0 min", "0 min"),
        (59, "0 min", "0 min"),
        (12 * 60, "12 min", "12 min"),
        (5 * HOUR, "5 h", "5 t"),
        (5 * HOUR + 30 * 60, "5 h 30 min", "5 t 30 min"),
        (3 * DAY, "3 d", "3 d"),
        (3 * DAY + 4 * HOUR + 29 * 60, "3 d 4 h", "3 d 4 t"),
        (4 * DAY - 60, "4 d", "4 d"),
        (DAY - 60, "23 h 59 min", "23 t 59 min"),
        (3 * DAY + 59, "3 d", "3 d"),
    ],
)
def test_a_span_shows_two_units_and_rounds_to_hours_above_days(seconds: int, english: str, norwegian: str) -> None:
    assert (duration_text("en", seconds), duration_text("no", seconds)) == (english, norwegian)


def test_a_table_says_what_its_clock_is_like() -> None:
    said = terms_text("en", Pace.STANDARD, vacations=True)
    assert said == text("en", "clock.terms", pace=text("en", "choice.pace.standard"))
    assert re.findall(r"\d+", said) == ["72", "24", "120"]
    assert terms_text("en", Pace.STANDARD, vacations=False) == f"{said} {text('en', 'clock.no-vacations')}"
    assert terms_text("no", Pace.NONE, vacations=False) == "Uten klokke."


def test_the_next_nine_oclock_is_by_the_players_own_clock() -> None:
    # 2026-03-28 20:00 in Oslo; summer time begins in the night.
    evening = 1_774_724_400
    assert next_morning("Europe/Oslo", evening) == ("tomorrow", evening + 12 * HOUR)
    assert next_morning("America/New_York", evening) == ("tomorrow", evening + 18 * HOUR)


def test_after_midnight_the_next_nine_oclock_is_today() -> None:
    half_past_midnight = 1_774_724_400 + 4 * HOUR + HOUR // 2
    assert next_morning("Europe/Oslo", half_past_midnight) == ("today", half_past_midnight + 7 * HOUR + HOUR // 2)
    nine = half_past_midnight + 7 * HOUR + HOUR // 2
    assert next_morning("Europe/Oslo", nine - 1) == ("today", nine)
    assert next_morning("Europe/Oslo", nine) == ("tomorrow", nine + 24 * HOUR)
