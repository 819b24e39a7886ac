"""What cannot be planned."""

from __future__ import annotations

import pytest

from bot.core.problems import Problem
from bot.plans.plan import MAX_PLAN_MOVES, MAX_PLANS
from bot.plans.service import Plans
from bot.play.service import Service
from rules import IllegalMove
from tests.bot.beginning import begun
from tests.bot.planning import line, plan
from tests.bot.playing import ADA, BO, DEE, GUILD, refused


async def test_what_is_no_plan_is_refused(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    with refused(Problem.PLAN_EMPTY):
        await plan(service, match, BO, moves[0])
    with refused(Problem.PLAN_EMPTY):
        await plan(service, match, ADA, " ".join(moves[:2]))
    with refused(Problem.PLAN_OWN_ANYTHING):
        await plan(service, match, BO, f"{moves[0]} {moves[1]}*")
    with pytest.raises(IllegalMove):
        await plan(service, match, BO, f"{moves[0]} {moves[0]}")
    with refused(Problem.NOT_A_PLAYER):
        await plan(service, match, DEE, " ".join(moves))
    with refused(Problem.NO_SUCH_GAME):
        await service.part(Plans).draft_plan(match.id, GUILD + 1, BO, " ".join(moves))
    assert await service.part(Plans).plans_of(BO) == ()


async def test_an_unknown_condition_is_refused_and_not_ignored(service: Service) -> None:
    match = await begun(service)
    own, reply = line(match, 2)
    with refused(Problem.PLAN_BAD_GUARD, letters="s, p, c"):
        await plan(service, match, BO, f"{own}*kx {reply}")


async def test_plans_have_limits(service: Service) -> None:
    match = await begun(service)
    with refused(Problem.PLAN_TOO_LONG, most=MAX_PLAN_MOVES):
        await plan(service, match, BO, " ".join(line(match, MAX_PLAN_MOVES + 1)))
    for choice in range(MAX_PLANS):
        await plan(service, match, BO, " ".join(line(match, 2, choice=choice)))
    with refused(Problem.TOO_MANY_PLANS, most=MAX_PLANS):
        await plan(service, match, BO, " ".join(line(match, 2, choice=MAX_PLANS)))
