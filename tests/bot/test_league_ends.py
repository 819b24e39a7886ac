"""The end of a season: which games the house decides, and on which board."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.leagues.posts import PROOF_DELAY_S, end_seasons
from bot.leagues.season_service import Seasons
from bot.play.engine import EngineAway, EngineStuck
from bot.play.service import Service
from tests.bot.playing import GUILD
from tests.bot.seasons import BEGIN, CAMETTE, groups, move, now_of, opened, tick

END = BEGIN + 14 * 24 * 3600
PROVED = {"proved"}
SHARED = {"shared", "shared-slow"}


async def half_played(service: Service) -> tuple[Any, int]:
    """Returns a league whose season ends, and one of its games, in which both have moved; the others are not begun."""
    league = await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    number = group.games[0].match or 0
    for _ in range(4):
        await move(service, number, BEGIN + 60)
    while await service.part(Seasons).tick(END, lambda league, game: "a game"):
        pass
    return league, number


def context_of(service: Service, answer: Any) -> Any:
    """Returns what the job needs; the engine answers so, or raises it."""

    async def ask(name: str, position: object, *, within: float) -> object:
        assert name == "has_forced_win"
        if isinstance(answer, Exception):
            raise answer
        return await answer() if callable(answer) else answer

    timings = SimpleNamespace(proof_timeout_s=10.0)
    due = SimpleNamespace(set=lambda: None)
    return SimpleNamespace(service=service, engine=SimpleNamespace(ask=ask), timings=timings, announcements_due=due)


async def verdict_of(service: Service, league: Any, number: int) -> str | None:
    (group,) = await groups(service, league)
    return next(game.verdict for game in group.games if game.match == number)


@pytest.mark.parametrize(("answer", "expected"), [(True, PROVED), (False, SHARED), (EngineStuck("slow"), SHARED)])
async def test_every_proved_win_is_a_win(service: Service, answer: object, expected: set[str]) -> None:
    league, number = await half_played(service)
    await end_seasons(context_of(service, answer), END)
    assert await verdict_of(service, league, number) in expected


async def test_a_season_waits_some_hours_for_an_engine_that_is_away(service: Service) -> None:
    league, number = await half_played(service)
    away = context_of(service, EngineAway("it restarts"))
    await end_seasons(away, END)
    assert await verdict_of(service, league, number) is None
    assert (await now_of(service, league)).season == 1
    await end_seasons(away, END + PROOF_DELAY_S)
    assert await verdict_of(service, league, number) in SHARED


async def test_a_proof_counts_for_the_board_that_it_was_made_on(service: Service) -> None:
    league, number = await half_played(service)

    async def blunder() -> bool:
        await move(service, number, END)
        return True

    await end_seasons(context_of(service, blunder), END)
    assert await verdict_of(service, league, number) is None
    await end_seasons(context_of(service, False), END + 60)
    assert await verdict_of(service, league, number) in SHARED
    assert (await service.current_match(number, GUILD)).is_live
