"""The text about a finished request, whose buttons are gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from bot.core import leaving, offers, refereeing
from bot.core.events import Event, EventKind
from bot.core.match import Match
from bot.core.offers import RequestEnd, request_end
from bot.texts.i18n import LANGUAGES, text
from tests.bot.playing import ADA, BO, CY, DEE, NOW, followed, play_typed, started

Act = Callable[[Match], Iterable[Event]]


def told(*acts: Act) -> RequestEnd | None:
    """Returns how the request made by the last event of the first act ended, after all these acts."""
    events = started("tri-camelot")
    asked = 0
    for act in acts:
        match = Match.replay(1, events)
        events = [*events, *act(match)]
        asked = asked or len(events)
    return request_end(1, events, asked)


def offer(match: Match) -> Iterable[Event]:
    return offers.offer_draw(match, ADA, NOW)


def hand_over(match: Match) -> Iterable[Event]:
    return leaving.propose_substitute(match, ADA, DEE, NOW)


def leave(match: Match) -> Iterable[Event]:
    return leaving.resign(match, BO, NOW)


def replace_player(match: Match, user: int) -> Iterable[Event]:
    return refereeing.replace_player(match, 9, user, DEE, "x", NOW)


def call_over(match: Match) -> Iterable[Event]:
    assert match.vacancy is not None
    return leaving.advance_vacancy(match, match.vacancy.until)


ENDS: dict[str, tuple[RequestEnd | None, tuple[Act, ...]]] = {
    "a draw that one has accepted and one has not": (None, (offer, lambda m: offers.accept_draw(m, BO, NOW))),
    "a draw that all accept": (
        RequestEnd.ACCEPTED,
        (offer, lambda m: offers.accept_draw(m, BO, NOW), lambda m: offers.accept_draw(m, CY, NOW)),
    ),
    "a draw that one declines": (RequestEnd.DECLINED, (offer, lambda m: offers.decline_draw(m, BO, NOW))),
    "a draw that is taken back": (RequestEnd.WITHDRAWN, (offer, lambda m: offers.decline_draw(m, ADA, NOW))),
    "a draw whose maker moves": (RequestEnd.LAPSED, (offer, lambda m: play_typed(m, ADA, "F7-F9", NOW))),
    "a draw in a game that is aborted": (RequestEnd.LAPSED, (offer, lambda m: refereeing.abort_match(m, 9, "x", NOW))),
    "a draw in a game that one leaves": (RequestEnd.LAPSED, (offer, leave)),
    "a seat handed over": (
        RequestEnd.ACCEPTED,
        (hand_over, *(lambda m, user=user: leaving.accept_substitute(m, user, NOW) for user in (BO, CY, DEE))),
    ),
    "a seat that is taken over": (RequestEnd.TAKEN, (leave, lambda m: leaving.take_over(m, DEE, NOW))),
    "a seat that a referee gives to somebody": (RequestEnd.TAKEN, (leave, lambda m: replace_player(m, BO))),
    "a seat that is vacant while a referee gives away another": (None, (leave, lambda m: replace_player(m, CY))),
    "a seat that nobody takes over": (RequestEnd.CALL_OVER, (leave, call_over)),
}


@pytest.mark.parametrize("case", ENDS)
def test_a_request_comes_to_this(case: str) -> None:
    expected, acts = ENDS[case]
    assert told(*acts) is expected


def test_a_takeback_is_accepted_by_the_last_yes_and_lapses_with_moves() -> None:
    def begun(match: Match) -> list[Event]:
        moved = list(play_typed(match, ADA, "F7-F9", NOW))
        return [*moved, *offers.ask_takeback(followed(match, moved), ADA, NOW)]

    yes = [lambda m, user=user: offers.accept_takeback(m, user, NOW) for user in (BO, CY)]
    assert told(begun, yes[0]) is None
    assert told(begun, *yes) is RequestEnd.ACCEPTED
    assert told(begun, lambda m: play_typed(m, BO, "B11-B9", NOW)) is RequestEnd.LAPSED


def test_a_vote_is_over_when_it_has_run_out() -> None:
    events = started("tri-camelot")
    for act in (leave, call_over, call_over):
        events = [*events, *act(Match.replay(1, events))]
    (vote,) = [event.seq for event in events if event.kind is EventKind.VOTE]
    assert (request_end(1, events[:vote], vote), request_end(1, events, vote)) == (None, RequestEnd.VOTE_OVER)


def test_a_vote_on_a_seat_a_referee_fills_has_its_player() -> None:
    events = started("tri-camelot")
    for act in (leave, call_over, lambda m: replace_player(m, BO)):
        events = [*events, *act(Match.replay(1, events))]
    (vote,) = [event.seq for event in events if event.kind is EventKind.VOTE]
    assert request_end(1, events, vote) is RequestEnd.TAKEN


def test_every_end_has_its_words_in_every_language() -> None:
    said = {text(locale, f"request-end.{one.value}") for locale in LANGUAGES for one in RequestEnd}
    assert len(said) == len(LANGUAGES) * len(RequestEnd)
