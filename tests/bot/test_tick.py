"""The tick on real SQLite: its cost, and that a late, repeated or long overdue tick has the same effect."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from time import process_time

import pytest

from bot.core import time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import PeopleById
from bot.core.events import Event, EventKind
from bot.core.match import Match
from bot.core.settings import UserSettings
from bot.play.service import Service
from bot.store.game_lists import count_games
from tests.bot.playing import ADA, GUILD, NOW
from tests.bot.ticking import begin, graced, story

MANY = 10_000
TICK = 30
"""Seconds between two ticks."""


async def test_late_or_doubled_ticks_come_to_the_same(service: Service) -> None:
    prompt, doubled = await begin(service, Pace.FAST), await begin(service, Pace.FAST)
    for hour in range(1, 40):
        await service.upkeep.tick(NOW + hour * HOUR)
        assert await service.upkeep.tick(NOW + hour * HOUR) == []
    kinds = [event.kind for event in await story(service, prompt.id)][3:]
    assert kinds == [EventKind.REMINDED, EventKind.REMINDED, EventKind.GRACE, EventKind.OVERDUE]
    assert [event.kind for event in await story(service, doubled.id)][3:] == kinds


async def test_after_three_days_down_players_are_called_once_with_full_grace(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    back = NOW + 3 * DAY
    await service.upkeep.tick(back)
    assert [(event.kind, event.at) for event in await story(service, match.id)][3:] == [(EventKind.GRACE, back)]
    await service.upkeep.tick(back + 12 * HOUR - 1)
    assert (await service.current_match(match.id, GUILD)).is_live
    await service.upkeep.tick(back + 12 * HOUR)
    assert not (await service.current_match(match.id, GUILD)).is_live


async def test_a_game_that_cannot_be_prolonged_does_not_keep_the_others_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = await graced(service), await graced(service)
    prolong = time_acts.prolong_chance

    def odd(match: Match, people: PeopleById, now: int) -> tuple[Event, ...]:
        assert match.id != broken.id
        return prolong(match, people, now)

    monkeypatch.setattr(time_acts, "prolong_chance", odd)
    await service.presence.note_present(NOW + 4 * DAY)
    await service.upkeep.tick(NOW + 4 * DAY)
    assert (await service.current_match(sound.id, GUILD)).pings.grace_ends_at == NOW + 4 * DAY + 12 * HOUR


async def test_an_unreadable_game_is_the_only_one_whose_grace_stays_unextended(
    service: Service, tmp_path: Path
) -> None:
    broken, sound = await graced(service), await graced(service)
    service._cache.clear()
    with sqlite3.connect(tmp_path / "roundtable.db") as base:
        base.execute("UPDATE events SET body = 'nonsense' WHERE match = ? AND seq = 1", (broken.id,))
    base.close()
    await service.presence.note_present(NOW + 4 * DAY)
    await service.upkeep.tick(NOW + 4 * DAY)
    assert (await service.current_match(sound.id, GUILD)).pings.grace_ends_at == NOW + 4 * DAY + 12 * HOUR


async def test_a_game_that_cannot_be_read_does_not_keep_the_others_waiting(service: Service, tmp_path: Path) -> None:
    broken, sound = await begin(service, Pace.FAST), await begin(service, Pace.FAST)
    service._cache.clear()
    with sqlite3.connect(tmp_path / "roundtable.db") as base:
        base.execute("UPDATE events SET body = 'nonsense' WHERE match = ? AND seq = 1", (broken.id,))
    base.close()
    assert [match.id for match in await service.upkeep.tick(NOW + 12 * HOUR)] == [sound.id]


async def test_a_game_with_nothing_due_but_a_claim_is_also_counted(service: Service, tmp_path: Path) -> None:
    await begin(service, Pace.FAST)
    await service.upkeep.tick(NOW + DAY)
    await service.upkeep.tick(NOW + 2 * DAY)
    with sqlite3.connect(tmp_path / "roundtable.db") as base:
        (plan,) = base.execute("EXPLAIN QUERY PLAN SELECT count(*) FROM matches WHERE phase = 'live'")
    base.close()
    assert await count_games(service.store.reader) == (1, 1)
    assert plan[-1] == "SEARCH matches USING COVERING INDEX matches_on (phase=?)"


async def test_habits_that_change_move_what_is_due(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    before = await service.time_runs_out_at(match)
    assert before == NOW + DAY
    await service.people.change_user_settings(ADA, lambda _: UserSettings(sleep=(22 * 60, 8 * 60)), NOW + HOUR)
    (summary, *_) = await service.games_of(GUILD, ADA)
    after = await service.time_runs_out_at(await service.current_match(match.id, GUILD))
    assert after == summary.time_runs_out_at
    assert after is not None
    assert after > before


async def test_ten_thousand_live_games_cost_two_indexed_queries(service: Service, tmp_path: Path) -> None:
    match = await begin(service, Pace.STANDARD)
    base = sqlite3.connect(tmp_path / "roundtable.db")
    _multiply(base, match.id)
    base.commit()
    asked: list[str] = []
    await service.upkeep.tick(NOW + 1)  # the first tick also completes what a stop interrupted
    reader = service.store.reader
    run = reader.run_sql

    async def counted(statement: str, *values: object) -> list[sqlite3.Row]:
        asked.append(statement)
        return await run(statement, *values)  # type: ignore[arg-type]  # handed on as it came

    reader.run_sql = counted  # type: ignore[method-assign, assignment]  # to see what the tick asks, and nothing else
    started = process_time()
    assert await service.upkeep.tick(NOW + TICK) == []
    spent = process_time() - started
    assert "opening_due" in asked.pop(0), "games that an earlier version has not counted: an empty table"
    assert len(asked) == 2, "one for deadlines and one for plans"
    steps = [row[-1] for statement in asked for row in base.execute(f"EXPLAIN QUERY PLAN {statement}", (NOW,))]
    base.close()
    found = [step for step in steps if step.startswith("SEARCH")]
    assert any("INDEX matches_by_deadline (deadline<?)" in step for step in found), steps
    assert any("INDEX plans_by_end_of_vacation (wakes<?)" in step for step in found), steps
    # Reads nothing but due rows, and an index of lasting absences only.
    read = [step for step in steps if step.startswith("SCAN")]
    assert all("absences_that_last" in step or step.startswith("SCAN (subquery") for step in read), steps
    print(f"an idle tick over {MANY} live games: {spent * 1000:.2f} ms")
    assert spent < 0.5  # about a hundred times the real duration


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
