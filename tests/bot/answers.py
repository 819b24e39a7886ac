"""Answers to requests, one function for each kind of request."""

from __future__ import annotations

from collections.abc import Callable

from bot.core import offers
from bot.core.events import Event, RequestKind

DRAW, TAKEBACK, HANDOVER, PAUSE, VOTE = RequestKind
ANSWERED = (DRAW, TAKEBACK, HANDOVER, PAUSE)


def _answer(decide: Callable[..., tuple[Event, ...]], kind: RequestKind) -> Callable[..., tuple[Event, ...]]:
    return lambda match, actor, request_seq=None: decide(match, actor, kind, request_seq)


accept_draw, accept_takeback, accept_substitute, accept_pause = (
    _answer(offers.accept_request, kind) for kind in ANSWERED
)
decline_draw, decline_takeback, decline_substitute, decline_pause = (
    _answer(offers.decline_request, kind) for kind in ANSWERED
)
drop_vote_proposal = _answer(offers.decline_request, VOTE)
