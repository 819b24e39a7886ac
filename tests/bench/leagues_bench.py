"""Leagues: how long the largest table takes to draw, and what leagues at rest cost a tick."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import AsyncExitStack
from itertools import product
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from bot.core.clock import DAY, Pace
from bot.features import make_service
from bot.leagues import rows
from bot.leagues.feature import LEAGUES
from bot.leagues.files import draw_crosstables
from bot.leagues.groups import GameScore, make_schedule, shared_points
from bot.leagues.league import LeagueTerms, SignUp, open_league
from bot.leagues.season import LeagueGame, LeagueSeat, make_groups
from bot.leagues.season_service import Seasons
from bot.play.service import Service
from bot.store import Store
from render import run_steps
from tests import bench
from tests.bench import Figure
from tests.bot.playing import CHANNEL, GUILD, NOW

ROUNDS = 15
LEAGUES_AT_REST = 50
"""Five times what a server may have that are not closed."""
PEOPLE = 10
GROUP = 10
"""The people of the largest group."""


def figures() -> Iterator[Figure]:
    """The table of the largest group in double rounds, then the tick."""
    yield _table()
    yield asyncio.run(_tick_at_rest())


def _table() -> Figure:
    chance = random.Random(1)
    fixtures = [fixture.seats for fixture in make_schedule(GROUP, 2, double=True)]
    scores = [GameScore(seats, shared_points(2, chance.choice(((0,), (1,), (0, 1))))) for seats in fixtures]
    seats = tuple(LeagueSeat(0, entry, entry) for entry in range(GROUP))
    games = tuple(LeagueGame(0, number, 0, score.seats, None, score.points) for number, score in enumerate(scores))
    terms = LeagueTerms("camette", least=GROUP, most=GROUP)
    names = {entry: f"Guðrún {'Ósvífursdóttir ' * (entry % 3)}{entry}" for entry in range(GROUP)}
    taken = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        run_steps(draw_crosstables("en", make_groups(seats, games, terms), names))
        taken.append(perf_counter() - begun)
    detail = f"double rounds; {taken[0] * 1000:.1f} ms when first seen"
    return Figure(f"a table of {GROUP} x {GROUP}, ms", quantiles(taken, n=4)[0] * 1000, 40, detail)


async def _tick_at_rest() -> Figure:
    """Ticks of two databases take turns, so that other load on the machine affects both equally."""
    seconds: dict[int, list[float]] = {0: [], LEAGUES_AT_REST: []}
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        async with AsyncExitStack() as stack:
            services = dict[int, Service]()
            for count in seconds:
                store = await stack.enter_async_context(Store.open(Path(name) / f"{count}.db"))
                services[count] = make_service(store)
                await _settle_leagues(services[count], count)
            for _ in range(50 if bench.short else 500):
                for count in random.sample(sorted(seconds), len(seconds)):
                    seconds[count].append(await _tick(services[count]))
    quiet = {count: quantiles(found, n=4)[0] for count, found in seconds.items()}
    detail = ", ".join(f"{one * 1e6:.0f} us with {count}" for count, one in quiet.items())
    growth = quiet[LEAGUES_AT_REST] / quiet[0]
    return Figure(f"a tick with {LEAGUES_AT_REST} leagues at rest beside one with none", growth, 1.1, detail)


async def _settle_leagues(service: Service, count: int) -> None:
    """Makes so many leagues, all in the midst of a season; everything that was due is done and posted."""
    seasons = service.part(Seasons)
    async with service.store.write_transaction() as tx:
        for number, user in product(range(count), range(1, PEOPLE + 1)):
            if user == 1:
                league = open_league(0, GUILD, CHANNEL, LeagueTerms("camette", Pace.NONE), NOW)
                league_id = await rows.add_league(tx, league, None)
            stored = await rows.load_league(tx, league_id)
            assert stored is not None
            await rows.set_sign_up(tx, stored, SignUp(number * PEOPLE + user), NOW)
            await rows.note_looked_up(tx, league_id, NOW + 7 * DAY)
    while await seasons.tick(NOW + 7 * DAY, lambda league, game: f"{league.id}, {game.number}"):
        pass
    for number in await seasons.leagues_with_news():
        for news in await seasons.news_of(number):
            await seasons.mark_posted(news, number)
    for number, _ in await service.unannounced_matches():
        match = await service.current_match(number, GUILD)
        await service.mark_announced(match.id, match.seq)


async def _tick(service: Service) -> float:
    """Returns the seconds of everything that is asked about games and leagues in a tick."""
    context: Any = SimpleNamespace(service=service, announcements_due=asyncio.Event())
    now = NOW + 8 * DAY
    begun = perf_counter()
    assert await service.upkeep.tick(now) == []
    assert await service.unannounced_matches() == []
    for job in (*LEAGUES.tick_jobs.values(), *LEAGUES.background_jobs.values()):
        await job(context, now)
    for make_outbox in LEAGUES.outboxes.values():
        assert await make_outbox(context).due_subjects() == []
    return perf_counter() - begun
