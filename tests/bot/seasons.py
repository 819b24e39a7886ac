"""Leagues through the service, for tests: opening them, what the bot does by itself, and playing their games."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core import leaving
from bot.core.clock import DAY, Pace
from bot.core.deadlines import Actor
from bot.leagues import rows, seasons
from bot.leagues import service as leagues
from bot.leagues.feature import LEAGUES
from bot.leagues.groups import Group, LeagueGame
from bot.leagues.league import League, LeagueError, LeagueProblem, LeagueTerms, SignOff, new_league
from bot.leagues.service import SignUpList, load_groups, load_sign_ups
from bot.play.announcing import ticker
from bot.play.context import JobKind
from bot.play.service import Service
from rules import Cause
from tests.bot import acts
from tests.bot.contexts import make_context, run_jobs
from tests.bot.played_ladders import play
from tests.bot.playing import CHANNEL, GUILD, NOW

CAMETTE = LeagueTerms("camette", Pace.FAST, weeks=2, least=3, most=4, movers=1)
TRI = LeagueTerms("tri-camelot", Pace.FAST, weeks=2, least=3, most=4, movers=1)
BEGIN = NOW + 7 * DAY
NOT_FOUND: Any = SimpleNamespace(status=404, reason="")


async def wants_edit(service: Service, league: League, now: int) -> bool:
    """True if the post of a league is to be edited."""
    due = "kind = 'league-table' AND key = ? AND due_at <= ?"
    return bool(await service.reader.find_jobs(due, (str(league.id), now)))


async def tell_all(service: Service) -> list[str]:
    """Takes all news as posted and all posts as edited. Returns the kinds of the news."""
    async with service.store.write_transaction() as tx:
        await tx.end_jobs(*await tx.find_jobs("kind IN ('league-news', 'league-table', 'league-thread')"))
        told = [news for league in await rows.leagues_of(tx, GUILD) for news in await rows.news_of(tx, league.id)]
        for news in told:
            await rows.drop_news(tx, news)
    return [news.kind.value for news in told]


async def opened(service: Service, terms: LeagueTerms, people: Iterable[int]) -> League:
    league = await leagues.open_league(service, new_league(0, GUILD, CHANNEL, terms, NOW))
    for user in people:
        await leagues.join_league(service, Actor(user, NOW, GUILD), league.id)
    return league


async def begun(service: Service, terms: LeagueTerms, people: Iterable[int]) -> tuple[League, Group]:
    """Returns a league whose season has begun, and its only group."""
    league = await opened(service, terms, people)
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    return await now_of(service, league), group


async def lose_on_time(service: Service, group: Group, game: LeagueGame, user: int) -> None:
    seat = group.users_of(game).index(user)
    await service.change_match(
        game.match or 0, lambda match, _: leaving.leave_seat(match, Actor(user, BEGIN + DAY), seat, Cause.TIMEOUT)
    )


@contextmanager
def refuses(problem: LeagueProblem) -> Iterator[None]:
    """The league refuses what the block asks for, with that reason."""
    with pytest.raises(LeagueError) as refused:
        yield
    assert refused.value.problem is problem


JOBS = [kind for kind in LEAGUES.work if isinstance(kind, JobKind) and kind.in_timeout]
"""The kinds of jobs that post nothing."""


async def tick(service: Service, now: int, gone: Collection[int] = ()) -> None:
    """Does what the bot does by itself, without the posts; `gone` are people who have left the server."""
    await seasons.tick_seasons(service, now)
    while await do_jobs(service, now, gone):
        await seasons.tick_seasons(service, now)


async def do_jobs(service: Service, now: int, gone: Collection[int] | None = (), answer: Any = None) -> bool:
    """Does the jobs that are due and post nothing. Returns False if there are none. `gone` are people who have left the
    server, None while Discord cannot say.

    The engine gives that answer when a game is adjudicated: a seat, what a function returns, or an error.
    """

    async def ask(name: str, position: object, *, within: float) -> object:
        assert name == "find_forced_winner"
        if isinstance(answer, Exception):
            raise answer
        return await answer() if callable(answer) else answer

    async def fetch_members(_: int, users: Sequence[int]) -> set[int]:
        if gone is None:
            raise TimeoutError
        return {*users} - {*gone}

    client = SimpleNamespace(get_guild=lambda _: SimpleNamespace(id=GUILD, me=None))
    names, engine = SimpleNamespace(fetch_members=fetch_members), SimpleNamespace(ask=ask)
    context = make_context(service, client=client, engine=engine, names=names)
    due = [job for job in await service.reader.due_jobs(now) if job.kind in {kind.kind for kind in JOBS}]
    with pytest.MonkeyPatch.context() as patch:
        for module in (seasons, ticker):
            patch.setattr(module, "now", lambda: now)
        await run_jobs(ticker.Jobs(context, JOBS), context)
    return bool(due)


async def sign_ups(service: Service, league: League) -> SignUpList:
    return await load_sign_ups(service.reader, league)


async def signed_up(service: Service, league: League) -> list[int]:
    """Returns who gets a seat if the next season begins now."""
    return [*(await sign_ups(service, league)).ready]


async def sign_up_again(service: Service, league: League, now: int) -> None:
    """Signs everybody up again who was signed off because they made no move, and may play."""
    for user in (await sign_ups(service, league)).signed_off.get(SignOff.IDLE, ()):
        with suppress(LeagueError):  # they have games to finish
            await leagues.join_league(service, Actor(user, now, GUILD), league.id)


async def now_of(service: Service, league: League) -> League:
    return await leagues.find_league(service, GUILD, league.id)


async def kinds(service: Service, league: League) -> list[str]:
    return [news.kind.value for news in await rows.news_of(service.reader, league.id)]


async def groups(service: Service, league: League, season: int = 1) -> tuple[Group, ...]:
    return await load_groups(service.reader, league, season)


async def winners(service: Service, league: League) -> dict[int, list[int]]:
    return await rows.winners_of(service.reader, league.id)


async def resign(service: Service, match: int, user: int, now: int) -> None:
    await acts.resign(service, match, GUILD, user, now)


async def move(service: Service, number: int, now: int) -> None:
    await play(service, await service.current_match(number, GUILD), now, 1)
