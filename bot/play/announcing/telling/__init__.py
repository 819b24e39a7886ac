"""The words for each piece of news: one teller for each kind, sorted by subject."""

from __future__ import annotations

from collections.abc import Mapping

from bot.core.events import FRESH_BOARD_EVENTS, EventKind
from bot.core.news import News
from bot.core.time_acts import LONG_ABSENCE
from bot.play.announcing.telling import leavers, moves, referee, time
from bot.play.announcing.telling.notice import NewsTelling, Notice, Teller, pass_lines
from bot.texts.i18n import Language, text
from bot.texts.sentences import duration_text

__all__ = ["TELLERS", "Notice", "Teller", "make_notice"]

TELLERS: Mapping[EventKind, Teller] = {
    **moves.MOVE_TELLERS,
    **time.TIME_TELLERS,
    **leavers.LEAVER_TELLERS,
    **referee.REFEREE_TELLERS,
}


def make_notice(locale: Language, news: News, name: str) -> Notice | None:
    """Returns the notice for the news; None if there is nothing to tell. `name` is the name of the person
    who caused it.
    """
    teller, first = TELLERS.get(news.kind), news.told_together[0]
    notice = teller(NewsTelling(locale, news, name)) if teller else None
    if notice and first is not news and first.move is None:  # a steward moved right after that event
        before = make_notice(locale, first, name)
        lines = [*([before.text] if before else []), *pass_lines(locale, first), notice.text]
        notice = notice._replace(text="\n".join(lines))
    if news.seconds_stood < LONG_ABSENCE or not news.match.is_live or news.kind is EventKind.PROLONGED:
        return notice
    stood = f"-# {text(locale, 'time.stood', lost=duration_text(locale, news.seconds_stood))}"
    if notice is None:
        return Notice(stood) if news.kind in FRESH_BOARD_EVENTS else None
    return notice._replace(text=f"{notice.text}\n{stood}")
