"""Which games have lost or regained their place: noted one by one, so that one failure stops no other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord

from bot.core import leaving, table
from bot.core.clock import Pace
from bot.core.settings import GuildSettings
from bot.core.timings import DEFAULT_TIMINGS
from bot.features import make_service
from bot.play.background import BackgroundTasks
from bot.play.places.gateway_events import Places
from bot.play.places.homes import leave_thread
from bot.play.places.reach import PlaceChecker
from bot.play.service import Service
from tests.bot import acts
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.ticking import begin

THREAD = CHANNEL + 1


async def test_a_game_that_cannot_be_announced_keeps_no_other_from_its_place(service: Service) -> None:
    games = [await begin(service, Pace.FAST) for _ in range(3)]
    for game in games:
        await acts.set_homeless(service, game.id, NOW)
    asked = list[int]()

    async def announce(match_id: int) -> None:
        asked.append(match_id)
        if match_id == asked[0]:
            raise AssertionError("a mistake of ours")

    everything = discord.Permissions.all()
    channel = SimpleNamespace(id=CHANNEL, permissions_for=lambda _: everything)
    guild = SimpleNamespace(me=None, unavailable=False, get_channel_or_thread=lambda _: channel)
    client = SimpleNamespace(get_guild=lambda _: guild)
    desk: Any = SimpleNamespace(service=service, client=client, background=BackgroundTasks(), deleted={}, features=())
    await PlaceChecker(desk, announce).check_server(GUILD)
    assert sorted(asked) == [game.id for game in games]
    homeless = {game.id for game in await service.games_at(GUILD) if game.has_lost_channel}
    assert homeless == {asked[0]}


async def test_players_hear_of_a_lost_thread_once_the_bot_may_post(
    service: Service,
) -> None:
    games = [await begin(service, Pace.FAST) for _ in range(3)]
    for game, number in zip(games, (THREAD, THREAD + 1, THREAD + 2), strict=True):
        await acts.set_thread(service, game.id, number, NOW)
        await service.set_turn_message(game.id, number, 7)
    granted, threads = {CHANNEL: discord.Permissions.none()}, {THREAD, THREAD + 1, THREAD + 2}
    told = dict[int, str]()

    class Guild:
        me = None
        unavailable = False

        def get_channel_or_thread(self, number: int) -> object:
            place = SimpleNamespace(id=number, permissions_for=lambda _: granted[CHANNEL])
            return place if number == CHANNEL or number in threads else None

        async def fetch_channel(self, number: int) -> object:
            response: Any = SimpleNamespace(status=404, reason="")
            raise discord.NotFound(response, "Unknown Channel")

    async def announce(_: int) -> None:
        pass

    async def send_message(channel: int, content: str, *_: object, **__: object) -> object:
        assert channel == CHANNEL
        told.update({game.id: content for game in games if f"#{game.id}" in content})
        return SimpleNamespace(id=8)

    context: Any = SimpleNamespace(
        service=service,
        client=SimpleNamespace(get_guild=lambda _: Guild()),
        background=BackgroundTasks(),
        deleted={},
        features=(),
        timings=DEFAULT_TIMINGS,
        servers=SimpleNamespace(settings_of=lambda _: GuildSettings()),
        server_language=lambda _: "en",
        send_message=send_message,
    )
    checker = PlaceChecker(context, announce)
    threads.discard(THREAD)  # gone before the permission
    await checker.check_server(GUILD)
    threads.discard(THREAD + 1)  # gone without the permission
    await checker.check_server(GUILD)
    assert told == {}
    granted[CHANNEL] = discord.Permissions.all()
    await checker.check_server(GUILD)
    assert sorted(told) == [games[0].id, games[1].id], "the third goes on in its thread"
    assert all("is gone" in content for content in told.values())
    told.clear()
    await checker.check_server(GUILD)
    assert told == {}
    assert not any(game.has_lost_channel for game in await service.games_at(GUILD))


async def test_an_event_that_arrives_after_a_stop_reads_no_closed_database() -> None:
    questions = list[int]()

    async def places_of_live_games(guild: int) -> None:
        questions.append(guild)

    service = SimpleNamespace(places_of_live_games=places_of_live_games)
    context: Any = SimpleNamespace(service=service, background=BackgroundTasks(), features=())
    await context.background.finish_tasks(0)
    unused: Any = None
    await PlaceChecker(context, unused).check_server(GUILD)
    assert questions == []


async def test_a_feature_that_fails_keeps_no_player_from_being_notified(service: Service) -> None:
    game = await begin(service, Pace.FAST)
    told = list[int]()

    async def fail(*_: object) -> None:
        raise AttributeError("a server that Discord has sent in part")

    async def announce(match_id: int) -> None:
        told.append(match_id)

    everything = discord.Permissions.all()
    channel = SimpleNamespace(id=CHANNEL, permissions_for=lambda _: everything)
    guild = SimpleNamespace(me=None, unavailable=False, get_channel_or_thread=lambda _: channel)
    context: Any = SimpleNamespace(
        service=service,
        client=SimpleNamespace(get_guild=lambda _: guild),
        background=BackgroundTasks(),
        deleted={},
        features=(SimpleNamespace(after_places_checked=fail),),
    )
    await acts.set_homeless(service, game.id, NOW)
    await PlaceChecker(context, announce).check_server(GUILD)
    assert told == [game.id]


async def test_a_finished_game_without_thread_and_channel_stays_where_it_was(service: Service) -> None:
    game = await begin(service, Pace.FAST)
    await service.act_on_match(game.id, None, lambda match, _: table.move_to_thread(match, THREAD, NOW))
    over = await service.act_on_match(game.id, None, lambda match, _: leaving.resign(match, match.players[0], NOW))
    guild = SimpleNamespace(get_channel=lambda _: None)
    context: Any = SimpleNamespace(service=service, client=SimpleNamespace(get_guild=lambda _: guild))
    response: Any = SimpleNamespace(status=404, reason="")
    error = discord.NotFound(response, "Unknown Channel")
    assert not await leave_thread(context, over, error), "or its news would be tried endlessly"
    assert (await service.current_match(game.id, GUILD)).seq == over.seq


async def test_one_unreadable_table_keeps_no_deleted_channel_from_being_noted(service: Service) -> None:
    game, checked = await begin(service, Pace.FAST), list[int]()
    async with service.store.write_transaction() as tx:
        await tx.run_sql("UPDATE events SET kind = 250 WHERE match = ? AND seq = 3", (game.id,))
    woken = make_service(service.store, service.shuffle)
    context: Any = SimpleNamespace(service=woken, deleted={}, client=SimpleNamespace(get_guild=lambda _: None))
    unused: Any = None
    places = Places(context, unused, lambda: True)

    async def check(guild: int) -> None:
        checked.append(guild)

    checker: Any = SimpleNamespace(check_server=check)
    places._place_checker = checker
    channel: Any = SimpleNamespace(id=CHANNEL, guild=SimpleNamespace(id=GUILD))
    await places.on_guild_channel_delete(channel)
    assert context.deleted == {CHANNEL: True}
    assert checked == [GUILD]
