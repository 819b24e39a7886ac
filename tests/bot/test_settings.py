"""Settings of people and of servers: what is stored, what people type, the words for it, and changes at once."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.client import RoundTable
from bot.core.acts import NudgePlayer
from bot.core.clock import DAY, HOUR, MAX_SLEEP_MINUTES, MINUTES_PER_DAY, Pace, Weekdays
from bot.core.events import EventKind
from bot.core.news import News
from bot.core.problems import Problem
from bot.core.setting_kinds import find_zone, format_sleep, parse_sleep, place_zones
from bot.core.settings import (
    DEFAULT_USER_SETTINGS,
    MAX_HOUSE_RULES_LENGTH,
    SETTINGS,
    GuildSettings,
    Reminders,
    Sharing,
    Threads,
    UserSettings,
    end_vacation_now,
    require_vacation,
)
from bot.features import FEATURES
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.calls import DirectMessagesClosed, send_direct_post
from bot.play.service import Service, people, upkeep
from bot.play.settings import OWN_PANEL, SERVER_PANEL, SettingsPanel
from bot.privacy.service import export_person
from bot.store import Store, Writer
from bot.store.servers import all_guild_settings
from bot.texts.i18n import Language, load_catalogue, text
from bot.texts.sentences import duration_text, terms_text
from rules import VARIANTS
from tests.bot.beginning import begun
from tests.bot.databases import change
from tests.bot.panels import check_names
from tests.bot.playing import ADA, BO, GUILD, NOW, by, refused
from tests.repository import modules

LONGEST_FORM_TITLE = 45

LOOK_AND_ZONE = UserSettings(board="text", turned="never", confirm="never", automove=True, zone="Europe/Oslo")
TIME_OFF = {"sleep": (23 * 60, 7 * 60), "free_days": Weekdays.SATURDAY | Weekdays.SUNDAY}
ASKED = replace(LOOK_AND_ZONE, reminders=Reminders.EVERY_6, by_dm=True, **TIME_OFF)
FULL = GuildSettings(
    Pace.SLOW,
    Threads.ASK,
    channels=tuple(range(10**19, 10**19 + 60)),
    house_rules="x" * MAX_HOUSE_RULES_LENGTH,
    language="no",
    **dict.fromkeys(("forum", "audit", "announcements", "ladder_channel", "puzzle_channel"), 10**19),
)
OWN, SERVER = SETTINGS[UserSettings], SETTINGS[GuildSettings]
PANELS: list[tuple[Any, Any]] = [
    *((OWN_PANEL, settings) for settings in (DEFAULT_USER_SETTINGS, ASKED)),
    *((SERVER_PANEL, settings) for settings in (GuildSettings(), FULL)),
]
panels = pytest.mark.parametrize(("panel", "settings"), PANELS, ids=["own", "own full", "server", "server full"])
each_setting = pytest.mark.parametrize(
    ("owner", "name"), [(owner, name) for owner, settings in SETTINGS.items() for name in settings]
)


def page_of(locale: Language, panel: SettingsPanel[Any], settings: Any, group: str = "") -> str:
    """Returns the texts of a page. Laying it out checks Discord's limits; each menu has a name of its own."""
    asked: Any = SimpleNamespace(locale=discord.Locale(locale if locale == "no" else "en-GB"), guild=None, id=0)
    page = panel.lay_out(asked, settings, group)
    check_names(page)
    return "\n".join(part.content for part in page.walk_children() if isinstance(part, discord.ui.TextDisplay))


@panels
def test_every_setting_stands_on_the_first_page_and_its_groups(
    locale: Language, panel: SettingsPanel[Any], settings: Any
) -> None:
    first = page_of(locale, panel, settings)
    assert len(panel.groups) <= 6
    for setting in panel.settings.values():
        line = panel.line(locale, setting, settings)
        assert "\n- " + line in first
        for group in panel.groups:
            assert (line in page_of(locale, panel, settings, group)) == (group == setting.group)


