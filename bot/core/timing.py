"""Time: when the tick must look at a match, what it does then, and what opponents may do about a slow player.

`tick` may come late, or twice: after it, `next_tick_at` is always later than the tick. Events missed while nothing
ticked are reported once. The spans that give a person a chance (grace, call, vote) begin at the tick that finds
them due.

Only time in which people could move and be told of it counts. The bot, the server or the place may have been out of
reach; such absences come with the people, or from the match's own events. A bank does not run during them. A chance
whose end was announced is first prolonged by `prolong_chance`, before that end decides anything.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.core import table, vacancy
from bot.core.clock import DAY, FOREVER, HOUR, Habits, Span, deadline_after, standstill_ends_at
from bot.core.events import Event, EventKind, format_fields
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.core.settings import Reminders, StoredPerson
from bot.core.turns import (
    NO_PEOPLE,
    PeopleById,
    deadline_with_outages,
    habits_in_match,
    leave_seat,
    seconds_used,
    without_winner,
)
from rules import Cause

CLAIM_GRACE_S = 12 * HOUR
LAST_REMINDER_S = 6 * HOUR
"""Seconds before the end of the bank."""
NO_CLOCK_REMINDER_S = 3 * DAY
"""Seconds until a player without a clock is reminded, unless they have set another interval."""
STILL_WARNING_S, STILL_CLOSING_S = 30 * DAY, 30 * DAY
"""Without a clock or a claim: from the last move or the grace to the warning, and from the warning to the end."""
UNREACHED_END_S = 30 * DAY
"""Seconds after which a game ends whose players cannot be told anything."""
LONG_ABSENCE = 15 * 60
"""Absences of at least this many seconds are announced; shorter ones move deadlines silently."""
MIN_GIFT_S = 60
"""Smaller gifts of time are refused."""
NUDGE_INTERVAL_S = DAY
NUDGE_DELAY_S = DAY
"""Seconds from the start of a turn until an opponent may nudge."""


def time_runs_out_at(match: Match, people: PeopleById = NO_PEOPLE) -> int | None:
    """When the player to move runs out of time, or of grace once that has begun.

    None if no clock runs, or the clock stands still until somebody can be reached again.
    """
    at = _runs_out_or_forever(match, people)
    return at if at is not None and at < FOREVER else None


def clock_resumes_at(match: Match, now: int, people: PeopleById = NO_PEOPLE) -> int | None:
    """When the clock of the player to move runs again; None if it runs, if there is none, or during grace."""
    if match.running_since is None or match.pings.grace is not None:
        return None
    again = standstill_ends_at(_mover_habits(match, people), now)
    return again if again is not None and again < FOREVER else None


def seconds_left(match: Match, now: int, people: PeopleById = NO_PEOPLE) -> tuple[int, ...]:
    """The seconds that each seat has left; empty without a clock."""
    spent = seconds_used(match, now, people) or 0
    return tuple(max(bank - spent, 0) if seat == match.turn else bank for seat, bank in enumerate(match.banks))


def next_tick_at(match: Match, people: PeopleById = NO_PEOPLE) -> int | None:
    """The next instant at which the tick must look; None if nothing happens by itself."""
    at = _next_tick_or_forever(match, people)
    return at if at is None or at < FOREVER else match.moved_at  # as soon as somebody can be reached again


def tick(match: Match, people: PeopleById, now: int, *, house: bool = True) -> tuple[Event, ...]:
    """The events that are due by now; nothing if none is due. `house`: whether the server has house players.

    House players take the seats of a table by `table.seat_promised_house`, not here.
    """
    at = _next_tick_or_forever(match, people)
    if at is None or now < at:
        return ()
    if match.is_live and match.channel_lost_at is not None:
        return end_unreached_match(match, match.channel_lost_at, now)
    if (chance := _current_chance(match)) is not None and now < deadline_with_outages(match, *chance, people):
        return prolong_chance(match, people, now)
    if match.phase is Phase.OPEN:
        return table.expire_table(match, now)
    if match.vacancy:
        return vacancy.advance_vacancy(match, now, house=house)
    end = _patience_ends_at(match, people)
    if end is None or now < end:
        return match.next_events(now, (EventKind.REMINDED, match.to_move, ""))
    if not match.banks:
        return _warn_or_close_still(match, now)
    if match.pings.grace is None:
        return match.next_events(now, (EventKind.GRACE, match.to_move, format_fields(until=now + CLAIM_GRACE_S)))
    if match.needs_no_claim:
        return leave_seat(match, match.turn, Cause.TIMEOUT, now, people)
    return (
        _warn_or_close_still(match, now)
        if match.pings.overdue
        else match.next_events(now, (EventKind.OVERDUE, match.to_move, ""))
    )


def prolong_chance(match: Match, people: PeopleById, now: int) -> tuple[Event, ...]:
    """Prolongs the grace, call, vote or open table by the time in which nobody could be reached since it began.

    Nothing if none is running, or its end stays the same. Time made up for once does not count again.
    """
    chance = _current_chance(match)
    if chance is None:
        return ()
    since, until = chance
    end = deadline_with_outages(match, since, until, people)
    if end == until or end >= FOREVER:
        return ()
    return match.next_events(now, (EventKind.PROLONGED, None, format_fields(until=end, lost=end - until)))


def end_unreached_match(match: Match, since: int, now: int) -> tuple[Event, ...]:
    """Ends the match without a result if nobody could be reached since then, and for long enough by now."""
    if now < since + UNREACHED_END_S:
        return ()
    if match.phase is Phase.OPEN:
        return match.next_events(now, (EventKind.EXPIRED, None, ""))
    unreached = (EventKind.UNREACHED, None, format_fields(since=since))
    return match.next_events(now, unreached, without_winner(Cause.ABANDONED)) if match.is_live else ()


def is_overdue(match: Match, now: int, people: PeopleById = NO_PEOPLE) -> bool:
    """Whether an opponent may claim: the player to move has used up the time and the grace."""
    at = _runs_out_or_forever(match, people) if match.is_live and match.pings.grace is not None else None
    return at is not None and now >= at


def claim_timeout(
    match: Match, user: int, now: int, people: PeopleById = NO_PEOPLE, board_version: int | None = None
) -> tuple[Event, ...]:
    """An opponent claims that the player to move has run out of time; that player is then out of the game.

    Here and below, `board_version` is that of the board whose turn is meant, if known. Raises STALE if it has
    changed.
    """
    _require_opponent(match, user, board_version)
    if not is_overdue(match, now, people):
        raise _not_overdue_refusal(match, now, people)
    return leave_seat(match, match.turn, Cause.TIMEOUT, now, people, by=user)


def give_time(
    match: Match, user: int, seconds: int, now: int, people: PeopleById = NO_PEOPLE, board_version: int | None = None
) -> tuple[Event, ...]:
    """An opponent gives the player to move that many more seconds, as far as the cap allows.

    With `board_version`, only if the time is up: raises LAPSED if somebody has already given more. Raises
    CLOCK_FULL if nothing can be added, so that nobody is told of an empty gift, and CLOCK_STANDS also if nobody
    knows when the clock runs again.
    """
    _require_opponent(match, user, board_version)
    if board_version is not None and match.pings.grace is None:
        raise match.refusal_for(Problem.LAPSED)
    terms = match.pace.clock_terms
    if not terms or time_runs_out_at(match, people) is None:
        raise match.refusal_for(Problem.CLOCK_STANDS if terms else Problem.NO_CLOCK)
    match.refuse_if(seconds <= 0, Problem.BAD_TIME)
    spent = seconds_used(match, now, people) or 0
    bank_left = max(match.banks[match.turn] - spent, 0)
    match.refuse_if(terms.cap - bank_left < MIN_GIFT_S, Problem.CLOCK_FULL, most=terms.cap // HOUR)
    total_charged = match.seconds_charged + min(spent, match.banks[match.turn])
    body = format_fields(
        seat=match.turn, bank=min(terms.cap, bank_left + seconds), used=spent, charged=total_charged or None
    )
    return match.next_events(now, (EventKind.GIVEN, user, body))


def nudge_player(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """An opponent reminds the player to move; once a day, however many turns that day has.

    Raises in the first day of a turn, and while the player has postponed the reminder.
    """
    _require_opponent(match, user)
    nudge_allowed_at = max(match.moved_at + NUDGE_DELAY_S, match.pings.snoozed)
    for nudge in match.nudges:
        if nudge[:2] == (user, match.to_move) and now < nudge.at + NUDGE_INTERVAL_S:
            raise match.refusal_for(Problem.NUDGED_ALREADY, again=max(nudge.at + NUDGE_INTERVAL_S, nudge_allowed_at))
    match.refuse_if(now < nudge_allowed_at, Problem.NUDGE_TOO_SOON, again=nudge_allowed_at)
    return match.next_events(now, (EventKind.NUDGED, user, ""))


def snooze_reminder(
    match: Match, user: int, until: int, now: int, people: PeopleById = NO_PEOPLE, board_version: int | None = None
) -> tuple[Event, ...]:
    """The player to move wants no reminder before `until`, and one then.

    Raises if none would come: it would be too late, or the clock stands still while a seat is vacant.
    """
    match.require_turn(user, board_version)
    match.refuse_if(match.vacancy, Problem.SEAT_VACANT)
    if match.pings.grace is not None:
        last = time_runs_out_at(match, people)
        match.refuse_if(last is None, Problem.CLOCK_STANDS)
        raise match.refusal_for(Problem.TIME_UP, until=last)
    end = reminders_end_at(match, people)
    match.refuse_if(end is not None and until >= end, Problem.SNOOZED_TOO_LONG, until=end)
    match.refuse_if(not now < until <= now + 7 * DAY, Problem.BAD_TIME)
    return match.next_events(now, (EventKind.SNOOZED, user, format_fields(until=until)))


def reminders_end_at(match: Match, people: PeopleById = NO_PEOPLE) -> int | None:
    """When a reminder of this turn becomes useless, because the time is up or the game closed; None if never."""
    if match.banks:
        return time_runs_out_at(match, people)
    return _stillness_ends_at(match, people) if match.pings.warned else None


def charge_used_time(match: Match, user: int, now: int, people: PeopleById) -> tuple[Event, ...]:
    """Charges the user's time in this turn, because their habits change; nothing if their clock does not run.

    Otherwise a sleep window set today would give back yesterday's time.
    """
    spent = seconds_used(match, now, people) if match.to_move == user else None
    return match.next_events(now, (EventKind.CHARGED, None, format_fields(used=spent))) if spent else ()


def announce_vacation(match: Match, user: int, until: int, now: int) -> tuple[Event, ...]:
    """Tells the others of a player's vacation."""
    return match.next_events(now, (EventKind.AWAY, user, format_fields(until=until))) if user in match.still_in else ()


