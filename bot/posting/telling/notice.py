"""What one piece of news comes to: a few lines, and the buttons that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.kit.components import Button
from bot.match.news import News
from bot.texts.i18n import Language, join
from bot.texts.sentences import colour, emblem, in_brackets, mentions, plain


class Notice(NamedTuple):
    """The words of a piece of news, mentions of those whom it calls included, and its buttons."""

    text: str
    buttons: tuple[Button, ...] = ()


Teller = Callable[[Language, News, str], Notice | None]
"""What is said of a piece of news; None where what follows says it.

The text is what `news.user` is called, for plain words that ping nobody.
"""


def doer(locale: Language, news: News, name: str) -> str:
    """Whoever brought the news about, by his colour and his name: "🔴 **Red** (Bo)"; by his name if he has no seat."""
    match = news.match
    seat = match.seat_of(news.user) if news.user is not None else None
    if seat is None:
        return f"**{plain(name)}**"
    return f"{emblem(match.variant, seat)} **{colour(locale, match.variant, seat)}**{in_brackets(name)}"


def everyone(locale: Language, users: Sequence[int]) -> str:
    """Those people in a row, as mentions; nothing for nobody."""
    return join(locale, mentions(locale, users)) if users else ""
