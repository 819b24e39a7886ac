"""The service: matches, news, limits, vacations, followers, and people who want to be forgotten."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest
from cachetools import LRUCache

from bot.core.clock import DAY, HOUR, Pace, Weekdays
from bot.core.events import Ballot, Event, EventKind
from bot.core.fold import replay_match
from bot.core.match import TABLE_LIFETIME_S, Match, MessageRef, Phase
from bot.core.problems import MatchError, Problem
from bot.core.settings import GuildSettings, Threads, UserSettings
from bot.features import FEATURES
from bot.play.announcing.telling import make_notice
from bot.play.service import Service, games, people, upkeep
from bot.play.service.matches import MATCH_BYTES, MAX_OPEN_TABLES, MAX_SEATS
from bot.privacy.service import _forget_in_match, export_person, forget_person
from bot.store import MatchPosts, Store, Writer
from bot.store.game_lists import followers_of, games_in_server
from bot.store.servers import all_guild_settings
from rules import IllegalMove
from tests.bot import acts
from tests.bot.beginning import begun, opened
from tests.bot.confirmed_plans import setup, signs_of_life
from tests.bot.databases import change, note, query, write
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, THREAD, by, existing, random_move, refused

ELSEWHERE = GUILD + 1
OTHER_CHANNEL = CHANNEL + 1


async def meant(service: Service, user: int, channel: int, which: games.WhichGame, *, is_thread: bool = False) -> Match:
    """Returns the match that a command of that user means there."""
    return await games.load_meant_match(
        service, by(user), channel, which, lambda: service.reader.games_of(GUILD, user, live=True), is_thread=is_thread
    )


async def test_the_derived_row_says_what_the_events_say(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F9", NOW + 5)
    match = await acts.resign(service, match.id, GUILD, CY, NOW + 6)
    (summary,) = await service.reader.games_of(GUILD, BO, live=True)
    assert (summary.to_move, summary.ply, summary.moved_at) == (match.to_move, match.ply, match.clock.turn_began_at)
    assert (summary.variant, summary.place) == (match.variant, match.place)
    assert (summary.players, summary.resigned, summary.turn) == (match.players, (CY,), None)
    assert await service.reader.games_of(GUILD, DEE, live=True) == []
    await acts.take_over(service, match.id, GUILD, DEE, NOW + 7)
    (summary,) = await service.reader.games_of(GUILD, DEE, live=True)
    assert (summary.players, summary.resigned) == ((ADA, BO, DEE), ())


# Refusals change nothing


async def test_a_game_of_another_server_does_not_exist(service: Service) -> None:
    match = await begun(service)
    requests = (
        service.current_match(match.id, ELSEWHERE),
        acts.move(service, match.id, ELSEWHERE, ADA, "F7-F8", NOW),
        acts.resign(service, match.id, ELSEWHERE, ADA, NOW),
        acts.join_table(service, match.id, ELSEWHERE, DEE, NOW),
        acts.leave(service, match.id, ELSEWHERE, BO, NOW),
        acts.decline(service, match.id, ELSEWHERE, BO, NOW),
        acts.cancel(service, match.id, ELSEWHERE, ADA, NOW),
    )
    for request in requests:
        with refused(Problem.NO_SUCH_GAME, number=match.id):
            await request
    for number in (99, 0, -(10**30), 10**30):
        with refused(Problem.NO_SUCH_GAME, number=number):
            await service.current_match(number, GUILD)
    assert await service.current_match(match.id, GUILD) == match
    assert await service.reader.games_of(ELSEWHERE, ADA, live=True) == []


async def test_who_sits_down_has_the_table_edited_whatever_comes_next(service: Service) -> None:
    match = await opened(service, "tri-camelot")
    await acts.join_table(service, match.id, GUILD, BO, NOW)
    assert len(await service.reader.find_jobs("kind = 'table' AND match = ?", (match.id,))) == 1


async def test_a_refused_move_changes_nothing(service: Service) -> None:
    match = await begun(service)
    with pytest.raises(IllegalMove):
        await acts.move(service, match.id, GUILD, ADA, "F7-F10", NOW)
    with refused(Problem.NOT_YOUR_TURN, next=ADA):
        await acts.move(service, match.id, GUILD, BO, "F10-F9", NOW)
    assert await service.current_match(match.id, GUILD) == match


# Many at once


async def test_of_fifty_moves_at_once_exactly_one_is_made(service: Service) -> None:
    match = await begun(service)
    texts = ["F7-F8", "G7-G8", "E7-E8"]
    moves = (acts.move(service, match.id, GUILD, ADA, texts[n % 3], NOW, 0) for n in range(50))
    results = await asyncio.gather(*moves, return_exceptions=True)
    made = [result for result in results if isinstance(result, Match)]
    assert len(made) == 1
    assert {error.problem for error in results if isinstance(error, MatchError)} == {Problem.STALE}
    found, events = await service.current_match(match.id, GUILD), await service.reader.load_events(match.id)
    assert found == made[0]
    assert [event.seq for event in events] == list(range(1, found.seq + 1))


async def test_of_fifty_people_who_join_at_once_exactly_one_gets_the_seat(service: Service) -> None:
    match = await opened(service)
    joins = (acts.join_table(service, match.id, GUILD, 5000 + n, NOW) for n in range(50))
    results = await asyncio.gather(*joins, return_exceptions=True)
    assert sum(isinstance(result, Match) for result in results) == 1
    assert {error.problem for error in results if isinstance(error, MatchError)} == {Problem.TABLE_CLOSED}
    events = await service.reader.load_events(match.id)
    assert [event.kind for event in events] == [EventKind.OPENED, EventKind.JOINED, EventKind.STARTED]


async def test_many_games_run_at_once_and_departing_callers_do_no_harm(service: Service) -> None:
    rng = random.Random(8)
    matches = [await begun(service) for _ in range(5)]

    async def play(match: Match) -> None:
        for _ in range(10):
            match = await service.current_match(match.id, GUILD)
            moving = asyncio.create_task(
                acts.move(service, match.id, GUILD, existing(match.to_move), random_move(match, rng), NOW, match.ply)
            )
            await asyncio.sleep(rng.random() / 500)
            moving.cancel()
            await asyncio.wait([moving])

    await asyncio.gather(*map(play, matches))
    await note(service.store, "last", "in the queue")  # after the moves whose callers were cancelled
    for match in matches:
        found, events = await service.current_match(match.id, GUILD), await service.reader.load_events(match.id)
        assert [event.seq for event in events] == list(range(1, found.seq + 1))
        assert found == replay_match(match.id, events)
        (summary,) = [game for game in await service.reader.games_of(GUILD, ADA, live=True) if game.id == match.id]
        assert (summary.ply, summary.to_move) == (found.ply, found.to_move)


# News


async def test_news_stays_until_it_is_marked_as_announced(service: Service) -> None:
    match = await opened(service)
    assert (await service.unannounced_news(match.id), await service.reader.unannounced_matches()) == ((), [])
    match = await acts.join_table(service, match.id, GUILD, BO, NOW)
    await acts.set_thread(service, match.id, THREAD, NOW)
    (item,) = await service.unannounced_news(match.id)
    assert (item.kind, item.match.place.thread_or_channel) == (EventKind.STARTED, THREAD)
    assert await service.reader.unannounced_matches() == [(match.id, THREAD)]
    assert await acts.mark_announced(service, match.id, item.seq, MessageRef(THREAD, 77)) is None
    assert (await service.unannounced_news(match.id), await service.reader.unannounced_matches()) == ((), [])
    assert (await service.reader.load_posts(match.id)).turn == MessageRef(THREAD, 77)


async def test_news_is_on_disk_before_it_is_announced(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    match, done = await begun(service), list[str]()
    load_events, flush_commits = service.reader.load_events, service.store.flush_commits

    async def read(match_id: int) -> tuple[Event, ...]:
        done.append("read")
        return await load_events(match_id)

    async def flush() -> None:
        done.append("flushed")
        await flush_commits()

    monkeypatch.setattr(service.reader, "load_events", read)
    monkeypatch.setattr(service.store, "flush_commits", flush)
    assert await service.unannounced_news(match.id)
    assert done[-1] == "flushed"


async def test_what_happened_while_the_news_was_told_is_not_lost(service: Service) -> None:
    match = await begun(service)
    (start,) = await service.unannounced_news(match.id)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    await acts.mark_announced(service, match.id, start.seq, MessageRef(CHANNEL, 77))
    (item,) = await service.unannounced_news(match.id)
    assert (item.kind, item.user) == (EventKind.MOVED, ADA)
    assert await acts.mark_announced(service, match.id, item.seq, MessageRef(OTHER_CHANNEL, 78)) == MessageRef(
        CHANNEL, 77
    )
    assert await acts.mark_announced(service, match.id, start.seq) == MessageRef(OTHER_CHANNEL, 78)
    assert await service.reader.unannounced_matches() == []
    assert (await service.reader.load_posts(match.id)).turn == MessageRef(OTHER_CHANNEL, 78)


async def test_the_messages_with_buttons_are_noted(service: Service) -> None:
    match = await opened(service)
    assert await service.reader.load_posts(match.id) == MatchPosts(None, None)
    await write(service.store, Writer.set_table_post, match.id, MessageRef(CHANNEL, 66))
    assert await service.reader.load_posts(match.id) == MatchPosts(MessageRef(CHANNEL, 66), None)


# Time


async def closed(service: Service, now: int) -> list[int]:
    """The tables that the tick closes."""
    return [match.id for match in await upkeep.tick_matches(service, now) if match.phase is Phase.CLOSED]


async def test_tables_expire_after_seven_days_and_others_do_not(service: Service) -> None:
    waiting, playing = await opened(service), await begun(service)
    cancelled = await opened(service)
    await acts.cancel(service, cancelled.id, GUILD, ADA, NOW)
    assert await closed(service, NOW + TABLE_LIFETIME_S - 1) == []
    assert await closed(service, NOW + TABLE_LIFETIME_S) == [waiting.id]
    assert await closed(service, NOW + TABLE_LIFETIME_S) == []
    assert (await service.current_match(waiting.id, GUILD)).phase is Phase.CLOSED
    assert (await service.current_match(playing.id, GUILD)).is_live
    assert (await service.unannounced_news(waiting.id))[0].kind is EventKind.EXPIRED


async def test_a_match_that_cannot_be_read_does_not_keep_the_others_open(store: Store) -> None:
    service = Service(store, FEATURES)
    broken, waiting = await opened(service), await opened(service)
    await change(store, "UPDATE events SET body = 'chess' WHERE match = ?", broken.id)
    assert await closed(Service(store, FEATURES), NOW + TABLE_LIFETIME_S) == [waiting.id]


# Which game is meant


async def test_in_a_thread_its_game_is_meant(service: Service) -> None:
    await begun(service)
    match = await begun(service)
    await acts.set_thread(service, match.id, THREAD, NOW)
    assert {(await meant(service, BO, THREAD, which)).id for which in ("waiting", "any", "own")} == {match.id}


async def test_a_move_means_the_channels_game_that_waits_for_the_user(service: Service) -> None:
    await begun(service, players=(BO, ADA))
    await begun(service, players=(ADA, BO), channel=OTHER_CHANNEL)
    waiting = await begun(service, players=(ADA, CY))
    assert (await meant(service, ADA, CHANNEL, "waiting")).id == waiting.id


async def test_the_only_game_of_the_user_is_meant_wherever_they_are(service: Service) -> None:
    match = await begun(service, players=(BO, ADA))
    await begun(service, players=(CY, DEE))
    assert {(await meant(service, ADA, OTHER_CHANNEL, which)).id for which in ("waiting", "any", "own")} == {match.id}


async def test_where_several_games_fit_those_that_wait_come_first(service: Service) -> None:
    other = await begun(service, players=(BO, ADA))
    first, second = await begun(service), await begun(service)
    await begun(service, players=(ADA, BO), guild=ELSEWHERE)
    own = {game.id: game for game in await service.reader.games_of(GUILD, ADA, live=True)}
    for which in ("waiting", "any", "own"):
        with refused(Problem.WHICH_GAME, candidates=[own[one.id] for one in (second, first, other)]):
            await meant(service, ADA, CHANNEL, which)


async def test_my_only_game_in_a_channel_is_meant_at_anybodys_turn(service: Service) -> None:
    await begun(service)
    there = await begun(service, players=(BO, ADA), channel=OTHER_CHANNEL)
    assert (await meant(service, ADA, OTHER_CHANNEL, "waiting")).id == there.id


async def test_onlookers_view_the_only_game_of_the_channel(service: Service) -> None:
    match = await begun(service)
    assert (await meant(service, DEE, CHANNEL, "any")).id == match.id
    for which in ("waiting", "own"):
        with refused(Problem.NO_GAMES):
            await meant(service, DEE, CHANNEL, which)
    await begun(service)
    with refused(Problem.WHICH_GAME, candidates=[*await games_in_server(service.reader, GUILD, CHANNEL, live=True)]):
        await meant(service, DEE, CHANNEL, "any")
    with refused(Problem.NO_GAMES):
        await meant(service, DEE, OTHER_CHANNEL, "any")


async def test_after_the_end_the_last_game_of_the_channel_is_viewed(service: Service) -> None:
    for ended in (5, 9):
        match = await begun(service)
        await acts.resign(service, match.id, GUILD, BO, NOW + ended)
    assert {(await meant(service, user, CHANNEL, "any")).id for user in (ADA, DEE)} == {match.id}
    with refused(Problem.NO_GAMES):
        await meant(service, ADA, CHANNEL, "waiting")
    playing = await begun(service)
    assert {(await meant(service, user, CHANNEL, "any")).id for user in (ADA, DEE)} == {playing.id}


async def test_the_thread_of_a_finished_game_says_so(service: Service) -> None:
    match = await begun(service)
    await acts.set_thread(service, match.id, THREAD, NOW)
    await acts.resign(service, match.id, GUILD, BO, NOW + 5)
    for user in (ADA, DEE):
        assert (await meant(service, user, THREAD, "any")).id == match.id
        for which in ("waiting", "own"):
            with refused(Problem.OVER_HERE, number=match.id, players=(ADA, BO), own=[]):
                await meant(service, user, THREAD, which)


async def test_in_another_games_thread_my_only_game_is_not_meant(service: Service) -> None:
    theirs, mine = await begun(service, players=(CY, DEE)), await begun(service, channel=OTHER_CHANNEL)
    there = await begun(service, players=(CY, DEE), channel=THREAD + 1)
    await acts.set_thread(service, theirs.id, THREAD, NOW)
    own = [(mine.id, OTHER_CHANNEL)]
    for which, place, match in ("waiting", THREAD, theirs), ("own", THREAD, theirs), ("own", THREAD + 1, there):
        with refused(Problem.OTHERS_THREAD, number=match.id, players=(CY, DEE), own=own):
            await meant(service, ADA, place, which, is_thread=True)
    assert (await meant(service, ADA, THREAD, "any", is_thread=True)).id == theirs.id
    await acts.resign(service, theirs.id, GUILD, CY, NOW + 5)
    with refused(Problem.OVER_HERE, number=theirs.id, players=(CY, DEE), own=own):
        await meant(service, ADA, THREAD, "own", is_thread=True)
    here = await begun(service, channel=THREAD)
    assert (await meant(service, ADA, THREAD, "own", is_thread=True)).id == here.id


async def test_a_game_that_the_user_has_left_is_only_viewed(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, BO, NOW)
    assert (await meant(service, BO, CHANNEL, "any")).id == match.id
    for which in ("waiting", "own"):
        with refused(Problem.NO_GAMES):
            await meant(service, BO, CHANNEL, which)


# Memory


async def test_matches_used_long_ago_are_forgotten_and_read_again(service: Service) -> None:
    service._cache = LRUCache(10 * MATCH_BYTES, getsizeof=lambda cached: cached.size)
    first = await begun(service)
    for extra in range(10):
        await opened(service, host=DEE + extra)
    assert len(service._cache) == 10
    assert first.id not in service._cache
    assert await service.current_match(first.id, GUILD) == first


# The tick


async def test_the_tick_reminds_pings_and_lets_the_opponent_claim(service: Service) -> None:
    match = await begun(service)
    assert await upkeep.tick_matches(service, NOW + 12 * HOUR - 1) == []
    for now in (NOW + 12 * HOUR, NOW + 18 * HOUR, NOW + 24 * HOUR):
        assert [ticked.id for ticked in await upkeep.tick_matches(service, now)] == [match.id]
        assert await upkeep.tick_matches(service, now) == []
    told = await service.unannounced_news(match.id)
    assert [item.kind for item in told] == [EventKind.STARTED, EventKind.REMINDED, EventKind.REMINDED, EventKind.GRACE]
    assert [item.calls for item in told] == [(ADA, BO), *[(ADA,)] * 3]
    await acts.mark_announced(service, match.id, told[-1].seq)
    for now in (NOW + 36 * HOUR, NOW + 99 * HOUR):
        await upkeep.tick_matches(service, now)
    (claimable,) = await service.unannounced_news(match.id)
    assert (claimable.kind, claimable.calls) == (EventKind.OVERDUE, (BO,))
    match = await acts.claim_timeout(service, match.id, GUILD, BO, NOW + 99 * HOUR)
    assert (match.phase, match.winners) == (Phase.OVER, (BO,))
    assert [act["kind"] for act in (await export_person(service, BO))["acts"]] == ["joined", "timed_out"]
    (*_, end) = await service.unannounced_news(match.id)
    assert "Claimed by ⚫ **Black**." in existing(make_notice("en", end, "Ada")).text
    assert await upkeep.tick_matches(service, NOW + 99 * DAY) == []


async def test_a_vacation_stopped_twice_on_its_first_day_is_announced_once(service: Service) -> None:
    match = await begun(service)
    await people.start_vacation(service, by(ADA), NOW + 5 * DAY)
    assert await people.stop_vacation(service, by(ADA, NOW + HOUR)) == (NOW, NOW + DAY)
    told = await service.current_match(match.id, GUILD)
    assert await people.stop_vacation(service, by(ADA, NOW + 2 * HOUR)) == (NOW, NOW + DAY)
    assert (await service.current_match(match.id, GUILD)).seq == told.seq


async def test_settings_and_vacations_move_the_deadline_and_give_no_time_back(service: Service) -> None:
    match = await begun(service)
    await people.change_user_settings(
        service, by(ADA, NOW + 4 * HOUR), lambda _: UserSettings(free_days=Weekdays.SATURDAY | Weekdays.SUNDAY)
    )
    match = await service.current_match(match.id, GUILD)
    assert match.clock.banks[0] == 20 * HOUR
    span = await people.start_vacation(service, by(ADA, NOW + 5 * HOUR), NOW + 5 * HOUR + 7 * DAY)
    assert span == (NOW + 5 * HOUR, NOW + 5 * HOUR + 7 * DAY)
    (summary,) = await service.reader.games_of(GUILD, ADA, live=True)
    assert existing(summary.time_runs_out_at) >= span[1] + 19 * HOUR
    assert await people.stop_vacation(service, by(ADA, NOW + 2 * DAY)) == (NOW + 5 * HOUR, NOW + 2 * DAY)
    (summary,) = await service.reader.games_of(GUILD, ADA, live=True)
    assert summary.time_runs_out_at == NOW + 2 * DAY + 19 * HOUR
    told = await service.unannounced_news(match.id)
    assert [item.kind for item in told] == [EventKind.STARTED, EventKind.AWAY, EventKind.BACK]
    with refused(Problem.NOT_AWAY):
        await people.stop_vacation(service, by(ADA, NOW + 3 * DAY))


async def test_the_only_move_is_played_for_who_wants_that(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = signs_of_life(monkeypatch)
    setup(monkeypatch, "camelot White White:F5,A8 Black:F7,NL9 castle:0,0")
    await people.change_user_settings(service, by(BO), lambda _: UserSettings(automove=True))
    match = await begun(service)
    match = await acts.move(service, match.id, GUILD, ADA, "F5-F6", NOW + HOUR)
    assert (match.ply, match.to_move) == (2, ADA)
    assert (await service.reader.load_events(match.id))[-1].body.endswith(" auto")
    started, news = await service.unannounced_news(match.id)
    assert [item.auto for item in (started, *news.told_together)] == [False, False, True]
    assert moved == [(ADA, NOW + HOUR)], "an automatic move is no sign of life"


async def test_asking_for_the_only_move_on_ones_turn_plays_it_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(monkeypatch, "camelot White White:F5,A8 Black:F7,NL9 castle:0,0")
    match = await begun(service)
    await acts.move(service, match.id, GUILD, ADA, "F5-F6", NOW + HOUR)
    await people.change_user_settings(service, by(BO, NOW + 2 * HOUR), lambda _: UserSettings(automove=True))
    match = await service.current_match(match.id, GUILD)
    assert (match.ply, match.to_move) == (2, ADA)
    assert match.clock.banks[1] == 24 * HOUR - HOUR + 4 * HOUR


async def test_the_only_move_is_also_played_when_a_leaver_passes_the_turn(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(monkeypatch, "tri-camelot Blue Blue:F5,E4 Red:F15 Green:F17,J11")
    await people.change_user_settings(service, by(CY), lambda _: UserSettings(automove=True))
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, BO, NOW)
    await acts.move(service, match.id, GUILD, ADA, "E4-E6", NOW + HOUR)
    await upkeep.tick_matches(service, NOW + 48 * HOUR)
    await acts.cast_vote(service, match.id, GUILD, ADA, Ballot.PLAY_ON, NOW + 49 * HOUR)
    match = await acts.cast_vote(service, match.id, GUILD, CY, Ballot.PLAY_ON, NOW + 49 * HOUR)
    assert (match.ply, match.to_move) == (2, ADA)
    assert [item.kind for item in await service.unannounced_news(match.id)][-2:] == [EventKind.PASSIVE, EventKind.MOVED]


# Servers, places and followers


async def test_a_server_settles_pace_threads_and_channels(service: Service) -> None:
    settings = GuildSettings(
        Pace.SLOW, Threads.YES, 3, (CHANNEL,), False, False, "no", "Be nice.", 2, 14, 1, 5, "UTC", True
    )
    await people.change_guild_settings(service, GUILD, lambda _: settings)
    assert await all_guild_settings(service.reader) == {GUILD: settings}
    with refused(Problem.CHANNEL_NOT_ALLOWED, channels=(CHANNEL,)):
        await opened(service, channel=CHANNEL + 1)
    match = await opened(service, channel=THREAD, parent=CHANNEL)
    assert (match.terms.pace, match.terms.wants_thread) == (Pace.SLOW, True)


async def test_nobody_has_more_open_tables_than_allowed(service: Service) -> None:
    tables = [await opened(service) for _ in range(MAX_OPEN_TABLES)]
    with refused(Problem.TOO_MANY_OPEN, most=MAX_OPEN_TABLES):
        await opened(service)
    await acts.join_table(service, tables[0].id, GUILD, BO, NOW)
    await opened(service)


async def test_nobody_has_more_games_and_seats_than_allowed(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    for host in range(2000, 2000 + MAX_SEATS):
        last = await opened(service, host=host)
        last = await acts.join_table(service, last.id, GUILD, DEE, NOW)
    other = await opened(service, host=BO)
    with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
        await acts.join_table(service, other.id, GUILD, DEE, NOW)
    with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
        await opened(service, host=DEE)
    match = await acts.propose_substitute(service, match.id, GUILD, BO, DEE, NOW)
    for user in (DEE, CY):
        with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
            await acts.accept_substitute(service, match.id, GUILD, user, NOW)
    await acts.resign(service, match.id, GUILD, BO, NOW)
    with refused(Problem.TOO_MANY_LIVE, user=DEE, most=MAX_SEATS):
        await acts.take_over(service, match.id, GUILD, DEE, NOW)
    await acts.resign(service, last.id, GUILD, DEE, NOW)
    assert (await acts.take_over(service, match.id, GUILD, DEE, NOW)).players == (ADA, DEE, CY)


async def test_a_homeless_game_moves_on(service: Service) -> None:
    match = await begun(service)
    match = await acts.set_homeless(service, match.id, NOW)
    assert match.place.is_lost
    with refused(Problem.NOT_A_PLAYER):
        await acts.move_to_channel(service, match.id, GUILD, DEE, 77, NOW)
    match = await acts.move_to_channel(service, match.id, GUILD, BO, 77, NOW, thread=78)
    assert (match.place.thread_or_channel, match.place.channel, match.place.is_lost) == (78, 77, False)
    assert (await meant(service, ADA, 77, "waiting")).id == match.id


async def test_followers_come_and_go(service: Service) -> None:
    match = await begun(service)
    await people.follow_match(service, by(DEE), match.id, every_move=False)
    await people.follow_match(service, by(DEE), match.id, every_move=True)
    assert await followers_of(service.reader, match.id) == ((match.id, DEE, True),)
    assert await people.unfollow_match(service, by(DEE), match.id)
    assert not await people.unfollow_match(service, by(DEE), match.id)


# Leavers, as the database sees them


# What is kept of people


async def test_everything_kept_of_a_user_can_be_exported_as_json(service: Service) -> None:
    match = await begun(service)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW + HOUR)
    await people.change_user_settings(service, by(ADA), lambda _: UserSettings(zone="Europe/Oslo"))
    await people.start_vacation(service, by(ADA), NOW + 3 * DAY)
    other = await opened(service, host=BO)
    await people.follow_match(service, by(ADA), other.id, every_move=True)
    kept = json.loads(json.dumps(await export_person(service, ADA)))
    assert (kept["settings"]["zone"], kept["vacations"]) == ("Europe/Oslo", [[NOW, NOW + 3 * DAY]])
    (game,) = kept["games"]
    assert (game["colour"], "1. F7-F8" in game["record"]) == ("White", True)
    assert [act["kind"] for act in kept["acts"]] == ["opened", "moved", "away"]
    assert kept["follows"] == [{"match": other.id, "every_move": True}]
    assert (await export_person(service, DEE))["games"] == []


async def test_a_forgotten_player_is_nobody_in_finished_games_and_leaves_others(service: Service) -> None:
    live, table = await begun(service), await opened(service)
    over = await begun(service)
    await acts.resign(service, over.id, GUILD, BO, NOW)
    await people.change_user_settings(service, by(ADA), lambda _: UserSettings(by_dm=True))
    changed = await forget_person(service, ADA, NOW + HOUR)
    assert [match.id for match in changed] == [live.id, table.id, over.id]
    for number, players, phase in ((live.id, (-1, BO), Phase.OVER), (over.id, (-1, BO), Phase.OVER)):
        match = await service.current_match(number, GUILD)
        assert (match.players, match.phase) == (players, phase)
    assert (await service.current_match(table.id, GUILD)).phase is Phase.CLOSED
    await forget_person(service, BO, NOW + HOUR)
    assert (await service.current_match(over.id, GUILD)).players == (-1, -2)
    kept = await export_person(service, ADA)
    assert (kept["settings"], kept["games"], kept["acts"]) == (None, [], [])


@pytest.mark.parametrize("remembered", [True, False])
async def test_a_forgotten_name_does_not_return_from_memory_with_a_simultaneous_act(
    service: Service, path: Path, remembered: bool
) -> None:
    match = await begun(service, "tri-camelot")
    await acts.resign(service, match.id, GUILD, BO, NOW)
    if not remembered:
        service._cache.clear()
    # The first transaction has changed what the second one reads.
    _, match = await asyncio.gather(
        _forget_in_match(service, match.id, BO, -1, NOW + HOUR),
        acts.replace_player(service, match.id, GUILD, DEE, CY, DEE + 1, "ill", NOW + HOUR),
    )
    assert match.players[0::2] == (ADA, DEE + 1)
    for found in (match, await service.current_match(match.id, GUILD)):
        assert BO not in (*found.players, *found.table.joined, *found.resigned_users)
    rows = [row for table in ("players", "events", "matches") for row in query(path, f"SELECT * FROM {table}")]
    assert not [row for row in rows if BO in row or str(BO) in str(row)]


async def test_a_match_read_while_somebody_is_forgotten_is_read_again(service: Service) -> None:
    match = await begun(service)
    await acts.resign(service, match.id, GUILD, BO, NOW)
    stale = await service.current_match(match.id, GUILD)
    await forget_person(service, BO, NOW + HOUR)
    service.cache_match(stale)  # like a reader that has loaded the events just before
    assert BO not in (await service.current_match(match.id, GUILD)).players