def announce_return(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """Tells the others that a player is back early."""
    return match.next_events(now, (EventKind.BACK, user, "")) if user in match.still_in else ()


def _mover_habits(match: Match, people: PeopleById) -> Habits:
    return habits_in_match(match, match.players[match.turn], people)


def _runs_out_or_forever(match: Match, people: PeopleById) -> int | None:
    """Like `time_runs_out_at`; at least FOREVER if nobody knows yet when somebody can be reached again."""
    pings = match.pings
    if pings.grace is not None:
        return deadline_with_outages(match, pings.since, pings.grace, people)
    if match.running_since is None:
        return None
    return deadline_after(_mover_habits(match, people), match.running_since, match.banks[match.turn])


def _next_tick_or_forever(match: Match, people: PeopleById) -> int | None:
    """Like `next_tick_at`; at least FOREVER if nobody knows yet."""
    if match.phase is Phase.OPEN:
        return min(match.expires_at, match.house_promise.until) if match.house_promise else match.expires_at
    if not match.is_live:
        return None
    if match.channel_lost_at is not None:
        return match.channel_lost_at + UNREACHED_END_S
    if match.vacancy:
        return match.vacancy.until
    if match.house_to_move:
        return None  # it moves as soon as it can
    reminder = next(_reminder_times(match, people), None)
    return min((at for at in (reminder, _patience_ends_at(match, people)) if at is not None), default=None)


def _current_chance(match: Match) -> Span | None:
    """The start and the announced end of a person's present chance, or of an open table; None if there is neither."""
    if match.phase is Phase.OPEN:
        return match.prolonged_span or (match.created, match.expires_at)
    if not match.is_live:
        return None
    if match.vacancy:
        return match.vacancy.since, match.vacancy.until
    pings = match.pings
    return (pings.since, pings.grace) if pings.grace is not None and not pings.overdue else None


def _patience_ends_at(match: Match, people: PeopleById) -> int | None:
    """When the patience with the player to move next runs out; None while a clock stands still."""
    if not match.banks or (match.pings.overdue and not match.needs_no_claim):
        return _stillness_ends_at(match, people)
    return match.pings.grace if match.pings.grace is not None else _runs_out_or_forever(match, people)


def _stillness_ends_at(match: Match, people: PeopleById) -> int:
    """When a game without moves or claims gets its warning; after the warning, when it is closed."""
    if match.pings.warned:
        return deadline_with_outages(match, match.pings.warned, match.pings.warned + STILL_CLOSING_S, people)
    begun = match.pings.grace or match.moved_at
    return deadline_with_outages(match, begun, begun + STILL_WARNING_S, people)


def _reminder_times(match: Match, people: PeopleById) -> Iterator[int]:
    """When the player to move is to be reminded, from the first reminder that has not been posted."""
    if match.to_move is None or match.pings.grace is not None:
        return
    own, pings = _mover_habits(match, people), match.pings
    reminders = people.get(match.players[match.turn], StoredPerson()).settings.reminders
    if pings.snoozed:
        yield pings.snoozed
    begun = match.running_since or match.moved_at
    for spent in _reminder_milestones(match, reminders):
        if spent < match.seconds_charged:
            continue
        at = deadline_after(own, begun, spent - match.seconds_charged)
        if at > max(pings.reminded, pings.snoozed, begun):
            yield at


def _reminder_milestones(match: Match, reminders: Reminders) -> Iterator[int]:
    """The reminders of a turn, in counted seconds since it began."""
    bank = match.banks[match.turn] + match.seconds_charged if match.banks else 0
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


def _warn_or_close_still(match: Match, now: int) -> tuple[Event, ...]:
    if match.pings.warned is None:
        return match.next_events(now, (EventKind.STILL, match.to_move, ""))
    return match.next_events(now, (EventKind.CLOSED_STILL, None, ""), without_winner(Cause.ABANDONED))


def _not_overdue_refusal(match: Match, now: int, people: PeopleById) -> MatchError:
    if not match.banks:
        return match.refusal_for(Problem.NO_CLOCK)
    end = time_runs_out_at(match, people)
    if end is None:
        return match.refusal_for(Problem.CLOCK_STANDS)
    problem = Problem.NOT_OVERDUE_LADDER if match.needs_no_claim else Problem.NOT_OVERDUE
    # A grace begins only with the tick, and the bot may have been away.
    return match.refusal_for(problem, until=end if match.pings.grace is not None else max(end, now) + CLAIM_GRACE_S)


def _require_opponent(match: Match, user: int, board_version: int | None = None) -> None:
    match.require_going_on(user, board_version)
    match.refuse_if(user == match.to_move, Problem.YOUR_OWN_CLOCK)
    match.refuse_if(match.house_to_move, Problem.HOUSE_THINKS, user=match.to_move)
