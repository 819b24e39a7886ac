"""Applies plans within a transaction: each event advances them, and due plans play their moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from bot.core.deadlines import PeopleById
from bot.core.events import Event
from bot.core.match import Match
from bot.core.turns import play_planned_move
from bot.plans import plan as planning
from bot.plans import rows as plans_store
from bot.plans.plan import Plan
from bot.store import Reader, Writer


class PlanFollowUps:
    """All plans for a match. See `StoredFollowUps`."""

    def __init__(self, stored: Sequence[Plan], now: int) -> None:
        self._stored = tuple(stored)
        # A vacation that plans waited for ends only once, whether or not the plans still stand.
        self.plans = tuple(
            replace(plan, waits_until=None) if plan.waits_until is not None and plan.waits_until <= now else plan
            for plan in stored
        )

    @classmethod
    async def load(cls, reader: Reader, match: Match, now: int) -> Self:
        """Loads the plans of the match."""
        return cls(await plans_store.plans_of_match(reader, match.id), now)

    def note_event(self, event: Event, before: Match, after: Match) -> None:
        """Advances the plans by that event, or ends them."""
        self.plans = planning.plans_after_event(self.plans, event, before, after)

    def propose_events(self, match: Match, user: int, people: PeopleById, now: int) -> tuple[Event, ...]:
        """Returns the move of the player's due plan, unless the plan waits.

        A due plan whose move may not be played has fallen, and so have the plans after it.
        """
        due = planning.first_due_plan(self.plans, user)
        if due is None:
            return ()
        if planning.must_wait(match, due, people, now):
            self.plans = tuple(
                replace(plan, waits_until=planning.vacation_end(match, plan, people, now))
                if plan.user == user and plan.is_due
                else plan
                for plan in self.plans
            )
            return ()
        if move := planning.due_move(due, match.started_game.position):
            return play_planned_move(match, move, now, people)
        self.plans = tuple(
            planning.end_by_guard(plan, match) if plan.user == user and plan.is_due else plan for plan in self.plans
        )
        return ()

    async def save(self, tx: Writer, match: Match) -> None:
        """Stores the changed plans."""
        await plans_store.save_plans(tx, self._stored, self.plans, match.variant)
