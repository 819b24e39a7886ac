"""Notes of the bot's presence, and the treatment of its absences, on real SQLite."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from bot.core.clock import DAY, HOUR, Pace
from bot.core.events import EventKind, Seating
from bot.core.match import Phase
from bot.core.problems import MatchError, Problem
from bot.features import make_service
from bot.play.service import Service
from bot.store import Fault, StoreError
from bot.store.absences import lasting_absences
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, refused, unshuffled
from tests.bot.ticking import begin, graced, story


@pytest.mark.parametrize("down", [True, False], ids=["the program was down", "Discord was away"])
async def test_a_grace_runs_only_while_the_bot_is_there(service: Service, down: bool) -> None:
    match = await graced(service)
    back = NOW + 4 * DAY
    for _ in range(2):  # a second start finds nothing left to make up for
        woken = make_service(service.store, unshuffled) if down else service
        await woken.presence.note_present(back)
        await woken.upkeep.tick(back)
    late = back + 12 * HOUR
    kinds = [event.kind for event in await story(woken, match.id)]
    assert kinds.count(EventKind.PROLONGED) == 1
    assert (await woken.current_match(match.id, GUILD)).pings.grace_ends_at == late
    for minutes in range(0, 12 * 60, 2):
        await woken.presence.note_present(back + minutes * 60)
    await woken.presence.note_present(late - 1)
    await woken.upkeep.tick(late - 1)
    assert (await woken.current_match(match.id, GUILD)).is_live
    await woken.upkeep.tick(late)
    assert not (await woken.current_match(match.id, GUILD)).is_live


async def test_while_nothing_can_be_written_the_bot_counts_as_away(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await graced(service)

    def full() -> None:
        raise StoreError(Fault.NO_ACCESS, Path("rt.db"), "disk full")

    with monkeypatch.context() as broken:
        broken.setattr(service.store, "write_transaction", full)
        for minutes in range(1, 90):
            with pytest.raises(StoreError):
                await service.presence.note_present(NOW + DAY + minutes * 60)
    await service.presence.note_present(NOW + DAY + 90 * 60)
    assert (
        await service.time_runs_out_at(await service.current_match(match.id, GUILD)) == NOW + DAY + 90 * 60 + 12 * HOUR
    )


async def test_a_two_minute_absence_at_a_graces_end_decides_nothing(service: Service) -> None:
    match = await graced(service)
    end = NOW + DAY + 12 * HOUR
    for minutes in range(0, 12 * 60 - 1, 2):
        await service.presence.note_present(NOW + DAY + minutes * 60)
    service.presence.note_connection_lost(end - 30)  # the line may have been dead for two minutes by then
    await service.presence.note_present(end + 30)
    await service.upkeep.tick(end + 30)
    later = (await service.current_match(match.id, GUILD)).pings.grace_ends_at
    assert later is not None
    assert later >= end + 60
    assert (await service.current_match(match.id, GUILD)).is_live
    await service.presence.note_present(later - 60)
    await service.presence.note_present(later)
    await service.upkeep.tick(later)
    assert not (await service.current_match(match.id, GUILD)).is_live


async def test_a_cut_line_costs_one_row_and_no_event_per_game(service: Service, tmp_path: Path) -> None:
    matches = [await begin(service, Pace.FAST, ladder=True) for _ in range(5)]
    await service.presence.note_present(NOW + HOUR)
    service.presence.note_connection_lost(NOW + 2 * HOUR)
    await service.presence.note_present(NOW + 2 * HOUR + 3)
    await service.upkeep.tick(NOW + 2 * HOUR + 3)
    for match in matches:
        assert len(await story(service, match.id)) == match.seq
    with sqlite3.connect(tmp_path / "roundtable.db") as base:
        assert base.execute("SELECT count(*) FROM absences").fetchone() == (1,)
    base.close()


async def test_a_bank_stops_while_its_server_is_away_and_posts_say_so(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    await service.presence.note_present(NOW)
    await service.mark_announced(match.id, match.seq)
    await service.presence.note_server_lost(GUILD, NOW + HOUR)
    for day in range(1, 8):
        await service.upkeep.tick(NOW + day * DAY)
    assert (await service.current_match(match.id, GUILD)).seq == match.seq
    back = NOW + 8 * DAY
    await service.presence.note_server_found(GUILD, back)
    await service.upkeep.tick(back)
    assert await service.time_runs_out_at(match) == back + 23 * HOUR
    (summary,) = await service.games_of(GUILD, ADA)
    assert summary.time_runs_out_at == back + 23 * HOUR
    moved = await acts.move(service, match.id, GUILD, ADA, "F7-F8", back + HOUR)
    assert moved.banks[0] == 26 * HOUR
    (news,) = await service.unannounced_news(match.id)
    assert news.seconds_stood == back - NOW - HOUR
    await service.mark_announced(match.id, moved.seq)
    await acts.move(service, match.id, GUILD, BO, "F10-F9", back + 2 * HOUR)
    assert [one.seconds_stood for one in await service.unannounced_news(match.id)] == [0]  # once is enough


async def test_a_table_is_joined_after_an_outage_before_the_first_tick(service: Service) -> None:
    await service.presence.note_present(NOW)
    table = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    assert (await service.join_table(table.id, GUILD, BO, NOW + 8 * DAY)).is_live


async def test_a_server_lost_while_an_absences_end_is_written_stays_lost(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    await service.presence.note_present(NOW)
    write = service.presence._write_presence

    async def slowly(since: int | None, now: int) -> None:
        await write(since, now)
        service.presence.note_connection_lost(now + 1)

    for gone in (False, True):  # the note is one of an absence, or of none
        at = NOW + HOUR + gone * HOUR
        if gone:
            service.presence.note_connection_lost(at - 10)
        with monkeypatch.context() as slow:
            slow.setattr(service.presence, "_write_presence", slowly)
            await service.presence.note_present(at)
        assert await service.time_runs_out_at(match) is None, "the clock stands"
        await service.presence.note_present(at + 60)
        assert await service.time_runs_out_at(match) is not None


async def test_another_servers_absence_is_nobody_elses(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    await service.presence.note_server_lost(GUILD + 1, NOW)
    await service.upkeep.tick(NOW + DAY)
    assert (await service.current_match(match.id, GUILD)).pings.grace_ends_at == NOW + DAY + 12 * HOUR


async def test_after_a_long_absence_each_last_chance_is_prolonged_once(service: Service) -> None:
    matches = [await begin(service, Pace.FAST, ladder=True) for _ in range(3)]
    await service.presence.note_present(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    back = NOW + DAY + 5 * HOUR
    await service.presence.note_present(back)
    for woken in (make_service(service.store, unshuffled), service):  # the first dies after its tick
        await woken.presence.note_present(back)
        told = [match.id for match in await woken.upkeep.tick(back)]
        assert told == ([match.id for match in matches] if woken is not service else [])
    for match in matches:
        kinds = [event.kind for event in await story(service, match.id)]
        assert kinds.count(EventKind.PROLONGED) == 1
        assert (await service.current_match(match.id, GUILD)).pings.grace_ends_at == back + 12 * HOUR


async def test_a_game_whose_server_is_away_thirty_days_ends_without_a_result(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    table = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    await service.presence.note_server_lost(GUILD, NOW + HOUR)
    for hours in range(0, 31 * 24, 2):
        await service.presence.note_present(NOW + hours * HOUR)
        await service.upkeep.tick(NOW + hours * HOUR)
    over = await service.current_match(match.id, GUILD)
    assert (over.phase, over.winners, over.has_result) == (Phase.OVER, (), False)
    assert (await service.current_match(table.id, GUILD)).phase is Phase.CLOSED
    assert await service.unannounced_matches() == []  # nobody is there who could announce it
    await service.presence.note_server_found(GUILD, NOW + 40 * DAY)
    assert match.id in dict(await service.unannounced_matches())


async def test_servers_are_looked_over_after_a_new_session(service: Service) -> None:
    await begin(service, Pace.FAST)
    for reached in (False, False, True, True):
        await service.presence.check_servers(lambda _, reached=reached: reached, NOW + HOUR)
        assert bool(await lasting_absences(service.store.reader)) is not reached


async def test_a_server_back_while_noted_as_lost_stays_back(service: Service) -> None:
    """The start at which servers come in late: news of one server arrives during a check of all of them."""
    await begin(service, Pace.FAST)
    there = set[int]()
    news: list[asyncio.Task[bool]] = []

    def reached(guild: int) -> bool:
        if guild in there:
            return True
        there.add(guild)
        news.append(asyncio.create_task(service.presence.note_server_found(guild, NOW + HOUR)))
        return False

    await service.presence.check_servers(reached, NOW + HOUR)
    await asyncio.gather(*news)
    assert await lasting_absences(service.store.reader) == {}


async def test_a_claim_before_the_tick_after_an_absence_waits_for_the_grace(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.presence.note_present(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    with refused(Problem.NOT_OVERDUE, until=NOW + 4 * DAY + 12 * HOUR):
        await service.claim_timeout(match.id, GUILD, BO, NOW + 4 * DAY)


async def test_a_move_before_the_first_tick_does_not_pay_for_the_absence(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.presence.note_present(NOW + HOUR)
    woken = make_service(service.store, unshuffled)
    moved = await acts.move(woken, match.id, GUILD, ADA, "F7-F8", NOW + 3 * DAY)
    assert moved.banks[0] == 27 * HOUR


async def test_a_claim_before_the_first_tick_makes_up_for_the_absence(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.presence.note_present(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    woken = make_service(service.store, unshuffled)
    with refused(Problem.NOT_OVERDUE, until=NOW + 4 * DAY + 12 * HOUR):
        await woken.claim_timeout(match.id, GUILD, BO, NOW + 4 * DAY)


async def test_a_claim_does_not_make_up_for_the_same_absence_again(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.presence.note_present(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    back = NOW + 2 * DAY
    _, refusal = await asyncio.gather(
        service.presence.note_present(back), service.claim_timeout(match.id, GUILD, BO, back), return_exceptions=True
    )
    assert isinstance(refusal, MatchError)
    match = await service.current_match(match.id, GUILD)
    assert (await service.time_runs_out_at(match), match.is_live) == (back + 12 * HOUR, True)


async def test_a_vote_that_began_after_the_last_note_is_longer_as_well(service: Service) -> None:
    table = await service.open_table(GUILD, CHANNEL, ADA, "tri-camelot", (), Seating.JOIN_ORDER, False, NOW)
    for user in (BO, CY):
        await service.join_table(table.id, GUILD, user, NOW)
    await acts.resign(service, table.id, GUILD, CY, NOW)
    noted, back = NOW + 2 * DAY, NOW + 4 * DAY
    await service.presence.note_present(noted)
    await service.upkeep.tick(noted + 4 * 60)
    woken = make_service(service.store, unshuffled)
    await woken.presence.note_present(back)
    await woken.upkeep.tick(back)
    vacancy = (await woken.current_match(table.id, GUILD)).vacancy
    assert vacancy is not None
    assert (vacancy.voting, vacancy.until) == (True, back + 3 * DAY)
