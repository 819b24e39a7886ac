"""The name of every value of every setting: no value is mistaken for a language or anything else."""

from __future__ import annotations

from dataclasses import fields
from itertools import chain

import pytest

from bot.core.settings import GuildSettings
from bot.play.server_menus import AUTOMATIC_LANGUAGE, CHOICE_SETTINGS, choice_text, value_menu
from bot.play.server_settings import SERVER_SETTINGS_BY_SUBJECT, server_settings_text
from bot.play.settings import SETTINGS_BY_SUBJECT, setting_values
from bot.play.shared_components import Setting
from bot.texts.i18n import LANGUAGES, Language, language_name, load_catalogue

SERVER = [(name, way) for name, ways in CHOICE_SETTINGS.items() for way in ways]
OWN = [(name, way) for name in chain(*SETTINGS_BY_SUBJECT.values()) for way in setting_values(name)]

META = {"name", "about", "hint", "unset", "utc"}
"""Texts beside the values, below the same setting in the catalogue."""


def called(locale: Language, name: str, way: str) -> str:
    """Returns the catalogue's name of that value of a server's setting."""
    if name == "language" and way != AUTOMATIC_LANGUAGE:
        return language_name(way)
    return load_catalogue(locale)[f"choice.pace.{way}" if name == "pace" else f"server.{name}.{way}"]


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize(("name", "way"), SERVER)
def test_each_value_of_a_server_setting_has_its_own_words(locale: Language, name: str, way: str) -> None:
    said = choice_text(locale, name, way)
    assert said == called(locale, name, way)
    assert (said in {language_name(one) for one in LANGUAGES}) == (name == "language" and way != AUTOMATIC_LANGUAGE)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_the_menu_and_the_list_call_a_value_the_same(locale: Language) -> None:
    for name, way in SERVER:
        menu = value_menu(locale, None, GuildSettings(), Setting(name), "").to_component_dict()
        labels = {option["value"]: option["label"] for option in menu["options"]}
        assert labels[way] == called(locale, name, way)
    said = server_settings_text(locale, GuildSettings(house=False), changed=False)
    assert f": **{load_catalogue(locale)['server.house.no']}**" in said


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("chosen", [SERVER, OWN], ids=["server", "own"])
def test_no_two_values_of_a_setting_are_called_the_same(locale: Language, chosen: list[tuple[str, str]]) -> None:
    words = load_catalogue(locale)
    for setting in {name for name, _ in chosen}:
        ways = [way for name, way in chosen if name == setting]
        own = [words[f"setting.{setting}.{way}"] for way in ways] if chosen is OWN else []
        said = own or [called(locale, setting, way) for way in ways]
        assert len({*said}) == len(ways), setting
        assert META.isdisjoint(ways), setting


LONGEST_FORM_TITLE = 45


@pytest.mark.parametrize("locale", LANGUAGES)
def test_the_server_panel_has_each_stored_setting_under_one_subject(locale: Language) -> None:
    listed = [*chain(*SERVER_SETTINGS_BY_SUBJECT.values())]
    assert sorted(listed) == sorted(
        field.name.replace("_", "-") for field in fields(GuildSettings) if field.name != "untold"
    )
    said = server_settings_text(locale, GuildSettings(), changed=False)
    assert all(f"\n- {load_catalogue(locale)[f'server.{name}.name']}: **" in said for name in listed)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_the_name_of_a_setting_typed_into_a_form_fits_its_title(locale: Language) -> None:
    for name in ("zone", "house-rules"):
        assert len(load_catalogue(locale)[f"server.{name}.name"]) <= LONGEST_FORM_TITLE, name
