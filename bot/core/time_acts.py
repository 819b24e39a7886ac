"""What the passing of time does to a match, and what opponents may do about a slow player.

`tick` may come late, or twice: after it, `next_tick_at` is always later than the tick. What became due while nothing
ticked is reported once. The spans that give a person a chance (grace, call, vote) begin at the tick that finds
them due.

If nobody could be reached during a part of such a span, the tick prolongs it by that part instead of ending it.
"""

from __future__ import annotations

from bot.core import leaving
from bot.core.clock import DAY, FOREVER, HOUR
from bot.core.deadlines import (
    Actor,
    Due,
    PeopleById,
    deadline_with_outages,
    is_overdue,
    list_dues,
    reminders_end_at,
    seconds_used,
    time_runs_out_at,
)
from bot.core.events import Event, EventKind, format_fields
from bot.core.leaving import leave_seat
from bot.core.match import Match, without_winner
from bot.core.problems import MatchError, Problem
from rules import Cause

CLAIM_GRACE_S = 12 * HOUR
LONG_ABSENCE = 15 * 60
"""Absences of at least this many seconds are announced; shorter ones move deadlines silently."""
MIN_GIFT_S = 60
"""Smaller gifts of time are refused."""
NUDGE_INTERVAL_S = DAY
"""Seconds from the start of a turn until an opponent may nudge, and until one may do so again."""


def tick(match: Match, people: PeopleById, now: int, *, has_house: bool = True) -> tuple[Event, ...]:
    """The events that are due by now; nothing if none is due. `has_house`: whether the server has house players.

    House players take the seats of a table by `table.keep_house_promise`, not here.
    """
    dues = list(list_dues(match, people))
    due = next((due for due in dues if due.at <= now), None)
    if due is None:
        return ()
    if now < _end_of_chance(match, dues[0], people):
        return prolong_chance(match, people, now)
    match due.kind:
        case EventKind.UNREACHED:
            unreached = (EventKind.UNREACHED, None, format_fields(since=match.place.lost_at))
            return match.next_events(now, unreached, without_winner(Cause.ABANDONED))
        case EventKind.VOTE | EventKind.PASSIVE:
            return leaving.advance_vacancy(match, now, has_house=has_house)
        case EventKind.TIMED_OUT:
            return leave_seat(match, Actor(match.players[match.turn], now, people=people), match.turn, Cause.TIMEOUT)
        case EventKind.CLOSED_STILL:
            return match.next_events(now, (EventKind.CLOSED_STILL, None, ""), without_winner(Cause.ABANDONED))
        case EventKind.GRACE:
            return match.next_events(now, (EventKind.GRACE, match.to_move, format_fields(until=now + CLAIM_GRACE_S)))
    return match.next_events(now, (due.kind, match.to_move, ""))


def prolong_chance(match: Match, people: PeopleById, now: int) -> tuple[Event, ...]:
    """Prolongs the grace, call, vote or open table by the time in which nobody could be reached since it began.

    Nothing if none is running, or its end stays the same. Time made up for once does not count again.
    """
    chance = next(list_dues(match, people), None)
    end = _end_of_chance(match, chance, people) if chance else 0
    if chance is None or not chance.at < end < FOREVER:
        return ()
    return match.next_events(now, (EventKind.PROLONGED, None, format_fields(until=end, lost=end - chance.at)))


def _end_of_chance(match: Match, due: Due, people: PeopleById) -> int:
    """When a chance ends, prolonged by the absences in it; 0 for any other instant."""
    return 0 if due.since is None else deadline_with_outages(match, due.since, due.at, people)


def claim_timeout(match: Match, actor: Actor, board_version: int | None = None) -> tuple[Event, ...]:
    """An opponent claims that the player to move has run out of time; that player is then out of the game.

    Here and below, `board_version` is that of the board whose turn is meant, if known. Raises STALE if it has
    changed.
    """
    _require_opponent(match, actor.user, board_version)
    if not is_overdue(match, actor.now, actor.people):
        raise _not_overdue_refusal(match, actor.now, actor.people)
    return leave_seat(match, actor, match.turn, Cause.TIMEOUT)


