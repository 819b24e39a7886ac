"""A person is forgotten match by match, so that nobody else waits, and completely, despite crashes in between."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core import offers
from bot.core.deadlines import Actor
from bot.core.fold import replay_match
from bot.core.match import Match, Phase, Roster
from bot.core.timings import DEFAULT_TIMINGS
from bot.features import FEATURES
from bot.ops.rebuild import rebuild_all
from bot.play.service import Service, people
from bot.privacy import service as forgetting
from bot.privacy.service import _forget_in_matches, forget_person, keep_forgetting
from bot.store import Fault, Store, StoreError
from bot.store.people import begin_forgetting
from bot.store.sqlite import SqliteConnection
from rules import Game
from tests.bench.story import story
from tests.bot import acts, answers
from tests.bot.beginning import begun, opened, set_up
from tests.bot.databases import note, plug_pulled, query, write
from tests.bot.played_ladders import CAMELOT, agrees, join, queue, won
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, followed, live, play_typed, random_move, short_game, started

GAMES = 40


async def test_nobody_waits_while_somebody_with_many_games_is_forgotten(service: Service) -> None:
    events = story(1, 30).events
    for _ in range(GAMES):
        await set_up(service, events)
    (user, *_), turns = replay_match(0, events).players, 0
    forgetting = asyncio.create_task(forget_person(service, user, events[-1].at + 1))
    while not forgetting.done():
        await note(service.store, "somebody else's")
        turns += 1
    assert len(await forgetting) == GAMES
    assert turns >= GAMES, "somebody else's turn comes after each transaction, which leaves a game and its story"


async def test_work_cut_short_by_a_crash_resumes_at_the_first_tick(service: Service, path: Path) -> None:
    numbers = [(await set_up(service, short_game())).id for _ in range(5)]
    live = await set_up(service, started())
    await rebuild_all(service, write=True)
    with plug_pulled(path, 4):
        await forget_person(service, ADA, NOW + 1)
    assert {ADA in (await service.current_match(number, GUILD)).players for number in numbers} == {True, False}
    woken = Service(service.store, FEATURES, service.shuffle)
    await keep_forgetting(woken, NOW + 2)
    for number in (*numbers, live.id):
        assert (await woken.current_match(number, GUILD)).players == (-1, BO)
    for table in ("events", "players", "shares", "rating_changes", "forgetting"):
        assert not [row for row in query(path, f"SELECT * FROM {table}") if str(ADA) in str(row)]
    assert await agrees(woken)
    await keep_forgetting(woken, NOW + 3)
    await forget_person(woken, BO, NOW + 3)
    assert (await woken.current_match(numbers[0], GUILD)).players == (-1, -2)


async def test_no_later_post_names_who_is_forgotten(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    match, kept = await begun(service), list[Match]()
    await acts.mark_announced(service, match.id, match.seq)
    await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW)
    # As between the commit and the wait for the disk:
    monkeypatch.setattr(service, "cache_match", lambda *matches: kept.append(matches[0]) or matches[0])
    await forget_person(service, BO, NOW + 1)
    assert not [match for match in kept if match.phase is Phase.OVER and BO in match.players]
    news = await service.unannounced_news(match.id)
    assert {user for item in news for user in item.match.players} == {ADA, -1}


async def test_who_is_forgotten_leaves_tables_and_declines_invitations(service: Service) -> None:
    joined, invited = await opened(service, "tri-camelot", host=BO), await opened(service, host=BO, invited=(ADA,))
    await acts.join_table(service, joined.id, GUILD, ADA, NOW)
    await forget_person(service, ADA, NOW + 1)
    for number in (joined.id, invited.id):
        table = (await service.current_match(number, GUILD)).table
        assert (table.joined, table.invited) == ((BO,), ())


async def test_nobody_waits_for_an_answer_of_somebody_who_has_been_forgotten(service: Service) -> None:
    match = await set_up(service, started("tri-camelot"))
    match = await acts.propose_substitute(service, match.id, GUILD, ADA, DEE, NOW)
    await forget_person(service, DEE, NOW + 1)
    match = await service.current_match(match.id, GUILD)
    assert match.requests.of_kind(answers.HANDOVER) is None


def test_a_takeback_needs_no_consent_from_a_forgotten_player_without_pieces() -> None:
    match, rng = live("tri-camelot"), random.Random(3)
    for user in (ADA, BO, CY):
        match = followed(match, play_typed(match, user, random_move(match, rng), NOW))
    position, green = match.started_game.position, match.variant.piece_codes[2]
    bare = replace(position, cells=bytes(0 if code in green else code for code in position.cells))
    match = replace(match, game=Game.from_position(bare), roster=Roster((ADA, BO, -1)))
    assert offers.users_awaited(followed(match, offers.ask_takeback(match, Actor(ADA, NOW))), answers.TAKEBACK) == (BO,)


NUMBER = 1_574_158_734_966_390_784
"""As long as a person's number in Discord."""


