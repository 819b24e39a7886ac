"""The tick and its two loops: a late, repeated or long overdue tick has the same effect."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.core.clock import DAY, HOUR
from bot.core.events import EventKind
from bot.core.settings import UserSettings
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.permissions import Obstacle, Trouble
from bot.features import FEATURES
from bot.play.announcing import ticker
from bot.play.background import FAILURES_TO_REPORT
from bot.play.seeking import call_seekers
from bot.play.service import Service, people, upkeep
from bot.store import Fault, StoreError, Writer
from bot.store.absences import lasting_absences
from bot.store.game_lists import count_games
from tests.bot.acts import time_runs_out_at
from tests.bot.beginning import begun
from tests.bot.databases import change, query, write
from tests.bot.playing import ADA, CHANNEL, GUILD, NOW, by, existing, unshuffled
from tests.bot.ticked_games import StandInOutbox, a_ticker, graced, story


async def test_late_or_doubled_ticks_come_to_the_same(service: Service) -> None:
    prompt, doubled = await begun(service), await begun(service)
    for hour in range(1, 40):
        await upkeep.tick_matches(service, NOW + hour * HOUR)
        assert await upkeep.tick_matches(service, NOW + hour * HOUR) == []
    kinds = [event.kind for event in await story(service, prompt.id)][3:]
    assert kinds == [EventKind.REMINDED, EventKind.REMINDED, EventKind.GRACE, EventKind.OVERDUE]
    assert [event.kind for event in await story(service, doubled.id)][3:] == kinds


async def test_after_three_days_down_players_are_called_once_with_full_grace(service: Service) -> None:
    match = await begun(service, ladder=True)
    back = NOW + 3 * DAY
    await upkeep.tick_matches(service, back)
    assert [(event.kind, event.at) for event in await story(service, match.id)][3:] == [(EventKind.GRACE, back)]
    await upkeep.tick_matches(service, back + 12 * HOUR - 1)
    assert (await service.current_match(match.id, GUILD)).is_live
    await upkeep.tick_matches(service, back + 12 * HOUR)
    assert not (await service.current_match(match.id, GUILD)).is_live


async def test_an_unreadable_game_is_the_only_one_whose_grace_stays_unextended(service: Service) -> None:
    broken, sound = await graced(service), await graced(service)
    service._cache.clear()
    await change(service.store, "UPDATE events SET body = 'nonsense' WHERE match = ? AND seq = 1", broken.id)
    await service.presence.note_present(NOW + 4 * DAY)
    await upkeep.tick_matches(service, NOW + 4 * DAY)
    assert (await service.current_match(sound.id, GUILD)).clock.grace_ends_at == NOW + 4 * DAY + 12 * HOUR


async def test_a_game_with_nothing_due_but_a_claim_is_also_counted(service: Service, path: Path) -> None:
    await begun(service)
    await upkeep.tick_matches(service, NOW + DAY)
    await upkeep.tick_matches(service, NOW + 2 * DAY)
    (plan,) = query(path, "EXPLAIN QUERY PLAN SELECT count(*) FROM matches WHERE phase = 'live'")
    assert await count_games(service.reader) == (1, 1)
    assert plan[-1] == "SEARCH matches USING COVERING INDEX matches_on (phase=?)"


async def test_habits_that_change_move_what_is_due(service: Service) -> None:
    match = await begun(service)
    before = await time_runs_out_at(service, match)
    assert before == NOW + DAY
    await people.change_user_settings(service, by(ADA, NOW + HOUR), lambda _: UserSettings(sleep=(22 * 60, 8 * 60)))
    (summary, *_) = await service.reader.games_of(GUILD, ADA, live=True)
    after = await time_runs_out_at(service, await service.current_match(match.id, GUILD))
    assert after == summary.time_runs_out_at
    assert existing(after) > before


# The two loops


async def test_as_long_as_discord_lets_nobody_in_the_bot_is_not_there(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await service.current_match((await graced(service)).id, GUILD)
    time, ready = [NOW + DAY], asyncio.Event()
    monkeypatch.setattr(ticker, "now", lambda: time[0])
    for _ in range(24):  # clients that never connect
        time[0] += 10 * 60
        cog = a_ticker(Service(service.store, FEATURES, unshuffled), ready=asyncio.Event())
        await cog.cog_load()
        await asyncio.sleep(0)
        await cog.cog_unload()
    woken = Service(service.store, FEATURES, unshuffled)
    cog = a_ticker(woken, ready=ready)
    ready.set()
    await cog.cog_load()
    async with asyncio.timeout(60):
        while (await woken.current_match(match.id, GUILD)).clock.grace_ends_at == match.clock.grace_ends_at:  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(0.01)
    await cog.cog_unload()
    assert await time_runs_out_at(woken, await woken.current_match(match.id, GUILD)) == time[0] + 12 * HOUR


async def test_a_tick_that_has_failed_is_tried_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    tried, ready = list[int](), asyncio.Event()

    async def note(now: int) -> None:
        tried.append(now)
        if len(tried) < 3:
            raise StoreError(Fault.NO_ACCESS, service.store.database)

    monkeypatch.setattr(service.presence, "note_present", note)
    cog = a_ticker(service, ready=ready, timings=Timings(tick_interval_s=0.01))
    ready.set()
    await cog.cog_load()
    async with asyncio.timeout(60):
        while len(tried) < 3:  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(0.01)
    await cog.cog_unload()


async def test_a_server_whose_return_was_not_noted_is_found_by_the_tick(service: Service) -> None:
    await begun(service)
    for guild in (GUILD, GUILD + 1):
        await service.presence.note_server_lost(guild, NOW)
    await a_ticker(service).tick()
    assert (await lasting_absences(service.reader)).keys() == {GUILD + 1}


async def test_a_hanging_post_delays_only_its_own_place(service: Service) -> None:
    slow, later = await begun(service), await begun(service)
    elsewhere = await begun(service, channel=CHANNEL + 1)
    hangs, told = asyncio.Event(), list[int]()

    async def announce(match_id: int) -> None:
        told.append(match_id)
        if match_id == slow.id:
            await hangs.wait()

    cog = a_ticker(service, announce)
    for _ in range(2):  # at the second tick one lane is still open
        await cog.tick()
        await cog.open_lanes()
        await asyncio.gather(*(lane for place, lane in cog._lanes.items() if place != CHANNEL))
    assert told == [slow.id, elsewhere.id, elsewhere.id]
    hangs.set()
    await asyncio.gather(*cog._lanes.values())
    assert told == [slow.id, elsewhere.id, elsewhere.id, later.id]
    assert cog._lanes == {}


async def test_a_match_is_not_delayed_by_another_subject_of_its_number(service: Service) -> None:
    match, told = await begun(service), list[int]()

    async def announce(number: int) -> None:
        told.append(number)

    async def announce_league(number: int) -> Trouble:
        return Trouble(Obstacle.GONE, CHANNEL)

    cog = a_ticker(service, announce)
    leagues = StandInOutbox(cog._context, announce_league)
    await cog._announce_unless_resting(leagues, match.id)
    await cog.open_lanes()
    await cog._lanes[CHANNEL]
    assert told == [match.id]


@pytest.mark.parametrize("obstacle", Obstacle)
async def test_temporary_faults_are_retried_next_round_and_others_an_hour_later(
    service: Service, obstacle: Obstacle, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(service)
    told, time = list[int](), NOW
    monkeypatch.setattr(ticker, "now", lambda: time)

    async def announce(match_id: int) -> Trouble:
        told.append(match_id)
        return Trouble(obstacle, CHANNEL)

    async def a_round() -> int:
        await cog.open_lanes()
        await cog._lanes[CHANNEL]
        return len(told)

    cog = a_ticker(service, announce)
    assert [await a_round(), await a_round()] == [1, 2 if obstacle.is_temporary else 1]
    time += DEFAULT_TIMINGS.unpostable_rest_s
    assert await a_round() == (3 if obstacle.is_temporary else 2)
    await write(service.store, Writer.mark_announced, 1, 99)
    time += DEFAULT_TIMINGS.unpostable_rest_s
    await cog.open_lanes()
    assert cog._resting == {}, "of what is told, nothing is kept"


async def test_what_ends_at_a_known_time_is_tried_again_then(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await begun(service)
    time, told = NOW, list[int]()
    monkeypatch.setattr(ticker, "now", lambda: time)

    async def announce(match_id: int) -> Trouble:
        told.append(time)
        return Trouble(Obstacle.TIMED_OUT, CHANNEL, until=NOW + 60)

    cog = a_ticker(service, announce)
    for passed in (0, 30, 59, 60):
        time = NOW + passed
        await cog.open_lanes()
        await cog._lanes[CHANNEL]
    assert told == [NOW, NOW + 60]


async def test_seekers_wait_for_a_database_that_is_away(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise StoreError(Fault.NO_ACCESS, service.store.database)

    monkeypatch.setattr("bot.play.seeking.tables_to_fill", fail)
    await call_seekers(a_ticker(service)._context, NOW)


async def test_a_background_job_that_fails_is_counted(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise KeyError("a bug of ours")

    monkeypatch.setattr(ticker, "call_seekers", fail)
    ticking = a_ticker(service)
    for _ in range(FAILURES_TO_REPORT):
        ticking._lanes["seekers"] = asyncio.create_task(ticking._call_seekers())
        await ticking._lanes["seekers"]
    assert service.attempts.describe_failures(everywhere=True) == "failing: seekers"
