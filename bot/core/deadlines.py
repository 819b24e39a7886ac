"""When a player's time runs out, when a stopped clock runs again, and what happens by itself in a match, and when.

Only time in which people could move and be told of it counts. The bot, the server or the place may have been out of
reach; such absences come with the people, or from the match's own events. A bank does not run during them. The clock
itself is in `bot.core.clock`; what is due is done by `bot.core.time_acts.tick`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from bot.core.clock import DAY, FOREVER, HOUR, Habits, Span, deadline_after, seconds_counted, standstill_ends_at
from bot.core.events import EventKind
from bot.core.match import Match, Phase
from bot.core.settings import Reminders, StoredPerson

LAST_REMINDER_S = 6 * HOUR
"""Seconds before the end of the bank."""
NO_CLOCK_REMINDER_S = 3 * DAY
"""Seconds until a player without a clock is reminded, unless they have set another interval."""
STILL_WARNING_S, STILL_CLOSING_S = 30 * DAY, 30 * DAY
"""In a game without a clock, or whose timeout nobody claims: seconds from the last move, or from the end of grace, to
the warning, and from the warning to the end."""
UNREACHED_END_S = 30 * DAY
"""Seconds after which a game ends whose players cannot be told anything."""

PeopleById = Mapping[int, StoredPerson]
"""The players' clock settings by user; a user who is missing has the defaults."""

NO_PEOPLE: PeopleById = {}

Shuffle = Callable[[list[int]], None]
"""Shuffles a list in place."""

SYSTEM_SHUFFLE: Shuffle = random.SystemRandom().shuffle


class Actor(NamedTuple):
    """The person who acts, when, and in which server; None allows any."""

    user: int
    now: int
    guild: int | None = None
    people: PeopleById = NO_PEOPLE
    """The players of the match on which they act."""
    shuffle: Shuffle = SYSTEM_SHUFFLE
    """Shuffles the seats of a table that they fill."""


def time_runs_out_at(match: Match, people: PeopleById = NO_PEOPLE) -> int | None:
    """When the player to move runs out of time, or of grace once that has begun.

    None if no clock runs, or the clock stands still until somebody can be reached again.
    """
    at = _runs_out_or_forever(match, people)
    return at if at is not None and at < FOREVER else None


def clock_resumes_at(match: Match, now: int, people: PeopleById = NO_PEOPLE) -> int | None:
    """When the clock of the player to move runs again; None if it runs, if there is none, or during grace."""
    if match.clock.running_since is None or match.clock.grace_ends_at is not None:
        return None
    again = standstill_ends_at(_mover_habits(match, people), now)
    return again if again is not None and again < FOREVER else None


def next_tick_at(match: Match, people: PeopleById = NO_PEOPLE) -> int | None:
    """The next instant at which the tick must look; None if nothing happens by itself."""
    at = min((due.at for due in list_dues(match, people)), default=None)
    # If nobody knows yet when somebody can be reached again, the tick looks at once when they can.
    return at if at is None or at < FOREVER else match.clock.turn_began_at


def reminders_end_at(match: Match, people: PeopleById = NO_PEOPLE) -> int | None:
    """When a reminder of this turn becomes useless, because the time is up or the game closed; None if never."""
    if match.clock.banks:
        return time_runs_out_at(match, people)
    return stillness_ends_at(match, people) if match.clock.warned_at else None


def is_overdue(match: Match, now: int, people: PeopleById = NO_PEOPLE) -> bool:
    """Whether an opponent may claim: the player to move has used up the time and the grace."""
    at = _runs_out_or_forever(match, people) if match.is_live and match.clock.grace_ends_at is not None else None
    return at is not None and now >= at


def seconds_left(match: Match, now: int, people: PeopleById = NO_PEOPLE) -> tuple[int, ...]:
    """The seconds that each seat has left; empty without a clock."""
    spent = seconds_used(match, now, people) or 0
    return tuple(max(bank - spent, 0) if seat == match.turn else bank for seat, bank in enumerate(match.clock.banks))


def seconds_used(match: Match, now: int, people: PeopleById) -> int | None:
    """The counted seconds since the clock of the player to move was started; None if no clock runs."""
    user = match.to_move
    if match.clock.running_since is None or user is None:
        return None
    return seconds_counted(habits_in_match(match, user, people), match.clock.running_since, now)


def habits_in_match(match: Match, user: int, people: PeopleById) -> Habits:
    """When that player's clock stands still in this match."""
    own, terms = people[user].clock_habits if user in people else Habits(), match.terms
    vacations = own.vacations if terms.vacations else ()
    if terms.vacation_cap is not None:
        vacations = terms.vacation_cap.cut_vacations(vacations)
    return replace(own, vacations=vacations, absences=(*own.absences, *match.place.outages))


def absences_in_match(match: Match, people: PeopleById) -> tuple[Span, ...]:
    """The spans in which nobody could move in this match or see it: its server or its place could not be reached."""
    return (*next((person.absences for person in people.values()), ()), *match.place.outages)


