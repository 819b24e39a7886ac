"""Events that a wrong clock dated in the future: the first tick at the right time dates them now and logs that."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
import structlog.testing

from bot.core import time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.events import EventKind
from bot.explore.service import Trees
from bot.features import make_service
from bot.ladder.entries import EntryKind
from bot.ladder.service import Ladders
from bot.play.service import Service
from bot.play.service.wrong_dates import FUTURE_SLACK_S
from bot.puzzles.service import Puzzles
from bot.seeking.service import Seekers
from bot.store.absences import absences_after, add_absence
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, unshuffled
from tests.bot.puzzling import a_puzzle, ask_for_a_daily
from tests.bot.serving import CAMELOT, agrees, challenged, play, won
from tests.bot.ticking import begin, story

AHEAD = 90 * DAY
WRONG = NOW + AHEAD
SAID = "dated in the future, cut to now"

MAY_LIE_AHEAD = {
    *(("matches", "deadline"), ("matches", "flag"), ("ladders", "season_until"), ("ladders", "wake")),
    *(("climbers", "frozen_until"), ("ratings", "unsure_from"), ("vacations", "end"), ("plans", "wakes")),
}
"""The columns with times at which something will happen."""


async def live_at_a_wrong_clock(service: Service) -> None:
    """Does everything once that is dated."""
    for user in (ADA, BO, CY):
        await service.part(Ladders).join_ladder(*CAMELOT, user, WRONG, member_since=WRONG - DAY, channel=CHANNEL)
    await service.part(Ladders).tick(WRONG)  # a season begins
    entry = await service.part(Ladders).challenge_climber(
        *CAMELOT, ADA, BO, WRONG, member_since=WRONG - DAY, channel=CHANNEL
    )
    await won(
        service, await service.part(Ladders).accept_challenge(*CAMELOT, BO, WRONG + HOUR, entry.seq), ADA, WRONG + DAY
    )
    await service.part(Ladders).join_queue(*CAMELOT, CY, WRONG + 2 * DAY, member_since=WRONG, channel=CHANNEL)
    await service.part(Ladders).tick(WRONG + 8 * DAY)  # a week is over
    graced = await begin(service, Pace.FAST)
    await play(service, graced, WRONG, 2)
    await service.upkeep.tick(WRONG + 30 * HOUR)  # a last chance
    await service.people.start_vacation(BO, WRONG + 10 * DAY, WRONG)
    await service.presence.note_present(WRONG)
    await service.presence.note_server_lost(GUILD + 1, WRONG)
    await service.servers.note_removed(GUILD + 2, WRONG)
    await ask_for_a_daily(service)
    await service.part(Puzzles).tick(WRONG)
    puzzle = a_puzzle()
    await service.part(Puzzles).attempt_move(GUILD, ADA, _day(WRONG), puzzle, puzzle.line[0], WRONG)
    await service.part(Puzzles).attempt_move(GUILD, ADA, 0, a_puzzle(place=1), puzzle.line[0], WRONG)
    tree = await service.part(Trees).open_tree(ADA, graced.id, "", WRONG)
    assert tree.user == ADA
    await service.part(Seekers).add_seeker(GUILD, CY)
    await service.part(Seekers).note_called(await service.current_match(graced.id, GUILD), (CY,), WRONG)


def _day(at: int) -> int:
    return datetime.fromtimestamp(at, UTC).toordinal()


async def dated_ahead(service: Service, now: int) -> list[str]:
    """Returns the dates that lie too far in the future."""
    run, found = service.store.reader.run_sql, list[str]()
    for (table,) in await run("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        for _, column, *_ in await run(f"PRAGMA table_info({table})"):
            latest = now + (80 * DAY if (table, column) in MAY_LIE_AHEAD else FUTURE_SLACK_S)
            for (value,) in await run(f"SELECT {column} FROM {table}"):
                instants = [value] if isinstance(value, int) else map(int, re.findall(r"\b1\d{9}\b", str(value)))
                ahead = 80 * DAY if isinstance(value, str) else 0  # a story may say until when
                found += [f"{table}.{column}: {at}" for at in instants if latest + ahead < at < now + 400 * DAY]
                if column == "day" and value > _day(now) + 1:
                    found.append(f"{table}.{column}: {value}")
    return found


@pytest.mark.sqlite  # uses SQLite's own tables to find all others
async def test_nothing_stays_in_the_future_and_all_that_is_derived_agrees(service: Service) -> None:
    await live_at_a_wrong_clock(service)
    before = await dated_ahead(service, NOW)
    assert {line.partition(":")[0] for line in before} >= {
        *("absences.since", "events.at", "ladder_entries.at", "meta.value", "daily_puzzles.day", "puzzle_results.at"),
        *(
            "members.since",
            "trees.touched",
            "seekers.called",
            "vacations.start",
            "results.ended_at",
            "ratings.played_at",
        ),
    }
    woken = make_service(service.store, unshuffled)
    with structlog.testing.capture_logs() as logged:
        await woken.upkeep.tick(NOW)
    assert await dated_ahead(service, NOW) == []
    assert [line["log_level"] for line in logged if line["event"] == SAID] == ["warning"]
    assert await agrees(woken)


async def test_what_has_been_dated_now_is_left_alone_by_later_ticks(service: Service) -> None:
    await live_at_a_wrong_clock(service)
    await make_service(service.store, unshuffled).upkeep.tick(NOW)
    for _ in range(2):  # a second start too
        woken = make_service(service.store, unshuffled)
        with structlog.testing.capture_logs() as logged:
            for minute in range(3):
                await woken.upkeep.tick(NOW + minute * 60)
        assert [line for line in logged if line["event"] == SAID] == []


async def test_an_absence_that_ends_in_the_future_stops_no_clock(service: Service) -> None:
    """The rows that an older version stored when its machine's clock jumped and came back."""
    match = await begin(service, Pace.FAST)
    right = await service.time_runs_out_at(match)
    async with service.store.write_transaction() as tx:
        await add_absence(tx, 0, NOW + HOUR, WRONG)
        await tx.set_deadlines(match, await service.presence.load_players(tx, match))
    woken = make_service(service.store, unshuffled)
    await woken.presence.note_present(NOW + 2 * HOUR)
    await woken.upkeep.tick(NOW + 2 * HOUR)
    assert right is not None
    assert await woken.time_runs_out_at(await woken.current_match(match.id, GUILD)) == right + HOUR
    assert await service.store.reader.matches_due(right + HOUR) == [match.id]


