"""The cost of a move in service and store after years of games."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, time

from bot.core.listings import MessageRef
from bot.features import make_service
from bot.play.service import Service
from bot.store import Store
from bot.store.connection import Database
from tests import bench
from tests.bench import Figure
from tests.bench.crowd import Running, build
from tests.bench.discord_stub import guild_id, user_id
from tests.bot import acts

LIVE, GUILDS = 2_000, 200
MOVES, LOOKS = 600, 200


def figures() -> Iterator[Figure]:
    """Three databases whose moves take turns, so that other load on the machine affects all of them equally."""
    sizes = (100, 1_000, 10_000) if bench.short else (100, 10_000, 1_000_000)
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        yield from grown({size: Path(name) / f"{size}.db" for size in sizes}, 1.3)


def grown(databases: Mapping[int, Database], limit: float) -> list[Figure]:
    """Yields the growth of a move and a tick in databases with these numbers of finished games."""
    games = {size: build(database, finished=size, live=LIVE, guilds=GUILDS) for size, database in databases.items()}
    os.sync()  # otherwise the disk would still be busy at the first move
    return asyncio.run(_grown(databases, games, limit))


async def _grown(databases: Mapping[int, Database], games: dict[int, list[Running]], limit: float) -> list[Figure]:
    moved: dict[int, list[float]] = {size: [] for size in games}
    ticked: dict[int, list[float]] = {size: [] for size in games}
    async with AsyncExitStack() as stack:
        stores = {size: await stack.enter_async_context(Store.open(database)) for size, database in databases.items()}
        services = {size: make_service(store) for size, store in stores.items()}
        chance = random.Random(1)
        for number in chance.sample(range(LIVE), MOVES):
            for size in chance.sample(sorted(games), len(games)):
                moved[size].append(await _move(services[size], games[size][number]))
        for _ in range(LOOKS):
            for size in chance.sample(sorted(games), len(games)):
                ticked[size].append(await _tick(services[size]))
    return [_growth("a move", moved, limit), _growth("a tick without anything to do", ticked, limit)]


def _growth(what: str, seconds: dict[int, list[float]], limit: float) -> Figure:
    """Returns the ratio of the most to the least expensive size, in the quieter half of the samples."""
    quiet = {size: quantiles(found, n=4)[0] for size, found in seconds.items()}
    detail = ", ".join(f"{one * 1e6:.0f} us with {size}" for size, one in quiet.items())
    return Figure(f"{what}: growth with the finished games", max(quiet.values()) / min(quiet.values()), limit, detail)


async def _move(service: Service, game: Running) -> float:
    """Returns the seconds of all queries of a move: finding the game, the move, its news, and marking it announced."""
    following = game.next()
    assert following is not None
    user, move = following
    guild, player = guild_id(game.guild), user_id(game.guild, user)
    begun = perf_counter()
    waiting = await service.games_of(guild, player)
    await acts.move(service, game.id, guild, player, move, int(time()))
    for item in await service.unannounced_news(game.id):
        await service.mark_announced(game.id, item.seq, MessageRef(1, 1))
    took = perf_counter() - begun
    assert game.id in [one.id for one in waiting]
    return took


async def _tick(service: Service) -> float:
    begun = perf_counter()
    assert await service.upkeep.tick(int(time())) == []
    assert await service.reader.unannounced_matches() == []
    return perf_counter() - begun
