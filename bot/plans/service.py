"""Players' plans for their games, visible only to themselves. Events advance them, and due plans play their moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Self

from bot.core.deadlines import Actor, PeopleById
from bot.core.events import Event
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.core.turns import play_planned_move
from bot.plans import plan as planning
from bot.plans.plan import Plan, PlanEnd, PlanEndReason, format_line, parse_line
from bot.play.service import Service
from bot.play.service.upkeep import tick_match
from bot.store import Reader, Writer
from bot.store.connection import Row, SqlValues, Statement, update_statement
from bot.store.matches import REACHABLE_SQL
from rules import VARIANTS, Variant

_COLUMNS = [field.name for field in fields(Plan) if field.name != "moves"]
"""The columns of a plan, beside the `line` that its moves are stored as."""


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
    for match_id in await service.reader.read_column(f"SELECT DISTINCT match FROM {due}", (now,)):
        changed += await tick_match(service, match_id, lambda *_: (), now)
    return changed


async def save_plans(writer: Writer, before: Sequence[Plan], after: Sequence[Plan], variant: Variant) -> None:
    """Stores the changes between two states of a match's plans; deletes the plans that are missing in `after`."""
    kept = {plan.id: plan for plan in after}
    statements: list[Statement] = []
    for plan in before:
        current = kept.get(plan.id)
        if current is None:
            statements.append(("DELETE FROM plans WHERE id = ?", (plan.id,)))
        elif current != plan:
            statements.append(update_statement("plans", {"id": current.id}, _plan_values(current, variant)))
    if statements:
        await writer.run_batch(statements)


async def load_plans(reader: Reader, where: str, values: SqlValues) -> tuple[Plan, ...]:
    """Returns the plans that meet this condition, those of a match in the order in which they were made."""
    columns = ", ".join(f"p.{column}" for column in _COLUMNS)
    rows = await reader.run_sql(
        f"SELECT line, m.variant, {columns} FROM plans p JOIN matches m ON m.id = p.match WHERE {where}"
        " ORDER BY p.match, p.id",
        values,
    )
    return tuple(_read_plan(row) for row in rows if row[1] in VARIANTS)  # a game of another version is not played here


def _read_plan(row: Row) -> Plan:
    line, variant, *others = row
    values = dict(zip(_COLUMNS, others, strict=True))
    return Plan(
        **values
        | {
            "moves": parse_line(line, VARIANTS[variant].board),
            "plays_on_vacation": bool(values["plays_on_vacation"]),
            "is_confirmed": bool(values["is_confirmed"]),
            "end": _read_plan_end(values["end"]) if values["end"] else None,
        }
    )


def _read_plan_end(text: str) -> PlanEnd:
    reason, seat, move = text.split(" ")
    return PlanEnd(PlanEndReason(reason), int(seat), move)


def _plan_values(plan: Plan, variant: Variant) -> dict[str, object]:
    values = {column: getattr(plan, column) for column in _COLUMNS if column != "id"}
    end = f"{plan.end.reason.value} {plan.end.seat} {plan.end.move}" if plan.end else None
    return values | {"line": format_line(plan.moves, variant.board), "end": end}


async def plans_of(reader: Reader, user: int) -> tuple[Plan, ...]:
    """Returns a user's plans in all games, including unconfirmed and fallen ones."""
    return await load_plans(reader, "p.user = ?", (user,))


async def missed_reason(reader: Reader, match: Match, user: int) -> PlanEnd | None:
    """Returns why no plan of the user was played although it is their turn; None if there is nothing to report."""
    plans = await plans_for_match(reader, match.id, user) if match.to_move == user else ()
    return None if any(plan.is_due for plan in plans) else next((plan.end for plan in plans if plan.end), None)


async def draft_plan(service: Service, planner: Actor, match_id: int, line: str) -> Plan:
    """Stores an unconfirmed plan of the typed line in place of the user's earlier one for that match, and returns it.
    Raises what `plan_of_line` raises."""
    async with service.store.write_transaction() as tx:
        match = await service.load_match(tx, match_id, planner.guild)
        plan = planning.plan_of_line(match, planner.user, line)
        drafts = [other for other in await plans_for_match(tx, match.id, planner.user) if not other.is_confirmed]
        await save_plans(tx, drafts, (), match.variant)
        return replace(plan, id=await tx.add_numbered_row("plans", _plan_values(plan, match.variant)))


async def change_plan(
    service: Service, planner: Actor, plan_id: int, change: Callable[[Plan], Plan]
) -> tuple[Plan, tuple[Plan, ...]]:
    """Changes or confirms a plan. Returns it with the plans that it replaces; see `bot.plans.plan.displaces_plan`.

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
        displaced = tuple(other for other in own if planning.displaces_plan(plan, other))
        plans_left = sum(other.is_alive and other.id != plan.id for other in own) - len(displaced)
        match.refuse_if(plans_left >= planning.MAX_PLANS, Problem.TOO_MANY_PLANS, most=planning.MAX_PLANS)
        await save_plans(tx, (*displaced, before), (plan,), match.variant)
        # A draft has no effect: were other plans to play now, it would be lost.
        after = await service.apply_decision(tx, match, lambda *_: (), planner.now) if plan.is_confirmed else match
    if after is not match:
        service.cache_match(after)
    return plan, displaced


async def replaced_by(reader: Reader, plan: Plan) -> tuple[Plan, ...]:
    """The plans that this plan would replace if it were confirmed now."""
    own = await plans_for_match(reader, plan.match, plan.user)
    return tuple(other for other in own if planning.displaces_plan(plan, other))


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


async def plans_for_match(reader: Reader, match_id: int, user: int) -> tuple[Plan, ...]:
    """Returns the user's plans for that match, including unconfirmed and fallen ones."""
    return await load_plans(reader, "p.match = ? AND p.user = ?", (match_id, user))


class PlanFollowUps:
    """All plans for a match. See `FollowUps`."""

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
        return cls(await load_plans(reader, "p.match = ?", (match.id,)), now)

    def note_event(self, event: Event, before: Match, after: Match) -> None:
        """Advances the plans by that event, or ends them."""
        self.plans = planning.plans_after_event(self.plans, event, before, after)

    def propose_events(self, match: Match, user: int, people: PeopleById, now: int) -> tuple[Event, ...]:
        """Returns the move of the player's due plan, unless the plan waits.

        A due plan whose move may not be played has fallen, and so have the plans after it.
        """
        first = planning.first_due_plan(self.plans, user)
        if first is None:
            return ()
        waits = planning.must_wait(match, first, people, now)
        if not waits and (move := planning.due_move(first, match.started_game.position)):
            return play_planned_move(match, move, now, people)

        def unplayed(plan: Plan) -> Plan:
            if waits:
                return replace(plan, waits_until=planning.vacation_end(match, plan, people, now))
            return planning.end_by_guard(plan, match)

        self.plans = tuple(unplayed(plan) if plan.user == user and plan.is_due else plan for plan in self.plans)
        return ()

    async def save(self, tx: Writer, match: Match) -> None:
        """Stores the changed plans."""
        await save_plans(tx, self._stored, self.plans, match.variant)
