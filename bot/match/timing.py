"""Time: when a match wants to be looked at, and what happens then. And what opponents may do about a slow player.

`tick` may come late, or twice: after it, `wake` is always later than the tick. What was missed while nobody ticked is
told once. The spans in which a person is given a chance (the grace, the call, the vote) begin at the tick that finds
them due.

All of it goes by the time in which people could move and be told of it. The bot, the server or the place may be out of
reach meanwhile; such absences come with the people, or from the match's own story. A bank does not run in them, and
what has an end of its own, known to everybody, gets a later one by `prolong` before anything is decided by it.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.match import table, vacancy
from bot.match.events import Event, EventKind, format_fields
from bot.match.match import Match, Phase
from bot.match.turns import NO_PEOPLE, People, habits, lasts, leaving, used, without_winner
from bot.people.clock import DAY, FOREVER, HOUR, Habits, Span, deadline, resumes
from bot.people.problems import MatchError, Problem
from bot.people.settings import Person, Reminders
from rules import Cause

GRACE = 12 * HOUR
LAST_REMINDER = 6 * HOUR
"""Before the end of the bank."""
NO_CLOCK_REMINDER = 3 * DAY
"""When a player without a clock is reminded, unless they want it otherwise."""
STILL, CLOSED_STILL = 30 * DAY, 30 * DAY
"""Without a clock, and where nobody claims: from the last move, or the grace, to the warning; from there to the end."""
UNREACHED = 30 * DAY
"""After which a game ends of which nobody can be told."""
LONG_ABSENCE = 15 * 60
"""Seconds in which nobody could be reached, from which on people are told of it; after fewer, ends move silently."""
LEAST_GIFT = 60
"""Of less nobody need be told."""
NUDGE_EVERY = DAY
NUDGE_AFTER = DAY
"""From when a turn begins until an opponent may nudge."""


def flag(match: Match, people: People = NO_PEOPLE) -> int | None:
    """When the player to move runs out of time, or of grace if it has come to that.

    None where no clock runs, and where it stands until somebody can be reached again.
    """
    at = _flag(match, people)
    return at if at is not None and at < FOREVER else None


def standing(match: Match, now: int, people: People = NO_PEOPLE) -> int | None:
    """When the clock of the player to move runs again; None if it runs, or there is none, or grace has come to it."""
    if match.running is None or match.pings.grace is not None:
        return None
    again = resumes(_habits(match, people), now)
    return again if again is not None and again < FOREVER else None


def left(match: Match, now: int, people: People = NO_PEOPLE) -> tuple[int, ...]:
    """The seconds that each seat has left; empty without a clock."""
    spent = used(match, now, people) or 0
    return tuple(max(bank - spent, 0) if seat == match.turn else bank for seat, bank in enumerate(match.banks))


def wake(match: Match, people: People = NO_PEOPLE) -> int | None:
    """The next instant at which the tick must look; None where nothing happens by itself."""
    at = _wake(match, people)
    return at if at is None or at < FOREVER else match.moved_at  # as soon as somebody can be reached again


def tick(match: Match, people: People, now: int, *, house: bool = True) -> tuple[Event, ...]:
    """What happens by itself by now; nothing if nothing is due. `house`: whether the server has house players.

    They take the seats of a table by `table.keep_promise`.
    """
    at = _wake(match, people)
    if at is None or now < at:
        return ()
    if match.is_live and match.homeless_since is not None:
        return give_up(match, match.homeless_since, now)
    if (chance := _chance(match)) is not None and now < lasts(match, *chance, people):
        return prolong(match, people, now)
    if match.phase is Phase.OPEN:
        return table.expire(match, now)
    if match.vacancy:
        return vacancy.wait_for_nobody(match, now, house=house)
    end = _end(match, people)
    if end is None or now < end:
        return match.next(now, (EventKind.REMINDED, match.to_move, ""))
    if not match.banks:
        return _still(match, now)
    if match.pings.grace is None:
        return match.next(now, (EventKind.GRACE, match.to_move, format_fields(until=now + GRACE)))
    if match.needs_no_claim:
        return leaving(match, match.turn, Cause.TIMEOUT, now, people)
    return _still(match, now) if match.pings.overdue else match.next(now, (EventKind.OVERDUE, match.to_move, ""))


def prolong(match: Match, people: People, now: int) -> tuple[Event, ...]:
    """The grace, call, vote or open table ends later by the time in which nobody could be reached since it began.

    Nothing where that is none, or not over yet. What has been made up for once does not count again.
    """
    chance = _chance(match)
    if chance is None:
        return ()
    since, until = chance
    end = lasts(match, since, until, people)
    if end == until or end >= FOREVER:
        return ()
    return match.next(now, (EventKind.PROLONGED, None, format_fields(until=end, lost=end - until)))


def give_up(match: Match, since: int, now: int) -> tuple[Event, ...]:
    """The match ends without a result, if nobody could be reached since then, and for long enough by now."""
    if now < since + UNREACHED:
        return ()
    if match.phase is Phase.OPEN:
        return match.next(now, (EventKind.EXPIRED, None, ""))
    unreached = (EventKind.UNREACHED, None, format_fields(since=since))
    return match.next(now, unreached, without_winner(Cause.ABANDONED)) if match.is_live else ()


def overdue(match: Match, now: int, people: People = NO_PEOPLE) -> bool:
    """Whether an opponent may claim: the player to move has used up the time and the grace."""
    at = _flag(match, people) if match.is_live and match.pings.grace is not None else None
    return at is not None and now >= at


def claim(
    match: Match, user: int, now: int, people: People = NO_PEOPLE, board_version: int | None = None
) -> tuple[Event, ...]:
    """An opponent claims that the player to move has run out of time, who is out of the game then.

    `board_version`: of the board whose turn is meant, if known, here and below. STALE if it is another by now.
    """
    _require_opponent(match, user, board_version)
    if not overdue(match, now, people):
        raise _not_overdue(match, now, people)
    return leaving(match, match.turn, Cause.TIMEOUT, now, people, by=user)


def give_time(
    match: Match, user: int, seconds: int, now: int, people: People = NO_PEOPLE, board_version: int | None = None
) -> tuple[Event, ...]:
    """An opponent gives the player to move so much more time, as far as the cap allows.

    With `board_version`, only where the time is up: LAPSED if somebody has given more already. CLOCK_FULL where nothing
    can be added: nobody is told of a gift that is none. CLOCK_STANDS also where nobody knows when it runs again.
    """
    _require_opponent(match, user, board_version)
    if board_version is not None and match.pings.grace is None:
        raise match.refusal(Problem.LAPSED)
    terms = match.pace.terms
    if not terms or flag(match, people) is None:
        raise match.refusal(Problem.CLOCK_STANDS if terms else Problem.NO_CLOCK)
    match.refuse_if(seconds <= 0, Problem.BAD_TIME)
    spent = used(match, now, people) or 0
    left = max(match.banks[match.turn] - spent, 0)
    match.refuse_if(terms.cap - left < LEAST_GIFT, Problem.CLOCK_FULL, most=terms.cap // HOUR)
    taken = match.charged + min(spent, match.banks[match.turn])
    body = format_fields(seat=match.turn, bank=min(terms.cap, left + seconds), used=spent, charged=taken or None)
    return match.next(now, (EventKind.GIVEN, user, body))


def nudge(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """An opponent reminds the player to move; once a day, however many turns that has.

    Not in the first day of a turn, nor while the player has put the reminder off.
    """
    _require_opponent(match, user)
    patient = max(match.moved_at + NUDGE_AFTER, match.pings.snoozed)
    for nudge in match.nudges:
        if nudge[:2] == (user, match.to_move) and now < nudge.at + NUDGE_EVERY:
            raise match.refusal(Problem.NUDGED_ALREADY, again=max(nudge.at + NUDGE_EVERY, patient))
    match.refuse_if(now < patient, Problem.NUDGE_TOO_SOON, again=patient)
    return match.next(now, (EventKind.NUDGED, user, ""))


def snooze(
    match: Match, user: int, until: int, now: int, people: People = NO_PEOPLE, board_version: int | None = None
) -> tuple[Event, ...]:
    """The player to move wants no reminder before then, and one then.

    Refused where none would come: it would be too late, or all stands while a seat is vacant.
    """
    match.require_turn(user, board_version)
    match.refuse_if(match.vacancy, Problem.SEAT_VACANT)
    if match.pings.grace is not None:
        last = flag(match, people)
        match.refuse_if(last is None, Problem.CLOCK_STANDS)
        raise match.refusal(Problem.TIME_UP, until=last)
    end = too_late(match, people)
    match.refuse_if(end is not None and until >= end, Problem.SNOOZED_TOO_LONG, until=end)
    match.refuse_if(not now < until <= now + 7 * DAY, Problem.BAD_TIME)
    return match.next(now, (EventKind.SNOOZED, user, format_fields(until=until)))


def too_late(match: Match, people: People = NO_PEOPLE) -> int | None:
    """From when on a reminder of this turn would be of no use: the time is up, or the game closed; None if never."""
    if match.banks:
        return flag(match, people)
    return _still_until(match, people) if match.pings.warned else None


def charge(match: Match, user: int, now: int, people: People) -> tuple[Event, ...]:
    """Settles what the user has used of this turn, because their habits change; nothing if their clock does not run.

    Otherwise a sleep window asked for today would give yesterday's time back.
    """
    spent = used(match, now, people) if match.to_move == user else None
    return match.next(now, (EventKind.CHARGED, None, format_fields(used=spent))) if spent else ()


def away(match: Match, user: int, until: int, now: int) -> tuple[Event, ...]:
    """The others are told of a player's vacation."""
    return match.next(now, (EventKind.AWAY, user, format_fields(until=until))) if user in match.still_in else ()