@panels
def test_every_value_has_words_that_fit_and_that_no_other_value_has(
    locale: Language, panel: SettingsPanel[Any], settings: Any
) -> None:
    known = panel.settings.keys() | {"group"}
    assert {key.split(".")[1] for key in load_catalogue(locale) if re.match(rf"{panel.words}\.[^.]+\.", key)} == known
    for setting in panel.settings.values():
        said = [panel.option_text(locale, setting, option) for option in panel.options_of(setting)]
        assert len({*said}) == len(said)
        assert all(len(words) <= 100 for words in said)
        if panel.is_typed(setting):
            assert len(text(locale, f"{panel.words}.{setting.name}.name")) <= LONGEST_FORM_TITLE
            assert len(text(locale, f"{panel.words}.{setting.name}.hint")) <= 100


@each_setting
def test_a_value_is_read_as_it_is_stored_and_chosen(owner: type[Any], name: str) -> None:
    setting = SETTINGS[owner][name]
    for settings in (owner(), ASKED if owner is UserSettings else FULL):
        value = getattr(settings, setting.field)
        assert setting.kind.read_columns(*setting.kind.column_values(value)) == value
        assert setting.kind.parse(setting.kind.format(value)) == value


@cache
def what_is_read() -> tuple[frozenset[str], list[frozenset[str]]]:
    """Returns the attributes that the program reads from settings, and the words of each of its texts, some of which
    are SQL. The modules that treat all settings alike name none.
    """
    attributes, texts = set[str](), list[frozenset[str]]()
    for _, tree in modules("bot"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and "settings" in ast.unparse(node.value):
                attributes.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(frozenset(re.findall(r"\w+", node.value)))
    return frozenset(attributes), texts


@each_setting
def test_something_obeys_every_setting(owner: type[Any], name: str) -> None:
    setting, (attributes, texts) = SETTINGS[owner][name], what_is_read()
    members = {key: member for key, member in vars(owner).items() if not key.startswith("_")}
    derived = {key: getattr(member, "fget", member) for key, member in members.items() if key not in owner.__slots__}
    fields = {setting.field, *(key for key, read in derived.items() if setting.field in read.__code__.co_names)}
    table = "user_settings" if owner is UserSettings else "guild_settings"
    in_sql = setting.columns and any({table, setting.columns[-1]} <= words for words in texts)
    assert fields & attributes or in_sql


@pytest.mark.parametrize(
    ("value", "days"),
    [("", Weekdays.NONE), ("friday saturday", Weekdays.FRIDAY | Weekdays.SATURDAY), ("friday", Weekdays.FRIDAY)],
)
def test_free_days_are_those_of_the_week_that_are_chosen(value: str, days: Weekdays) -> None:
    assert OWN["weekends"].kind.parse(value) == days


@pytest.mark.parametrize("value", ["friday saturday sunday", "someday", "FRIDAY"])
def test_what_no_menu_of_free_days_sends_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=value):
        OWN["weekends"].kind.parse(value)


@pytest.mark.parametrize(
    ("locale", "shown"), [("en", "Friday and Saturday"), ("no", "fredag og lørdag")], ids=["English", "Norwegian"]
)
def test_the_panel_names_the_free_days(locale: Language, shown: str) -> None:
    settings = replace(DEFAULT_USER_SETTINGS, free_days=Weekdays.FRIDAY | Weekdays.SATURDAY)
    assert OWN_PANEL.value_text(locale, OWN["weekends"], settings) == shown
    nothing = OWN_PANEL.value_text(locale, OWN["weekends"], DEFAULT_USER_SETTINGS)
    assert nothing == text(locale, "setting.weekends.nothing")


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


# What is not allowed


@pytest.mark.parametrize("typed", ["0-0", "0-10:01", "9-8"])
def test_sleep_lasts_at_most_ten_hours_of_a_day(typed: str) -> None:
    assert parse_sleep("23-9") == (23 * 60, 9 * 60)
    with refused(Problem.BAD_SLEEP, most=10):
        parse_sleep(typed)


def test_a_channel_is_listed_once_and_house_rules_are_short() -> None:
    assert SERVER["channels"].kind.parse("1,2,1") == (1, 2)
    with refused(Problem.TEXT_TOO_LONG, most=1500):
        SERVER["house-rules"].kind.parse("x" * 1501)


def test_vacations_last_thirty_days_of_a_calendar_year() -> None:
    new_year = int(datetime(2027, 1, 1, tzinfo=UTC).timestamp())
    start = new_year - 20 * DAY
    # 20 days of one year, 30 of the next
    assert require_vacation((), start, start + 50 * DAY) == (start, start + 50 * DAY)
    with refused(Problem.VACATION_SPENT, year=2027, left=30):
        require_vacation((), start, start + 51 * DAY)
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


