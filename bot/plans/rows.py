"""SQL about plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.plans.plan import Plan, PlanEnd, PlanEndReason, format_line, parse_line
from bot.store.connection import Row, SqlValues, Statement, insert_statement
from bot.store.reading import REACHABLE_SQL, Reader
from bot.store.writing import Writer
from rules import VARIANTS, Variant

_PLAN_COLUMNS = (
    "p.id, p.match, p.user, p.seat, p.version, p.line, p.done, p.away, p.stands, p.fallen, p.wakes, p.edits, m.variant"
)


async def plans_of_match(reader: Reader, match_id: int) -> tuple[Plan, ...]:
    """The plans of all players of a match, the oldest first."""
    return await _load_plans(reader, "p.match = ?", (match_id,))


async def plans_of_user(reader: Reader, user: int) -> tuple[Plan, ...]:
    """The plans of a user in all matches."""
    return await _load_plans(reader, "p.user = ?", (user,))


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns the user's plans, ready for JSON."""
    rows = await reader.run_sql(
        "SELECT match, line, done, away, stands, fallen FROM plans WHERE user = ? ORDER BY id", (user,)
    )
    return {
        "plans": [
            {
                "match": match_id,
                "line": line,
                "played": done,
                "on_vacation": bool(away),
                "confirmed": bool(stands),
                "fallen": fallen,
            }
            for match_id, line, done, away, stands, fallen in rows
        ]
    }


async def matches_due(reader: Reader, now: int) -> list[int]:
    """The matches with a plan whose planner's vacation has ended; perhaps one of them twice."""
    return await reader.read_column(
        f"SELECT match FROM plans JOIN matches ON match = matches.id WHERE wakes <= ? AND {REACHABLE_SQL}",
        (now,),
    )


async def load_plan(reader: Reader, plan_id: int, user: int) -> Plan | None:
    """The plan; None if it is not the user's."""
    return next(iter(await _load_plans(reader, "p.id = ? AND p.user = ?", (plan_id, user))), None)


async def add_plan(writer: Writer, plan: Plan, variant: Variant) -> int:
    """Stores a plan. Returns its number, which is never given again."""
    sql, values = insert_statement("plans", _plan_values(plan, variant))
    [(plan_id,)] = await writer.run_sql(f"{sql} RETURNING id", values)
    return int(plan_id)


async def save_plans(writer: Writer, before: Sequence[Plan], after: Sequence[Plan], variant: Variant) -> None:
    """Stores the changes between two states of a match's plans; deletes the plans that are missing in `after`."""
    kept = {plan.id: plan for plan in after}
    statements: list[Statement] = []
    for plan in before:
        current = kept.get(plan.id)
        if current is None:
            statements.append(("DELETE FROM plans WHERE id = ?", (plan.id,)))
        elif current != plan:
            values = _plan_values(current, variant)
            changes = ", ".join(f"{name} = :{name}" for name in values)
            statements.append((f"UPDATE plans SET {changes} WHERE id = :id", {"id": current.id, **values}))
    if statements:
        await writer.run_batch(statements)


async def delete_plan(writer: Writer, plan_id: int) -> None:
    """Deletes a plan."""
    await writer.run_sql("DELETE FROM plans WHERE id = ?", (plan_id,))


async def delete_plans(writer: Writer, user: int) -> int:
    """Deletes the plans of a user. Returns how many of them were in force."""
    rows = await writer.run_sql("DELETE FROM plans WHERE user = ? RETURNING stands = 1 AND fallen IS NULL", (user,))
    return sum(stood for (stood,) in rows)


async def _load_plans(reader: Reader, where: str, values: SqlValues) -> tuple[Plan, ...]:
    rows = await reader.run_sql(
        f"SELECT {_PLAN_COLUMNS} FROM plans p JOIN matches m ON m.id = p.match WHERE {where} ORDER BY p.match, p.id",
        values,
    )
    return tuple(_read_plan(row) for row in rows if row[-1] in VARIANTS)  # a game of another version is not played here


def _read_plan(row: Row) -> Plan:
    plan_id, match_id, user, seat, version, line, done, away, stands, fallen, wakes, edits, variant = row
    return Plan(
        match_id,
        user,
        seat,
        version,
        parse_line(line, VARIANTS[variant].board),
        done,
        plays_on_vacation=bool(away),
        is_confirmed=bool(stands),
        end=_read_plan_end(fallen) if fallen else None,
        waits_until=wakes,
        edits=edits,
        id=plan_id,
    )


def _read_plan_end(text: str) -> PlanEnd:
    reason, seat, move = text.split(" ")
    return PlanEnd(PlanEndReason(reason), int(seat), move)


def _plan_values(plan: Plan, variant: Variant) -> dict[str, Any]:
    fallen = plan.end
    return {
        "match": plan.match,
        "user": plan.user,
        "seat": plan.seat,
        "version": plan.version,
        "line": format_line(plan.moves, variant.board),
        "done": plan.done,
        "away": plan.plays_on_vacation,
        "stands": plan.is_confirmed,
        "fallen": f"{fallen.reason.value} {fallen.seat} {fallen.move}" if fallen else None,
        "wakes": plan.waits_until,
        "edits": plan.edits,
    }
