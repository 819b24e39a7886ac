"""The two loops: one ticks, the other posts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.core.clock import DAY, HOUR, Pace
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.permissions import Obstacle, Trouble
from bot.features import make_service
from bot.play.announcing import ticker
from bot.play.service import Service
from bot.play.service.attempts import FAILURES_TO_REPORT
from bot.seeking.posts import call_seekers
from bot.seeking.service import Seekers
from bot.store import Fault, StoreError
from bot.store.absences import lasting_absences
from tests.bot.playing import CHANNEL, GUILD, NOW, unshuffled
from tests.bot.ticking import StandInOutbox, a_ticker, begin, graced


async def test_as_long_as_discord_lets_nobody_in_the_bot_is_not_there(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await service.current_match((await graced(service)).id, GUILD)
    time, ready = [NOW + DAY], asyncio.Event()
    monkeypatch.setattr(ticker, "now", lambda: time[0])
    for _ in range(24):  # clients that never connect
        time[0] += 10 * 60
        cog = a_ticker(make_service(service.store, unshuffled), ready=asyncio.Event())
        await cog.cog_load()
        await asyncio.sleep(0)
        await cog.cog_unload()
    woken = make_service(service.store, unshuffled)
    cog = a_ticker(woken, ready=ready)
    ready.set()
    await cog.cog_load()
    async with asyncio.timeout(60):
        while (await woken.current_match(match.id, GUILD)).pings.grace_ends_at == match.pings.grace_ends_at:  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(0.01)
    await cog.cog_unload()
    assert await woken.time_runs_out_at(await woken.current_match(match.id, GUILD)) == time[0] + 12 * HOUR


async def test_a_tick_that_has_failed_is_soon_tried_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    tried, ready = list[int](), asyncio.Event()

    async def note(now: int) -> None:
        tried.append(now)
        if len(tried) < 3:
            raise StoreError(Fault.NO_ACCESS, service.store.database)

    monkeypatch.setattr(service.presence, "note_present", note)
    cog = a_ticker(service, ready=ready, timings=Timings(failed_tick_retry_s=0.01))
    ready.set()
    await cog.cog_load()
    async with asyncio.timeout(60):
        while len(tried) < 3:  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(0.01)
    await cog.cog_unload()


async def test_a_server_whose_return_was_not_noted_is_found_by_the_tick(service: Service) -> None:
    await begin(service, Pace.FAST)
    for guild in (GUILD, GUILD + 1):
        await service.presence.note_server_lost(guild, NOW)
    await a_ticker(service).tick()
    assert (await lasting_absences(service.store.reader)).keys() == {GUILD + 1}


async def test_a_hanging_post_delays_only_its_own_place(service: Service) -> None:
    slow, later = await begin(service, Pace.FAST), await begin(service, Pace.FAST)
    elsewhere = await begin(service, Pace.FAST, channel=CHANNEL + 1)
    hangs, told = asyncio.Event(), list[int]()

    async def announce(match_id: int, *, until_done: bool) -> None:
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
    match, told = await begin(service, Pace.FAST), list[int]()

    async def announce(number: int, *, until_done: bool) -> None:
        told.append(number)

    async def announce_league(number: int, *, until_done: bool) -> Trouble:
        return Trouble(Obstacle.GONE, CHANNEL)

    cog = a_ticker(service, announce)
    leagues: Any = StandInOutbox(announce_league)
    await cog._announce_unless_resting(leagues, match.id)
    await cog.open_lanes()
    await cog._lanes[CHANNEL]
    assert told == [match.id]


@pytest.mark.parametrize("obstacle", Obstacle)
async def test_temporary_faults_are_retried_next_round_and_others_an_hour_later(
    service: Service, obstacle: Obstacle, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begin(service, Pace.FAST)
    told, time = list[int](), NOW
    monkeypatch.setattr(ticker, "now", lambda: time)

    async def announce(match_id: int, *, until_done: bool) -> Trouble:
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
    async with service.store.write_transaction() as tx:
        await tx.mark_announced(1, 99)
    time += DEFAULT_TIMINGS.unpostable_rest_s
    await cog.open_lanes()
    assert cog._resting == {}, "of what is told, nothing is kept"


async def test_what_ends_at_a_known_time_is_tried_again_then(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    await begin(service, Pace.FAST)
    time, told = NOW, list[int]()
    monkeypatch.setattr(ticker, "now", lambda: time)

    async def announce(match_id: int, *, until_done: bool) -> Trouble:
        told.append(time)
        return Trouble(Obstacle.TIMED_OUT, CHANNEL, until=NOW + 60)

    cog = a_ticker(service, announce)
    for passed in (0, 30, 59, 60):
        time = NOW + passed
        await cog.open_lanes()
        await cog._lanes[CHANNEL]
    assert told == [NOW, NOW + 60]


async def test_seekers_wait_for_a_database_that_is_away(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: int) -> None:
        raise StoreError(Fault.NO_ACCESS, service.store.database)

    monkeypatch.setattr(service.part(Seekers), "tables_to_fill", fail)
    await call_seekers(a_ticker(service)._context, NOW)


async def test_a_background_job_that_fails_is_counted(service: Service) -> None:
    async def fail(*_: object) -> None:
        raise KeyError("a bug of ours")

    ticking = a_ticker(service)
    for _ in range(FAILURES_TO_REPORT):
        ticking._lanes["counting"] = asyncio.create_task(ticking._run_job("counting", fail))
        await ticking._lanes["counting"]
    assert service.attempts.describe_failures(everywhere=True) == "failing: counting"