# What is stored


def test_pictures_beside_boards_as_text_have_high_contrast() -> None:
    assert (UserSettings("dark").theme, UserSettings("text").theme) == ("dark", "contrast")


async def test_settings_are_each_persons_own_and_outlive_the_program(tmp_path: Path) -> None:
    path = tmp_path / "roundtable.db"
    async with Store.open(path) as store:
        service = Service(store, FEATURES)
        for settings in (replace(ASKED, board="dark"), ASKED):
            await people.change_user_settings(service, by(ADA), lambda _, settings=settings: settings)
        await people.change_user_settings(service, by(BO), lambda known: replace(known, board="print"))
    async with Store.open(path) as store:
        service = Service(store, FEATURES)
        assert await people.user_settings(service, ADA) == ASKED
        assert await people.user_settings(service, BO) == UserSettings(board="print")


async def test_public_posts_see_all_settings_of_the_players(service: Service) -> None:
    # Those that are kept as preferences once reached the person's own answers only, not public posts.
    match = await begun(service)
    await people.change_user_settings(service, by(ADA), lambda _: ASKED)
    assert (await service.players_of(match))[ADA].settings == ASKED


@pytest.mark.parametrize("asked", [UserSettings(automove=True), UserSettings(reminders=Reminders.EVERY_6)])
async def test_settings_that_no_clock_goes_by_add_no_event_to_games(service: Service, asked: UserSettings) -> None:
    match = await begun(service)
    await people.change_user_settings(service, by(ADA, NOW + HOUR), lambda _: asked)
    assert (await service.current_match(match.id, GUILD)).seq == match.seq
    await people.change_user_settings(service, by(ADA, NOW + HOUR), lambda now: replace(now, zone="Asia/Tokyo"))
    assert (await service.current_match(match.id, GUILD)).seq == match.seq + 1


