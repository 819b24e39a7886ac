from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.clock import HOUR, Pace
from bot.core.events import Seating
from bot.core.settings import PREFERENCE_VALUES, Preferences, Reminders, UserSettings, parse_preferences
from bot.features import make_service
from bot.store import Store
from bot.texts.i18n import LANGUAGES, load_catalogue
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, unshuffled

CHANGED = {"board": "text", "confirm": "never"}


def test_who_has_set_nothing_has_the_defaults() -> None:
    assert parse_preferences([]) == Preferences("default", "risky")


def test_what_is_written_is_read_back() -> None:
    assert parse_preferences(CHANGED.items()) == Preferences("text", "never")


def test_pictures_beside_boards_as_text_have_high_contrast() -> None:
    assert (Preferences("dark").theme, Preferences("text").theme) == ("dark", "contrast")


def test_what_another_version_has_stored_does_no_harm() -> None:
    assert parse_preferences([("board", "plaid"), ("sounds", "on"), ("warn", "off")]) == Preferences()


@pytest.mark.parametrize("locale", LANGUAGES)
def test_every_setting_and_every_value_has_words(locale: str) -> None:
    texts = load_catalogue(locale)
    for key, values in PREFERENCE_VALUES.items():
        assert all(texts[f"setting.{key}.{word}"] for word in ("name", *values))


def _unchanged(settings: UserSettings) -> UserSettings:
    return settings


async def test_settings_are_each_persons_own_and_outlive_the_program(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    async with Store.open(path) as store:
        service = make_service(store)
        for key, value in CHANGED.items():
            for chosen in (PREFERENCE_VALUES[key][0], value):
                await service.people.change_user_settings(ADA, _unchanged, NOW, {key: chosen})
        await service.people.change_user_settings(BO, _unchanged, NOW, {"board": "print"})
    async with Store.open(path) as store:
        service = make_service(store)
        assert await service.people.preferences_of(ADA) == parse_preferences(CHANGED.items())
        assert await service.people.preferences_of(BO) == Preferences(board="print")


@pytest.mark.parametrize(
    "asked",
    [
        UserSettings(public=False),
        UserSettings(puzzles=False),
        UserSettings(by_dm=True),
        UserSettings(automove=True),
        UserSettings(reminders=Reminders.EVERY_6),
    ],
)
async def test_settings_that_no_clock_goes_by_add_no_event_to_games(tmp_path: Path, asked: UserSettings) -> None:
    async with Store.open(tmp_path / "roundtable.db") as store:
        service = make_service(store, unshuffled)
        match = await service.open_table(
            GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW, pace=Pace.FAST
        )
        match = await service.join_table(match.id, GUILD, BO, NOW)
        await service.people.change_user_settings(ADA, lambda _: asked, NOW + HOUR)
        assert (await service.current_match(match.id, GUILD)).seq == match.seq
        await service.people.change_user_settings(ADA, lambda now: replace(now, zone="Asia/Tokyo"), NOW + HOUR)
        assert (await service.current_match(match.id, GUILD)).seq == match.seq + 1
