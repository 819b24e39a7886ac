"""Games in real life: clocks, vacations, limits, followers, and people who want to be forgotten."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bot.core.clock import DAY, HOUR, Pace, Weekdays
from bot.core.events import Ballot, EventKind, Seating
from bot.core.match import Phase
from bot.core.news import News
from bot.core.problems import Problem
from bot.core.settings import GuildSettings, Reminders, Threads, UserSettings
from bot.ladder import match_hooks
from bot.play.announcing.telling import make_notice
from bot.play.service import Service
from bot.play.service.limits import MAX_OPEN_TABLES, MAX_SEATS
from bot.privacy.service import Privacy
from bot.store import Writer
from rules import VARIANTS, parse_position
from tests.bot import acts
from tests.bot.beginning import begun, opened
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, THREAD, refused


def said_last(told: tuple[News, ...]) -> str:
    said = make_notice("en", told[-1], "Ada")
    assert said is not None
    return said.text


# The tick


async def test_the_tick_reminds_pings_and_lets_the_opponent_claim(service: Service) -> None:
    match = await begun(service)
    assert await service.upkeep.tick(NOW + 12 * HOUR - 1) == []
    for now in (NOW + 12 * HOUR, NOW + 18 * HOUR, NOW + 24 * HOUR):
        assert [ticked.id for ticked in await service.upkeep.tick(now)] == [match.id]
        assert await service.upkeep.tick(now) == []
    told = await service.unannounced_news(match.id)
    assert [item.kind for item in told] == [EventKind.STARTED, EventKind.REMINDED, EventKind.REMINDED, EventKind.GRACE]
    assert [item.calls for item in told] == [(ADA, BO), *[(ADA,)] * 3]
    await service.mark_announced(match.id, told[-1].seq)
    for now in (NOW + 36 * HOUR, NOW + 99 * HOUR):
        await service.upkeep.tick(now)
    (claimable,) = await service.unannounced_news(match.id)
    assert (claimable.kind, claimable.calls) == (EventKind.OVERDUE, (BO,))
    match = await service.claim_timeout(match.id, GUILD, BO, NOW + 99 * HOUR)
    assert (match.phase, match.winners) == (Phase.OVER, (BO,))
    assert [act["kind"] for act in (await service.part(Privacy).export_person(BO))["acts"]] == ["joined", "timed_out"]
    assert "Claimed by ⚫ **Black**." in said_last(await service.unannounced_news(match.id))
    assert await service.upkeep.tick(NOW + 99 * DAY) == []


@pytest.mark.sqlite
async def test_what_is_due_is_found_by_an_index(service: Service) -> None:
    plan = await service.store.reader.run_sql(
        "EXPLAIN QUERY PLAN SELECT id FROM matches WHERE deadline <= ? ORDER BY deadline", (NOW,)
    )
    assert [row[3] for row in plan] == ["SEARCH matches USING COVERING INDEX matches_by_deadline (deadline<?)"]


async def test_the_list_of_games_says_when_the_flag_falls(service: Service) -> None:
    match = await begun(service)
    (summary,) = await service.games_of(GUILD, ADA)
    assert summary.time_runs_out_at == await service.time_runs_out_at(match) == NOW + 24 * HOUR


async def test_a_vacation_stopped_twice_on_its_first_day_is_announced_once(service: Service) -> None:
    match = await begun(service)
    await service.people.start_vacation(ADA, NOW + 5 * DAY, NOW)
    assert await service.people.stop_vacation(ADA, NOW + HOUR) == (NOW, NOW + DAY)
    told = await service.current_match(match.id, GUILD)
    assert await service.people.stop_vacation(ADA, NOW + 2 * HOUR) == (NOW, NOW + DAY)
    assert (await service.current_match(match.id, GUILD)).seq == told.seq


async def test_settings_and_vacations_move_the_deadline_and_give_no_time_back(service: Service) -> None:
    match = await begun(service)
    await service.people.change_user_settings(ADA, lambda _: UserSettings(free_days=Weekdays.WEEKEND), NOW + 4 * HOUR)
    match = await service.current_match(match.id, GUILD)
    assert match.banks[0] == 20 * HOUR
    span = await service.people.start_vacation(ADA, NOW + 5 * HOUR + 7 * DAY, NOW + 5 * HOUR)
    assert span == (NOW + 5 * HOUR, NOW + 5 * HOUR + 7 * DAY)
    (summary,) = await service.games_of(GUILD, ADA)
    assert summary.time_runs_out_at is not None
    assert summary.time_runs_out_at >= span[1] + 19 * HOUR
    assert await service.people.stop_vacation(ADA, NOW + 2 * DAY) == (NOW + 5 * HOUR, NOW + 2 * DAY)
    (summary,) = await service.games_of(GUILD, ADA)
    assert summary.time_runs_out_at == NOW + 2 * DAY + 19 * HOUR
    told = await service.unannounced_news(match.id)
    assert [item.kind for item in told] == [EventKind.STARTED, EventKind.AWAY, EventKind.BACK]
    with refused(Problem.NOT_AWAY):
        await service.people.stop_vacation(ADA, NOW + 3 * DAY)


async def test_the_only_move_is_played_for_who_wants_that(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = parse_position("camelot White White:F5,A8 Black:F7,NL9 castle:0,0").cells
    variant = VARIANTS["camelot"]
    monkeypatch.setitem(VARIANTS, "camelot", replace(variant, setup=cells))
    await service.people.change_user_settings(BO, lambda _: UserSettings(automove=True), NOW)
    match = await begun(service)
    match = await acts.move(service, match.id, GUILD, ADA, "F5-F6", NOW + HOUR)
    assert (match.ply, match.to_move) == (2, ADA)
    _, events = await service.match_history(match.id, GUILD)
    assert events[-1].body.endswith(" auto")
    started, moved = await service.unannounced_news(match.id)
    assert [item.auto for item in (started, *moved.told_together)] == [False, False, True]


async def test_an_automatic_move_does_not_count_as_the_players_own(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[tuple[int, int]] = []

    async def note(_writer: Writer, _guild: int, user: int, at: int) -> None:
        moved.append((user, at))

    monkeypatch.setattr(match_hooks, "note_move", note)
    cells = parse_position("camelot White White:F5,A8 Black:F7,NL9 castle:0,0").cells
    monkeypatch.setitem(VARIANTS, "camelot", replace(VARIANTS["camelot"], setup=cells))
    await service.people.change_user_settings(BO, lambda _: UserSettings(automove=True), NOW)
    match = await begun(service)
    match = await acts.move(service, match.id, GUILD, ADA, "F5-F6", NOW + HOUR)
    assert (match.ply, moved) == (2, [(ADA, NOW + HOUR)])


async def test_asking_for_the_only_move_on_ones_turn_plays_it_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = parse_position("camelot White White:F5,A8 Black:F7,NL9 castle:0,0").cells
    monkeypatch.setitem(VARIANTS, "camelot", replace(VARIANTS["camelot"], setup=cells))
    match = await begun(service)
    await acts.move(service, match.id, GUILD, ADA, "F5-F6", NOW + HOUR)
    await service.people.change_user_settings(BO, lambda _: UserSettings(automove=True), NOW + 2 * HOUR)
    match = await service.current_match(match.id, GUILD)
    assert (match.ply, match.to_move) == (2, ADA)
    assert match.banks[1] == 24 * HOUR - HOUR + 4 * HOUR


async def test_the_only_move_is_also_played_when_a_leaver_passes_the_turn(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = parse_position("tri-camelot Blue Blue:F5,E4 Red:F15 Green:F17,J11").cells
    monkeypatch.setitem(VARIANTS, "tri-camelot", replace(VARIANTS["tri-camelot"], setup=cells))
    await service.people.change_user_settings(CY, lambda _: UserSettings(automove=True), NOW)
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, BO, NOW)
    await acts.move(service, match.id, GUILD, ADA, "E4-E6", NOW + HOUR)
    await service.upkeep.tick(NOW + 48 * HOUR)
    await acts.vote(service, match.id, GUILD, ADA, Ballot.PLAY_ON, NOW + 49 * HOUR)
    match = await acts.vote(service, match.id, GUILD, CY, Ballot.PLAY_ON, NOW + 49 * HOUR)
    assert (match.ply, match.to_move) == (2, ADA)
    assert [item.kind for item in await service.unannounced_news(match.id)][-2:] == [EventKind.PASSIVE, EventKind.MOVED]


async def test_every_setting_is_read_as_it_was_kept(service: Service) -> None:
    free = Weekdays.MONDAY
    asked = UserSettings(
        "Europe/Oslo", (1380, 420), free, Reminders.ONCE, True, True, public=False, puzzles=False, language="no"
    )
    assert all(getattr(asked, one.name) != getattr(UserSettings(), one.name) for one in fields(asked))
    await service.people.change_user_settings(ADA, lambda _: asked, NOW)
    assert await service.people.user_settings(ADA) == asked
    await service.people.set_language(ADA, "en")
    assert await service.people.user_settings(ADA) == replace(asked, language="en")


async def test_only_of_those_who_want_direct_messages_the_language_is_kept(service: Service) -> None:
    await service.people.change_user_settings(ADA, lambda _: UserSettings(automove=True), NOW)
    for user in (ADA, BO):
        await service.people.set_language(user, "no")
        assert (await service.people.user_settings(user)).language is None


# Servers, places and followers


async def test_a_server_settles_pace_threads_and_channels(service: Service) -> None:
    settings = GuildSettings(Pace.SLOW, Threads.YES, (CHANNEL,), "no", 1, 2, "Be nice.", False, 14, 3)
    await service.people.change_guild_settings(GUILD, lambda _: settings)
    assert await service.people.all_guild_settings() == {GUILD: settings}
    with refused(Problem.CHANNEL_NOT_ALLOWED, channels=(CHANNEL,)):
        await opened(service, channel=CHANNEL + 1)
    match = await service.open_table(GUILD, THREAD, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW, parent=CHANNEL)
    assert (match.pace, match.wants_thread) == (Pace.SLOW, True)


async def test_nobody_has_more_open_tables_than_allowed(service: Service) -> None:
    tables = [await opened(service) for _ in range(MAX_OPEN_TABLES)]
    with refused(Problem.TOO_MANY_OPEN, most=MAX_OPEN_TABLES):
        await opened(service)
    await service.join_table(tables[0].id, GUILD, BO, NOW)
    await opened(service)


async def test_nobody_has_more_games_and_seats_than_allowed(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    for host in range(2000, 2000 + MAX_SEATS):
        last = await service.open_table(GUILD, CHANNEL, host, "camelot", (), Seating.JOIN_ORDER, False, NOW)
        last = await service.join_table(last.id, GUILD, DEE, NOW)
    other = await service.open_table(GUILD, CHANNEL, BO, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
        await service.join_table(other.id, GUILD, DEE, NOW)
    with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
        await service.open_table(GUILD, CHANNEL, DEE, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    match = await acts.propose_substitute(service, match.id, GUILD, BO, DEE, NOW)
    for user in (DEE, CY):
        with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
            await service.accept_substitute(match.id, GUILD, user, NOW)
    await acts.resign(service, match.id, GUILD, BO, NOW)
    with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
        await service.take_over(match.id, GUILD, DEE, NOW)
    await acts.resign(service, last.id, GUILD, DEE, NOW)
    assert (await service.take_over(match.id, GUILD, DEE, NOW)).players == (ADA, DEE, CY)


async def test_a_homeless_game_moves_on(service: Service) -> None:
    match = await begun(service)
    match = await acts.set_homeless(service, match.id, NOW)
    assert match.has_lost_channel
    with refused(Problem.NOT_A_PLAYER):
        await service.move_to_channel(match.id, GUILD, DEE, 77, NOW)
    match = await service.move_to_channel(match.id, GUILD, BO, 77, NOW, thread=78)
    assert (match.thread_or_channel, match.channel, match.has_lost_channel) == (78, 77, False)
    assert await service.which_game(GUILD, ADA, 77, "waiting") == match.id


async def test_followers_come_and_go(service: Service) -> None:
    match = await begun(service)
    await service.people.follow_match(match.id, GUILD, DEE, every_move=False)
    await service.people.follow_match(match.id, GUILD, DEE, every_move=True)
    assert await service.people.followers_of(match.id) == ((match.id, DEE, True),)
    assert await service.people.unfollow_match(match.id, GUILD, DEE)
    assert not await service.people.unfollow_match(match.id, GUILD, DEE)


# Leavers, as the database sees them


async def test_a_substitute_finds_the_game_among_their_own(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, BO, NOW + HOUR)
    assert await service.games_of(GUILD, DEE) == []
    await service.take_over(match.id, GUILD, DEE, NOW + 2 * HOUR)
    (summary,) = await service.games_of(GUILD, DEE)
    assert (summary.players, summary.resigned) == ((ADA, DEE, CY), ())


# What is kept of people


async def test_everything_kept_of_a_user_can_be_exported_as_json(service: Service) -> None:
    match = await begun(service)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW + HOUR)
    await service.people.change_user_settings(ADA, lambda _: UserSettings(zone="Europe/Oslo"), NOW)
    await service.people.start_vacation(ADA, NOW + 3 * DAY, NOW)
    other = await service.open_table(GUILD, CHANNEL, BO, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    await service.people.follow_match(other.id, GUILD, ADA, every_move=True)
    kept = json.loads(json.dumps(await service.part(Privacy).export_person(ADA)))
    assert (kept["settings"]["zone"], kept["vacations"]) == ("Europe/Oslo", [[NOW, NOW + 3 * DAY]])
    (game,) = kept["games"]
    assert (game["colour"], "1. F7-F8" in game["record"]) == ("White", True)
    assert [act["kind"] for act in kept["acts"]] == ["opened", "moved", "away"]
    assert kept["follows"] == [{"match": other.id, "every_move": True}]
    assert (await service.part(Privacy).export_person(DEE))["games"] == []


async def test_a_forgotten_player_is_nobody_in_finished_games_and_leaves_others(service: Service) -> None:
    live, table = await begun(service), await opened(service)
    over = await begun(service)
    await acts.resign(service, over.id, GUILD, BO, NOW)
    await service.people.change_user_settings(ADA, lambda _: UserSettings(by_dm=True), NOW)
    assert [match.id for match in await service.part(Privacy).forget_person(ADA, NOW + HOUR)] == [
        live.id,
        table.id,
        over.id,
    ]
    for number, players, phase in ((live.id, (-1, BO), Phase.OVER), (over.id, (-1, BO), Phase.OVER)):
        match = await service.current_match(number, GUILD)
        assert (match.players, match.phase) == (players, phase)
    assert (await service.current_match(table.id, GUILD)).phase is Phase.CLOSED
    await service.part(Privacy).forget_person(BO, NOW + HOUR)
    assert (await service.current_match(over.id, GUILD)).players == (-1, -2)
    kept = await service.part(Privacy).export_person(ADA)
    assert (kept["settings"], kept["games"], kept["acts"]) == (None, [], [])


@pytest.mark.parametrize("remembered", [True, False])
async def test_a_forgotten_name_does_not_return_from_memory_with_a_simultaneous_act(
    service: Service, tmp_path: Path, remembered: bool
) -> None:
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, BO, NOW, call=False)
    if not remembered:
        service._cache.clear()
    # The first transaction has changed what the second one reads.
    _, match = await asyncio.gather(
        service.part(Privacy)._forget_in_match(match.id, BO, -1, NOW + HOUR),
        acts.replace_player(service, match.id, GUILD, DEE, CY, DEE + 1, "ill", NOW + HOUR),
    )
    assert match.players[0::2] == (ADA, DEE + 1)
    for found in (match, await service.current_match(match.id, GUILD)):
        assert BO not in (*found.players, *found.joined, *found.resigned_users)
    with closing(sqlite3.connect(tmp_path / "roundtable.db")) as base:
        rows = [row for table in ("players", "events", "matches") for row in base.execute(f"SELECT * FROM {table}")]
    assert not [row for row in rows if BO in row or str(BO) in str(row)]


async def test_a_match_read_while_somebody_is_forgotten_is_read_again(service: Service) -> None:
    match = await begun(service)
    await acts.resign(service, match.id, GUILD, BO, NOW)
    stale = await service.current_match(match.id, GUILD)
    await service.part(Privacy).forget_person(BO, NOW + HOUR)
    service.cache_match(stale)  # like a reader that has loaded the events just before
    assert BO not in (await service.current_match(match.id, GUILD)).players
