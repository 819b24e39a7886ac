"""The time for pages of a big server's ladder, with 5,000 people, of whom 1,000 climb, and 50,000 finished games."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bot.core.clock import DAY
from bot.features import make_service
from bot.ladder.rows import format_state
from bot.ladder.service import Ladders
from bot.ladder.state import Climber, Ladder, LadderId
from bot.profile.service import Profiles
from bot.store import Store
from tests.bench import Figure
from tests.bot.playing import GUILD, NOW

PEOPLE, CLIMBERS, GAMES = 5_000, 1_000, 50_000
FIRST = 200_000_000_000_000_000
ROUNDS = 30
VARIANT = "camelot"


def figures() -> Iterator[Figure]:
    """Yields the times of the pages that people ask for most."""
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        yield from asyncio.run(_pages(Path(name) / "ladder.db"))


async def _pages(path: Path) -> list[Figure]:
    async with Store.open(path):
        pass
    _fill(path)
    chance = random.Random(1)
    async with Store.open(path) as store:
        service = make_service(store)

        def somebody() -> int:
            return FIRST + chance.randrange(CLIMBERS)

        asked: dict[str, tuple[float, Callable[[], Awaitable[object]]]] = {
            "/ladder show": (
                50,
                lambda: service.part(Ladders).ladder_page(
                    LadderId(GUILD, VARIANT), chance.randrange(50), NOW, somebody()
                ),
            ),
            "/ladder leaderboard": (
                50,
                lambda: service.part(Profiles).leaderboard_page(GUILD, VARIANT, chance.randrange(250), NOW, somebody()),
            ),
            "/ladder challenge, autocomplete": (
                100,
                lambda: service.part(Ladders).challengeable_climbers(LadderId(GUILD, VARIANT), somebody(), NOW),
            ),
            "/ladder profile": (50, lambda: service.part(Profiles).profiles_of(GUILD, somebody())),
            "/game history": (50, lambda: service.history.find_games(GUILD, somebody())),
        }
        return [
            Figure(f"{name}, {PEOPLE} people, {GAMES} games, ms", 1e3 * await _timed(ask), limit)
            for name, (limit, ask) in asked.items()
        ]


async def _timed(ask: Callable[[], Awaitable[object]]) -> float:
    """Returns the median seconds of several calls."""
    taken = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        assert await ask()
        taken.append(perf_counter() - begun)
    return median(taken)


def _fill(path: Path) -> None:
    """Rows as years of play would leave them; the stories of the games, which nobody asks for here, are left out."""
    chance = random.Random(2)
    people = [FIRST + number for number in range(PEOPLE)]
    with closing(sqlite3.connect(path)) as base, base:
        ladder = Ladder(2)
        for user in people[:CLIMBERS]:
            step, wins, losses = int(chance.expovariate(0.5)), chance.randrange(9), chance.randrange(9)
            ladder.climbers[user] = Climber(user, NOW - 400 * DAY, step, wins=wins, losses=losses)
        base.execute(
            "INSERT INTO ladders (guild, variant, state, channel) VALUES (?, ?, ?, 1)",
            (GUILD, VARIANT, format_state(ladder)),
        )
        base.executemany(
            "INSERT INTO climbers VALUES (?, ?, ?, ?)",
            [(GUILD, VARIANT, user, NOW - chance.randrange(25 * DAY)) for user in ladder.climbers],
        )
        base.executemany(
            "INSERT INTO ratings VALUES (?, ?, ?, ?, ?, 20, ?, ?, ?)",
            [
                (GUILD, VARIANT, user, mu, 2.5, NOW, round(1500 + 27 * (mu - 25)), NOW + 999 * DAY)
                for user in people
                for mu in [chance.gauss(25, 6)]
            ],
        )
        _fill_games(base, chance, people)


def _fill_games(base: sqlite3.Connection, chance: random.Random, people: list[int]) -> None:
    for number in range(1, GAMES + 1):
        one, two = chance.sample(people, 2)
        at = NOW - 400 * DAY + number * 600
        base.execute(
            "INSERT INTO matches (id, guild, channel, variant, phase, ply, seq, moved_at, updated)"
            " VALUES (?, ?, 1, ?, 'over', 40, 43, ?, ?)",
            (number, GUILD, VARIANT, at, at),
        )
        base.execute(
            "INSERT INTO results VALUES (?, ?, ?, ?, ?, 'castle', 1, 1, 40, ?, ?, '', '', ?, 0)",
            (number, GUILD, VARIANT, at, at, f"{one},{two}", str(one), f"{min(one, two)},{max(one, two)}"),
        )
        for user, outcome in ((one, "won"), (two, "lost")):
            share = (number, user, GUILD, VARIANT, at, outcome, 0, "F7-F8", 20, 9_999, 0)
            base.execute("INSERT INTO shares VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", share)
            change = (number, user, 25.0, 3.0, 9, at - DAY, 25.5, 2.9, 10, at)
            base.execute("INSERT INTO rating_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", change)
