from __future__ import annotations

from pathlib import Path

import pytest

from bot.people.preferences import VALUES, Preferences, format_preferences, parse_preferences
from bot.people.settings import UserSettings
from bot.service import Service
from bot.store import Store
from bot.texts.i18n import LANGUAGES, catalogue
from tests.bot.playing import ADA, BO, NOW

CHANGED = {"theme": "dark", "board": "text", "confirm": "never", "warn": "off", "coordinates": "on"}


def test_who_has_set_nothing_has_the_defaults() -> None:
    assert parse_preferences([]) == Preferences("default", "picture", "risky", warn=True, coordinates=False)


def test_what_is_written_is_read_back() -> None:
    for stored in ({}, CHANGED):
        preferences = parse_preferences(stored.items())
        assert parse_preferences(format_preferences(preferences).items()) == preferences
    assert parse_preferences(CHANGED.items()) == Preferences("dark", "text", "never", warn=False, coordinates=True)


def test_what_another_version_has_stored_does_no_harm() -> None:
    assert parse_preferences([("theme", "plaid"), ("sounds", "on"), ("warn", "off")]) == Preferences(warn=False)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_every_setting_and_every_value_has_words(locale: str) -> None:
    texts = catalogue(locale)
    for key, values in VALUES.items():
        assert all(texts[f"setting.{key}.{word}"] for word in ("name", *values))


def _unchanged(settings: UserSettings) -> UserSettings:
    return settings


async def test_settings_are_each_persons_own_and_outlive_the_program(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    async with Store.open(path) as store:
        service = Service(store)
        for key, value in CHANGED.items():
            for chosen in ("on" if value == "off" else VALUES[key][0], value):
                await service.people.change_user_settings(ADA, _unchanged, NOW, {key: chosen})
        await service.people.change_user_settings(BO, _unchanged, NOW, {"theme": "print"})
    async with Store.open(path) as store:
        service = Service(store)
        assert format_preferences(await service.people.preferences(ADA)) == CHANGED
        assert await service.people.preferences(BO) == Preferences(theme="print")


def test_in_ladder_games_only_those_are_warned_who_have_asked_for_it() -> None:
    assert parse_preferences([]).warn
    assert not parse_preferences([], ladder=True).warn
    assert parse_preferences([("warn", "on")], ladder=True).warn
    assert not parse_preferences([("warn", "off")]).warn
