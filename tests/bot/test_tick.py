"""The tick on real SQLite: what it costs, and that late, doubled or after days down it comes to the same."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from time import process_time

import pytest

from bot.match import timing
from bot.match.events import Event, EventKind, Seating
from bot.match.match import Match, Phase
from bot.match.turns import People
from bot.people.clock import DAY, HOUR, Pace
from bot.people.problems import MatchError, Problem
from bot.people.settings import UserSettings
from bot.service import Service, upkeep
from bot.store import Fault, Store, StoreError
from bot.store.absences import lasting
from bot.store.upkeep import census
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, refused, unshuffled

MANY = 10_000
TICK = 30
"""Seconds between two ticks."""


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "rt.db") as store:
        yield Service(store, unshuffled)


async def begin(service: Service, pace: Pace, *, ladder: bool = False, channel: int = CHANNEL) -> Match:
    table = await service.open_table(
        GUILD, channel, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW, pace=pace, ladder=ladder
    )
    return await service.join(table.id, GUILD, BO, NOW)


async def story(service: Service, match_id: int) -> list[Event]:
    _, events = await service.history(match_id, GUILD)
    return list(events)


async def test_late_or_doubled_ticks_come_to_the_same(service: Service) -> None:
    prompt, doubled = await begin(service, Pace.FAST), await begin(service, Pace.FAST)
    for hour in range(1, 40):
        await service.upkeep.tick(NOW + hour * HOUR)
        assert await service.upkeep.tick(NOW + hour * HOUR) == []
    kinds = [event.kind for event in await story(service, prompt.id)][3:]
    assert kinds == [EventKind.REMINDED, EventKind.REMINDED, EventKind.GRACE, EventKind.OVERDUE]
    assert [event.kind for event in await story(service, doubled.id)][3:] == kinds


async def test_after_three_days_down_each_player_is_called_once_and_still_has_the_grace(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    back = NOW + 3 * DAY
    await service.upkeep.tick(back)
    assert [(event.kind, event.at) for event in await story(service, match.id)][3:] == [(EventKind.GRACE, back)]
    await service.upkeep.tick(back + 12 * HOUR - 1)
    assert (await service.match(match.id, GUILD)).is_live
    await service.upkeep.tick(back + 12 * HOUR)
    assert not (await service.match(match.id, GUILD)).is_live


async def graced(service: Service) -> Match:
    """Ada's bank in a ladder game is used up, at NOW + DAY, and the bot is there."""
    match = await begin(service, Pace.FAST, ladder=True)
    await service.upkeep.note_presence(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    return match


@pytest.mark.parametrize("down", [True, False], ids=["the program was down", "Discord was away"])
async def test_a_grace_runs_only_while_the_bot_is_there(service: Service, down: bool) -> None:
    match = await graced(service)
    back = NOW + 4 * DAY
    for _ in range(2):  # a second start finds nothing to make up for
        woken = Service(service.store, unshuffled) if down else service
        await woken.upkeep.note_presence(back)
        await woken.upkeep.tick(back)
    late = back + 12 * HOUR
    kinds = [event.kind for event in await story(woken, match.id)]
    assert kinds.count(EventKind.PROLONGED) == 1
    assert (await woken.match(match.id, GUILD)).pings.grace == late
    for minutes in range(0, 12 * 60, 2):
        await woken.upkeep.note_presence(back + minutes * 60)
    await woken.upkeep.note_presence(late - 1)
    await woken.upkeep.tick(late - 1)
    assert (await woken.match(match.id, GUILD)).is_live
    await woken.upkeep.tick(late)
    assert not (await woken.match(match.id, GUILD)).is_live


async def test_as_long_as_nothing_can_be_written_down_the_bot_is_not_there(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await graced(service)

    def full() -> None:
        raise StoreError(Fault.NO_ACCESS, Path("rt.db"), "disk full")

    with monkeypatch.context() as broken:
        broken.setattr(service.store, "writing", full)
        for minutes in range(1, 90):
            with pytest.raises(StoreError):
                await service.upkeep.note_presence(NOW + DAY + minutes * 60)
    await service.upkeep.note_presence(NOW + DAY + 90 * 60)
    assert await service.flag(await service.match(match.id, GUILD)) == NOW + DAY + 90 * 60 + 12 * HOUR


async def test_an_absence_of_two_minutes_at_the_end_of_a_grace_decides_nothing(service: Service) -> None:
    match = await graced(service)
    end = NOW + DAY + 12 * HOUR
    for minutes in range(0, 12 * 60 - 1, 2):
        await service.upkeep.note_presence(NOW + DAY + minutes * 60)
    service.presence.lose(end - 30)  # the line may have been dead for two minutes by then
    await service.upkeep.note_presence(end + 30)
    await service.upkeep.tick(end + 30)
    later = (await service.match(match.id, GUILD)).pings.grace
    assert later is not None
    assert later >= end + 60
    assert (await service.match(match.id, GUILD)).is_live
    await service.upkeep.note_presence(later - 60)
    await service.upkeep.note_presence(later)
    await service.upkeep.tick(later)
    assert not (await service.match(match.id, GUILD)).is_live


async def test_the_line_being_cut_costs_one_row_and_no_event_whatever_the_number_of_games(
    service: Service, tmp_path: Path
) -> None:
    matches = [await begin(service, Pace.FAST, ladder=True) for _ in range(5)]
    await service.upkeep.note_presence(NOW + HOUR)
    service.presence.lose(NOW + 2 * HOUR)
    await service.upkeep.note_presence(NOW + 2 * HOUR + 3)
    await service.upkeep.tick(NOW + 2 * HOUR + 3)
    for match in matches:
        assert len(await story(service, match.id)) == match.seq
    with sqlite3.connect(tmp_path / "rt.db") as base:
        assert base.execute("SELECT count(*) FROM absences").fetchone() == (1,)
    base.close()


async def test_a_bank_stands_while_a_server_is_away_and_the_next_post_says_so(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    await service.upkeep.note_presence(NOW)
    await service.mark_announced(match.id, match.seq)
    await service.presence.lose_server(GUILD, NOW + HOUR)
    for day in range(1, 8):
        await service.upkeep.tick(NOW + day * DAY)
    assert (await service.match(match.id, GUILD)).seq == match.seq
    back = NOW + 8 * DAY
    await service.presence.find_server(GUILD, back)
    await service.upkeep.tick(back)
    assert await service.flag(match) == back + 23 * HOUR
    (summary,) = await service.games_of(GUILD, ADA)
    assert summary.flag == back + 23 * HOUR
    moved = await acts.move(service, match.id, GUILD, ADA, "F7-F8", back + HOUR)
    assert moved.banks[0] == 26 * HOUR
    (news,) = await service.news(match.id)
    assert news.stood == back - NOW - HOUR
    await service.mark_announced(match.id, moved.seq)
    await acts.move(service, match.id, GUILD, BO, "F10-F9", back + 2 * HOUR)
    assert [one.stood for one in await service.news(match.id)] == [0]  # once is enough


async def test_another_servers_absence_is_nobody_elses(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    await service.presence.lose_server(GUILD + 1, NOW)
    await service.upkeep.tick(NOW + DAY)
    assert (await service.match(match.id, GUILD)).pings.grace == NOW + DAY + 12 * HOUR


async def test_after_a_long_absence_all_are_told_in_portions_that_a_stop_may_cut_short(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "PORTION", 2)
    matches = [await begin(service, Pace.FAST, ladder=True) for _ in range(5)]
    await service.upkeep.note_presence(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    back = NOW + DAY + 5 * HOUR
    told = []
    for _ in range(4):
        woken = Service(service.store, unshuffled)  # each dies after a tick
        await woken.upkeep.note_presence(back)
        told += [match.id for match in await woken.upkeep.tick(back)]
        assert len(told) <= 5
    assert told == [match.id for match in matches]
    for match in matches:
        kinds = [event.kind for event in await story(service, match.id)]
        assert kinds.count(EventKind.PROLONGED) == 1
        assert (await service.match(match.id, GUILD)).pings.grace == back + 12 * HOUR


async def test_a_game_whose_server_cannot_be_reached_for_thirty_days_ends_without_a_result(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    table = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    await service.presence.lose_server(GUILD, NOW + HOUR)
    for hours in range(0, 31 * 24, 2):
        await service.upkeep.note_presence(NOW + hours * HOUR)
        await service.upkeep.tick(NOW + hours * HOUR)
    over = await service.match(match.id, GUILD)
    assert (over.phase, over.winners, over.has_result) == (Phase.OVER, (), False)
    assert (await service.match(table.id, GUILD)).phase is Phase.CLOSED
    assert await service.unannounced() == []  # nobody is there to be told
    await service.presence.find_server(GUILD, NOW + 40 * DAY)
    assert match.id in dict(await service.unannounced())


async def test_servers_are_looked_over_after_a_new_session(service: Service) -> None:
    await begin(service, Pace.FAST)
    for reached in (False, False, True, True):
        await service.presence.check_servers(lambda _, reached=reached: reached, NOW + HOUR)
        assert bool(await lasting(service.store.reader)) is not reached


async def test_a_claim_between_an_absence_and_the_next_tick_waits_for_the_rest_of_the_grace(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.upkeep.note_presence(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    with refused(Problem.NOT_OVERDUE, until=NOW + 4 * DAY + 12 * HOUR):
        await service.claim(match.id, GUILD, BO, NOW + 4 * DAY)


async def test_a_move_before_the_first_tick_of_a_new_start_does_not_pay_for_the_absence(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.upkeep.note_presence(NOW + HOUR)
    woken = Service(service.store, unshuffled)
    moved = await acts.move(woken, match.id, GUILD, ADA, "F7-F8", NOW + 3 * DAY)
    assert moved.banks[0] == 27 * HOUR


async def test_a_claim_before_the_first_tick_of_a_new_start_makes_up_for_the_absence(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.upkeep.note_presence(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    woken = Service(service.store, unshuffled)
    with refused(Problem.NOT_OVERDUE, until=NOW + 4 * DAY + 12 * HOUR):
        await woken.claim(match.id, GUILD, BO, NOW + 4 * DAY)


async def test_a_claim_while_an_absence_is_made_up_for_does_not_make_up_for_it_again(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.upkeep.note_presence(NOW + DAY)
    await service.upkeep.tick(NOW + DAY)
    back = NOW + 2 * DAY
    _, refusal = await asyncio.gather(
        service.upkeep.note_presence(back), service.claim(match.id, GUILD, BO, back), return_exceptions=True
    )
    assert isinstance(refusal, MatchError)
    match = await service.match(match.id, GUILD)
    assert (await service.flag(match), match.is_live) == (back + 12 * HOUR, True)


async def test_a_vote_that_began_after_the_last_note_is_longer_as_well(service: Service) -> None:
    table = await service.open_table(GUILD, CHANNEL, ADA, "tri-camelot", (), Seating.JOIN_ORDER, False, NOW)
    for user in (BO, CY):
        await service.join(table.id, GUILD, user, NOW)
    await acts.resign(service, table.id, GUILD, CY, NOW)
    noted, back = NOW + 2 * DAY, NOW + 4 * DAY
    await service.upkeep.note_presence(noted)
    await service.upkeep.tick(noted + 4 * 60)
    woken = Service(service.store, unshuffled)
    await woken.upkeep.note_presence(back)
    await woken.upkeep.tick(back)
    vacancy = (await woken.match(table.id, GUILD)).vacancy
    assert vacancy is not None
    assert (vacancy.voting, vacancy.until) == (True, back + 3 * DAY)


async def test_a_game_that_cannot_be_prolonged_does_not_keep_the_others_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = await graced(service), await graced(service)
    prolong = timing.prolong

    def odd(match: Match, people: People, now: int) -> tuple[Event, ...]:
        assert match.id != broken.id
        return prolong(match, people, now)

    monkeypatch.setattr(timing, "prolong", odd)
    await service.upkeep.note_presence(NOW + 4 * DAY)
    await service.upkeep.tick(NOW + 4 * DAY)
    assert (await service.match(sound.id, GUILD)).pings.grace == NOW + 4 * DAY + 12 * HOUR


async def test_a_game_that_cannot_be_read_is_the_only_one_whose_grace_is_not_prolonged(
    service: Service, tmp_path: Path
) -> None:
    broken, sound = await graced(service), await graced(service)
    service._recent.clear()
    with sqlite3.connect(tmp_path / "rt.db") as base:
        base.execute("UPDATE events SET body = 'nonsense' WHERE match = ? AND seq = 1", (broken.id,))
    base.close()
    await service.upkeep.note_presence(NOW + 4 * DAY)
    await service.upkeep.tick(NOW + 4 * DAY)
    assert (await service.match(sound.id, GUILD)).pings.grace == NOW + 4 * DAY + 12 * HOUR


async def test_a_game_that_cannot_be_read_does_not_keep_the_others_waiting(service: Service, tmp_path: Path) -> None:
    broken, sound = await begin(service, Pace.FAST), await begin(service, Pace.FAST)
    service._recent.clear()
    with sqlite3.connect(tmp_path / "rt.db") as base:
        base.execute("UPDATE events SET body = 'nonsense' WHERE match = ? AND seq = 1", (broken.id,))
    base.close()
    assert [match.id for match in await service.upkeep.tick(NOW + 12 * HOUR)] == [sound.id]


async def test_a_game_in_which_nothing_is_due_but_a_claim_is_counted_as_well(service: Service, tmp_path: Path) -> None:
    await begin(service, Pace.FAST)
    await service.upkeep.tick(NOW + DAY)
    await service.upkeep.tick(NOW + 2 * DAY)
    with sqlite3.connect(tmp_path / "rt.db") as base:
        assert base.execute("SELECT deadline FROM matches").fetchall() == [(None,)]
        (plan,) = base.execute("EXPLAIN QUERY PLAN SELECT count(*) FROM matches WHERE phase = 'live'")
    base.close()
    assert await census(service.store.reader) == (1, 1)
    assert plan[-1] == "SEARCH matches USING COVERING INDEX matches_on (phase=?)"


async def test_habits_that_change_move_what_is_due(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    before = await service.flag(match)
    assert before == NOW + DAY
    await service.people.change_user_settings(ADA, lambda _: UserSettings(sleep=(22 * 60, 8 * 60)), NOW + HOUR)
    (summary, *_) = await service.games_of(GUILD, ADA)
    after = await service.flag(await service.match(match.id, GUILD))
    assert after == summary.flag
    assert after is not None
    assert after > before


async def test_ten_thousand_live_games_cost_one_indexed_query(service: Service, tmp_path: Path) -> None:
    match = await begin(service, Pace.STANDARD)
    base = sqlite3.connect(tmp_path / "rt.db")
    _multiply(base, match.id)
    base.commit()
    asked: list[str] = []
    await service.upkeep.tick(NOW + 1)  # the first one also looks for what a stop has cut short
    reader = service.store.reader
    run = reader.run

    async def counted(statement: str, *values: object) -> list[sqlite3.Row]:
        asked.append(statement)
        return await run(statement, *values)  # type: ignore[arg-type]  # handed on as it came

    reader.run = counted  # type: ignore[method-assign, assignment]  # to see what the tick asks, and nothing else
    started = process_time()
    assert await service.upkeep.tick(NOW + TICK) == []
    spent = process_time() - started
    (statement,) = asked
    plan, *absent = base.execute(f"EXPLAIN QUERY PLAN {statement}", (NOW,))
    base.close()
    assert plan[-1] == "SEARCH matches USING INDEX matches_by_deadline (deadline<?)"
    assert absent[-1][-1] == "SCAN absences USING INDEX absences_that_last"  # which holds nothing else
    print(f"an idle tick over {MANY} live games: {spent * 1000:.2f} ms")
    assert spent < 0.5  # some hundred times what it takes


def _multiply(base: sqlite3.Connection, match_id: int) -> None:
    """Ten thousand copies of the match, each due at a time of its own, all in the future."""
    columns = [row[1] for row in base.execute("PRAGMA table_info(matches)") if row[1] not in ("id", "deadline")]
    names = ", ".join(columns)
    base.execute(
        f"WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {MANY})"
        f" INSERT INTO matches (id, deadline, {names})"
        f" SELECT ? + n, deadline + n, {names} FROM number, matches WHERE id = ?",
        (match_id, match_id),
    )
    assert base.execute("SELECT count(*) FROM matches WHERE phase = 'live'").fetchone() == (MANY + 1,)
