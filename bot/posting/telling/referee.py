"""What is said of a referee's acts, to the players and in the audit channel."""

from __future__ import annotations

from collections.abc import Mapping

from bot.match.events import REFEREED, Event, EventKind, number, reason_of, title_of
from bot.match.match import Match
from bot.match.refereeing import LONGEST_REASON, Ruling
from bot.people.clock import HOUR
from bot.posting.telling.notice import Notice, Saying, Teller, everyone
from bot.texts.clocks import moment
from bot.texts.i18n import Language, plural, text
from bot.texts.sentences import mention, plain, side, titled


def audit_text(locale: Language, ruling: Ruling) -> str:
    """The entry in the audit channel: which game, who, what, and why."""
    match, event = ruling.match, ruling.event
    assert event.user is not None
    return text(
        locale,
        "referee.entry-player" if event.user in _concerned(ruling.was, match) else "referee.entry",
        id=match.id,
        variant=titled(locale, match.variant, match.title),
        where=f"<#{match.where}>",
        referee=mention(event.user, locale),
        did=_did(locale, ruling.was, event),
        reason=_reason(event),
        at=moment(event.at),
    )


def _told(say: Saying) -> Notice:
    """The same for all acts: it calls everybody whom it concerns, also who has been replaced."""
    concerned = _concerned(say.was, say.match)
    key = "referee.told-player" if say.news.user in concerned else "referee.told"
    event, called = say.news.event, everyone(say.locale, concerned)
    did = _did(say.locale, say.was, event)
    return Notice(say.text(key, players=called, name=plain(say.name), did=did, reason=_reason(event)))


def _concerned(*matches: Match) -> tuple[int, ...]:
    """Who plays in those, or has joined where they have not begun."""
    return tuple(dict.fromkeys(user for match in matches for user in match.players or match.joined))


def _did(locale: Language, was: Match, event: Event) -> str:
    """What the referee has done, as the end of a sentence of which the referee is the subject."""
    values: dict[str, object] = {"id": was.id}
    key = event.kind.name.lower().replace("_", "-")
    if event.kind in (EventKind.CLOCK_SET, EventKind.REPLACED):
        seat = number(event.body, "seat")
        values |= side(locale, was.variant, seat)
    match event.kind:
        case EventKind.CLOCK_SET:
            values["time"] = plural(locale, "referee.hours", number(event.body, "bank") // HOUR)
        case EventKind.REPLACED:
            old, new = was.players[number(event.body, "seat")], number(event.body, "by")
            values |= {"old": mention(old, locale), "new": mention(new, locale)}
        case EventKind.REWOUND:
            values["ply"] = number(event.body, "ply")
            if not values["ply"]:
                key = "rewound-start"
            elif values["ply"] == was.ply:
                key = "reopened"
        case EventKind.RENAMED:
            title = title_of(event)
            key, values["title"] = (key, plain(title)) if title else ("untitled", "")
    return text(locale, f"referee.{key}", **values)


def _reason(event: Event) -> str:
    return plain(reason_of(event), LONGEST_REASON)


TELLERS: Mapping[EventKind, Teller] = dict.fromkeys(REFEREED, _told)