def traces(path: Path, number: int) -> dict[str, int]:
    """Counts a number in the files of a database: as text, as eight bytes, and as SQLite packs a row's key."""
    packed = bytes([*((number >> shift & 127 | 128) for shift in range(57, 7, -7)), number & 255])
    kinds = {"text": str(number).encode(), "bytes": number.to_bytes(8), "key": packed}
    files = [path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm"))]
    content = b"\n".join(file.read_bytes() for file in files)
    return {kind: content.count(sought) for kind, sought in kinds.items()}


@pytest.mark.sqlite
async def test_nothing_of_a_forgotten_person_stays_in_the_running_bots_files(service: Service, path: Path) -> None:
    rng = random.Random(0)
    for guild in [GUILD, GUILD + 1, GUILD + 2, GUILD + 3] * 25:
        match = await opened(service, host=NUMBER, guild=guild, channel=1)
        await acts.join_table(service, match.id, guild, rng.randrange(NUMBER - 9999, NUMBER), NOW)
        if match.id > 40:
            await acts.resign(service, match.id, guild, NUMBER, NOW)
    await people.change_user_settings(service, Actor(NUMBER, NOW), lambda one: replace(one, by_dm=True, language="no"))
    await join(service, NUMBER)
    assert all(traces(path, NUMBER).values())
    await forget_person(service, NUMBER, NOW + 1)
    assert traces(path, NUMBER) == {"text": 0, "bytes": 0, "key": 0}
    assert await agrees(service)


@pytest.mark.sqlite
async def test_what_the_disk_has_kept_from_being_scrubbed_a_later_tick_scrubs(
    service: Service, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(service, host=NUMBER, channel=1)

    async def full(_: Store) -> bool:
        raise StoreError(Fault.NO_ACCESS, path, "database or disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(Store, "scrub_deleted", full)
        await forget_person(service, NUMBER, NOW + 1)
    assert any(traces(path, NUMBER).values())
    await keep_forgetting(Service(service.store, FEATURES, service.shuffle), NOW + 2)
    assert not any(traces(path, NUMBER).values())


def call_large(store: Store) -> SqliteConnection:
    """Makes the database count as large; returns the connection that writes to it."""
    connection = store._write_connection
    assert isinstance(connection, SqliteConnection)
    connection.small_database_bytes = 0
    return connection


@pytest.mark.sqlite
async def test_a_large_database_is_scrubbed_while_nobody_writes(service: Service, path: Path) -> None:
    connection = call_large(service.store)
    await opened(service, host=NUMBER, channel=1)
    await forget_person(service, NUMBER, NOW + 1)
    await keep_forgetting(service, NOW + 2)
    assert service.needs_scrub
    assert any(traces(path, NUMBER).values())
    connection._written -= DEFAULT_TIMINGS.scrub_quiet_s  # that much time passes
    await keep_forgetting(service, NOW + 3)
    assert not service.needs_scrub
    assert not any(traces(path, NUMBER).values())


@pytest.mark.sqlite
async def test_scrubbing_is_not_put_off_endlessly(service: Service) -> None:
    connection = call_large(service.store)
    await opened(service, host=NUMBER, channel=1)
    assert not await service.store.scrub_deleted()
    connection._put_off -= DEFAULT_TIMINGS.max_scrub_delay_s  # that much time passes
    assert await service.store.scrub_deleted()


async def test_a_referee_who_decides_at_that_time_leaves_ratings_that_agree(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [await begun(service) for _ in range(3)]
    for number, game in enumerate(games):
        games[number] = await won(service, game, ADA, NOW + number)
    first = games[0]
    forget_in = forgetting._forget_in_match

    async def interrupted(service: Service, match_id: int, *rest: int) -> Match | None:
        found = await forget_in(service, match_id, *rest)
        if match_id == first.id:
            await acts.annul(service, first.id, GUILD, BO, "cheating", NOW + 10)
        return found

    monkeypatch.setattr(forgetting, "_forget_in_match", interrupted)
    await forget_person(service, ADA, NOW + 9)
    assert await agrees(service)


@pytest.mark.parametrize("lag", [0, 1, 4, 9])
async def test_two_overlapping_deletions_of_one_person_leave_nothing(service: Service, path: Path, lag: int) -> None:
    numbers = [(await set_up(service, short_game())).id for _ in range(3)]
    numbers += [(await set_up(service, started())).id, (await set_up(service, started("tri-camelot"))).id]
    await rebuild_all(service, write=True)
    other = Service(service.store, FEATURES, service.shuffle)  # such as a start, while somebody presses again

    async def later() -> None:
        for _ in range(lag):
            await note(service.store, "somebody else's")
        await forget_person(other, ADA, NOW + 1)

    await asyncio.gather(forget_person(service, ADA, NOW + 1), later())
    woken = Service(service.store, FEATURES, service.shuffle)
    for number in numbers:
        assert (await woken.current_match(number, GUILD)).players[0] < 0
    for table in ("events", "players", "shares", "rating_changes", "forgetting"):
        assert not [row for row in query(path, f"SELECT * FROM {table}") if str(ADA) in str(row)]
    assert await agrees(woken)


async def test_no_queue_pairs_who_is_being_forgotten(service: Service) -> None:
    await join(service, ADA, BO)
    await queue(service, ADA, place=CAMELOT)
    for feature in FEATURES:
        await feature.leave_all(service, ADA, NOW + 1)
    assert await queue(service, BO, place=CAMELOT) == []


async def test_a_game_that_ends_during_an_interrupted_forgetting_keeps_nobody_from_it(service: Service) -> None:
    first = await set_up(service, [*story(1, 40, "tri-camelot").events])
    for user in first.still_in[1:]:
        await acts.resign(service, first.id, GUILD, user, first.clock.turn_began_at + 1)
    ada, bo, _ = first.players
    second = await set_up(service, [*story(1, 40, "tri-camelot").events])
    stand_in = await write(service.store, begin_forgetting, ada)
    at = second.clock.turn_began_at + 1
    await _forget_in_matches(service, ada, stand_in, at)  # and then the plug was pulled
    await acts.resign(service, second.id, GUILD, bo, at + 1)
    await forget_person(service, ada, at + 2)
    assert ada not in await service.reader.read_column("SELECT user FROM ratings")
