"""What is said of time: reminders, warnings, vacations, and games that end because nobody moves."""

from __future__ import annotations

from collections.abc import Mapping

from bot.kit.components import Button, button
from bot.match.events import EventKind, number
from bot.match.match import Match
from bot.match.timing import CLOSED_STILL, LONG_ABSENCE, flag
from bot.posting.telling.notice import Notice, Saying, Teller, everyone
from bot.texts.clocks import due_text, duration, instant, moment
from bot.texts.i18n import Language
from bot.texts.sentences import emblem

LINKED = frozenset(
    {EventKind.REMINDED, EventKind.NUDGED, EventKind.GRACE, EventKind.GIVEN, EventKind.STILL, EventKind.OVERDUE}
) | {EventKind.PROLONGED}
"""What is told below a board that may have been posted long ago, so that a link leads back to it."""


def _reminded(say: Saying) -> Notice:
    match, falls = say.match, flag(say.match, say.news.people)
    if falls is None:
        said = _waits(say, "time.reminded", since=instant(match.moved_at))
    else:
        said = _waits(say, "time.reminded-clock", falls=instant(falls))
    return Notice(said, (button(say.locale, "snooze", match=match.id, number=match.board_version),))


def _nudged(say: Saying) -> Notice:
    return Notice(_with_deadline(say, "time.nudged"))


def _grace(say: Saying) -> Notice:
    key = "time.grace-ladder" if say.match.needs_no_claim else "time.grace"
    return Notice(_waits(say, key, until=_until(say)), grace_buttons(say.locale, say.match))


def _overdue(say: Saying) -> Notice:
    key = "time.overdue" if len(say.match.still_in) == 2 else "time.overdue-seat"
    return Notice(say.text(key), grace_buttons(say.locale, say.match))


def _prolonged(say: Saying) -> Notice | None:
    seconds = number(say.news.event.body, "lost")
    if not say.match.is_live or seconds < LONG_ABSENCE:
        return None  # the table says it, or nobody need know
    vacancy, lost = say.match.vacancy, duration(say.locale, seconds)
    if vacancy is None:
        return Notice(_waits(say, "time.prolonged", until=_until(say), lost=lost))
    key = "time.prolonged-vote" if vacancy.voting else "time.prolonged-call"
    return Notice(say.text(key, **say.side(vacancy.seat), until=_until(say), lost=lost))


def grace_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """What opponents may do about a player whose time is up, where there are any. A ladder game needs no claim."""
    if not match.opponents(match.players[match.turn]):
        return ()
    give = button(locale, "give-time", match=match.id, number=match.board_version)
    if match.needs_no_claim:
        return (give,)
    label = "claim" if len(match.still_in) == 2 else "claim-seat"
    return button(locale, "claim", label=label, match=match.id, number=match.board_version), give


def _given(say: Saying) -> Notice:
    return Notice(_with_deadline(say, "time.given"))


def _with_deadline(say: Saying, key: str) -> str:
    """A sentence to whoever is to move, and when their time is up, as far as anybody knows."""
    falls, said = flag(say.match, say.news.people), _waits(say, key)
    return said if falls is None else f"{said} {say.text('clock.due', falls=instant(falls))}"


def _waits(say: Saying, key: str, **values: str) -> str:
    """A sentence to whoever is to move in that game."""
    player = everyone(say.locale, say.news.calls)
    return say.text(key, player=player, emblem=emblem(say.match.variant, say.match.turn), **values)


def _until(say: Saying) -> str:
    return instant(number(say.news.event.body, "until"))


def _still(say: Saying) -> Notice:
    closes, since = instant(say.news.event.at + CLOSED_STILL), instant(say.match.moved_at)
    if not say.match.pings.overdue:
        return Notice(say.text("time.still", since=since, closes=closes))
    return Notice(say.text("time.still-claim", since=since, closes=closes), grace_buttons(say.locale, say.match))


def _closed_still(say: Saying) -> Notice:
    return Notice(say.text("time.closed-still", since=instant(say.match.moved_at)))


def _unreached(say: Saying) -> Notice:
    since = number(say.news.event.body, "since")
    return Notice(say.text("time.unreached", since=moment(since)))


def _away(say: Saying) -> Notice:
    match, news = say.match, say.news
    said = say.text("time.away", until=moment(number(news.event.body, "until")))
    if not match.banks:
        return Notice(said)
    if not match.vacations:
        return Notice(f"{said} {say.text('time.away-runs')}")
    # No vacation stops the last hours of somebody whose time is up already.
    late = news.user == match.to_move and match.pings.grace is not None
    stands = [] if late else [say.text("time.away-stands")]
    return Notice(" ".join([said, *stands, *_due_anew(say)]))


def _back(say: Saying) -> Notice:
    return Notice(" ".join([say.text("time.back"), *_due_anew(say)]))


def _due_anew(say: Saying) -> list[str]:
    """When the time is up now, if the vacation is that of the player to move: the board may be far above."""
    match = say.match
    if say.news.user != match.to_move or not match.vacations:
        return []
    due = due_text(say.locale, match, say.news.people)
    return [due] if due else []


TELLERS: Mapping[EventKind, Teller] = {
    EventKind.REMINDED: _reminded,
    EventKind.NUDGED: _nudged,
    EventKind.GRACE: _grace,
    EventKind.GIVEN: _given,
    EventKind.STILL: _still,
    EventKind.CLOSED_STILL: _closed_still,
    EventKind.AWAY: _away,
    EventKind.BACK: _back,
    EventKind.OVERDUE: _overdue,
    EventKind.PROLONGED: _prolonged,
    EventKind.UNREACHED: _unreached,
}