def back(match: Match, user: int, now: int) -> tuple[Event, ...]:
    """The others are told that a player is back early."""
    return match.next(now, (EventKind.BACK, user, "")) if user in match.still_in else ()


def _habits(match: Match, people: People) -> Habits:
    return habits(match, match.players[match.turn], people)


def _flag(match: Match, people: People) -> int | None:
    """As `flag`; FOREVER at the earliest where nobody knows yet when somebody can be reached again."""
    pings = match.pings
    if pings.grace is not None:
        return lasts(match, pings.since, pings.grace, people)
    if match.running is None:
        return None
    return deadline(_habits(match, people), match.running, match.banks[match.turn])


def _wake(match: Match, people: People) -> int | None:
    """As `wake`; FOREVER at the earliest where nobody knows yet."""
    if match.phase is Phase.OPEN:
        return min(match.expires, match.promised.until) if match.promised else match.expires
    if not match.is_live:
        return None
    if match.homeless_since is not None:
        return match.homeless_since + UNREACHED
    if match.vacancy:
        return match.vacancy.until
    if match.house_to_move:
        return None  # it moves as soon as it can
    reminder = next(_reminders(match, people), None)
    return min((at for at in (reminder, _end(match, people)) if at is not None), default=None)


def _chance(match: Match) -> Span | None:
    """Since when, and until when as everybody has been told, a person is given a chance, or a table waits."""
    if match.phase is Phase.OPEN:
        return match.waits or (match.created, match.expires)
    if not match.is_live:
        return None
    if match.vacancy:
        return match.vacancy.since, match.vacancy.until
    pings = match.pings
    return (pings.since, pings.grace) if pings.grace is not None and not pings.overdue else None


