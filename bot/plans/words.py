"""Plans in words: the line of a plan, and why a plan was not played. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.plans.plan import Guard, Plan, PlanEnd, PlannedMove
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import side_values
from rules import Variant, format_move

GUARD_ORDER = (Guard.SAME, Guard.UNHARMED, Guard.SAFE)
"""The order in which the guards are named."""


def _planned_move_text(locale: Language, variant: Variant, plan: Plan, planned: PlannedMove, *, first: bool) -> str:
    """One move of a plan: an expected reply (the `first` one or a later one), or the answer to it."""
    move = format_move(planned.move, variant.board)
    if planned.seat == plan.seat:
        return text(locale, "plan.answer", move=move)
    values = {**side_values(locale, variant, planned.seat), "move": move}
    if planned.guards is None:
        return text(locale, "plan.reply" if first else "plan.then", **values)
    guard_names = [text(locale, f"plan.guard.{guard.value}") for guard in GUARD_ORDER if guard in planned.guards]
    guards = text(locale, "plan.only-if", guards=join_list(locale, guard_names)) if guard_names else ""
    return text(locale, "plan.reply-any" if first else "plan.then-any", guards=guards, **values)


def plan_text(locale: Language, variant: Variant, plan: Plan) -> str:
    """The moves left, a line for each answer with the replies before it; the planner makes a first own move by hand."""
    lines, replies, moves = list[str](), list[str](), plan.moves_left
    if not plan.done and moves and moves[0].seat == plan.seat:
        lines.append(text(locale, "plan.by-hand", move=format_move(moves[0].move, variant.board)))
        moves = moves[1:]
    for planned in moves:
        replies.append(_planned_move_text(locale, variant, plan, planned, first=not replies))
        if planned.seat == plan.seat:
            lines.append(" ".join(replies))
            replies = []
    return "\n".join(f"- {line}" for line in lines)


def moves_in_short(variant: Variant, moves: Sequence[PlannedMove]) -> str:
    """The moves in notation, with a `*` after replies that may be anything."""
    return " ".join(
        format_move(planned.move, variant.board) + ("" if planned.guards is None else "*") for planned in moves
    )


def plan_end_text(locale: Language, variant: Variant, fallen: PlanEnd) -> str:
    """Why a plan was not played."""
    return text(
        locale, f"plan.fallen.{fallen.reason.value}", **side_values(locale, variant, fallen.seat), move=fallen.move
    )
