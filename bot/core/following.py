"""What follows by itself from an event: a steward's move, a planned move, or the only legal move. Pure.

Nothing else decides this. The consequence is stored in the transaction of its cause, and announced with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from bot.core.events import NEW_PLAYER_EVENTS, SEAT_ABANDONED_EVENTS, Event, EventKind
from bot.core.match import Match
from bot.core.settings import Person
from bot.core.turns import PeopleById, play_only_move, play_planned_move, play_steward_move
from bot.plans import plan as planning
from bot.plans.plan import Plan

TURN_BEGINNING_EVENTS = SEAT_ABANDONED_EVENTS | NEW_PLAYER_EVENTS | {EventKind.MOVED}
"""After these events, a player with a single legal move can be to move. Takebacks are excluded: their purpose is to
choose another move, and the only legal one would be played again at once."""


class FollowUp(NamedTuple):
    """The consequence of an event."""

    events: tuple[Event, ...]
    """Empty, or a move and the end of the game that it brings."""
    plans: tuple[Plan, ...]
    """The plans of the match, as they stand before these events."""


def decide_follow_up(
    match: Match, last: EventKind | None, plans: Sequence[Plan], people: PeopleById, now: int
) -> FollowUp:
    """Decides what follows in the match with these plans; `last` is what has just happened, None if nothing has.

    A steward always moves. For a player to move, the first that applies: the move of a matching plan, unless the
    plan waits; the only legal move, if they want that. A house player's move does not follow here: the engine
    thinks outside of the transaction, as `Match.house_to_move` says. A due plan whose move may not be played has
    fallen, and so have the plans after it.
    """
    user = match.to_move
    # A vacation that plans waited for ends only once, whatever has become of the plans.
    plans = [replace(plan, wakes=None) if plan.wakes is not None and plan.wakes <= now else plan for plan in plans]
    if user is None:
        return FollowUp(play_steward_move(match, now), tuple(plans))
    if due := planning.first_due_plan(plans, user):
        person = people.get(user, Person())
        if not planning.must_wait(match, due, person, now):
            move = planning.due_move(due, match.started_game.position)
            if move:
                return FollowUp(play_planned_move(match, move, now, people), tuple(plans))
            plans = [
                planning.end_by_guard(plan, match) if plan.user == user and plan.is_due else plan for plan in plans
            ]
        else:
            plans = [
                _note_vacation_end(plan, person, now) if plan.user == user and plan.is_due else plan for plan in plans
            ]
    events = play_only_move(match, now, people) if last in TURN_BEGINNING_EVENTS else ()
    return FollowUp(events, tuple(plans))


def _note_vacation_end(plan: Plan, person: Person, now: int) -> Plan:
    return replace(plan, wakes=planning.vacation_end(plan, person, now))
