"""The store beside plain aiosqlite and plain sqlite3: the same statements, the same files, the same disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import aiosqlite

from bot.core.deadlines import next_tick_at, time_runs_out_at
from bot.core.events import Event, EventKind
from bot.core.fold import replay_match
from bot.core.match import Match
from bot.features import make_service
from bot.store import Store
from tests.bench import Figure
from tests.bench.story import story
from tests.bot.databases import bytes_per_move

PLIES = 60
GAMES = 4
LOADS = 300

UPDATE = (
    "UPDATE matches SET phase = ?, to_move = ?, ply = ?, seq = ?, newsworthy = ?, moved_at = ?, deadline = ?,"
    " time_runs_out_at = ?, updated = ? WHERE id = ?"
)
INSERT = "INSERT INTO events (match, seq, at, kind, user, body) VALUES (?, ?, ?, ?, ?, ?)"
SELECT = "SELECT seq, at, kind, user, body FROM events WHERE match = ? ORDER BY seq"


def figures() -> Iterator[Figure]:
    """Yields the figures of durable appends, loading a game, and the size of a move."""
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:  # a temporary folder may be in memory
        folder = Path(name)
        yield asyncio.run(_appends(folder))
        yield from asyncio.run(_loads(folder))
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


async def _loads(folder: Path) -> list[Figure]:
    """Returns the figures of loading a game of 60 moves, by the store and by sqlite3, without and with replaying."""
    path = folder / "loads.db"
    events = story(1, PLIES).events
    async with Store.open(path) as store:
        match = replay_match(0, events)
        async with store.write_transaction() as tx:
            number = await tx.add_match(match, events)
        with closing(sqlite3.connect(path)) as base:
            pairs = [
                (
                    _read(base, number),
                    await _timed(lambda: store.reader.load_events(number)),
                    await _timed(_load(store, number)),
                )
                for _ in range(LOADS)
            ]
    direct, ours, whole = (median(column) for column in zip(*pairs, strict=True))
    details = (f"{ours * 1e6:.0f} us, sqlite3 {direct * 1e6:.0f} us", f"{whole * 1e6:.0f} us")
    return [
        Figure(f"events of {PLIES} moves / direct sqlite3 read", ours / direct, 5, details[0]),
        Figure(f"game of {PLIES} moves, ms", whole * 1e3, 5, details[1]),
    ]


def _load(store: Store, number: int) -> Callable[[], Awaitable[Match]]:
    """Loads the game from scratch, as after a restart."""
    return lambda: make_service(store).load_match(store.reader, number)


def _read(base: sqlite3.Connection, number: int) -> float:
    begun = perf_counter()
    rows = base.execute(SELECT, (number,)).fetchall()
    tuple(Event(seq, at, EventKind(kind), user, body) for seq, at, kind, user, body in rows)
    return perf_counter() - begun


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
