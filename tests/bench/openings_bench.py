"""The cost of openings: looking positions up among very many games, and counting the moves of games as they end."""

from __future__ import annotations

import asyncio
import random
import resource
import sqlite3
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import asyncpg

from bot.core import leaving
from bot.core.events import Seating
from bot.features import FEATURES, make_service
from bot.openings.feature import OPENINGS
from bot.openings.index import GameFilter, IndexedPosition, index_position
from bot.openings.service import Openings
from bot.play.service import Service
from bot.store import Store
from bot.store.address import Address, Database
from rules import VARIANTS, Game, legal_moves
from tests import bench
from tests.bench import Figure
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, unshuffled
from tests.postgresql import programs, running

SLOWEST_MS, COUNTING_MS = 50, 10
PLIES, ROUNDS = 40, 60
"""Moves of a game that is played, and games played with and without openings."""


def figures() -> Iterator[Figure]:
    """Yields the figures of SQLite, and of PostgreSQL where it is installed."""
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        yield from asyncio.run(_measured("SQLite", [Path(name) / f"{number}.db" for number in range(2)]))
        if programs():
            with running() as cluster:
                yield from asyncio.run(_measured("PostgreSQL", [cluster.new() for _ in range(2)]))


async def _measured(engine: str, databases: list[Database]) -> list[Figure]:
    games = 2_000 if bench.short else 100_000
    others = [feature for feature in FEATURES if feature is not OPENINGS]
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(Store.open(database)) for database in databases]
        counting = make_service(stores[0], unshuffled)
        plain = make_service(stores[1], unshuffled, features=others)
        costs = await _cost_of_moves(engine, counting, plain)
    await _multiply(databases[0], games)
    async with Store.open(databases[0]) as store:
        return [*costs, *await _look_ups(engine, make_service(store, unshuffled), games)]


async def _cost_of_moves(engine: str, counting: Service, plain: Service) -> list[Figure]:
    """Returns what the moves and the end of games cost more than without openings, and what counting them costs.

    Games are counted in the background, one at a time, in which moves go first.
    """
    with_openings, without, counted = list[float](), list[float](), list[float]()
    for number in range(ROUNDS):
        for service, seconds in ((counting, with_openings), (plain, without)):
            match, took = await _play(service, number)
            seconds.append(took)
            if service is counting:
                begun = perf_counter()
                await service.part(Openings).count_match(match)
                counted.append(perf_counter() - begun)
    more, bare, count_ms = median(with_openings), median(without), median(counted) * 1e3
    detail = f"{more * 1e3 / PLIES:.2f} ms a move, {bare * 1e3 / PLIES:.2f} without"
    share = f"{count_ms / (bare * 1e3):.1%} of its {PLIES} moves"
    return [
        Figure(f"{engine}: moves and ends of games, with openings / without", more / bare, 1.05, detail),
        Figure(f"{engine}: counting a game afterwards, ms", count_ms, COUNTING_MS, share),
    ]


async def _play(service: Service, number: int) -> tuple[int, float]:
    """Plays a game; returns its number and the seconds of its moves and its end."""
    match = await service.open_table(GUILD, CHANNEL, ADA, "camelot", [], Seating.JOIN_ORDER, False, NOW)
    match = await service.join_table(match.id, GUILD, BO, NOW)
    seconds, chance = 0.0, random.Random(number)
    for ply in range(PLIES):
        if match.to_move is None:
            break
        chosen = chance.choice(legal_moves(match.started_game.position))
        begun = perf_counter()
        match = await service.play_move(match.id, GUILD, match.to_move, chosen, NOW + ply, match.board_version)
        seconds += perf_counter() - begun
    begun = perf_counter()
    if match.to_move is not None:
        loser = match.to_move
        await service.act_on_match(match.id, GUILD, lambda one, _: leaving.resign(one, loser, NOW + PLIES))
    return match.id, seconds + perf_counter() - begun


_COPIED_SQL = (
    # Every third copy stays with its original, the others leave it after the first move.
    "INSERT INTO opening_games SELECT match + {step} * n,"
    " position + CASE WHEN position = {start} OR n % 3 = 0 THEN 0 ELSE n END,"
    " move, guild, kind, at + n, first, second, third"
    " FROM opening_games, copies"
)
_SUMS_SQL = (
    "INSERT INTO opening_moves SELECT guild, position, kind, move, count(*), sum(first), sum(second), sum(third),"
    " max(at) FROM opening_games GROUP BY guild, position, kind, move"
)


async def _multiply(database: Database, games: int) -> None:
    """Adds copies of the counted games to the index, until it has that many; most of them soon leave the others."""
    start = index_position(VARIANTS["camelot"].start_position).number
    copies = games // ROUNDS
    numbers = f"WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < {copies})"
    copied = _COPIED_SQL.format(step=ROUNDS * 10, start=start)
    statements = ("DELETE FROM opening_moves", f"{numbers} {copied}", _SUMS_SQL, "ANALYZE")
    if isinstance(database, Address):
        base = await asyncpg.connect(database.url)
        try:
            for statement in statements:
                await base.execute(statement)
        finally:
            await base.close()
        return
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        for statement in statements[:3]:
            connection.execute(statement)


async def _look_ups(engine: str, service: Service, games: int) -> list[Figure]:
    """Returns the time to look up the start and later positions."""
    game, positions = Game.start(VARIANTS["camelot"]), list[IndexedPosition]()
    for _ in range(6):
        positions.append(index_position(game.position))
        game = game.apply(legal_moves(game.position)[0])
    took = list[float]()
    for indexed in positions * 5:
        begun = perf_counter()
        await _look_up(service, indexed)
        took.append((perf_counter() - begun) * 1e3)
    [first] = [sum(move.games for move in await service.part(Openings).moves_at(GUILD, positions[0], GameFilter()))]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    detail = f"median {median(took):.1f} ms, {first} games at the start, peak memory of the bench {memory:.0f} MB"
    return [Figure(f"{engine}: a position among {games} games, slowest, ms", max(took), SLOWEST_MS, detail)]


async def _look_up(service: Service, indexed: IndexedPosition) -> None:
    openings, everything = service.part(Openings), GameFilter()
    for move in (await openings.moves_at(GUILD, indexed, everything))[:8]:
        await openings.game_with_move(GUILD, indexed, move, everything)
    await openings.latest_games(GUILD, indexed, everything, 0, 10)
