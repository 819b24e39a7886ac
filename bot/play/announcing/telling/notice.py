"""What one piece of news comes to: a few lines, and the buttons that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.core.match import Match
from bot.core.news import News
from bot.discordkit.components import Button
from bot.texts import i18n
from bot.texts.i18n import Language, join_list
from bot.texts.sentences import escape_markup, in_brackets, mention_users, side_values
from rules import Seat


class Notice(NamedTuple):
    """What is said of a piece of news: its words, mentions of those whom it calls included, and its buttons."""

    text: str
    buttons: tuple[Button, ...] = ()
    ping: tuple[int, ...] = ()
    """Whom a ladder's calls; of a match's, `News.calls` tells."""


class NewsTelling(NamedTuple):
    """A piece of news about to be told."""

    locale: Language
    news: News
    name: str
    """What `news.user` is called, for plain words that ping nobody; empty where that is not known in time."""

    @property
    def match(self) -> Match:
        return self.news.match

    @property
    def match_before(self) -> Match:
        """The match just before; not of a start, before which there was none."""
        assert self.news.match_before is not None, self.news.event
        return self.news.match_before

    @property
    def actor_name(self) -> str:
        """Whoever brought the news about, by colour and name: "🔴 **Red** (Bo)"; by name alone without a seat."""
        seat = self.match.seat_of(self.news.user) if self.news.user is not None else None
        if seat is None:
            return f"**{escape_markup(self.name) if self.name else i18n.text(self.locale, 'unknown-player')}**"
        side = self.side_values(seat, self.name)
        return f"{side['emblem']} **{side['colour']}**{side['name']}"

    def side_values(self, seat: Seat, name: str = "") -> dict[str, str]:
        """The emblem, the colour and the name in brackets of who plays that seat, as sentences take them."""
        return {**side_values(self.locale, self.match.variant, seat), "name": in_brackets(name)}

    def sentence(self, key: str, **values: object) -> str:
        """The sentence, filled also with who did it, the number of the game, and mentions of those whom it calls."""
        users_called = mention_all(self.locale, self.news.calls)
        return i18n.text(
            self.locale, key, **{"who": self.actor_name, "id": self.match.id, "players": users_called, **values}
        )


Teller = Callable[[NewsTelling], Notice | None]
"""What is said of a piece of news; None where what follows says it."""


def pass_lines(locale: Language, news: News) -> list[str]:
    """Whose turns passed after it: who could not move, and a steward that had nothing to capture."""
    stewards = news.match.started_game.position.stewards if news.passed else ()
    return [
        i18n.text(
            locale,
            "turn.passed-steward" if seat in stewards else "turn.passed",
            **side_values(locale, news.match.variant, seat),
        )
        for seat in news.passed
    ]


def teller_of_sentence(key: str) -> Teller:
    """Says that sentence, and no more."""
    return lambda say: Notice(say.sentence(key))


def mention_all(locale: Language, users: Sequence[int]) -> str:
    """Those people in a row, as mentions; nothing for nobody."""
    return join_list(locale, mention_users(locale, users))
