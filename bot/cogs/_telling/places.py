"""What is said of a game that has been taken to another place."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cogs._telling.notice import Notice, Teller, doer
from bot.i18n import Language, text
from bot.news import News, Topic


def _rehomed(locale: Language, news: News, name: str) -> Notice:
    return Notice(text(locale, "place.rehomed", player=doer(locale, news, name), id=news.match.id))


TELLERS: Mapping[Topic, Teller] = {Topic.REHOMED: _rehomed}
