"""Players' plans for their games, visible only to themselves. Events advance them, and due plans play their moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.core.deadlines import Actor
from bot.core.match import Match
from bot.core.plans import MAX_PLANS, Plan, displaces_plan, plan_of_line
from bot.core.problems import MatchError, Problem
from bot.play.service import Service
from bot.play.service.upkeep import tick_match
from bot.store import Reader
from bot.store.matches import REACHABLE_SQL
from bot.store.plans import add_plan, load_plans, plans_for_match, save_plans


async def export_person(reader: Reader, user: int) -> Mapping[str, object]:
    """Returns the user's plans, ready for JSON."""
    rows = await reader.run_sql(
        "SELECT match, line, done, plays_on_vacation, is_confirmed, end FROM plans WHERE user = ? ORDER BY id", (user,)
    )
    keys = ("match", "line", "played", "on_vacation", "confirmed", "fallen")
    return {
        "plans": [
            dict(zip(keys, (*played, bool(away), bool(confirmed), end), strict=True))
            for *played, away, confirmed, end in rows
        ]
    }


async def resume_plans(service: Service, now: int) -> list[Match]:
    """Plays the plans that have waited for the end of their planners' vacations. Returns the changed matches."""
    changed = list[Match]()
    due = f"plans JOIN matches ON match = matches.id WHERE waits_until <= ? AND {REACHABLE_SQL}"
    # With DISTINCT, SQLite would read all plans in the order of their matches.
    for match_id in sorted({*await service.reader.read_column(f"SELECT match FROM {due}", (now,))}):
        changed += await tick_match(service, match_id, lambda *_: (), now)
    return changed


async def draft_plan(service: Service, planner: Actor, match_id: int, line: str) -> Plan:
    """Stores an unconfirmed plan of the typed line in place of the user's earlier one for that match, and returns it.
    Raises what `plan_of_line` raises."""
    async with service.store.write_transaction() as tx:
        match = await service.load_match(tx, match_id, planner.guild)
        plan = plan_of_line(match, planner.user, line)
        drafts = [other for other in await plans_for_match(tx, match.id, planner.user) if not other.is_confirmed]
        await save_plans(tx, drafts, (), match.variant)
        return await add_plan(tx, plan, match.variant)


async def change_plan(
    service: Service, planner: Actor, plan_id: int, change: Callable[[Plan], Plan]
) -> tuple[Plan, tuple[Plan, ...]]:
    """Changes or confirms a plan. Returns it with the plans that it replaces; see `displaces_plan`.

    Plays its next move at once if it is due; a draft plays nothing. Changing nothing is harmless. Raises NO_SUCH_PLAN,
    also if the plan has fallen, STALE if the board has changed since it was made, TOO_MANY_PLANS and what
    `require_playing` raises.
    """
    async with service.store.write_transaction() as tx:
        before = await load_plan(tx, plan_id, planner.user)
        plan = change(before)
        if plan == before:
            return plan, ()
        match = await service.load_match(tx, plan.match)
        match.refuse_if(plan.end, Problem.NO_SUCH_PLAN)
        match.refuse_if(match.board_version != plan.version + plan.done, Problem.STALE)
        match.require_playing(plan.user)
        own = await plans_for_match(tx, match.id, planner.user) if plan.is_confirmed else ()
        displaced = tuple(other for other in own if displaces_plan(plan, other))
        plans_left = sum(other.is_alive and other.id != plan.id for other in own) - len(displaced)
        match.refuse_if(plans_left >= MAX_PLANS, Problem.TOO_MANY_PLANS, most=MAX_PLANS)
        await save_plans(tx, (*displaced, before), (plan,), match.variant)
        # A draft has no effect: were other plans to play now, it would be lost.
        after = await service.apply_decision(tx, match, lambda *_: (), planner.now) if plan.is_confirmed else match
    if after is not match:
        service.cache_match(after)
    return plan, displaced


async def replaced_by(reader: Reader, plan: Plan) -> tuple[Plan, ...]:
    """The plans that this plan would replace if it were confirmed now."""
    own = await plans_for_match(reader, plan.match, plan.user)
    return tuple(other for other in own if displaces_plan(plan, other))


async def delete_plan(service: Service, planner: Actor, plan_id: int) -> Plan:
    """Deletes a plan and returns it. Raises NO_SUCH_PLAN."""
    async with service.store.write_transaction() as tx:
        plan = await load_plan(tx, plan_id, planner.user)
        await tx.run_sql("DELETE FROM plans WHERE id = ?", (plan_id,))
    return plan


async def load_plan(reader: Reader, plan_id: int, user: int) -> Plan:
    """Returns the plan. Raises NO_SUCH_PLAN if it does not exist or belongs to another user."""
    for plan in await load_plans(reader, "p.id = ? AND p.user = ?", (plan_id, user)):
        return plan
    raise MatchError(Problem.NO_SUCH_PLAN)
