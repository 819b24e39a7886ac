"""The words about time: reminders, warnings, vacations, and games that end because nobody moves."""

from __future__ import annotations

from collections.abc import Mapping

from bot.core.clock import DAY
from bot.core.deadlines import stillness_ends_at, time_runs_out_at
from bot.core.events import EventKind, number_in
from bot.core.match import Match
from bot.core.time_acts import LONG_ABSENCE
from bot.discordkit.components import Button
from bot.play.announcing.telling.notice import NewsTelling, Notice, Teller, mention_all
from bot.play.shared_components import action_button
from bot.texts.i18n import Language, plural_text
from bot.texts.markup import absolute_time, relative_time
from bot.texts.sentences import due_text, duration_text, seat_emblem

BOARD_LINK_EVENTS = frozenset(
    {EventKind.REMINDED, EventKind.NUDGED, EventKind.GRACE, EventKind.GIVEN, EventKind.STILL, EventKind.OVERDUE}
) | {EventKind.PROLONGED}
"""Events posted below a board that may be far above, so that the post links to the board."""


def _tell_reminded(telling: NewsTelling) -> Notice:
    match, deadline = telling.match, time_runs_out_at(telling.match, telling.news.people)
    if deadline is None:
        sentence = _text_to_mover(telling, "time.reminded", since=relative_time(match.moved_at))
    else:
        sentence = _text_to_mover(telling, "time.reminded-clock", falls=relative_time(deadline))
    return Notice(sentence, (action_button(telling.locale, "snooze", match=match.id, number=match.board_version),))


def _tell_nudged(telling: NewsTelling) -> Notice:
    return Notice(_text_with_deadline(telling, "time.nudged"))


def _tell_grace(telling: NewsTelling) -> Notice:
    key = "time.grace-ladder" if telling.match.needs_no_claim else "time.grace"
    return Notice(
        _text_to_mover(telling, key, until=_until_text(telling)), grace_buttons(telling.locale, telling.match)
    )


def _tell_overdue(telling: NewsTelling) -> Notice:
    key = "time.overdue" if len(telling.match.still_in) == 2 else "time.overdue-seat"
    return Notice(telling.sentence(key), grace_buttons(telling.locale, telling.match))


def _tell_prolonged(telling: NewsTelling) -> Notice | None:
    seconds = number_in(telling.news.event.body, "lost")
    if not telling.match.is_live or seconds < LONG_ABSENCE:
        return None  # the table says it, or nobody needs to know
    vacancy, lost = telling.match.vacancy, duration_text(telling.locale, seconds)
    if vacancy is None:
        return Notice(_text_to_mover(telling, "time.prolonged", until=_until_text(telling), lost=lost))
    key = "time.prolonged-vote" if vacancy.voting else "time.prolonged-call"
    return Notice(telling.sentence(key, **telling.side_values(vacancy.seat), until=_until_text(telling), lost=lost))


def grace_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """Returns the buttons for the opponents of a player whose time is up; none without opponents. A ladder game needs
    no claim.
    """
    if not match.opponents_of(match.players[match.turn]):
        return ()
    give = action_button(locale, "give-time", match=match.id, number=match.board_version)
    if match.needs_no_claim:
        return (give,)
    return action_button(locale, "claim", label=claim_label(match), match=match.id, number=match.board_version), give


def claim_label(match: Match) -> str:
    """Returns the name of the label on the button that claims the game, or in a game of three the seat."""
    return "claim" if len(match.still_in) == 2 else "claim-seat"


def _tell_time_given(telling: NewsTelling) -> Notice:
    return Notice(_text_with_deadline(telling, "time.given"))


def _text_with_deadline(telling: NewsTelling, key: str) -> str:
    """Returns a sentence to the player to move, with their deadline if there is one."""
    deadline, sentence = time_runs_out_at(telling.match, telling.news.people), _text_to_mover(telling, key)
    return (
        sentence if deadline is None else f"{sentence} {telling.sentence('clock.due', falls=relative_time(deadline))}"
    )


def _text_to_mover(telling: NewsTelling, key: str, **values: str) -> str:
    """Returns a sentence to the player to move."""
    player = mention_all(telling.locale, telling.news.calls)
    return telling.sentence(key, player=player, emblem=seat_emblem(telling.match.variant, telling.match.turn), **values)


def _until_text(telling: NewsTelling) -> str:
    return relative_time(number_in(telling.news.event.body, "until"))


def _tell_still(telling: NewsTelling) -> Notice:
    match, people = telling.match, telling.news.people
    closes, since = relative_time(stillness_ends_at(match, people)), relative_time(match.moved_at)
    if not match.pings.is_overdue:
        return Notice(telling.sentence("time.still", since=since, closes=closes))
    return Notice(
        telling.sentence("time.still-claim", since=since, closes=closes), grace_buttons(telling.locale, match)
    )


def _tell_closed_still(telling: NewsTelling) -> Notice:
    return Notice(telling.sentence("time.closed-still", since=relative_time(telling.match.moved_at)))


def _tell_unreached(telling: NewsTelling) -> Notice:
    since = number_in(telling.news.event.body, "since")
    return Notice(telling.sentence("time.unreached", since=absolute_time(since)))


def _tell_away(telling: NewsTelling) -> Notice:
    match, news = telling.match, telling.news
    sentence = telling.sentence("time.away", until=absolute_time(number_in(news.event.body, "until")))
    if not match.banks:
        return Notice(sentence)
    if not match.vacations:
        return Notice(f"{sentence} {telling.sentence('time.away-runs')}")
    if match.vacation_cap is not None:
        capped = plural_text(telling.locale, "time.away-capped", match.vacation_cap.seconds // DAY)
        return Notice(" ".join([sentence, capped, *_new_deadline_lines(telling)]))
    # A vacation does not stop the grace of a player whose time is already up.
    is_in_grace = news.user == match.to_move and match.pings.grace_ends_at is not None
    stands = [] if is_in_grace else [telling.sentence("time.away-stands")]
    return Notice(" ".join([sentence, *stands, *_new_deadline_lines(telling)]))


def _tell_back(telling: NewsTelling) -> Notice:
    return Notice(" ".join([telling.sentence("time.back"), *_new_deadline_lines(telling)]))


def _new_deadline_lines(telling: NewsTelling) -> list[str]:
    """Returns the new deadline if the player to move went on or returned from vacation: the board may be far above."""
    match = telling.match
    if telling.news.user != match.to_move or not match.vacations:
        return []
    due = due_text(telling.locale, match, telling.news.people)
    return [due] if due else []


TIME_TELLERS: Mapping[EventKind, Teller] = {
    EventKind.REMINDED: _tell_reminded,
    EventKind.NUDGED: _tell_nudged,
    EventKind.GRACE: _tell_grace,
    EventKind.GIVEN: _tell_time_given,
    EventKind.STILL: _tell_still,
    EventKind.CLOSED_STILL: _tell_closed_still,
    EventKind.AWAY: _tell_away,
    EventKind.BACK: _tell_back,
    EventKind.OVERDUE: _tell_overdue,
    EventKind.PROLONGED: _tell_prolonged,
    EventKind.UNREACHED: _tell_unreached,
}
