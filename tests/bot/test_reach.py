"""Games whose place takes no post: tried again one by one, told of once, and moved out of what is deleted."""

from __future__ import annotations

import asyncio
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
from bot.play.service import Service
from tests.bot import acts
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.ticking import begin

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


def context_of(service: Service, server: Server, **others: object) -> Any:
    """Returns the context of a bot in that server."""
    return SimpleNamespace(
        service=service,
        client=SimpleNamespace(get_guild=lambda _: server),
        background=BackgroundTasks(),
        announcements_due=asyncio.Event(),
        deleted={},
        reaches_server=lambda _: True,
        timings=DEFAULT_TIMINGS,
        servers=SimpleNamespace(settings_of=lambda _: GuildSettings()),
        server_language=lambda _: "en",
        **others,
    )


async def without_place(service: Service) -> set[int]:
    """Returns the games whose place takes no post."""
    return {game.id for game in await service.games_without_place()}


async def settle(context: Any) -> None:
    """Waits for what has been started."""
    while tasks := {task for task in context.background._tasks if not task.done()}:
        await asyncio.wait(tasks)


async def test_a_game_that_cannot_be_announced_keeps_no_other_from_its_place(service: Service) -> None:
    games = [await begin(service, Pace.FAST) for _ in range(3)]
    for game in games:
        await acts.set_homeless(service, game.id, NOW)
    asked = list[int]()

    async def announce(match_id: int) -> None:
        asked.append(match_id)
        if match_id == asked[0]:
            raise AssertionError("a mistake of ours")

    context = context_of(service, Server(discord.Permissions.all()))
    places = Places(context, announce, lambda: True)
    for _ in range(2):
        await places.try_lost_places()
        await settle(context)
    assert sorted(asked) == [game.id for game in games], "each once an hour"
    assert await without_place(service) == {asked[0]}


async def test_players_hear_of_a_lost_thread_once_the_bot_may_post(service: Service) -> None:
    games = [await begin(service, Pace.FAST) for _ in range(2)]
    for game, number in zip(games, (THREAD, THREAD + 1), strict=True):
        await acts.set_thread(service, game.id, number, NOW)
        await service.set_turn_message(game.id, number, 7)
    told = dict[int, str]()

    async def announce(_: int) -> None:
        pass

    async def send_message(channel: int, content: str, *_: object, **__: object) -> object:
        assert channel == CHANNEL
        told.update({game.id: content for game in games if f"#{game.id}" in content})
        return SimpleNamespace(id=8)

    server = Server(discord.Permissions.none(), THREAD, THREAD + 1)
    context = context_of(service, server, send_message=send_message, features=())
    places = Places(context, announce, lambda: True)
    server.threads.discard(THREAD)
    gone: Any = SimpleNamespace(guild_id=GUILD, thread_id=THREAD)
    await places.on_raw_thread_delete(gone)
    await settle(context)
    await acts.set_homeless(service, games[1].id, NOW)  # a post in the other thread has been refused
    await places.try_lost_places()
    await settle(context)
    assert (told, await without_place(service)) == ({}, {game.id for game in games})
    server.granted = discord.Permissions.all()
    for _ in range(2):
        await places.try_lost_places()
        await settle(context)
    assert [*told] == [games[0].id], "the other goes on in its thread"
    assert "is gone" in told[games[0].id]
    assert await without_place(service) == set()


async def test_an_event_that_arrives_after_a_stop_reads_no_closed_database() -> None:
    questions = list[int]()

    async def places_of_live_games(guild: int) -> None:
        questions.append(guild)

    async def played_in(_: int, __: int) -> list[int]:
        return []

    service = SimpleNamespace(places_of_live_games=places_of_live_games, played_in=played_in)
    context: Any = SimpleNamespace(service=service, background=BackgroundTasks(), deleted={})
    await context.background.finish_tasks(0)
    unused: Any = None
    gone: Any = SimpleNamespace(guild_id=GUILD, thread_id=THREAD)
    await Places(context, unused, lambda: True).on_raw_thread_delete(gone)
    assert questions == []


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
    game, left = await begin(service, Pace.FAST), list[int]()
    async with service.store.write_transaction() as tx:
        await tx.run_sql("UPDATE events SET kind = 250 WHERE match = ? AND seq = 3", (game.id,))
    woken: Any = make_service(service.store, service.shuffle)

    async def places_of_live_games(guild: int) -> list[object]:
        left.append(guild)
        return []

    woken.places_of_live_games = places_of_live_games
    context: Any = SimpleNamespace(service=woken, deleted={}, background=BackgroundTasks())
    unused: Any = None
    places = Places(context, unused, lambda: True)

    channel: Any = SimpleNamespace(id=CHANNEL, guild=SimpleNamespace(id=GUILD))
    await places.on_guild_channel_delete(channel)
    await context.background.finish_tasks(1)
    assert context.deleted == {CHANNEL: True}
    assert left == [GUILD]