def deadline_with_outages(match: Match, since: int, until: int, people: PeopleById) -> int:
    """When a chance ends that began at `since` and was to last until `until`: absences prolong it."""
    return deadline_after(Habits(absences=absences_in_match(match, people)), since, until - since)


def _mover_habits(match: Match, people: PeopleById) -> Habits:
    return habits_in_match(match, match.players[match.turn], people)


def _runs_out_or_forever(match: Match, people: PeopleById) -> int | None:
    """Like `time_runs_out_at`; at least FOREVER if nobody knows yet when somebody can be reached again."""
    clock = match.clock
    if clock.grace_ends_at is not None:
        return deadline_with_outages(match, clock.grace_began_at, clock.grace_ends_at, people)
    if clock.running_since is None:
        return None
    return deadline_after(_mover_habits(match, people), clock.running_since, clock.banks[match.turn])


class Due(NamedTuple):
    """What happens by itself in a match if nobody acts before: an event of that kind, and what follows from it."""

    at: int
    """At least FOREVER if nobody knows yet when somebody can be reached again."""
    kind: EventKind
    since: int | None = None
    """When the span began that ends here, if it was announced and absences prolong it; None for any other instant."""


def list_dues(match: Match, people: PeopleById) -> Iterator[Due]:
    """Yields what happens by itself in the match, in its present state. If several are due, the first one happens."""
    clock, vacancy = match.clock, match.vacancy
    if match.phase is Phase.OPEN:
        since, until = match.table.prolonged_span or (match.table.created, match.table.expires_at)
        yield Due(until, EventKind.EXPIRED, since)
        if match.table.house_promise:
            yield Due(match.table.house_promise.until, EventKind.HOUSE_PROMISED)
    elif not match.is_live:
        return
    elif match.place.lost_at is not None:
        yield Due(match.place.lost_at + UNREACHED_END_S, EventKind.UNREACHED)
    elif vacancy:
        yield Due(vacancy.until, EventKind.PASSIVE if vacancy.voting else EventKind.VOTE, vacancy.since)
    elif match.paused_until is not None:
        yield Due(match.paused_until, EventKind.RESUMED)
    elif not match.house_to_move:  # a house player moves as soon as it can
        if not clock.banks or (clock.is_overdue and not match.needs_no_claim):
            warned = clock.warned_at is not None
            yield Due(stillness_ends_at(match, people), EventKind.CLOSED_STILL if warned else EventKind.STILL)
        elif clock.grace_ends_at is not None:
            kind = EventKind.TIMED_OUT if match.needs_no_claim else EventKind.OVERDUE
            yield Due(clock.grace_ends_at, kind, None if clock.is_overdue else clock.grace_began_at)
        elif (at := _runs_out_or_forever(match, people)) is not None:
            yield Due(at, EventKind.GRACE)
        if (reminded_at := next(_reminder_times(match, people), None)) is not None:
            yield Due(reminded_at, EventKind.REMINDED)


def stillness_ends_at(match: Match, people: PeopleById) -> int:
    """When a game without moves or claims gets its warning; after the warning, when it is closed."""
    if match.clock.warned_at:
        return deadline_with_outages(match, match.clock.warned_at, match.clock.warned_at + STILL_CLOSING_S, people)
    begun = match.clock.grace_ends_at or match.clock.turn_began_at
    return deadline_with_outages(match, begun, begun + STILL_WARNING_S, people)


def _reminder_times(match: Match, people: PeopleById) -> Iterator[int]:
    """When the player to move is to be reminded, from the first reminder that has not been posted."""
    clock = match.clock
    if match.to_move is None or clock.grace_ends_at is not None:
        return
    own, begun = _mover_habits(match, people), clock.running_since or clock.turn_began_at
    reminders = people.get(match.players[match.turn], StoredPerson()).settings.reminders
    if clock.snoozed_until:
        yield clock.snoozed_until
    for spent in _reminder_milestones(match, reminders):
        if spent < clock.seconds_charged:
            continue
        at = deadline_after(own, begun, spent - clock.seconds_charged)
        if at > max(clock.reminded_at, clock.snoozed_until, begun):
            yield at


def _reminder_milestones(match: Match, reminders: Reminders) -> Iterator[int]:
    """The reminders of a turn, in counted seconds since it began."""
    bank = match.clock.banks[match.turn] + match.clock.seconds_charged if match.clock.banks else 0
    if reminders is Reminders.OFF:
        return
    if reminders.interval_hours is not None:
        last = bank or STILL_WARNING_S
        yield from range(reminders.interval_hours * HOUR, last, reminders.interval_hours * HOUR)
    elif not bank:
        yield NO_CLOCK_REMINDER_S
    else:
        yield bank // 2
        if reminders is Reminders.DEFAULT and bank - LAST_REMINDER_S > bank // 2:
            yield bank - LAST_REMINDER_S
