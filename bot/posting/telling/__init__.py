"""What is said of each piece of news: a teller for each kind, sorted by subject."""

from __future__ import annotations

from collections.abc import Mapping

from bot.match.events import EventKind
from bot.match.news import News
from bot.posting.telling import leavers, moves, referee, time
from bot.posting.telling.notice import Notice, Saying, Teller
from bot.texts.i18n import Language

__all__ = ["TELLERS", "Notice", "Teller", "notice"]

TELLERS: Mapping[EventKind, Teller] = {**moves.TELLERS, **time.TELLERS, **leavers.TELLERS, **referee.TELLERS}


def notice(locale: Language, news: News, name: str) -> Notice | None:
    """What is said of the news; None where nothing is. `name` is what `news.user` is called."""
    teller = TELLERS.get(news.kind)
    return teller(Saying(locale, news, name)) if teller else None
