from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from cachetools import LRUCache

from bot.core.events import EventKind, Seating
from bot.core.listings import MessageRef
from bot.core.match import TABLE_LIFETIME_S, Match, Phase
from bot.core.problems import MatchError, Problem
from bot.features import make_service
from bot.play.service import Service
from bot.play.service.matches import MATCH_BYTES
from bot.store import MatchPosts, Store
from rules import VARIANTS, IllegalMove
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, PEOPLE, THREAD, random_move, refused, unshuffled

ELSEWHERE = GUILD + 1
OTHER_CHANNEL = CHANNEL + 1


async def opened(
    service: Service, key: str = "camelot", *, channel: int = CHANNEL, guild: int = GUILD, host: int = ADA
) -> Match:
    """A table with its host."""
    return await service.open_table(guild, channel, host, key, (), Seating.JOIN_ORDER, False, NOW)


async def begun(
    service: Service,
    players: tuple[int, ...] = (ADA, BO),
    *,
    channel: int = CHANNEL,
    guild: int = GUILD,
) -> Match:
    """A game that has just started, with those players in that order."""
    key = {2: "camelot", 3: "tri-camelot"}[len(players)]
    match = await opened(service, key, channel=channel, guild=guild, host=players[0])
    for user in players[1:]:
        match = await service.join_table(match.id, guild, user, NOW)
    assert match.is_live
    return match


# One whole game of each


@pytest.mark.parametrize("key", sorted(VARIANTS))
async def test_a_game_is_played_to_the_end_and_found_after_a_restart(path: Path, key: str) -> None:
    rng = random.Random(11)
    async with Store.open(path) as store:
        service = make_service(store)
        match = await service.open_table(GUILD, CHANNEL, ADA, key, (BO,), Seating.RANDOM, True, NOW)
        for user in PEOPLE[1 : len(match.variant.seats)]:
            match = await service.join_table(match.id, GUILD, user, NOW)
        match = await acts.set_thread(service, match.id, THREAD, NOW)
        while match.to_move is not None and match.ply < 60:
            text = random_move(match, rng)
            match = await acts.move(service, match.id, GUILD, match.to_move, text, NOW + match.ply, match.ply)
        while match.is_live:
            leaver = next(user for user in match.players if user not in match.resigned_users)
            match = await acts.resign(service, match.id, GUILD, leaver, NOW + 99)
    async with Store.open(path) as store:
        again = make_service(store)
        assert await again.current_match(match.id, GUILD) == match
        found, events = await again.match_history(match.id, GUILD)
        assert found == match == Match.replay(match.id, events)
        assert (await again.match_at(match.id, GUILD, 1)).ply == 1
        told = await again.unannounced_news(match.id)
        assert (told[0].kind, told[-1].match.phase, told[-1].seq) == (EventKind.STARTED, Phase.OVER, match.seq)
        (summary,) = await again.games_of(GUILD, ADA, live=False)
        assert (summary.id, summary.phase, summary.players, summary.thread_or_channel) == (
            match.id,
            Phase.OVER,
            match.players,
            THREAD,
        )
        assert (summary.resigned, summary.ply, summary.moved_at) == (match.resigned_users, match.ply, match.moved_at)


async def test_the_derived_row_says_what_the_events_say(service: Service) -> None:
    match = await begun(service, PEOPLE)
    match = await acts.move(service, match.id, GUILD, ADA, "F7-F9", NOW + 5)
    match = await acts.resign(service, match.id, GUILD, CY, NOW + 6)
    (summary,) = await service.games_of(GUILD, BO)
    assert (summary.to_move, summary.ply, summary.moved_at) == (match.to_move, match.ply, match.moved_at)
    assert (summary.variant, summary.channel, summary.thread) == (match.variant, match.channel, match.thread)
    assert (summary.players, summary.resigned, summary.turn) == (match.players, (CY,), None)


# Refusals change nothing


