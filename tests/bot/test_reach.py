"""Which games have lost or regained their place: noted one by one, so that one failure stops no other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord

from bot.core.clock import Pace
from bot.play.background import BackgroundTasks
from bot.play.places.reach import PlaceChecker
from bot.play.service import Service
from tests.bot import acts
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.ticking import begin


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
