"""The end of a season: which games the house decides, and on which board."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.clock import Pace
from bot.leagues.posts import PROOF_DELAY_S, end_seasons
from bot.leagues.season_service import Seasons
from bot.play.engine import EngineAway, EngineFailed, EngineStuck
from bot.play.service import Service
from engine import find_forced_winner
from rules import parse_move
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
        assert name == "find_forced_winner"
        if isinstance(answer, Exception):
            raise answer
        return await answer() if callable(answer) else answer

    timings = SimpleNamespace(proof_timeout_s=10.0)
    due = SimpleNamespace(set=lambda: None)
    return SimpleNamespace(service=service, engine=SimpleNamespace(ask=ask), timings=timings, announcements_due=due)


async def verdict_of(service: Service, league: Any, number: int) -> str | None:
    (group,) = await groups(service, league)
    return next(game.verdict for game in group.games if game.match == number)


@pytest.mark.parametrize(
    ("answer", "expected"), [(0, PROVED), (1, PROVED), (None, SHARED), (EngineFailed("it crashed"), SHARED)]
)
async def test_every_proved_win_is_a_win(service: Service, answer: object, expected: set[str]) -> None:
    league, number = await half_played(service)
    await end_seasons(context_of(service, answer), END)
    assert await verdict_of(service, league, number) in expected


async def test_stopping_to_move_in_a_lost_position_does_not_pay(service: Service) -> None:
    league = await opened(service, CAMETTE._replace(pace=Pace.NONE), range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    number = group.games[0].match or 0
    for one in ["D3-D2", "B5-C4", "C3-B2", "C4-D3", "C2xE4", "C6-B6", "E4xC6xC4", "B6-B5", "B2-C2"]:
        match = await service.current_match(number, GUILD)
        chosen = parse_move(match.started_game.position, one)
        await service.play_move(number, GUILD, match.to_move or 0, chosen, BEGIN + 60, match.board_version)
    while await service.part(Seasons).tick(END, lambda league, game: "a game"):
        pass
    position = (await service.current_match(number, GUILD)).started_game.position
    assert position.turn == 1, "who has one move, a forced capture, and loses after it"
    await end_seasons(context_of(service, find_forced_winner(position)), END)
    (group,) = await groups(service, league)
    assert (group.games[0].points, group.games[0].verdict) == ((12, 0), "proved")


@pytest.mark.parametrize("trouble", [EngineAway("it restarts"), EngineStuck("the machine is busy")])
async def test_a_season_waits_some_hours_for_an_engine_that_gives_no_answer(
    service: Service, trouble: Exception
) -> None:
    league, number = await half_played(service)
    away = context_of(service, trouble)
    failed = list[str]()
    service.attempts.on_failure = failed.append
    await end_seasons(away, END)
    assert failed == [], "a busy machine is no failure"
    assert await verdict_of(service, league, number) is None
    assert (await now_of(service, league)).season == 1
    await end_seasons(away, END + PROOF_DELAY_S)
    assert await verdict_of(service, league, number) in SHARED


async def test_a_proof_counts_for_the_board_that_it_was_made_on(service: Service) -> None:
    league, number = await half_played(service)

    async def blunder() -> int:
        await move(service, number, END)
        return 0

    await end_seasons(context_of(service, blunder), END)
    assert await verdict_of(service, league, number) is None
    await end_seasons(context_of(service, None), END + 60)
    assert await verdict_of(service, league, number) in SHARED
    assert (await service.current_match(number, GUILD)).is_live
