"""Players' plans for their games, visible only to themselves. Events advance them, and due plans play their moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Self

from bot.core.deadlines import PeopleById
from bot.core.events import Event
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.core.turns import play_planned_move
from bot.plans import plan as planning
from bot.plans import rows as plans_store
from bot.plans.plan import Plan, PlanEnd
from bot.play.service.matches import ServicePart
from bot.store import Reader, Writer


class Plans(ServicePart):
    """The plans of each person in their games."""

    async def plans_of(self, user: int) -> tuple[Plan, ...]:
        """Returns a user's plans in all games, including unconfirmed and fallen ones."""
        return await plans_store.plans_of_user(self._reader, user)

    async def plans_for_match(self, match_id: int, user: int) -> tuple[Plan, ...]:
        """Returns the user's plans for that match, including unconfirmed and fallen ones."""
        return tuple(plan for plan in await plans_store.plans_of_match(self._reader, match_id) if plan.user == user)

    async def plan_of(self, plan_id: int, user: int) -> Plan:
        """Returns the plan. Raises NO_SUCH_PLAN if it does not exist or belongs to another user."""
        return await _load_plan(self._reader, plan_id, user)

    async def missed_reason(self, match: Match, user: int) -> PlanEnd | None:
        """Returns why no plan of the user was played although it is their turn; None if there is nothing to report."""
        if match.to_move != user:
            return None
        return planning.missed_reason(await self.plans_for_match(match.id, user), user)

    async def draft_plan(self, match_id: int, guild: int, user: int, line: str, *, away: bool = False) -> Plan:
        """Makes an unconfirmed plan of the typed line, and returns it; see `parse_typed_line`.

        Replaces the user's unconfirmed plan for that match. Raises what `parse_typed_line` raises, NO_PIECES,
        and what `require_playing` raises.
        """
        async with self._store.write_transaction() as tx:
            match = await self._matches.load_match(tx, match_id, guild)
            match.require_playing(user)
            match.refuse_if(user not in match.still_in, Problem.NO_PIECES)
            seat = match.players.index(user)
            moves = planning.parse_typed_line(match, seat, line)
            return await _store_draft(
                tx, match, Plan(match.id, user, seat, match.board_version, moves, plays_on_vacation=away)
            )

    async def redraw_plan(self, plan_id: int, user: int) -> Plan:
        """Makes an unconfirmed copy of a plan to edit, and returns it. The plan stands until the copy is confirmed.

        Replaces the user's other unconfirmed plan. Raises NO_SUCH_PLAN, also if the plan has fallen, and what
        `confirm_plan` raises.
        """
        async with self._store.write_transaction() as tx:
            plan = await _load_plan(tx, plan_id, user)
            match = await self._matches.load_match(tx, plan.match)
            match.refuse_if(not plan.is_alive, Problem.NO_SUCH_PLAN)
            match.require_playing(user)
            return await _store_draft(tx, match, replace(plan, is_confirmed=False, waits_until=None, edits=plan.id))

    async def change_reply(
        self, plan_id: int, user: int, number: int, guards: frozenset[planning.Guard] | None
    ) -> Plan:
        """Sets how the reply of that number in an unconfirmed plan must be, and returns the plan.

        The reply may be any move that meets these guards; None: it must be exactly the planned move.
        """

        def with_guards(plan: Plan) -> Plan:
            if not plan.done <= number < len(plan.moves) or plan.moves[number].seat == plan.seat:
                raise MatchError(Problem.NO_SUCH_PLAN)
            planned = plan.moves[number]._replace(guards=guards)
            return replace(plan, moves=(*plan.moves[:number], planned, *plan.moves[number + 1 :]))

        return await self._change_draft(plan_id, user, with_guards)

    async def set_plays_on_vacation(self, plan_id: int, user: int, *, plays: bool) -> Plan:
        """Sets whether an unconfirmed plan is also played on vacation, and returns the plan."""
        return await self._change_draft(plan_id, user, lambda plan: replace(plan, plays_on_vacation=plays))

    async def confirm_plan(self, plan_id: int, user: int, now: int) -> tuple[Plan, tuple[Plan, ...]]:
        """Confirms a plan. Returns it with the plans that it replaces; see `bot.plans.plan.displaces_plan`.

        Plays the plan's next move at once if it is due. Confirming twice is harmless. Raises NO_SUCH_PLAN, STALE if
        the board has changed since the plan was made, TOO_MANY_PLANS and what `require_playing` raises.
        """
        async with self._store.write_transaction() as tx:
            plan = await _load_plan(tx, plan_id, user)
            if plan.is_alive:
                return plan, ()
            match = await self._match_of(tx, plan)
            own = [other for other in await plans_store.plans_of_match(tx, match.id) if other.user == user]
            displaced = tuple(other for other in own if planning.displaces_plan(plan, other))
            plans_left = sum(other.is_alive for other in own) - len(displaced)
            match.refuse_if(plans_left >= planning.MAX_PLANS, Problem.TOO_MANY_PLANS, most=planning.MAX_PLANS)
            confirmed = replace(plan, is_confirmed=True, edits=None)
            await plans_store.save_plans(tx, (*displaced, plan), (confirmed,), match.variant)
            after = await self._matches.apply_decision(tx, match, lambda *_: (), now)
        if after is not match:
            self._matches.cache_match(after, match)
        return confirmed, displaced

    async def replaced_by(self, plan: Plan) -> tuple[Plan, ...]:
        """The plans that this plan would replace if it were confirmed now."""
        return tuple(
            other for other in await self.plans_for_match(plan.match, plan.user) if planning.displaces_plan(plan, other)
        )

    async def delete_plan(self, plan_id: int, user: int) -> Plan:
        """Deletes a plan and returns it. Raises NO_SUCH_PLAN."""
        async with self._store.write_transaction() as tx:
            plan = await _load_plan(tx, plan_id, user)
            await plans_store.delete_plan(tx, plan_id)
        return plan

    async def delete_all_plans(self, user: int) -> int:
        """Deletes all plans of a user. Returns how many of them were in force."""
        async with self._store.write_transaction() as tx:
            return await plans_store.delete_plans(tx, user)

    async def _change_draft(self, plan_id: int, user: int, change: Callable[[Plan], Plan]) -> Plan:
        """Changes an unconfirmed plan and returns it."""
        async with self._store.write_transaction() as tx:
            plan = await _load_plan(tx, plan_id, user)
            match, changed = await self._match_of(tx, plan), change(plan)
            await plans_store.save_plans(tx, (plan,), (changed,), match.variant)
        return changed

    async def _match_of(self, tx: Writer, plan: Plan) -> Match:
        """Returns the match if its board is still the unconfirmed plan's. Raises what `confirm_plan` raises."""
        match = await self._matches.load_match(tx, plan.match)
        match.refuse_if(plan.is_confirmed, Problem.NO_SUCH_PLAN)
        match.refuse_if(match.board_version != plan.version + plan.done, Problem.STALE)
        match.require_playing(plan.user)
        return match


async def _load_plan(reader: Reader, plan_id: int, user: int) -> Plan:
    plan = await plans_store.load_plan(reader, plan_id, user)
    if plan is None:
        raise MatchError(Problem.NO_SUCH_PLAN)
    return plan


async def _store_draft(tx: Writer, match: Match, plan: Plan) -> Plan:
    """Stores the plan as the user's only unconfirmed plan for that match."""
    own = [
        other
        for other in await plans_store.plans_of_match(tx, match.id)
        if other.user == plan.user and not other.is_confirmed
    ]
    await plans_store.save_plans(tx, own, (), match.variant)
    return replace(plan, id=await plans_store.add_plan(tx, plan, match.variant))


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
