"""Unknown names in the database: a default holds, the log says so once, and nobody else is affected."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.core.clock import DAY, HOUR, Pace
from bot.core.events import EventKind
from bot.core.problems import Problem
from bot.core.setting_kinds import zone_named
from bot.core.settings import DEFAULT_USER_SETTINGS, GuildSettings, Reminders, Threads, UserSettings
from bot.features import FEATURES
from bot.play.known_servers import ServerSettings
from bot.play.service import Service, games, people, upkeep
from bot.play.settings import OWN_PANEL, SERVER_PANEL
from bot.privacy.service import export_person, forget_person, resume_forgetting
from bot.puzzles.service import day_at, due_day
from bot.store.people import log_unknown_name
from bot.store.servers import all_guild_settings
from bot.texts.i18n import LANGUAGES, Language, text
from bot.texts.sentences import variant_called
from tests.bot import acts
from tests.bot.beginning import begun, opened
from tests.bot.databases import change
from tests.bot.playing import ADA, GUILD, NOW, by, existing, refused
from tests.bot.puzzle_servers import MORNING, ask_for_a_daily, daily

UNKNOWN_ZONES = ("America/X", "America", "../etc/passwd", "/etc/passwd", "", "Mars\0", "Ω" * 300)


@pytest.mark.parametrize("zone", UNKNOWN_ZONES)
def test_a_zone_that_this_machine_does_not_know_is_utc(zone: str) -> None:
    assert zone_named(zone).key == "UTC"
    assert day_at(NOW, zone) == day_at(NOW, "UTC")
    assert due_day(NOW, zone) == due_day(NOW, "UTC")


@pytest.mark.parametrize("zone", UNKNOWN_ZONES[:2])
def test_settings_with_an_unknown_zone_are_shown_and_can_be_changed(zone: str, locale: Language) -> None:
    settings = replace(DEFAULT_USER_SETTINGS, zone=zone)
    server = GuildSettings(zone=zone, language="tlh")
    panels: tuple[tuple[Any, Any], ...] = (OWN_PANEL, settings), (SERVER_PANEL, server)
    for panel, stored in panels:
        shown = panel.value_text(locale, panel.find("zone"), stored)
        assert shown == text(locale, "unknown-name.zone", zone=zone)
        with refused(Problem.NO_SUCH_ZONE, zone=zone):
            panel.find("zone").kind.parse(zone)
    automatic = text(locale, "server.language.automatic")
    assert SERVER_PANEL.value_text(locale, SERVER_PANEL.find("language"), server) == automatic


async def test_a_player_with_an_unknown_zone_plays_and_mends_it(service: Service) -> None:
    match = await begun(service)
    await people.change_user_settings(service, by(ADA), lambda known: replace(known, sleep=(60, 120)))
    await change(service.store, "UPDATE user_settings SET zone = 'America/X', reminders = 'hourly' WHERE user = ?", ADA)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW + 1)
    settings = await people.user_settings(service, ADA)
    assert (settings.zone, settings.reminders) == ("America/X", Reminders.DEFAULT)
    await people.change_user_settings(service, by(ADA, NOW + 2), lambda known: replace(known, zone="Europe/Oslo"))
    assert (await people.user_settings(service, ADA)).zone == "Europe/Oslo"


async def test_unknown_names_of_a_server_have_defaults_and_stop_no_other(service: Service) -> None:
    await ask_for_a_daily(service)
    await people.change_guild_settings(service, GUILD - 1, lambda _: GuildSettings(puzzle_channel=1))
    values = "zone = 'America/X', pace = 'glacial', threads = 'often', language = 'tlh', channels = 'here'"
    await change(service.store, f"UPDATE guild_settings SET {values} WHERE guild = ?", GUILD - 1)
    log_unknown_name.cache_clear()
    with capture_logs() as logged:
        settings = (await all_guild_settings(service.reader))[GUILD - 1]
        assert (settings.pace, settings.threads, settings.channels) == (Pace.STANDARD, Threads.YES, ())
        assert await daily(service, MORNING)
        client: Any = SimpleNamespace(get_guild=lambda _: None)
        servers = ServerSettings(client, service)
        await servers.load_all()
        assert servers.language_of(GUILD - 1) == "en"
    found = {line["setting"] for line in logged if line["event"] == "unknown name"}
    assert found == {"zone", "pace", "threads", "language", "channels"}


async def test_an_unknown_theme_is_the_default_and_is_logged_once(service: Service) -> None:
    log_unknown_name.cache_clear()
    await change(service.store, "INSERT INTO preferences (user, key, value) VALUES (?, 'board', 'neon')", ADA)
    with capture_logs() as logged:
        for _ in range(3):
            assert await people.user_settings(service, ADA) == UserSettings()
    (line,) = logged
    assert (line["event"], line["setting"], line["name"]) == ("unknown name", "board", "neon")


async def test_an_unreadable_game_keeps_only_itself_from_being_played(service: Service) -> None:
    broken, foreign, sound = [await begun(service) for _ in range(3)]
    await change(service.store, "UPDATE events SET kind = 250 WHERE match = ? AND seq = 3", broken.id)
    body = "UPDATE events SET body = replace(body, 'camelot', 'avalon') WHERE match = ? AND seq = 1"
    await change(service.store, body, foreign.id)
    await change(service.store, "UPDATE matches SET variant = 'avalon' WHERE id = ?", foreign.id)
    woken = Service(service.store, FEATURES, service.shuffle)
    for match in (broken, foreign):
        with refused(Problem.UNREADABLE, number=match.id):
            await acts.move(woken, match.id, GUILD, ADA, "F7-F8", NOW + 1)
        with refused(Problem.UNREADABLE, number=match.id):
            await woken.current_match(match.id, GUILD)
    await acts.move(woken, sound.id, GUILD, ADA, "F7-F8", NOW + 1)
    assert sound.id in {game.id for game in await woken.reader.games_of(GUILD, ADA, live=True)}
    assert foreign.id not in {game.id for game in await woken.reader.games_of(GUILD, ADA, live=True)}
    changed = await upkeep.tick_matches(woken, NOW + 12 * HOUR + 2)
    assert [match.id for match in changed] == [sound.id]
    for locale in LANGUAGES:
        assert text(locale, "problem.unreadable", number=broken.id)


async def test_an_unreadable_game_keeps_its_players_from_nothing_else(service: Service) -> None:
    broken, sound = [await begun(service) for _ in range(2)]
    await change(service.store, "UPDATE events SET kind = 250 WHERE match = ? AND seq = 3", broken.id)
    woken = Service(service.store, FEATURES, service.shuffle)
    await people.start_vacation(woken, by(ADA, NOW + 1), NOW + 3 * DAY)
    last = await games.last_table_of(woken, GUILD, ADA)
    assert existing(last).id == sound.id
    position = (await woken.current_match(sound.id, GUILD)).started_game.position
    with refused(Problem.PLAYED_NOW, number=sound.id):
        await woken.require_unplayed(woken.store.reader, ADA, [position])
    await woken.require_unplayed(woken.store.reader, ADA, [position], but=sound.id)


@pytest.mark.parametrize("is_over", [False, True])
async def test_a_person_with_an_unreadable_game_is_exported_and_forgotten(service: Service, is_over: bool) -> None:
    broken, sound = [await begun(service) for _ in range(2)]
    for match in (broken, sound) if is_over else ():
        await acts.resign(service, match.id, GUILD, ADA, NOW + 1)
    await change(service.store, "UPDATE events SET kind = 250 WHERE match = ? AND seq = 3", broken.id)
    await change(service.store, "UPDATE events SET body = body || ? WHERE match = ? AND seq = 3", f" {ADA}", broken.id)
    woken = Service(service.store, FEATURES, service.shuffle)
    await people.change_user_settings(woken, by(ADA, NOW + 1), lambda settings: replace(settings, zone="Europe/Oslo"))
    assert [match.id for match in await games.export_games(woken, GUILD)] == [sound.id]
    exported = await export_person(woken, ADA)
    assert [(game["match"], game["phase"], game["record"] is None) for game in exported["games"]] == [
        (broken.id, "over" if is_over else "live", True),
        (sound.id, "over" if is_over else "live", False),
    ]
    assert {act["match"] for act in exported["acts"]} == {broken.id, sound.id}

    changed = await forget_person(woken, ADA, NOW + 2)
    assert {match.id for match in changed} == {sound.id}
    assert not await resume_forgetting(woken, NOW + 3)
    for rows in ("events", "players", "matches", "results", "shares", "rating_changes", "ratings", "user_settings"):
        stored = await service.reader.run_sql(f"SELECT * FROM {rows}")
        assert not re.search(rf"(?<!\d){ADA}(?!\d)", repr(stored)), rows


async def test_an_unknown_level_that_was_promised_is_the_weakest(service: Service) -> None:
    table = await opened(service, channel=1)
    await acts.promise_house(service, table.id, GUILD, ADA, "easy", NOW + HOUR, NOW)
    sql = "UPDATE events SET body = replace(body, 'easy', 'divine') WHERE match = ? AND kind = ?"
    await change(service.store, sql, table.id, EventKind.HOUSE_PROMISED.value)
    woken = Service(service.store, FEATURES, service.shuffle)
    promised = (await woken.current_match(table.id, GUILD)).table.house_promise
    assert existing(promised).level == "easy"
    await upkeep.tick_matches(woken, NOW + DAY)
    assert (await woken.current_match(table.id, GUILD)).is_live


def test_an_unknown_variant_is_called_by_its_key(locale: Language) -> None:
    assert variant_called(locale, "avalon") == "avalon"
    assert variant_called(locale, "camelot") == text(locale, "variant.camelot")
