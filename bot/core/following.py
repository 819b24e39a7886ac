"""What follows by itself from what has happened: a steward's move, a planned one, or the only legal one. Pure.

Nothing else decides that. What comes of it is stored in the transaction of what it follows from, and told with it.
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
"""After these it can be the turn of somebody who has a single move. Not after moves that are taken back: that is done
so that others can be chosen, and the only one would be played again at once."""


class FollowUp(NamedTuple):
    """What follows."""

    events: tuple[Event, ...]
    """Nothing, or a move and the end that it brings."""
    plans: tuple[Plan, ...]
    """Those of the match, as they stand before these events."""


def decide_follow_up(
    match: Match, last: EventKind | None, plans: Sequence[Plan], people: PeopleById, now: int
) -> FollowUp:
    """What follows in that match, of which these are the plans; `last` is what has just happened, if anything has.

    A steward's move, always. For whoever is to move: the move of a matching plan, unless it waits; else the only legal
    one, where they want that; else, where it is a house player, nothing yet: that is thought about outside of the
    transaction, as `Match.house_to_move` says. A plan that is due and whose move may not be played, has fallen, and so
    have those that would come after it.
    """
    user = match.to_move
    # Whatever has become of them, the vacation for which they have waited is over but once.
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
