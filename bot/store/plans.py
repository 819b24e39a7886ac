"""SQL about plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from bot.core.plans import Plan, PlanEnd, PlanEndReason, format_line, parse_line
from bot.store import Reader, Writer
from bot.store.connection import Row, SqlValues, Statement, update_statement
from rules import VARIANTS, Variant

_COLUMNS = [field.name for field in fields(Plan) if field.name != "moves"]
"""The columns of a plan, beside the `line` that its moves are stored as."""


async def add_plan(writer: Writer, plan: Plan, variant: Variant) -> Plan:
    """Stores a new plan, and returns it with its number."""
    return replace(plan, id=await writer.add_numbered_row("plans", _plan_values(plan, variant)))


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


async def plans_for_match(reader: Reader, match_id: int, user: int | None = None) -> tuple[Plan, ...]:
    """Returns everybody's or that user's plans for that match, including unconfirmed and fallen ones."""
    return await load_plans(reader, "p.match = ? AND p.user = coalesce(?, p.user)", (match_id, user))
