"""Helpers for the tests of plans: positions to start at, confirmed plans, moves and lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.core.clock import HOUR, Pace
from bot.core.deadlines import Actor
from bot.core.match import Match
from bot.core.plans import Plan, with_free_replies
from bot.ladder import rows
from bot.plans.service import change_plan, draft_plan
from bot.play.service import Service
from bot.store import Writer
from bot.store.plans import plans_for_match
from rules import VARIANTS, format_move, legal_moves, parse_position
from tests.bot import acts
from tests.bot.beginning import begun
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW

JUDGE = 1099
WHY = "so be it"


def setup(monkeypatch: pytest.MonkeyPatch, position: str) -> None:
    """Has the position's variant start at it during the test."""
    built = parse_position(position)
    monkeypatch.setitem(VARIANTS, built.variant.key, replace(built.variant, setup=built.cells))


async def plan(service: Service, match: Match, user: int, line: str, *, away: bool = False) -> Plan:
    """Drafts and confirms a plan; returns it."""
    drawn = await draft_plan(service, Actor(user, NOW), match.id, line)
    await change_plan(service, Actor(user, NOW), drawn.id, lambda one: replace(one, plays_on_vacation=away))
    return (await change_plan(service, Actor(user, NOW), drawn.id, confirmed))[0]


def confirmed(plan: Plan) -> Plan:
    """Returns the plan, confirmed."""
    return replace(plan, is_confirmed=True)


def freed(*numbers: int) -> Callable[[Plan], Plan]:
    """Returns a change of a plan: these replies may be anything, and no others."""
    return lambda plan: with_free_replies(plan, numbers)


async def planned(
    service: Service, user: int, plies: int, key: str = "camelot", *, pace: Pace = Pace.FAST, away: bool = False
) -> tuple[Match, list[str]]:
    """Begins a game in which the user plans the first legal moves; returns the match and those moves."""
    match = await begun(service, key, pace)
    moves = line(match, plies)
    await plan(service, match, user, " ".join(moves), away=away)
    return match, moves


async def move(service: Service, match: Match, user: int, text: str, now: int = NOW + HOUR) -> Match:
    """Plays the move and returns the match after it."""
    return await acts.move(service, match.id, GUILD, user, text, now)


def line(match: Match, plies: int, *, choice: int = 0) -> list[str]:
    """Returns a legal line of so many plies from the match; `choice` selects among the moves of each position."""
    game, moves = match.started_game, list[str]()
    for _ in range(plies):
        found = legal_moves(game.position)
        moves.append(format_move(found[choice % len(found)], match.variant.board))
        game = game.play(moves[-1])
    return moves


async def asked_draw(service: Service, match: Match, user: int) -> Match:
    """Offers a draw and returns the match after the offer."""
    return await acts.offer_draw(service, match.id, GUILD, user, NOW + HOUR)


async def standing(service: Service, match: Match) -> list[int]:
    """Returns the planner of each plan for the match that still stands, in the order Ada, Bo, Cy, Dee."""
    return [
        one.user
        for user in (ADA, BO, CY, DEE)
        for one in await plans_for_match(service.reader, match.id, user)
        if one.is_alive
    ]


def signs_of_life(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Notes who has moved when, of the moves that count as one, instead of the ladder."""
    moved = list[tuple[int, int]]()

    async def note(_writer: Writer, _guild: int, user: int, at: int) -> None:
        moved.append((user, at))

    monkeypatch.setattr(rows, "note_move", note)
    return moved
