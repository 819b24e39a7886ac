"""The notice made from one piece of news: a few lines with their buttons, and what the words of all news share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.core.events import RequestKind
from bot.core.match import Match
from bot.core.news import News
from bot.core.offers import users_awaited
from bot.discordkit.components import Button
from bot.play.shared_components import action_button
from bot.texts import i18n
from bot.texts.i18n import Language, join_list
from bot.texts.markup import escape_markup
from bot.texts.people import mention_user, mention_users
from bot.texts.sentences import colour_name, in_brackets, side_values
from rules import Seat


class Notice(NamedTuple):
    """The words for a piece of news, including mentions of the people it calls, and its buttons."""

    text: str
    buttons: tuple[Button, ...] = ()
    ping: tuple[int, ...] = ()
    """The people that the news of a ladder calls. For news of a match, they are in `News.calls`."""


class NewsTelling(NamedTuple):
    """A piece of news about to be put into words."""

    locale: Language
    news: News
    name: str
    """The name of `news.user` for plain words that ping nobody; empty if unknown in time."""

    @property
    def match(self) -> Match:
        return self.news.match

    @property
    def match_before(self) -> Match:
        """The match just before the news. Not available for a start."""
        assert self.news.match_before is not None, self.news.event
        return self.news.match_before

    @property
    def actor_name(self) -> str:
        """The person who caused the news, by colour and name: "🔴 **Red** (Bo)"; by name alone if they have no seat."""
        seat = self.match.seat_of(self.news.user) if self.news.user is not None else None
        if seat is None:
            return f"**{escape_markup(self.name) if self.name else i18n.text(self.locale, 'unknown-player')}**"
        side = self.side_values(seat, self.name)
        return f"{side['emblem']} **{side['colour']}**{side['name']}"

    def side_values(self, seat: Seat, name: str = "") -> dict[str, str]:
        """Returns the seat's emblem and colour, and the name in brackets, as sentences take them."""
        return {**side_values(self.locale, self.match.variant, seat), "name": in_brackets(name)}

    def sentence(self, key: str, **values: object) -> str:
        """Returns the sentence filled with `values`, the person who acted, the game's number, and mentions of the
        people it calls.
        """
        users_called = mention_all(self.locale, self.news.calls)
        return i18n.text(
            self.locale, key, **{"who": self.actor_name, "id": self.match.id, "players": users_called, **values}
        )


Teller = Callable[[NewsTelling], Notice | None]
"""Puts a piece of news into words. Returns None if a later post says it."""


def order_lines(locale: Language, news: News) -> list[str]:
    """Returns a line for each seat without pieces since that move, and for each turn passed after the news: of a seat
    that could not move, or a steward without a capture.
    """
    match, lines = news.match, list[str]()
    for seat in news.seats_without_pieces:
        side, armies = side_values(locale, match.variant, seat), match.variant.armies
        is_told = match.players[seat] in news.users_out
        name = f" ({mention_user(match.players[seat], locale)})" if is_told else ""
        lines.append(i18n.text(locale, "turn.out", **side, name=name))
        attacker = next(other for other in match.variant.seats if armies[other].goal == armies[seat].castle)
        if match.started_game.position.is_playing(attacker):
            attacks = i18n.text(
                locale, "turn.out-castle", attacker=colour_name(locale, match.variant, attacker), **side
            )
            lines[-1] += f" {attacks}"
        if news.match_before and news.match_before.vacancy and not match.vacancy:
            lines[-1] += f" {i18n.text(locale, 'turn.out-vacant')}"
    stewards = news.match.started_game.position.stewards if news.passed else ()
    return lines + [
        i18n.text(
            locale,
            "turn.passed-steward" if seat in stewards else "turn.passed",
            **side_values(locale, news.match.variant, seat),
        )
        for seat in news.passed
    ]


def teller_of_sentence(key: str) -> Teller:
    """Returns a teller that says only that sentence."""
    return lambda telling: Notice(telling.sentence(key))


def accept_decline_buttons(telling: NewsTelling, subject: str) -> tuple[Button, ...]:
    """Returns the buttons **Accept** and **Decline** of a request. They carry the number of its event."""
    match, request_seq = telling.match.id, telling.news.event.seq
    return (
        action_button(telling.locale, f"{subject}-accept", primary=True, match=match, number=request_seq),
        action_button(telling.locale, f"{subject}-decline", match=match, number=request_seq),
    )


def teller_of_acceptance(kind: RequestKind, key: str, all_agreed: Teller = lambda _: None) -> Teller:
    """Returns a teller that says who still has to agree to a request, or what `all_agreed` says once all have."""

    def tell_acceptance(telling: NewsTelling) -> Notice | None:
        still_awaited = users_awaited(telling.match, kind)
        return (
            Notice(telling.sentence(key, players=mention_all(telling.locale, still_awaited)))
            if still_awaited
            else all_agreed(telling)
        )

    return tell_acceptance


def teller_of_refusal(kind: RequestKind, refused: str, withdrawn: str) -> Teller:
    """Returns a teller that says that somebody refused a request, or withdrew their own."""

    def tell_refusal(telling: NewsTelling) -> Notice:
        request = telling.match_before.requests.of_kind(kind)
        own = request is not None and request.user == telling.news.user
        return Notice(
            telling.sentence(withdrawn if own else refused, asker=mention_all(telling.locale, telling.news.calls))
        )

    return tell_refusal


def mention_all(locale: Language, users: Sequence[int]) -> str:
    """Returns those people as a list of mentions; empty for nobody."""
    return join_list(locale, mention_users(locale, users))
