"""What is said of moves, and of players who give up."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cogs._posts.table import seated
from bot.cogs._telling.notice import Notice, Teller
from bot.i18n import Language, text
from bot.news import News, Topic
from bot.words import colour, emblem, in_brackets, played


def _started(locale: Language, news: News, name: str) -> Notice:
    return Notice(text(locale, "turn.begins", players=seated(locale, news.match)))


def _moved(locale: Language, news: News, name: str) -> Notice:
    assert news.before is not None
    assert news.move is not None
    said = played(locale, news.before, news.move, name)
    return Notice(f"{said} {text(locale, 'time.auto')}" if news.auto else said)


def _resigned(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    assert news.user is not None
    seat = match.seat_of(news.user)
    assert seat is not None
    key = "turn.gave-up" if match.game and match.game.outcome else "turn.resigned"
    sign, side = emblem(match.variant, seat), colour(locale, match.variant, seat)
    return Notice(text(locale, key, emblem=sign, colour=side, name=in_brackets(name)))


TELLERS: Mapping[Topic, Teller] = {
    Topic.STARTED: _started,
    Topic.MOVED: _moved,
    Topic.RESIGNED: _resigned,
}
