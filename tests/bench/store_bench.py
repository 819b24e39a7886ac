"""The store beside plain aiosqlite: the same statements, the same files, the same disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import aiosqlite

from bot.core.deadlines import next_tick_at, time_runs_out_at
from bot.core.events import Event
from bot.core.fold import replay_match
from bot.core.match import Match
from bot.store import Store
from tests.bench import Figure
from tests.bench.story import story
from tests.bot.databases import bytes_per_move

PLIES = 60
GAMES = 4

UPDATE = (
    "UPDATE matches SET phase = ?, to_move = ?, ply = ?, seq = ?, newsworthy = ?, moved_at = ?, deadline = ?,"
    " time_runs_out_at = ?, updated = ? WHERE id = ?"
)
INSERT = "INSERT INTO events (match, seq, at, kind, user, body) VALUES (?, ?, ?, ?, ?, ?)"


def figures() -> Iterator[Figure]:
    """Yields the figures of durable appends and the size of a move."""
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:  # a temporary folder may be in memory
        folder = Path(name)
        yield asyncio.run(_appends(folder))
        yield _size(folder)


async def _appends(folder: Path) -> Figure:
    """Returns the figure of a durable move: by turns the store and aiosqlite store one, since the disk is not equally
    fast all the time."""
    games = [tuple(story(1, PLIES).numbered(number)) for number in await _begun(folder / "ours.db", GAMES)]
    await _begun(folder / "plain.db", GAMES)
    pairs = list[tuple[float, float]]()
    async with Store.open(folder / "ours.db") as store, aiosqlite.connect(folder / "plain.db") as base:
        for pragma in ("foreign_keys = ON", "journal_mode = WAL", "synchronous = FULL"):
            await base.execute(f"PRAGMA {pragma}")
        for match, told in chain.from_iterable(games):
            pairs.append(
                (await _timed(partial(_plain, base, match, *told)), await _timed(partial(_ours, store, match, told)))
            )
    theirs, ours = (median(column) for column in zip(*pairs, strict=True))
    detail = f"{1e6 * ours:.0f} us, aiosqlite {1e6 * theirs:.0f} us"
    return Figure("durable moves a second / plain aiosqlite", theirs / ours, 0.8, detail, at_least=True)


async def _plain(base: aiosqlite.Connection, match: Match, event: Event) -> None:
    """Stores a move by aiosqlite as in its manual: execute, execute, commit."""
    row = (match.phase.value, match.to_move, match.ply, match.seq, match.seq, match.clock.turn_began_at)
    await base.execute(UPDATE, (*row, next_tick_at(match, {}), time_runs_out_at(match, {}), event.at, match.id))
    await base.execute(INSERT, (match.id, event.seq, event.at, event.kind.value, event.user, event.body))
    await base.commit()


async def _ours(store: Store, match: Match, told: tuple[Event, ...]) -> None:
    async with store.write_transaction() as tx:
        await tx.append_events(match, told)


async def _begun(path: Path, games: int) -> list[int]:
    """Returns the numbers of games that have just begun, in a new database."""
    beginning = story(1, PLIES).beginning
    async with Store.open(path) as store:
        match = replay_match(0, beginning)
        async with store.write_transaction() as tx:
            return [await tx.add_match(match, beginning) for _ in range(games)]


async def _timed(call: Callable[[], Awaitable[object]]) -> float:
    begun = perf_counter()
    await call()
    return perf_counter() - begun


def _size(folder: Path) -> Figure:
    """Returns the figure of a move's size in the file."""
    path = folder / "size.db"
    games = [story(seed, PLIES).events for seed in range(20)]

    async def fill() -> None:
        async with Store.open(path) as store:
            for events in games:
                async with store.write_transaction() as tx:
                    await tx.add_match(replay_match(0, events), events)

    asyncio.run(fill())
    return Figure("bytes a move", bytes_per_move(path), 30)
