"""What is said of each piece of news: a teller for each kind, sorted by subject."""

from __future__ import annotations

from collections.abc import Mapping

from bot.core.events import FRESH_BOARD_EVENTS, EventKind
from bot.core.news import News
from bot.core.timing import LONG_ABSENCE
from bot.play.announcing.telling import leavers, moves, referee, time
from bot.play.announcing.telling.notice import NewsTelling, Notice, Teller, pass_lines
from bot.texts.clocks import duration_text
from bot.texts.i18n import Language, text

__all__ = ["TELLERS", "Notice", "Teller", "make_notice"]

TELLERS: Mapping[EventKind, Teller] = {
    **moves.MOVE_TELLERS,
    **time.TIME_TELLERS,
    **leavers.LEAVER_TELLERS,
    **referee.REFEREE_TELLERS,
}


def make_notice(locale: Language, news: News, name: str) -> Notice | None:
    """What is said of the news; None where nothing is. `name` is what whoever brought it about is called."""
    teller, first = TELLERS.get(news.kind), news.told_together[0]
    told = teller(NewsTelling(locale, news, name)) if teller else None
    if told and first is not news and first.move is None:  # a steward has moved as soon as it could
        before = make_notice(locale, first, name)
        lines = [*([before.text] if before else []), *pass_lines(locale, first), told.text]
        told = told._replace(text="\n".join(lines))
    if news.seconds_stood < LONG_ABSENCE or not news.match.is_live or news.kind is EventKind.PROLONGED:
        return told
    stood = f"-# {text(locale, 'time.stood', lost=duration_text(locale, news.seconds_stood))}"
    if told is None:
        return Notice(stood) if news.kind in FRESH_BOARD_EVENTS else None
    return told._replace(text=f"{told.text}\n{stood}")
