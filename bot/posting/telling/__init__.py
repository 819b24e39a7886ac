"""What is said of each piece of news: a teller for each kind, sorted by subject."""

from __future__ import annotations

from collections.abc import Mapping

from bot.match.events import FRESH_BOARD, EventKind
from bot.match.news import News
from bot.match.timing import LONG_ABSENCE
from bot.posting.telling import leavers, moves, referee, time
from bot.posting.telling.notice import Notice, Saying, Teller, passes
from bot.texts.clocks import duration
from bot.texts.i18n import Language, text

__all__ = ["TELLERS", "Notice", "Teller", "notice"]

TELLERS: Mapping[EventKind, Teller] = {**moves.TELLERS, **time.TELLERS, **leavers.TELLERS, **referee.TELLERS}


def notice(locale: Language, news: News, name: str) -> Notice | None:
    """What is said of the news; None where nothing is. `name` is what whoever brought it about is called."""
    teller, first = TELLERS.get(news.kind), news.chain[0]
    said = teller(Saying(locale, news, name)) if teller else None
    if said and first is not news and first.move is None:  # a steward has moved as soon as it could
        before = notice(locale, first, name)
        lines = [*([before.text] if before else []), *passes(locale, first), said.text]
        said = said._replace(text="\n".join(lines))
    if news.stood < LONG_ABSENCE or not news.match.is_live or news.kind is EventKind.PROLONGED:
        return said
    stood = f"-# {text(locale, 'time.stood', lost=duration(locale, news.stood))}"
    if said is None:
        return Notice(stood) if news.kind in FRESH_BOARD else None
    return said._replace(text=f"{said.text}\n{stood}")
