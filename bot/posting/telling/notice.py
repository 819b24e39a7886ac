"""What one piece of news comes to: a few lines, and the buttons that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.kit.components import Button
from bot.match.match import Match
from bot.match.news import News
from bot.texts import i18n
from bot.texts.i18n import Language, join
from bot.texts.sentences import in_brackets, mentions, plain, side
from rules import Seat


class Notice(NamedTuple):
    """What is said of a piece of news: its words, mentions of those whom it calls included, and its buttons."""

    text: str
    buttons: tuple[Button, ...] = ()
    ping: tuple[int, ...] = ()
    """Whom a ladder's calls; of a match's, `News.calls` tells."""


class Saying(NamedTuple):
    """A piece of news about to be told."""

    locale: Language
    news: News
    name: str
    """What `news.user` is called, for plain words that ping nobody; empty where that is not known in time."""

    @property
    def match(self) -> Match:
        return self.news.match

    @property
    def was(self) -> Match:
        """The match just before; not of a start, before which there was none."""
        assert self.news.was is not None, self.news.event
        return self.news.was

    @property
    def who(self) -> str:
        """Whoever brought the news about, by colour and name: "🔴 **Red** (Bo)"; by name alone without a seat."""
        seat = self.match.seat_of(self.news.user) if self.news.user is not None else None
        if seat is None:
            return f"**{plain(self.name) if self.name else i18n.text(self.locale, 'unknown-player')}**"
        side = self.side(seat, self.name)
        return f"{side['emblem']} **{side['colour']}**{side['name']}"

    def side(self, seat: Seat, name: str = "") -> dict[str, str]:
        """The emblem, the colour and the name in brackets of who plays that seat, as sentences take them."""
        return {**side(self.locale, self.match.variant, seat), "name": in_brackets(name)}

    def text(self, key: str, **values: object) -> str:
        """The sentence, filled also with who did it, the number of the game, and mentions of those whom it calls."""
        called = everyone(self.locale, self.news.calls)
        return i18n.text(self.locale, key, **{"who": self.who, "id": self.match.id, "players": called, **values})


Teller = Callable[[Saying], Notice | None]
"""What is said of a piece of news; None where what follows says it."""


def passes(locale: Language, news: News) -> list[str]:
    """Whose turns passed after it: who could not move, and a steward that had nothing to capture."""
    stewards = news.match.started_game.position.stewards if news.passed else ()
    return [
        i18n.text(
            locale,
            "turn.passed-steward" if seat in stewards else "turn.passed",
            **side(locale, news.match.variant, seat),
        )
        for seat in news.passed
    ]


def saying(key: str) -> Teller:
    """Says that sentence, and no more."""
    return lambda say: Notice(say.text(key))


def everyone(locale: Language, users: Sequence[int]) -> str:
    """Those people in a row, as mentions; nothing for nobody."""
    return join(locale, mentions(locale, users))