async def test_a_crash_after_absences_were_cut_leaves_no_old_deadline(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await begin(service, Pace.FAST)
    right = await service.time_runs_out_at(match)
    async with service.store.write_transaction() as tx:
        await add_absence(tx, 0, NOW + HOUR, WRONG)
        await tx.set_deadlines(match, await service.presence.load_players(tx, match))
    with monkeypatch.context() as crashing:
        crashing.setattr("bot.store.wrong_dates.find_future_matches", _crash)
        with pytest.raises(OSError, match="crash"):
            await make_service(service.store, unshuffled).upkeep.tick(NOW + HOUR)
    await make_service(service.store, unshuffled).upkeep.tick(NOW + HOUR)
    assert right is not None
    assert await service.store.reader.matches_due(right + HOUR) == [match.id]


async def _crash(*_: object) -> list[int]:
    raise OSError("crash")


async def test_the_clock_goes_back_while_the_bot_runs(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    await service.upkeep.tick(NOW)
    await play(service, match, WRONG, 1)
    await service.upkeep.tick(WRONG)
    await service.upkeep.tick(NOW + HOUR)
    match = await service.current_match(match.id, GUILD)
    assert match.moved_at == NOW + HOUR
    assert await service.time_runs_out_at(match) == NOW + HOUR + 24 * HOUR


async def test_a_last_chance_given_in_the_future_is_one_from_now_on(service: Service) -> None:
    match = await begin(service, Pace.FAST, ladder=True)
    await service.upkeep.tick(WRONG)
    assert (await story(service, match.id))[-1].kind is EventKind.GRACE
    woken = make_service(service.store, unshuffled)
    await woken.presence.note_present(NOW + HOUR)
    await woken.upkeep.tick(NOW + HOUR)
    match = await woken.current_match(match.id, GUILD)
    assert await woken.time_runs_out_at(match) == NOW + HOUR + time_acts.CLAIM_GRACE_S


async def test_a_season_begun_in_the_future_lasts_as_long_from_now_on(service: Service) -> None:
    for user in (ADA, BO):
        await service.part(Ladders).join_ladder(*CAMELOT, user, WRONG, member_since=NOW, channel=CHANNEL)
    await service.part(Ladders).tick(WRONG)
    await make_service(service.store, unshuffled).upkeep.tick(NOW)
    page = await service.part(Ladders).ladder_page(*CAMELOT, 0, NOW)
    assert page.season is not None
    assert (page.season.began_at, page.season.until) == (NOW, NOW + 10 * 7 * DAY)


async def test_a_lasting_absence_begins_now_at_the_latest(service: Service) -> None:
    await service.presence.note_server_lost(GUILD, WRONG)
    await make_service(service.store, unshuffled).upkeep.tick(NOW)
    ((since, until),) = await absences_after(service.store.reader, GUILD, NOW)
    assert (since, until > WRONG) == (NOW, True)


async def test_a_move_of_the_future_has_used_no_time(service: Service) -> None:
    match = await begin(service, Pace.FAST)
    moved = await play(service, match, WRONG, 1)
    assert moved.banks[0] < 24 * HOUR
    woken = make_service(service.store, unshuffled)
    await woken.presence.note_present(NOW + HOUR)
    await woken.upkeep.tick(NOW + HOUR)
    match = await woken.current_match(match.id, GUILD)
    assert match.banks[0] == 24 * HOUR - HOUR + 4 * HOUR


async def test_a_game_ended_in_the_future_keeps_its_result_and_rating(service: Service) -> None:
    for user in (ADA, BO):
        await service.part(Ladders).join_ladder(*CAMELOT, user, NOW, member_since=NOW - DAY, channel=CHANNEL)
    match = await won(service, await challenged(service, ADA, BO, NOW), BO, WRONG)
    ratings = await service.store.reader.run_sql("SELECT user, number, games FROM ratings ORDER BY user")
    woken = make_service(service.store, unshuffled)
    await woken.upkeep.tick(NOW + HOUR)
    assert (await woken.current_match(match.id, GUILD)).winners == (BO,)
    assert await service.store.reader.run_sql("SELECT user, number, games FROM ratings ORDER BY user") == ratings
    entries = await service.store.reader.run_sql("SELECT kind, at FROM ladder_entries ORDER BY seq")
    assert entries[-1] == (EntryKind.FINISHED.value, NOW + HOUR)
    assert await agrees(woken)


async def test_somebody_offers_a_draw_at_a_clock_a_little_ahead(service: Service) -> None:
    """Workers differ by some seconds, which does not count as the future."""
    match = await begin(service, Pace.FAST)
    await acts.offer_draw(service, match.id, GUILD, ADA, NOW + FUTURE_SLACK_S)
    await make_service(service.store, unshuffled).upkeep.tick(NOW)
    assert (await story(service, match.id))[-1].at == NOW + FUTURE_SLACK_S