async def test_settings_that_no_game_goes_by_load_no_game(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await begun(service)
    asked = UserSettings(board="dark", by_dm=True, sharing=Sharing.RESULTS)
    monkeypatch.setattr(service, "load_readable", None)
    assert await people.change_user_settings(service, by(ADA), lambda _: asked) == asked


# Free days


@pytest.mark.parametrize(
    ("written", "days"),
    [
        (0, Weekdays.NONE),
        (Weekdays.FRIDAY.value, Weekdays.FRIDAY),
        (254, Weekdays.NONE),  # a week without a day on which a clock runs
        (3, Weekdays.NONE),
        (-2, Weekdays.NONE),
        (2**40, Weekdays.NONE),
    ],
)
async def test_free_days_are_read_as_stored_unless_no_clock_would_run(
    service: Service, written: int, days: Weekdays
) -> None:
    await people.change_user_settings(service, by(ADA), lambda known: replace(known, sharing=Sharing.NOTHING))
    await change(service.store, "UPDATE user_settings SET free_days = ?", written)
    assert (await people.user_settings(service, ADA)).free_days == days


@pytest.mark.parametrize(
    "days", [Weekdays.NONE, Weekdays.SATURDAY | Weekdays.SUNDAY, Weekdays.FRIDAY, Weekdays.MONDAY | Weekdays.SUNDAY]
)
async def test_free_days_are_kept_and_exported_by_their_names(service: Service, days: Weekdays) -> None:
    await people.change_user_settings(
        service, by(ADA), lambda known: replace(known, free_days=days, sharing=Sharing.NOTHING)
    )
    assert (await people.user_settings(service, ADA)).free_days == days
    exported = json.loads(json.dumps(await export_person(service, ADA)))
    assert [Weekdays[day.upper()] for day in exported["settings"]["weekends"].split()] == list(days)


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


@given(st.integers(0, 1439), st.integers(1, MAX_SLEEP_MINUTES))
def test_a_sleep_window_is_read_back_as_it_is_written(start: int, minutes: int) -> None:
    sleep = start, (start + minutes) % MINUTES_PER_DAY
    assert parse_sleep(format_sleep(sleep)) == sleep


# Two changes at once


async def test_two_changes_of_a_servers_settings_at_once_both_hold(client: RoundTable) -> None:
    servers = client.context.servers
    slow, strict = await asyncio.gather(
        servers.change_settings(GUILD, lambda settings: replace(settings, pace=Pace.SLOW)),
        servers.change_settings(GUILD, lambda settings: replace(settings, house=False)),
    )
    assert (slow, strict) == (GuildSettings(pace=Pace.SLOW), GuildSettings(pace=Pace.SLOW, house=False))
    stored = await all_guild_settings(client.context.service.reader)
    assert {GUILD: servers.settings_of(GUILD)} == stored == {GUILD: strict}


async def test_two_changes_of_ones_own_settings_at_once_both_hold(client: RoundTable) -> None:
    service = client.context.service
    await asyncio.gather(
        people.change_user_settings(service, by(ADA), lambda settings: replace(settings, zone="Europe/Oslo")),
        people.change_user_settings(service, by(ADA), lambda settings: replace(settings, sharing=Sharing.NOTHING)),
        people.change_user_settings(service, by(BO), lambda settings: replace(settings, automove=True)),
    )
    assert await people.user_settings(service, ADA) == UserSettings(zone="Europe/Oslo", sharing=Sharing.NOTHING)
    assert await people.user_settings(service, BO) == UserSettings(automove=True)


async def test_a_change_is_made_whole_or_not_at_all(client: RoundTable, monkeypatch: pytest.MonkeyPatch) -> None:
    service = client.context.service

    async def fails(writer: Writer, user: int, key: str, value: str) -> None:
        raise RuntimeError(key)

    def to_dark_oslo(settings: UserSettings) -> UserSettings:
        return replace(settings, board="dark", zone="Europe/Oslo")

    with monkeypatch.context() as broken:
        broken.setattr(Writer, "set_preference", fails)
        with pytest.raises(RuntimeError, match="board"):
            await people.change_user_settings(service, by(ADA), to_dark_oslo)
    assert await people.user_settings(service, ADA) == UserSettings()
    await people.change_user_settings(service, by(ADA), to_dark_oslo)
    assert await people.user_settings(service, ADA) == UserSettings(board="dark", zone="Europe/Oslo")


async def reminded(service: Service) -> News:
    """A reminder for a person who wants direct messages."""
    await people.change_user_settings(service, by(ADA), lambda _: UserSettings(by_dm=True, language="en"))
    table = await begun(service)
    await upkeep.tick_matches(service, NOW + 12 * HOUR)
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
        await people.change_user_settings(service, by(ADA), lambda settings: replace(settings, zone="Europe/Oslo"))
        async with writing(store) as tx:
            yield tx

    monkeypatch.setattr(client, "create_dm", refusing(discord.Forbidden, 403, 50007))
    monkeypatch.setattr(Store, "write_transaction", second)
    with pytest.raises(DirectMessagesClosed):
        await send_direct_post(client.context, reminder, "nonce")
    assert await people.user_settings(service, ADA) == UserSettings(zone="Europe/Oslo")


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
    reminder = await reminded(client.context.service)
    monkeypatch.setattr(client, "create_dm", refusing(kind, status, code))
    assert await send_direct_post(client.context, reminder, "nonce") is None
    assert (await people.user_settings(client.context.service, ADA)).by_dm


async def test_a_refused_post_sends_no_direct_message_about_the_same_news(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    reminder = await reminded(service := client.context.service)
    await service.act(by(BO, NOW + DAY), reminder.match.id, NudgePlayer())
    nudge = (await service.unannounced_news(reminder.match.id))[-1]
    monkeypatch.setattr(client.context, "send_post", refusing(discord.Forbidden, 403, 50013))
    monkeypatch.setattr(client, "create_dm", refusing(discord.Forbidden, 403, 50007))
    with pytest.raises(discord.Forbidden):
        await Announcer(client.context).post_item(nudge)
    assert (await people.user_settings(service, ADA)).by_dm, "each new try would send another"


def test_boards_are_turned_to_their_reader_in_games_of_two() -> None:
    two, three = VARIANTS["cam"], VARIANTS["tri-camelot"]
    for turned, bottoms in {"two": (1, 0), "always": (1, 1), "never": (0, 0)}.items():
        settings = UserSettings(turned=turned)
        assert tuple(settings.bottom_seat(variant, 1) for variant in (two, three)) == bottoms
        assert settings.bottom_seat(two, None) == 0
