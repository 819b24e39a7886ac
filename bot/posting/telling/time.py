"""What is said of time: reminders, warnings, vacations, and games that end because nobody moves."""

from __future__ import annotations

from collections.abc import Mapping

from bot.kit.components import Button, button
from bot.match.events import EventKind, number
from bot.match.match import Match
from bot.match.news import News
from bot.match.timing import CLOSED_STILL, flag
from bot.posting.telling.notice import Notice, Teller, doer, everyone
from bot.texts.clocks import due_text, duration, instant, moment
from bot.texts.i18n import Language, text
from bot.texts.sentences import colour, emblem

LINKED = frozenset(
    {EventKind.REMINDED, EventKind.NUDGED, EventKind.GRACE, EventKind.GIVEN, EventKind.STILL, EventKind.OVERDUE}
) | {EventKind.PROLONGED}
"""What is told below a board that may have been posted long ago, so that a link leads back to it."""


def _reminded(locale: Language, news: News, name: str) -> Notice:
    falls = flag(news.match, news.people)
    if falls is None:
        said = _waits(locale, news, "time.reminded", since=instant(news.match.moved_at))
    else:
        said = _waits(locale, news, "time.reminded-clock", falls=instant(falls))
    return Notice(said, (button(locale, "snooze", match=news.match.id, number=news.match.board_version),))


def _nudged(locale: Language, news: News, name: str) -> Notice:
    falls = flag(news.match, news.people)
    said = _waits(locale, news, "time.nudged", who=doer(locale, news, name))
    return Notice(said if falls is None else f"{said} {text(locale, 'clock.due', falls=instant(falls))}")


def _grace(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    key = "time.grace-ladder" if match.ladder else "time.grace"
    said = _waits(locale, news, key, until=instant(number(news.event.body, "until")))
    return Notice(said, grace_buttons(locale, match))


def _overdue(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    who, players = doer(locale, news, name), everyone(locale, news.ping)
    key = "time.overdue" if len(match.still_in) == 2 else "time.overdue-seat"
    return Notice(text(locale, key, who=who, id=match.id, players=players), grace_buttons(locale, match))


def _prolonged(locale: Language, news: News, name: str) -> Notice:
    match, body = news.match, news.event.body
    until, lost = instant(number(body, "until")), duration(locale, number(body, "lost"))
    if match.vacancy is None:
        return Notice(_waits(locale, news, "time.prolonged", until=until, lost=lost))
    key = "time.prolonged-vote" if match.vacancy.voting else "time.prolonged-call"
    side, players = colour(locale, match.variant, match.vacancy.seat), everyone(locale, news.ping)
    return Notice(text(locale, key, players=players, colour=side, id=match.id, until=until, lost=lost))


def grace_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """What opponents may do about a player whose time is up. A ladder game ends without a claim."""
    give = button(locale, "give-time", match=match.id, number=match.board_version)
    if match.ladder:
        return (give,)
    label = "claim" if len(match.still_in) == 2 else "claim-seat"
    return button(locale, "claim", label=label, match=match.id, number=match.board_version), give


def _given(locale: Language, news: News, name: str) -> Notice:
    falls = flag(news.match, news.people)
    assert falls is not None
    return Notice(_waits(locale, news, "time.given", who=doer(locale, news, name), falls=instant(falls)))


def _waits(locale: Language, news: News, key: str, **values: str) -> str:
    """A sentence to whoever is to move in that game."""
    match = news.match
    sign, player = emblem(match.variant, match.turn), everyone(locale, news.ping)
    return text(locale, key, emblem=sign, player=player, id=match.id, **values)


def _still(locale: Language, news: News, name: str) -> Notice:
    closes, since = instant(news.event.at + CLOSED_STILL), instant(news.match.moved_at)
    players = everyone(locale, news.ping)
    return Notice(text(locale, "time.still", players=players, id=news.match.id, since=since, closes=closes))


def _closed_still(locale: Language, news: News, name: str) -> Notice:
    return Notice(text(locale, "time.closed-still", since=instant(news.match.moved_at)))


def _away(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    until = moment(number(news.event.body, "until"))
    said = text(locale, "time.away", who=doer(locale, news, name), id=match.id, until=until)
    if not match.banks:
        return Notice(said)
    if not match.vacations:
        return Notice(f"{said} {text(locale, 'time.away-runs')}")
    # No vacation stops the last hours of somebody whose time is up already.
    late = news.user == match.to_move and match.pings.grace is not None
    stands = [] if late else [text(locale, "time.away-stands")]
    return Notice(" ".join([said, *stands, *_due_anew(locale, news)]))


def _back(locale: Language, news: News, name: str) -> Notice:
    said = text(locale, "time.back", who=doer(locale, news, name), id=news.match.id)
    return Notice(" ".join([said, *_due_anew(locale, news)]))


def _due_anew(locale: Language, news: News) -> list[str]:
    """When the time is up now, if the vacation is that of the player to move: the board may be far above."""
    match = news.match
    if news.user != match.to_move or not match.vacations:
        return []
    due = due_text(locale, match, news.people)
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
}
