"""Absences, in which nobody can be reached, which clocks stop, and games whose place takes no post."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core import deadlines, time_acts
from bot.core import table as tables
from bot.core.clock import DAY, FOREVER, HOUR, Pace
from bot.core.clock import seconds_lost as clock_lost
from bot.core.deadlines import PeopleById
from bot.core.events import EventKind
from bot.core.fold import replay_match
from bot.core.match import TABLE_LIFETIME_S, MessageRef
from bot.core.news import News
from bot.core.problems import MatchError, Problem
from bot.core.settings import GuildSettings, StoredPerson, UserSettings
from bot.features import FEATURES
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.ticker import Places, Ticker
from bot.play.context import Feature, Post, Posting
from bot.play.places import leave_thread
from bot.play.service import Service, upkeep
from bot.store import Fault, StoreError, Writer, game_lists
from bot.store.absences import lasting_absences
from rules import Cause, legal_moves
from tests.bot import acts
from tests.bot.beginning import begun, opened
from tests.bot.contexts import finish_tasks, make_context
from tests.bot.databases import write
from tests.bot.playing import (
    ADA,
    BO,
    CHANNEL,
    CY,
    GUILD,
    NOW,
    QUIET,
    START,
    absent,
    by,
    existing,
    followed,
    live,
    play_typed,
    refused,
    table,
    ticked,
    unshuffled,
)
from tests.bot.ticked_games import graced, story


@pytest.mark.parametrize("down", [True, False], ids=["the program was down", "Discord was away"])
async def test_a_grace_runs_only_while_the_bot_is_there(service: Service, down: bool) -> None:
    match = await graced(service)
    back = NOW + 4 * DAY
    for _ in range(2):  # a second start finds nothing left to make up for
        woken = Service(service.store, FEATURES, unshuffled) if down else service
        await woken.presence.note_present(back)
        await upkeep.tick_matches(woken, back)
    late = back + 12 * HOUR
    assert [event.kind for event in await story(woken, match.id)].count(EventKind.PROLONGED) == 1
    assert (await woken.current_match(match.id, GUILD)).clock.grace_ends_at == late
    for minutes in range(0, 12 * 60, 2):
        await woken.presence.note_present(back + minutes * 60)
    await woken.presence.note_present(late - 1)
    await upkeep.tick_matches(woken, late - 1)
    assert (await woken.current_match(match.id, GUILD)).is_live
    await upkeep.tick_matches(woken, late)
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
    ends = await acts.time_runs_out_at(service, await service.current_match(match.id, GUILD))
    assert ends == NOW + DAY + 90 * 60 + 12 * HOUR


async def test_a_two_minute_absence_at_a_graces_end_decides_nothing(service: Service) -> None:
    match = await graced(service)
    end = NOW + DAY + 12 * HOUR
    for minutes in range(0, 12 * 60 - 1, 2):
        await service.presence.note_present(NOW + DAY + minutes * 60)
    service.presence.note_connection_lost(end - 30)  # the line may have been dead for two minutes by then
    await service.presence.note_present(end + 30)
    await upkeep.tick_matches(service, end + 30)
    later = existing((await service.current_match(match.id, GUILD)).clock.grace_ends_at)
    assert later >= end + 60
    assert (await service.current_match(match.id, GUILD)).is_live
    await service.presence.note_present(later - 60)
    await service.presence.note_present(later)
    await upkeep.tick_matches(service, later)
    assert not (await service.current_match(match.id, GUILD)).is_live


async def test_a_cut_line_costs_one_row_and_no_event_per_game(service: Service) -> None:
    matches = [await begun(service, ladder=True) for _ in range(5)]
    await service.presence.note_present(NOW + HOUR)
    service.presence.note_connection_lost(NOW + 2 * HOUR)
    await service.presence.note_present(NOW + 2 * HOUR + 3)
    await upkeep.tick_matches(service, NOW + 2 * HOUR + 3)
    for match in matches:
        assert len(await story(service, match.id)) == match.seq
    assert await service.reader.read_column("SELECT count(*) FROM absences") == [1]


async def test_a_bank_stops_while_its_server_is_away_and_posts_say_so(service: Service) -> None:
    match = await begun(service, ladder=True)
    await service.presence.note_present(NOW)
    await acts.mark_announced(service, match.id, match.seq)
    await service.presence.note_server_lost(GUILD, NOW + HOUR)
    for day in range(1, 8):
        await upkeep.tick_matches(service, NOW + day * DAY)
    assert (await service.current_match(match.id, GUILD)).seq == match.seq
    back = NOW + 8 * DAY
    await service.presence.note_servers_found({GUILD}.__contains__, back)
    await upkeep.tick_matches(service, back)
    assert await acts.time_runs_out_at(service, match) == back + 23 * HOUR
    (summary,) = await service.reader.games_of(GUILD, ADA, live=True)
    assert summary.time_runs_out_at == back + 23 * HOUR
    moved = await acts.move(service, match.id, GUILD, ADA, "F7-F8", back + HOUR)
    assert moved.clock.banks[0] == 26 * HOUR
    (news,) = await service.unannounced_news(match.id)
    assert news.seconds_stood == back - NOW - HOUR
    await acts.mark_announced(service, match.id, moved.seq)
    await acts.move(service, match.id, GUILD, BO, "F10-F9", back + 2 * HOUR)
    assert [one.seconds_stood for one in await service.unannounced_news(match.id)] == [0]  # once is enough


async def test_a_table_is_joined_after_an_outage_before_the_first_tick(service: Service) -> None:
    await service.presence.note_present(NOW)
    table = await opened(service)
    assert (await acts.join_table(service, table.id, GUILD, BO, NOW + 8 * DAY)).is_live


async def test_a_server_lost_while_an_absences_end_is_written_stays_lost(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = await begun(service, ladder=True)
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
        assert await acts.time_runs_out_at(service, match) is None, "the clock stands"
        await service.presence.note_present(at + 60)
        assert await acts.time_runs_out_at(service, match) is not None


async def test_another_servers_absence_is_nobody_elses(service: Service) -> None:
    match = await begun(service, ladder=True)
    await service.presence.note_server_lost(GUILD + 1, NOW)
    await upkeep.tick_matches(service, NOW + DAY)
    assert (await service.current_match(match.id, GUILD)).clock.grace_ends_at == NOW + DAY + 12 * HOUR


async def test_after_a_long_absence_each_last_chance_is_prolonged_once(service: Service) -> None:
    matches = [await begun(service, ladder=True) for _ in range(3)]
    await service.presence.note_present(NOW + DAY)
    await upkeep.tick_matches(service, NOW + DAY)
    back = NOW + DAY + 5 * HOUR
    await service.presence.note_present(back)
    for woken in (Service(service.store, FEATURES, unshuffled), service):  # the first dies after its tick
        await woken.presence.note_present(back)
        told = [match.id for match in await upkeep.tick_matches(woken, back)]
        assert told == ([match.id for match in matches] if woken is not service else [])
    for match in matches:
        kinds = [event.kind for event in await story(service, match.id)]
        assert kinds.count(EventKind.PROLONGED) == 1
        assert (await service.current_match(match.id, GUILD)).clock.grace_ends_at == back + 12 * HOUR


async def test_servers_are_looked_over_after_a_new_session(service: Service) -> None:
    await begun(service)
    for reached in (False, False, True, True):
        await service.presence.check_servers(lambda _, reached=reached: reached, NOW + HOUR)
        assert bool(await lasting_absences(service.reader)) is not reached


async def test_a_server_back_while_noted_as_lost_stays_back(service: Service) -> None:
    """The start at which servers come in late: news of one server arrives during a check of all of them."""
    await begun(service)
    there = set[int]()
    news: list[asyncio.Task[bool]] = []

    def reached(guild: int) -> bool:
        if guild in there:
            return True
        there.add(guild)
        news.append(asyncio.create_task(service.presence.note_servers_found({guild}.__contains__, NOW + HOUR)))
        return False

    await service.presence.check_servers(reached, NOW + HOUR)
    await asyncio.gather(*news)
    assert await lasting_absences(service.reader) == {}


@pytest.mark.parametrize("down", [True, False], ids=["the program was down", "Discord was away"])
async def test_a_claim_before_the_first_tick_makes_up_for_the_absence(service: Service, down: bool) -> None:
    match = await graced(service, ladder=False)
    woken = Service(service.store, FEATURES, unshuffled) if down else service
    with refused(Problem.NOT_OVERDUE, until=NOW + 4 * DAY + 12 * HOUR):
        await acts.claim_timeout(woken, match.id, GUILD, BO, NOW + 4 * DAY)


async def test_a_move_before_the_first_tick_does_not_pay_for_the_absence(service: Service) -> None:
    match = await begun(service)
    await service.presence.note_present(NOW + HOUR)
    woken = Service(service.store, FEATURES, unshuffled)
    assert (await acts.move(woken, match.id, GUILD, ADA, "F7-F8", NOW + 3 * DAY)).clock.banks[0] == 27 * HOUR


async def test_a_claim_does_not_make_up_for_the_same_absence_again(service: Service) -> None:
    match = await graced(service, ladder=False)
    back = NOW + 2 * DAY
    _, refusal = await asyncio.gather(
        service.presence.note_present(back),
        acts.claim_timeout(service, match.id, GUILD, BO, back),
        return_exceptions=True,
    )
    assert isinstance(refusal, MatchError)
    match = await service.current_match(match.id, GUILD)
    assert (await acts.time_runs_out_at(service, match), match.is_live) == (back + 12 * HOUR, True)


async def test_a_vote_that_began_after_the_last_note_is_longer_as_well(service: Service) -> None:
    table = await begun(service, "tri-camelot")
    await acts.resign(service, table.id, GUILD, CY, NOW)
    noted, back = NOW + 2 * DAY, NOW + 4 * DAY
    await service.presence.note_present(noted)
    await upkeep.tick_matches(service, noted + 4 * 60)
    woken = Service(service.store, FEATURES, unshuffled)
    await woken.presence.note_present(back)
    await upkeep.tick_matches(woken, back)
    vacancy = (await woken.current_match(table.id, GUILD)).vacancy
    assert (existing(vacancy).voting, existing(vacancy).until) == (True, back + 3 * DAY)


# What an absence does to a match


@given(begun=st.integers(0, 11 * HOUR), lost=st.integers(1, 10 * DAY))
def test_a_grace_is_extended_by_the_time_when_nobody_could_be_reached(begun: int, lost: int) -> None:
    match, _ = ticked(live(pace=Pace.FAST, ladder=True), QUIET, START + DAY)
    grace = existing(match.clock.grace_ends_at)
    since = START + DAY + begun
    away = absent(match, (since, since + lost))
    back = followed(match, time_acts.prolong_chance(match, away, since + lost))
    assert back.clock.grace_ends_at == grace + lost
    assert deadlines.next_tick_at(back, QUIET) == grace + lost
    assert time_acts.tick(back, QUIET, since + lost) == ()
    assert time_acts.prolong_chance(back, away, since + lost) == ()
    for told in (match, back):  # also before the absence is announced
        with refused(Problem.NOT_OVERDUE_LADDER, until=grace + lost):
            time_acts.claim_timeout(told, by(BO, grace + lost - 1, away))


def test_an_absence_extends_nothing_that_ended_before_it_or_has_not_begun() -> None:
    match = live(pace=Pace.FAST)
    assert time_acts.prolong_chance(match, absent(match, (START, START + 9 * DAY)), START + 9 * DAY) == ()
    graced, _ = ticked(match, QUIET, START + DAY)
    grace = existing(graced.clock.grace_ends_at)
    assert time_acts.prolong_chance(graced, absent(match, (grace, START + 9 * DAY)), START + 9 * DAY) == ()
    before = absent(match, (START, START + DAY))
    assert time_acts.prolong_chance(graced, before, START + 9 * DAY) == ()
    assert deadlines.is_overdue(graced, grace, absent(match, (grace, grace + DAY)))


def test_a_bank_stops_during_an_absence_and_sleep_is_not_credited_twice() -> None:
    match = live(pace=Pace.FAST)
    night = StoredPerson(UserSettings(sleep=(22 * 60, 8 * 60)), absences=((START, START + DAY),))
    for person, counted in ((StoredPerson(absences=((START, START + DAY),)), 24), (night, 14)):
        people: PeopleById = {ADA: person}
        (moved,) = play_typed(match, ADA, "F7-F8", START + 2 * DAY, people=people)
        assert f"used:{counted * HOUR}" in moved.body
    assert deadlines.time_runs_out_at(match, absent(match, (START + HOUR, START + 3 * HOUR))) == START + 26 * HOUR


def test_while_nobody_can_be_reached_no_clock_comes_to_an_end() -> None:
    match = live(pace=Pace.FAST, ladder=True)
    away = absent(match, (START + HOUR, FOREVER))
    assert deadlines.time_runs_out_at(match, away) is None
    assert deadlines.clock_resumes_at(match, START + 2 * HOUR, away) is None
    assert time_acts.tick(match, away, START + 99 * DAY) == ()
    wake = deadlines.next_tick_at(match, away)
    assert existing(wake) <= START + HOUR  # checked as soon as the server can be reached
    graced, _ = ticked(match, QUIET, START + DAY)
    away = absent(match, (START + DAY + HOUR, FOREVER))
    assert time_acts.tick(graced, away, START + 99 * DAY) == ()
    with refused(Problem.CLOCK_STANDS):
        time_acts.claim_timeout(graced, by(BO, START + 99 * DAY, away))


@pytest.mark.parametrize("pace", [Pace.FAST, Pace.NONE])
def test_a_game_without_a_place_stands_still_until_it_has_one(pace: Pace) -> None:
    match = live(pace=pace, ladder=pace is Pace.FAST)
    lost = followed(match, tables.note_channel_lost(match, START + HOUR))
    for day in (1, 3, 29):
        assert time_acts.tick(lost, QUIET, START + day * DAY) == ()
    assert deadlines.time_runs_out_at(lost, QUIET) is None
    found = followed(lost, tables.move_to_channel(lost, by(ADA, START + HOUR + 20 * DAY), 77))
    assert deadlines.next_tick_at(found, QUIET) == START + 20 * DAY + (
        DAY if pace is Pace.FAST else deadlines.STILL_WARNING_S
    )


def test_without_a_known_return_no_time_is_given_and_no_reminder_postponed() -> None:
    lost = followed(live(pace=Pace.FAST), tables.note_channel_lost(live(pace=Pace.FAST), START + HOUR))
    with refused(Problem.CLOCK_STANDS):
        time_acts.give_time(lost, by(BO, START + 2 * HOUR))
    graced, _ = ticked(live(pace=Pace.FAST), QUIET, START + DAY)
    lost = followed(graced, tables.note_channel_lost(graced, START + DAY + HOUR))
    with refused(Problem.CLOCK_STANDS):
        time_acts.snooze_reminder(lost, by(ADA, START + DAY + 2 * HOUR), START + DAY + 3 * HOUR)


def test_a_game_unreachable_for_thirty_days_ends_without_a_result() -> None:
    match = live(pace=Pace.FAST, ladder=True)
    lost = followed(match, tables.note_channel_lost(match, START + HOUR))
    assert deadlines.next_tick_at(lost) == START + HOUR + 30 * DAY
    over, kinds = ticked(lost, {}, START + HOUR + 30 * DAY)
    assert kinds == [EventKind.UNREACHED, EventKind.ENDED]
    assert (over.outcome and over.outcome.cause, over.winners) == (Cause.ABANDONED, ())


def test_an_open_table_waits_for_its_seven_days() -> None:
    match = replay_match(1, table())
    away = absent(match, (NOW + DAY, NOW + 9 * DAY))
    assert deadlines.next_tick_at(match, away) == NOW + TABLE_LIFETIME_S
    later, kinds = ticked(match, away, NOW + 9 * DAY)
    assert (kinds, later.table.expires_at) == ([EventKind.PROLONGED], NOW + TABLE_LIFETIME_S + 8 * DAY)
    assert followed(later, tables.join_table(later, by(BO, NOW + 10 * DAY))).is_live
    assert ticked(later, away, later.table.expires_at)[1] == [EventKind.EXPIRED]


@given(
    st.booleans(),
    st.lists(st.tuples(st.integers(1, 20 * HOUR), st.integers(1, 30 * HOUR)), max_size=12),
    st.lists(st.integers(1, 5 * HOUR), max_size=12),
)
def test_no_player_times_out_before_their_whole_bank_and_grace_were_usable(
    ladder: bool, pattern: list[tuple[int, int]], late: list[int]
) -> None:
    """Holds for all absences and however late the ticks between them."""
    spans, at = list[tuple[int, int]](), START
    for there, away in pattern:
        spans.append((at + there, at + there + away))
        at += there + away
    match, now, told = live(pace=Pace.FAST, ladder=ladder), START, 0
    for turn in range(500):
        people = absent(match, *(span for span in spans if span[0] < now))
        if ladder and not match.is_live:
            break
        if not ladder and deadlines.is_overdue(match, now, people):
            break
        due = deadlines.next_tick_at(match, people)
        now = max(existing(due), now) + late[turn % len(late)] if late else max(existing(due), now)
        now = next((last for first, last in spans if first <= now < last), now)  # no tick during an absence
        people = absent(match, *(span for span in spans if span[0] < now))
        events = time_acts.tick(match, people, now)
        told += sum(event.kind is EventKind.PROLONGED for event in events)
        match = followed(match, events)
    else:
        raise AssertionError("it never ends")
    reached = now - START - clock_lost(tuple(spans), START, now)
    assert reached >= 24 * HOUR + time_acts.CLAIM_GRACE_S
    assert told <= len(spans)


async def test_an_absence_during_a_call_counts_though_others_have_moved_since(service: Service) -> None:
    await service.presence.note_present(NOW)
    match = await acts.resign(service, (await begun(service, "tri-camelot")).id, GUILD, CY, NOW + 10)
    await service.presence.note_present(NOW + HOUR)
    await service.presence.note_present(NOW + 31 * HOUR)  # 30 hours later
    match = await service.current_match(match.id, GUILD)
    move = legal_moves(match.started_game.position)[0]
    await acts.play_move(
        service, match.id, GUILD, existing(match.to_move), move, match.board_version, NOW + 31 * HOUR + 5
    )
    for hour in range(32, 60):
        await service.presence.note_present(NOW + hour * HOUR - 1)
        await upkeep.tick_matches(service, NOW + hour * HOUR)
    vacancy = (await service.current_match(match.id, GUILD)).vacancy
    assert not existing(vacancy).voting
    assert existing(vacancy).until >= NOW + 78 * HOUR


# Games whose place takes no post


THREAD = CHANNEL + 1


class Server:
    """A server whose channel grants these permissions; `threads` are those that the client knows."""

    me = None
    unavailable = False

    def __init__(self, granted: discord.Permissions, *threads: int) -> None:
        self.granted, self.threads = granted, {*threads}

    def get_channel_or_thread(self, number: int) -> object:
        """Returns the place of that number; None if it is not known."""
        place = SimpleNamespace(id=number, permissions_for=lambda _: self.granted)
        return place if number == CHANNEL or number in self.threads else None

    async def fetch_channel(self, number: int) -> object:
        """Raises NotFound: the client knows all that there is."""
        response: Any = SimpleNamespace(status=404, reason="")
        raise discord.NotFound(response, "Unknown Channel")


def context_of(service: Service, server: Server, announcer: type[Announcer] = Announcer, **others: object) -> Any:
    """Returns the context of a bot in that server."""
    return make_context(
        service,
        client=SimpleNamespace(get_guild=lambda _: server),
        deleted={},
        servers=SimpleNamespace(settings_of=lambda _: GuildSettings()),
        features=[Feature(work=[Posting("news of games", announcer)])],
        **others,
    )


async def without_place(service: Service) -> set[int]:
    """Returns the games whose place takes no post."""
    return {game.id for game in await game_lists.games_without_place(service.reader)}


async def post_what_is_due(ticker: Ticker) -> None:
    """Does what the posting loop does, once."""
    await ticker.open_lanes()
    await asyncio.gather(*ticker._lanes.values())


async def test_a_game_that_cannot_be_announced_keeps_no_other_from_its_place(service: Service) -> None:
    games = [await begun(service) for _ in range(3)]
    for game in games:
        await acts.mark_announced(service, game.id, game.seq)
        await acts.set_homeless(service, game.id, NOW)

    class Mistaken(Announcer):
        async def load_due(self, match_id: int) -> Sequence[News]:
            assert match_id != games[0].id, "a mistake of ours"
            return ()

    await post_what_is_due(Ticker(context_of(service, Server(discord.Permissions.all()), Mistaken)))
    assert await without_place(service) == {games[0].id}


async def test_players_hear_of_a_lost_thread_once_the_bot_may_post(service: Service) -> None:
    games = [await begun(service) for _ in range(2)]
    for game, number in zip(games, (THREAD, THREAD + 1), strict=True):
        await acts.mark_announced(service, game.id, game.seq)
        await acts.set_thread(service, game.id, number, NOW)
        await write(service.store, Writer.set_turn_post, game.id, MessageRef(number, 7))
    told = dict[int, str]()

    async def send_post(post: Post) -> object:
        assert post.channel == CHANNEL
        told.update({game.id: post.content for game in games if f"#{game.id}" in post.content})
        return SimpleNamespace(id=8)

    server = Server(discord.Permissions.none(), THREAD, THREAD + 1)
    context = context_of(service, server, send_post=send_post)
    ticker = Ticker(context)
    server.threads.discard(THREAD)
    gone: Any = SimpleNamespace(guild_id=GUILD, thread_id=THREAD)
    await Places(context).on_raw_thread_delete(gone)
    await finish_tasks(context)
    await acts.set_homeless(service, games[1].id, NOW)  # a post in the other thread has been refused
    await post_what_is_due(ticker)
    assert (told, await without_place(service)) == ({}, {game.id for game in games})
    server.granted = discord.Permissions.all()
    for _ in range(2):
        await post_what_is_due(ticker)
    assert [*told] == [games[0].id], "the other goes on in its thread"
    assert "is gone" in told[games[0].id]
    assert await without_place(service) == set()


async def test_a_finished_game_without_thread_and_channel_stays_where_it_was(service: Service) -> None:
    game = await begun(service)
    threaded = await acts.set_thread(service, game.id, THREAD, NOW)
    over = await acts.resign(service, game.id, None, game.players[0], NOW)
    guild = SimpleNamespace(get_channel=lambda _: None)
    context: Any = SimpleNamespace(service=service, client=SimpleNamespace(get_guild=lambda _: guild))
    response: Any = SimpleNamespace(status=404, reason="")
    error = discord.NotFound(response, "Unknown Channel")
    for told in (threaded, over):  # news from before the end and of the end
        assert not await leave_thread(context, told, error), "or its news would be tried endlessly"
    assert (await service.current_match(game.id, GUILD)).seq == over.seq
