"""PostgreSQL beside SQLite, on one machine and one disk: how long a move takes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, time

from bot.core.turns import read_move
from bot.features import FEATURES
from bot.play.service import Service
from bot.store import Store
from bot.store.connection import Address
from tests.bench import Figure
from tests.bench.crowd import Running, build
from tests.bench.discord_stub import guild_id, user_id
from tests.bot import acts
from tests.postgresql import programs, running

LIVE, GUILDS = 300, 30


def figures() -> Iterator[Figure]:
    """Yields the time of a move; nothing if PostgreSQL is not installed. It flushes to the disk, as SQLite does."""
    if not programs():
        return
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name, running("shared_buffers=256MB") as cluster:
        path, address = Path(name) / "beside.db", cluster.new()
        games = [build(database, finished=1_000, live=LIVE, guilds=GUILDS) for database in (path, address)]
        yield asyncio.run(_moves(path, address, *games))


async def _moves(path: Path, address: Address, here: list[Running], there: list[Running]) -> Figure:
    """Yields the time of a move from the interaction until it is stored; the engines take turns."""
    took: tuple[list[float], list[float]] = [], []
    async with Store.open(path) as sqlite, Store.open(address) as postgresql:
        services = Service(sqlite, FEATURES), Service(postgresql, FEATURES)
        for service in services:
            await service.presence.note_present(int(time()))
        for games in zip(here, there, strict=True):
            for service, game, seconds in zip(services, games, took, strict=True):
                await service.current_match(game.id, guild_id(game.guild))
                seconds.append(await _move(service, game))
    ours, theirs = (median(seconds) for seconds in reversed(took))
    detail = f"{ours * 1e3:.2f} ms, SQLite {theirs * 1e3:.2f} ms"
    return Figure("PostgreSQL: a move until it is stored / SQLite", ours / theirs, 2, detail)


async def _move(service: Service, game: Running) -> float:
    """Returns the seconds of finding a game in memory and moving in it."""
    following = game.next()
    assert following is not None
    user, move = following
    guild = guild_id(game.guild)
    begun = perf_counter()
    match = await service.current_match(game.id, guild)
    user = user_id(game.guild, user)
    await acts.play_move(service, game.id, guild, user, read_move(match, user, move), match.board_version, int(time()))
    return perf_counter() - begun
