"""Messages with buttons that ask somebody: which of them still wait for an answer."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bot.core import leaving, offers
from bot.core.events import EventKind
from bot.core.listings import MessageRef
from bot.core.match import Match
from bot.features import make_service
from bot.play.announcing.requests import WaitingMessage, format_requests, note_request, parse_requests
from bot.store import Store
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, NOW, followed, live, play_typed, started

POST = MessageRef(1, 2)


def ask(match: Match) -> WaitingMessage:
    """Returns the message in which the last event asks."""
    return WaitingMessage(match.seq, match.board_version, POST)


def test_a_request_waits_until_it_is_answered() -> None:
    match = followed(live(), offers.offer_draw(live(), ADA, NOW))
    offer = ask(match)
    assert offer.still_waits_in(match)
    assert not offer.still_waits_in(followed(match, offers.decline_draw(match, BO, NOW)))
    assert not offer.still_waits_in(followed(match, offers.accept_draw(match, BO, NOW)))
    assert not offer.still_waits_in(followed(match, play_typed(match, ADA, "F7-F8", NOW)))


def test_a_replaced_request_leaves_the_earlier_one_waiting_for_nobody() -> None:
    match = live()
    match = followed(match, leaving.propose_substitute(match, ADA, DEE, NOW))
    first = ask(match)
    match = followed(match, leaving.propose_substitute(match, ADA, CY, NOW))
    assert (first.still_waits_in(match), ask(match).still_waits_in(match)) == (False, True)


def test_a_call_waits_until_somebody_comes_or_nobody_has() -> None:
    match = live("tri-camelot")
    match = followed(match, leaving.resign(match, BO, NOW))
    call = ask(match)
    assert match.vacancy is not None
    assert call.still_waits_in(followed(match, play_typed(match, ADA, "F7-F9", NOW)))
    assert not call.still_waits_in(followed(match, leaving.take_over(match, DEE, NOW)))
    assert not call.still_waits_in(followed(match, leaving.advance_vacancy(match, match.vacancy.until)))


def test_what_belongs_to_a_turn_waits_until_the_board_changes() -> None:
    match = live()
    reminder = WaitingMessage(0, match.board_version, POST)
    assert reminder.still_waits_in(match)
    assert not reminder.still_waits_in(followed(match, play_typed(match, ADA, "F7-F8", NOW)))
    assert not reminder.still_waits_in(followed(match, leaving.resign(match, BO, NOW)))


def test_requests_are_noted_and_read_again() -> None:
    requests = [
        WaitingMessage(7, 12, POST),
        WaitingMessage(-1, 12, MessageRef(1, 3)),
        WaitingMessage(0, 0, MessageRef(4, 5)),
    ]
    assert parse_requests(format_requests(requests)) == requests
    assert parse_requests(format_requests([])) == []


def test_challenges_that_were_noted_without_a_version_are_still_read() -> None:
    assert parse_requests("7:910:5001 8:910:5002") == [
        WaitingMessage(7, 0, MessageRef(910, 5001)),
        WaitingMessage(8, 0, MessageRef(910, 5002)),
    ]
    assert parse_requests("7:12:910:5001 -1:3:910:5002")[1] == WaitingMessage(-1, 3, MessageRef(910, 5002))


async def test_two_messages_at_once_are_both_kept_in_mind(tmp_path: Path) -> None:
    events = started()
    async with Store.open(tmp_path / "rt.db") as store:
        async with store.write_transaction() as tx:
            number = await tx.add_match(Match.replay(0, events), events)
        match, service = Match.replay(number, events), make_service(store)
        desk: Any = SimpleNamespace(service=service)
        news: Any = SimpleNamespace(match=match, kind=EventKind.REMINDED, event=match)
        messages: list[Any] = [SimpleNamespace(id=message, channel=SimpleNamespace(id=CHANNEL)) for message in range(8)]
        await asyncio.gather(*(note_request(desk, news, message) for message in messages))
        noted = parse_requests(await service.get_meta(f"asks:{number}") or "")
    assert {request.post.message for request in noted} == {message.id for message in messages}
