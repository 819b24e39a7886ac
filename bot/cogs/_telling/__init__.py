"""What is said of each piece of news: a teller for each topic, sorted by subject."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cogs._telling import leavers, offers, places, referee, time, turns
from bot.cogs._telling.notice import Notice, Teller
from bot.i18n import Language
from bot.news import News, Topic

__all__ = ["TELLERS", "Notice", "Teller", "notice"]

TELLERS: Mapping[Topic, Teller] = {
    **turns.TELLERS,
    **time.TELLERS,
    **offers.TELLERS,
    **leavers.TELLERS,
    **places.TELLERS,
    **referee.TELLERS,
}


def notice(locale: Language, news: News, name: str) -> Notice | None:
    """What is said of the news; None where nothing is. `name` is what `news.user` is called."""
    teller = TELLERS.get(news.kind)
    return teller(locale, news, name) if teller else None