async def test_a_game_of_another_server_does_not_exist(service: Service) -> None:
    match = await begun(service)
    requests = (
        service.current_match(match.id, ELSEWHERE),
        service.match_at(match.id, ELSEWHERE, 0),
        service.match_history(match.id, ELSEWHERE),
        acts.move(service, match.id, ELSEWHERE, ADA, "F7-F8", NOW),
        acts.resign(service, match.id, ELSEWHERE, ADA, NOW),
        service.join_table(match.id, ELSEWHERE, DEE, NOW),
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
    assert await service.games_of(ELSEWHERE, ADA) == []


async def test_a_refused_move_changes_nothing(service: Service) -> None:
    match = await begun(service)
    with pytest.raises(IllegalMove):
        await acts.move(service, match.id, GUILD, ADA, "F7-F10", NOW)
    with refused(Problem.NOT_YOUR_TURN, next=ADA):
        await acts.move(service, match.id, GUILD, BO, "F10-F9", NOW)
    assert (await service.match_history(match.id, GUILD))[0] == match


# Many at once


async def test_of_fifty_moves_at_once_exactly_one_is_made(service: Service) -> None:
    match = await begun(service)
    texts = ["F7-F8", "G7-G8", "E7-E8"]
    moves = (acts.move(service, match.id, GUILD, ADA, texts[n % 3], NOW, 0) for n in range(50))
    results = await asyncio.gather(*moves, return_exceptions=True)
    made = [result for result in results if isinstance(result, Match)]
    assert len(made) == 1
    assert {error.problem for error in results if isinstance(error, MatchError)} == {Problem.STALE}
    found, events = await service.match_history(match.id, GUILD)
    assert found == made[0]
    assert [event.seq for event in events] == list(range(1, found.seq + 1))


async def test_of_fifty_people_who_join_at_once_exactly_one_gets_the_seat(service: Service) -> None:
    match = await opened(service)
    joins = (service.join_table(match.id, GUILD, 5000 + n, NOW) for n in range(50))
    results = await asyncio.gather(*joins, return_exceptions=True)
    assert sum(isinstance(result, Match) for result in results) == 1
    assert {error.problem for error in results if isinstance(error, MatchError)} == {Problem.TABLE_CLOSED}
    _, events = await service.match_history(match.id, GUILD)
    assert [event.kind for event in events] == [EventKind.OPENED, EventKind.JOINED, EventKind.STARTED]


async def test_many_games_run_at_once_and_departing_callers_do_no_harm(service: Service) -> None:
    rng = random.Random(8)
    matches = [await begun(service) for _ in range(5)]

    async def play(match: Match) -> None:
        for _ in range(10):
            match = await service.current_match(match.id, GUILD)
            assert match.to_move is not None
            moving = asyncio.create_task(
                acts.move(service, match.id, GUILD, match.to_move, random_move(match, rng), NOW, match.ply)
            )
            await asyncio.sleep(rng.random() / 500)
            moving.cancel()
            await asyncio.wait([moving])

    await asyncio.gather(*map(play, matches))
    await service.set_meta("last", "in the queue")  # after the moves whose callers were cancelled
    for match in matches:
        found, events = await service.match_history(match.id, GUILD)
        assert [event.seq for event in events] == list(range(1, found.seq + 1))
        assert found == Match.replay(match.id, events)
        (summary,) = [game for game in await service.games_of(GUILD, ADA) if game.id == match.id]
        assert (summary.ply, summary.to_move) == (found.ply, found.to_move)


# News


async def test_news_stays_until_it_is_marked_as_announced(service: Service) -> None:
    match = await opened(service)
    assert (await service.unannounced_news(match.id), await service.unannounced_matches()) == ((), [])
    match = await service.join_table(match.id, GUILD, BO, NOW)
    await acts.set_thread(service, match.id, THREAD, NOW)
    (item,) = await service.unannounced_news(match.id)
    assert (item.kind, item.match.thread_or_channel, await service.unannounced_matches()) == (
        *(EventKind.STARTED, THREAD),
        [(match.id, THREAD)],
    )
    assert await service.mark_announced(match.id, item.seq, MessageRef(THREAD, 77)) is None
    assert (await service.unannounced_news(match.id), await service.unannounced_matches()) == ((), [])
    assert (await service.posts_of(match.id)).turn == MessageRef(THREAD, 77)


async def test_what_happened_while_the_news_was_told_is_not_lost(service: Service) -> None:
    match = await begun(service)
    (start,) = await service.unannounced_news(match.id)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    await service.mark_announced(match.id, start.seq, MessageRef(CHANNEL, 77))
    (item,) = await service.unannounced_news(match.id)
    assert (item.kind, item.user) == (EventKind.MOVED, ADA)
    assert await service.mark_announced(match.id, item.seq, MessageRef(OTHER_CHANNEL, 78)) == MessageRef(CHANNEL, 77)
    assert await service.mark_announced(match.id, start.seq) == MessageRef(OTHER_CHANNEL, 78)
    assert await service.unannounced_matches() == []
    assert (await service.posts_of(match.id)).turn == MessageRef(OTHER_CHANNEL, 78)


async def test_the_messages_with_buttons_are_noted(service: Service) -> None:
    match = await opened(service)
    assert await service.posts_of(match.id) == MatchPosts(None, None)
    await service.set_table_message(match.id, CHANNEL, 66)
    assert await service.posts_of(match.id) == MatchPosts(MessageRef(CHANNEL, 66), None)


async def test_no_news_of_a_match_that_does_not_exist(service: Service) -> None:
    assert await service.unannounced_news(99) == ()


async def test_notes_that_concern_no_match_are_kept(service: Service) -> None:
    assert await service.get_meta("commands") is None
    await service.set_meta("commands", "abc")
    await service.set_meta("commands", "def")
    assert await service.get_meta("commands") == "def"
    await service.set_meta("commands", None)
    assert await service.get_meta("commands") is None


# Time


async def closed(service: Service, now: int) -> list[int]:
    """The tables that the tick closes."""
    return [match.id for match in await service.upkeep.tick(now) if match.phase is Phase.CLOSED]


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


async def test_a_match_that_cannot_be_read_does_not_keep_the_others_open(path: Path) -> None:
    async with Store.open(path) as store:
        service = make_service(store)
        broken, waiting = await opened(service), await opened(service)
        async with store.write_transaction() as tx:
            await tx.run_sql("UPDATE events SET body = 'chess' WHERE match = ?", (broken.id,))
        assert await closed(make_service(store), NOW + TABLE_LIFETIME_S) == [waiting.id]


# Which game is meant


async def test_in_a_thread_its_game_is_meant(service: Service) -> None:
    await begun(service)
    match = await begun(service)
    await acts.set_thread(service, match.id, THREAD, NOW)
    for which in ("waiting", "any", "own"):
        assert await service.which_game(GUILD, BO, THREAD, which) == match.id


async def test_a_move_means_the_channels_game_that_waits_for_the_user(service: Service) -> None:
    await begun(service, (BO, ADA))
    await begun(service, (ADA, BO), channel=OTHER_CHANNEL)
    waiting = await begun(service, (ADA, CY))
    assert await service.which_game(GUILD, ADA, CHANNEL, "waiting") == waiting.id


async def test_the_only_game_of_the_user_is_meant_wherever_they_are(service: Service) -> None:
    match = await begun(service, (BO, ADA))
    await begun(service, (CY, DEE))
    for which in ("waiting", "any", "own"):
        assert await service.which_game(GUILD, ADA, OTHER_CHANNEL, which) == match.id


async def test_where_several_games_fit_those_that_wait_come_first(service: Service) -> None:
    other = await begun(service, (BO, ADA))
    first, second = await begun(service), await begun(service)
    await begun(service, (ADA, BO), guild=ELSEWHERE)
    for which in ("waiting", "any", "own"):
        with refused(Problem.WHICH_GAME, candidates=[second.id, first.id, other.id]):
            await service.which_game(GUILD, ADA, CHANNEL, which)


async def test_my_only_game_in_a_channel_is_meant_at_anybodys_turn(service: Service) -> None:
    await begun(service)
    there = await begun(service, (BO, ADA), channel=OTHER_CHANNEL)
    assert await service.which_game(GUILD, ADA, OTHER_CHANNEL, "waiting") == there.id


async def test_onlookers_view_the_only_game_of_the_channel(service: Service) -> None:
    match = await begun(service)
    assert await service.which_game(GUILD, DEE, CHANNEL, "any") == match.id
    for which in ("waiting", "own"):
        with refused(Problem.NO_GAMES):
            await service.which_game(GUILD, DEE, CHANNEL, which)
    second = await begun(service)
    with refused(Problem.WHICH_GAME, candidates=[second.id, match.id]):
        await service.which_game(GUILD, DEE, CHANNEL, "any")
    with refused(Problem.NO_GAMES):
        await service.which_game(GUILD, DEE, OTHER_CHANNEL, "any")


async def test_after_the_end_the_last_game_of_the_channel_is_viewed(service: Service) -> None:
    for ended in (5, 9):
        match = await begun(service)
        await acts.resign(service, match.id, GUILD, BO, NOW + ended)
    for user in (ADA, DEE):
        assert await service.which_game(GUILD, user, CHANNEL, "any") == match.id
    with refused(Problem.NO_GAMES):
        await service.which_game(GUILD, ADA, CHANNEL, "waiting")
    playing = await begun(service)
    for user in (ADA, DEE):
        assert await service.which_game(GUILD, user, CHANNEL, "any") == playing.id


async def test_the_thread_of_a_finished_game_says_how_it_ended(service: Service) -> None:
    match = await begun(service)
    await acts.set_thread(service, match.id, THREAD, NOW)
    await acts.resign(service, match.id, GUILD, BO, NOW + 5)
    for user in (ADA, DEE):
        assert await service.which_game(GUILD, user, THREAD, "any") == match.id
        for which in ("waiting", "own"):
            with refused(Problem.OVER_HERE, number=match.id, winners=(ADA,), has_result=True):
                await service.which_game(GUILD, user, THREAD, which)
    elsewhere = await begun(service, channel=OTHER_CHANNEL)
    assert await service.which_game(GUILD, ADA, THREAD, "own") == elsewhere.id


async def test_a_game_that_the_user_has_left_is_only_viewed(service: Service) -> None:
    match = await begun(service, PEOPLE)
    await acts.resign(service, match.id, GUILD, BO, NOW)
    assert await service.which_game(GUILD, BO, CHANNEL, "any") == match.id
    for which in ("waiting", "own"):
        with refused(Problem.NO_GAMES):
            await service.which_game(GUILD, BO, CHANNEL, which)


async def test_tables_and_finished_games_are_not_live(service: Service) -> None:
    await opened(service)
    over, on = await begun(service), await begun(service)
    await acts.resign(service, over.id, GUILD, BO, NOW + 50)
    assert [game.id for game in await service.games_of(GUILD, ADA)] == [on.id]
    assert [game.id for game in await service.games_of(GUILD, ADA, live=False)] == [on.id, over.id]


# Memory


async def test_matches_used_long_ago_are_forgotten_and_read_again(path: Path) -> None:
    async with Store.open(path) as store:
        service = make_service(store, unshuffled)
        service._cache = LRUCache(10 * MATCH_BYTES, getsizeof=lambda cached: cached.size)
        first = await begun(service)
        for extra in range(10):
            await opened(service, host=DEE + extra)
        assert len(service._cache) == 10
        assert first.id not in service._cache
        assert await service.current_match(first.id, GUILD) == first


async def test_a_match_in_memory_is_the_match_in_the_database(service: Service) -> None:
    match = await begun(service)
    assert await service.current_match(match.id, GUILD) is await service.current_match(match.id, GUILD)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    assert (await service.current_match(match.id, GUILD)).ply == 1
