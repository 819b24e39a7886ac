"""Settings of people and of servers: what is stored, what people type, the words for it, and changes at once."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.client import RoundTable
from bot.core.clock import DAY, HOUR, Pace, Weekdays
from bot.core.events import EventKind
from bot.core.news import News
from bot.core.problems import Problem
from bot.core.settings import (
    DEFAULT_USER_SETTINGS,
    PREFERENCE_VALUES,
    GuildSettings,
    Preferences,
    Reminders,
    UserSettings,
    check_guild_settings,
    check_user_settings,
    end_vacation_now,
    find_zone,
    format_sleep,
    parse_preferences,
    parse_sleep,
    place_zones,
    require_vacation,
    zones_like,
)
from bot.features import make_service
from bot.play.announcing.calls import DirectMessagesClosed, compose_direct_post, send_direct_post
from bot.play.clocks import next_morning
from bot.play.server_settings import (
    AUTOMATIC_LANGUAGE,
    CHOICE_SETTINGS,
    SERVER_SETTINGS_BY_SUBJECT,
    choice_text,
    server_settings_text,
    value_menu,
)
from bot.play.service import Service
from bot.play.settings import (
    FREE_DAYS_NAME,
    SETTINGS_BY_SUBJECT,
    TYPED_SETTINGS,
    own_settings_text,
    setting_values,
    with_setting,
)
from bot.play.shared_components import Setting
from bot.privacy.service import Privacy
from bot.store import Store, Writer
from bot.store.servers import all_guild_settings
from bot.texts.i18n import LANGUAGES, Language, language_name, load_catalogue, text
from bot.texts.sentences import duration_text, terms_text
from tests.bot.beginning import begun
from tests.bot.databases import change
from tests.bot.playing import ADA, BO, GUILD, NOW, refused

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


def test_an_unknown_zones_refusal_names_the_option_that_suggests_some(locale: Language) -> None:
    # The bug: it said "choose one as you type" under a form, where nothing is suggested.
    assert "`/me settings zone:`" in text(locale, "problem.no-such-zone", zone="Atlantis")


def test_every_setting_is_typed_or_has_values_with_words(locale: Language) -> None:
    words = load_catalogue(locale)
    for name in chain(*SETTINGS_BY_SUBJECT.values()):
        assert (name in TYPED_SETTINGS) != bool(setting_values(name)), name
        assert len(words[f"setting.{name}.name"]) <= 100
        assert all(len(words[f"setting.{name}.{value}"]) <= 100 for value in setting_values(name))
        assert name not in TYPED_SETTINGS or len(words[f"setting.{name}.hint"]) <= 100


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


# Checks of settings


def test_a_time_zone_has_to_exist() -> None:
    assert check_user_settings(UserSettings(zone="Europe/Oslo"))
    with refused(Problem.NO_SUCH_ZONE, zone="Mars/Olympus"):
        check_user_settings(UserSettings(zone="Mars/Olympus"))


@pytest.mark.parametrize("sleep", [(0, 0), (0, 601), (-1, 60), (0, 1440)])
def test_sleep_lasts_at_most_ten_hours_of_a_day(sleep: tuple[int, int]) -> None:
    assert check_user_settings(UserSettings(sleep=(23 * 60, 9 * 60)))
    with refused(Problem.BAD_SLEEP, most=10):
        check_user_settings(UserSettings(sleep=sleep))


def test_a_channel_is_listed_once_and_house_rules_are_short() -> None:
    assert check_guild_settings(GuildSettings(channels=(1, 2, 1))).channels == (1, 2)
    with refused(Problem.TEXT_TOO_LONG, most=1500):
        check_guild_settings(GuildSettings(house_rules="x" * 1501))


def test_a_vacation_lasts_a_day_at_least_and_thirty_a_calendar_year() -> None:
    new_year = int(datetime(2027, 1, 1, tzinfo=UTC).timestamp())
    start = new_year - 20 * DAY
    assert require_vacation((), start, start + 50 * DAY) == (
        start,
        start + 50 * DAY,
    )  # 20 days of one year, 30 of the next
    with refused(Problem.VACATION_SPENT, year=2027, left=30):
        require_vacation((), start, start + 51 * DAY)
    with refused(Problem.VACATION_TOO_SHORT, least=1):
        require_vacation((), start, start + DAY - 1)
    taken = ((start, start + 25 * DAY),)
    with refused(Problem.ALREADY_AWAY):
        require_vacation(taken, start + 24 * DAY, start + 26 * DAY)
    with refused(Problem.VACATION_SPENT, year=2027, left=25):
        require_vacation(taken, start + 30 * DAY, start + 56 * DAY)


def test_who_comes_back_early_has_still_been_away_for_a_day() -> None:
    taken = ((NOW, NOW + 9 * DAY),)
    assert end_vacation_now(taken, NOW + 5) == (taken[0], (NOW, NOW + DAY))
    assert end_vacation_now(taken, NOW + 3 * DAY)[1] == (NOW, NOW + 3 * DAY)
    with refused(Problem.NOT_AWAY):
        end_vacation_now(taken, NOW + 9 * DAY)


# Preferences


CHANGED = {"board": "text", "confirm": "never"}


def test_who_has_set_nothing_has_the_defaults() -> None:
    assert parse_preferences([]) == Preferences("default", "risky")


def test_what_is_written_is_read_back() -> None:
    assert parse_preferences(CHANGED.items()) == Preferences("text", "never")


def test_pictures_beside_boards_as_text_have_high_contrast() -> None:
    assert (Preferences("dark").theme, Preferences("text").theme) == ("dark", "contrast")


def test_what_another_version_has_stored_does_no_harm() -> None:
    assert parse_preferences([("board", "plaid"), ("sounds", "on"), ("warn", "off")]) == Preferences()


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
async def test_settings_that_no_clock_goes_by_add_no_event_to_games(service: Service, asked: UserSettings) -> None:
    match = await begun(service)
    await service.people.change_user_settings(ADA, lambda _: asked, NOW + HOUR)
    assert (await service.current_match(match.id, GUILD)).seq == match.seq
    await service.people.change_user_settings(ADA, lambda now: replace(now, zone="Asia/Tokyo"), NOW + HOUR)
    assert (await service.current_match(match.id, GUILD)).seq == match.seq + 1


# The names of values


SERVER = [(name, way) for name, ways in CHOICE_SETTINGS.items() for way in ways]
OWN = [(name, way) for name in chain(*SETTINGS_BY_SUBJECT.values()) for way in setting_values(name)]

META = {"name", "about", "hint", "unset", "utc"}
"""Texts beside the values, below the same setting in the catalogue."""


def called(locale: Language, name: str, way: str) -> str:
    """Returns the catalogue's name of that value of a server's setting."""
    if name == "language" and way != AUTOMATIC_LANGUAGE:
        return language_name(way)
    return load_catalogue(locale)[f"choice.pace.{way}" if name == "pace" else f"server.{name}.{way}"]


@pytest.mark.parametrize(("name", "way"), SERVER)
def test_each_value_of_a_server_setting_has_its_own_words(locale: Language, name: str, way: str) -> None:
    said = choice_text(locale, name, way)
    assert said == called(locale, name, way)
    assert (said in {language_name(one) for one in LANGUAGES}) == (name == "language" and way != AUTOMATIC_LANGUAGE)


def test_the_menu_and_the_list_call_a_value_the_same(locale: Language) -> None:
    for name, way in SERVER:
        menu = value_menu(locale, None, GuildSettings(), Setting(name), "").to_component_dict()
        labels = {option["value"]: option["label"] for option in menu["options"]}
        assert labels[way] == called(locale, name, way)
    said = server_settings_text(locale, GuildSettings(house=False), changed=False)
    assert f": **{load_catalogue(locale)['server.house.no']}**" in said


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


def test_the_server_panel_has_each_stored_setting_under_one_subject(locale: Language) -> None:
    listed = [*chain(*SERVER_SETTINGS_BY_SUBJECT.values())]
    assert sorted(listed) == sorted(
        field.name.replace("_", "-") for field in fields(GuildSettings) if field.name != "untold"
    )
    said = server_settings_text(locale, GuildSettings(), changed=False)
    assert all(f"\n- {load_catalogue(locale)[f'server.{name}.name']}: **" in said for name in listed)


def test_the_name_of_a_setting_typed_into_a_form_fits_its_title(locale: Language) -> None:
    for name in ("zone", "house-rules"):
        assert len(load_catalogue(locale)[f"server.{name}.name"]) <= LONGEST_FORM_TITLE, name


# Free days


@pytest.mark.parametrize(
    ("written", "days"),
    [
        (0, Weekdays.NONE),
        (1, Weekdays.WEEKEND),  # by every version so far
        (Weekdays.FRIDAY.value, Weekdays.FRIDAY),
        (254, Weekdays.NONE),  # a week without a day on which a clock runs
        (3, Weekdays.NONE),
        (-2, Weekdays.NONE),
        (2**40, Weekdays.NONE),
    ],
)
async def test_free_days_are_read_from_what_every_version_has_written(
    service: Service, written: int, days: Weekdays
) -> None:
    await service.people.change_user_settings(ADA, lambda known: replace(known, public=False), NOW)
    await change(service.store, "UPDATE user_settings SET free_weekends = ?", written)
    assert (await service.people.user_settings(ADA)).free_days == days


@pytest.mark.parametrize("days", [Weekdays.NONE, Weekdays.WEEKEND, Weekdays.FRIDAY, Weekdays.MONDAY | Weekdays.SUNDAY])
async def test_free_days_are_kept_and_exported_by_their_names(service: Service, days: Weekdays) -> None:
    await service.people.change_user_settings(ADA, lambda known: replace(known, free_days=days, public=False), NOW)
    assert (await service.people.user_settings(ADA)).free_days == days
    exported = json.loads(json.dumps(await service.part(Privacy).export_person(ADA)))
    assert [Weekdays[day.upper()] for day in exported["settings"]["free_days"]] == list(days)


# Zones and sleep


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


# Two changes at once


async def test_two_changes_of_a_servers_settings_at_once_both_hold(client: RoundTable) -> None:
    servers = client.context.servers
    slow, strict = await asyncio.gather(
        servers.change_settings(GUILD, lambda settings: replace(settings, pace=Pace.SLOW)),
        servers.change_settings(GUILD, lambda settings: replace(settings, house=False)),
    )
    assert slow == (GuildSettings(), GuildSettings(pace=Pace.SLOW))
    assert strict == (slow.after, GuildSettings(pace=Pace.SLOW, house=False))
    stored = await all_guild_settings(client.context.service.reader)
    assert {GUILD: servers.settings_of(GUILD)} == stored == {GUILD: strict.after}


async def test_two_changes_of_ones_own_settings_at_once_both_hold(client: RoundTable) -> None:
    service = client.context.service
    await asyncio.gather(
        service.people.change_user_settings(ADA, lambda settings: replace(settings, zone="Europe/Oslo"), NOW),
        service.people.change_user_settings(ADA, lambda settings: replace(settings, public=False), NOW),
        service.people.change_user_settings(BO, lambda settings: replace(settings, automove=True), NOW),
    )
    assert await service.people.user_settings(ADA) == UserSettings("Europe/Oslo", public=False)
    assert await service.people.user_settings(BO) == UserSettings(automove=True)


async def test_a_change_is_made_whole_or_not_at_all(client: RoundTable, monkeypatch: pytest.MonkeyPatch) -> None:
    service = client.context.service

    async def fails(writer: Writer, user: int, key: str, value: str) -> None:
        raise RuntimeError(key)

    def to_oslo(settings: UserSettings) -> UserSettings:
        return replace(settings, zone="Europe/Oslo")

    with monkeypatch.context() as broken:
        broken.setattr(Writer, "set_preference", fails)
        with pytest.raises(RuntimeError, match="board"):
            await service.people.change_user_settings(ADA, to_oslo, NOW, {"board": "dark"})
    assert await service.people.user_settings(ADA) == UserSettings()
    with refused(Problem.NO_SUCH_ZONE, zone="Atlantis"):
        await service.people.change_user_settings(
            ADA, lambda known: replace(known, zone="Atlantis"), NOW, {"board": "dark"}
        )
    assert await service.people.preferences_of(ADA) == Preferences()
    await service.people.change_user_settings(ADA, to_oslo, NOW, {"board": "dark"})
    assert await service.people.user_settings(ADA) == UserSettings("Europe/Oslo")
    assert await service.people.preferences_of(ADA) == Preferences(board="dark")


async def reminded(service: Service) -> News:
    """A reminder for a person who wants direct messages."""
    await service.people.change_user_settings(ADA, lambda _: UserSettings(by_dm=True, language="en"), NOW)
    table = await begun(service)
    await service.upkeep.tick(NOW + 12 * HOUR)
    (reminder,) = [news for news in await service.unannounced_news(table.id) if news.kind is EventKind.REMINDED]
    return reminder


def refusing(kind: type[discord.HTTPException], status: int, code: int) -> Callable[[discord.Object], Awaitable[None]]:
    """A function that Discord refuses with that error."""

    async def refuse(_: discord.Object) -> None:
        response: Any = SimpleNamespace(status=status, reason="no")
        raise kind(response, {"code": code, "message": "no"})

    return refuse


async def test_a_closed_door_undoes_nothing_that_was_set_at_that_time(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = client.context.service
    reminder = await reminded(service)
    writing = Store.write_transaction

    @asynccontextmanager
    async def second(store: Store) -> AsyncIterator[Writer]:
        """Reaches the store after another change."""
        monkeypatch.setattr(Store, "write_transaction", writing)
        await service.people.change_user_settings(ADA, lambda settings: replace(settings, zone="Europe/Oslo"), NOW)
        async with writing(store) as tx:
            yield tx

    post = await compose_direct_post(client.context, reminder, "Ada", None, "nonce")
    monkeypatch.setattr(client, "create_dm", refusing(discord.Forbidden, 403, 50007))
    monkeypatch.setattr(Store, "write_transaction", second)
    with pytest.raises(DirectMessagesClosed):
        await send_direct_post(client.context, post)
    assert await service.people.user_settings(ADA) == UserSettings("Europe/Oslo")


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        pytest.param(discord.HTTPException, 400, 0, id="something-else"),
        pytest.param(discord.Forbidden, 403, 0, id="what-stands-before-discord"),
        pytest.param(discord.Forbidden, 403, 20026, id="taken-for-spam"),
        pytest.param(discord.Forbidden, 403, 40003, id="too-many-doors-at-once"),
    ],
)
async def test_what_discord_refuses_once_for_another_reason_closes_no_door(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch, kind: type[discord.HTTPException], status: int, code: int
) -> None:
    post = await compose_direct_post(client.context, await reminded(client.context.service), "Ada", None, "nonce")
    monkeypatch.setattr(client, "create_dm", refusing(kind, status, code))
    assert await send_direct_post(client.context, post) is None
    assert (await client.context.service.people.user_settings(ADA)).by_dm