def _end(match: Match, people: People) -> int | None:
    """When the patience with the player to move comes to its next end; None while a clock stands."""
    if not match.banks or (match.pings.overdue and not match.needs_no_claim):
        return _still_until(match, people)
    return match.pings.grace if match.pings.grace is not None else _flag(match, people)


def _still_until(match: Match, people: People) -> int:
    """Until when a game waits for a move or a claim that nothing else brings about, or after the warning for any."""
    if match.pings.warned:
        return lasts(match, match.pings.warned, match.pings.warned + CLOSED_STILL, people)
    begun = match.pings.grace or match.moved_at
    return lasts(match, begun, begun + STILL, people)


def _reminders(match: Match, people: People) -> Iterator[int]:
    """When the player to move is to be reminded, from the first one that has not been posted."""
    if match.to_move is None or match.pings.grace is not None:
        return
    own, pings = _habits(match, people), match.pings
    wish = people.get(match.players[match.turn], Person()).settings.reminders
    if pings.snoozed:
        yield pings.snoozed
    begun = match.running or match.moved_at
    for spent in _milestones(match, wish):
        if spent < match.charged:
            continue
        at = deadline(own, begun, spent - match.charged)
        if at > max(pings.reminded, pings.snoozed, begun):
            yield at


def _milestones(match: Match, wish: Reminders) -> Iterator[int]:
    """How many counted seconds into the turn they are reminded."""
    bank = match.banks[match.turn] + match.charged if match.banks else 0
    if wish is Reminders.OFF:
        return
    if wish.hours is not None:
        last = bank or STILL
        yield from range(wish.hours * HOUR, last, wish.hours * HOUR)
    elif not bank:
        yield NO_CLOCK_REMINDER
    else:
        yield bank // 2
        if wish is Reminders.DEFAULT and bank - LAST_REMINDER > bank // 2:
            yield bank - LAST_REMINDER


def _still(match: Match, now: int) -> tuple[Event, ...]:
    if match.pings.warned is None:
        return match.next(now, (EventKind.STILL, match.to_move, ""))
    return match.next(now, (EventKind.CLOSED_STILL, None, ""), without_winner(Cause.ABANDONED))


def _not_overdue(match: Match, now: int, people: People) -> MatchError:
    if not match.banks:
        return match.refusal(Problem.NO_CLOCK)
    end = flag(match, people)
    if end is None:
        return match.refusal(Problem.CLOCK_STANDS)
    problem = Problem.NOT_OVERDUE_LADDER if match.needs_no_claim else Problem.NOT_OVERDUE
    # A grace begins only with the tick, which the bot may have been away from.
    return match.refusal(problem, until=end if match.pings.grace is not None else max(end, now) + GRACE)


def _require_opponent(match: Match, user: int, board_version: int | None = None) -> None:
    match.require_going_on(user, board_version)
    match.refuse_if(user == match.to_move, Problem.YOUR_OWN_CLOCK)
    match.refuse_if(match.house_to_move, Problem.HOUSE_THINKS, user=match.to_move)