def give_time(match: Match, actor: Actor, board_version: int | None = None) -> tuple[Event, ...]:
    """An opponent gives the player to move a day more, as far as the cap allows.

    Raises CLOCK_FULL if nothing can be added, so that no empty gift is announced, and CLOCK_STANDS also if nobody
    knows when the clock runs again.
    """
    now, people = actor.now, actor.people
    _require_opponent(match, actor.user, board_version)
    terms = match.terms.pace.clock_terms
    if not terms or time_runs_out_at(match, people) is None:
        raise match.refusal_for(Problem.CLOCK_STANDS if terms else Problem.NO_CLOCK)
    spent = seconds_used(match, now, people) or 0
    bank_left = max(match.clock.banks[match.turn] - spent, 0)
    match.refuse_if(terms.cap - bank_left < MIN_GIFT_S, Problem.CLOCK_FULL, most=terms.cap // HOUR)
    total_charged = match.clock.seconds_charged + min(spent, match.clock.banks[match.turn])
    bank = min(terms.cap, bank_left + DAY)
    body = format_fields(seat=match.turn, bank=bank, used=spent, charged=total_charged or None)
    return match.next_events(now, (EventKind.GIVEN, actor.user, body))


def nudge_player(match: Match, actor: Actor) -> tuple[Event, ...]:
    """An opponent reminds the player to move.

    Raises in the first day of a turn, within a day of another nudge, and while the player has postponed the reminder.
    """
    clock = match.clock
    _require_opponent(match, actor.user)
    allowed_at = max(clock.turn_began_at + NUDGE_INTERVAL_S, clock.nudged_at + NUDGE_INTERVAL_S, clock.snoozed_until)
    match.refuse_if(actor.now < allowed_at, Problem.NUDGE_TOO_SOON, again=allowed_at)
    return match.next_events(actor.now, (EventKind.NUDGED, actor.user, ""))


def snooze_reminder(match: Match, actor: Actor, until: int, board_version: int | None = None) -> tuple[Event, ...]:
    """The player to move wants no reminder before `until`, and one then.

    Raises if none would come: it would be too late, or the clock stands still while a seat is vacant.
    """
    now, people = actor.now, actor.people
    match.require_turn(actor.user, board_version)
    match.refuse_if(match.vacancy, Problem.SEAT_VACANT)
    match.refuse_if(match.paused_until, Problem.PAUSED, until=match.paused_until)
    if match.clock.grace_ends_at is not None:
        last = time_runs_out_at(match, people)
        match.refuse_if(last is None, Problem.CLOCK_STANDS)
        raise match.refusal_for(Problem.TIME_UP, until=last)
    end = reminders_end_at(match, people)
    match.refuse_if(end is not None and until >= end, Problem.SNOOZED_TOO_LONG, until=end)
    match.refuse_if(not now < until <= now + 7 * DAY, Problem.BAD_TIME)
    return match.next_events(now, (EventKind.SNOOZED, actor.user, format_fields(until=until)))


def charge_used_time(match: Match, user: int, now: int, people: PeopleById) -> tuple[Event, ...]:
    """Charges the user's time in this turn, because their habits change; nothing if their clock does not run.

    Otherwise a sleep window set today would give back yesterday's time.
    """
    spent = seconds_used(match, now, people) if match.to_move == user else None
    return match.next_events(now, (EventKind.CHARGED, None, format_fields(used=spent))) if spent else ()


def announce_vacation(match: Match, user: int, until: int, now: int) -> tuple[Event, ...]:
    """Announces a player's vacation to the others."""
    return match.next_events(now, (EventKind.AWAY, user, format_fields(until=until))) if user in match.still_in else ()


def announce_return(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """Announces to the others that a player is back early."""
    return match.next_events(now, (EventKind.BACK, user, "")) if user in match.still_in else ()


def _not_overdue_refusal(match: Match, now: int, people: PeopleById) -> MatchError:
    if not match.clock.banks:
        return match.refusal_for(Problem.NO_CLOCK)
    end = time_runs_out_at(match, people)
    if end is None:
        return match.refusal_for(Problem.CLOCK_STANDS)
    problem = Problem.NOT_OVERDUE_LADDER if match.needs_no_claim else Problem.NOT_OVERDUE
    # A grace begins only with the tick, and the bot may have been away.
    return match.refusal_for(
        problem, until=end if match.clock.grace_ends_at is not None else max(end, now) + CLAIM_GRACE_S
    )


def _require_opponent(match: Match, user: int, board_version: int | None = None) -> None:
    match.require_going_on(user, board_version)
    match.refuse_if(user == match.to_move, Problem.YOUR_OWN_CLOCK)
    match.refuse_if(match.house_to_move, Problem.HOUSE_THINKS, user=match.to_move)
    match.refuse_if(match.paused_until, Problem.PAUSED, until=match.paused_until)
