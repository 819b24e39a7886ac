"""What has become of what was asked: of an offer, of a request, of the call for a substitute, of a vote. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from bot.events import Event, Kind
from bot.match import Match, states


class Fate(Enum):
    """How it has come to its end."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    TAKEN = "taken"  # the vacant seat
    CALL_OVER = "call-over"
    VOTE_OVER = "vote-over"


_DECLINED = frozenset({Kind.DRAW_DECLINED, Kind.TAKEBACK_DECLINED, Kind.HANDOVER_DECLINED})

_SEATED = frozenset({Kind.TAKEN_OVER, Kind.REPLACED})
"""What ends a vacancy by giving the seat to somebody. Where another seat changes hands, the vacancy stands."""

_AGREED = {
    Kind.DRAW_OFFERED: (Kind.DRAW_ACCEPTED, Kind.ENDED),
    Kind.TAKEBACK_ASKED: (Kind.TAKEBACK_ACCEPTED, Kind.UNDONE),
    Kind.HANDOVER_ASKED: (Kind.HANDOVER_ACCEPTED, Kind.TAKEN_OVER),
}
"""The last acceptance and what it brings about, which are decided at once."""


def is_pending(match: Match, asked: int) -> bool:
    """Whether what that event has asked for is waited for still."""
    standing = (match.draw, match.takeback, match.handover, match.vacancy)
    return match.is_live and any(one is not None and one.seq == asked for one in standing)


def fate(match_id: int, events: Sequence[Event], asked: int) -> Fate | None:
    """What has become of what event number `asked` asked for; None while it is waited for.

    `events` are all of the match's.
    """
    before = request = events[asked - 1]
    for event, match in states(match_id, events):
        if event.seq > asked and not is_pending(match, asked):
            return _fate(request, before, event)
        before = event
    return None


def _fate(request: Event, before: Event, last: Event) -> Fate:
    if request.kind is Kind.VACATED:
        return Fate.TAKEN if last.kind in _SEATED else Fate.CALL_OVER
    if request.kind is Kind.VOTE:
        return Fate.TAKEN if last.kind in _SEATED else Fate.VOTE_OVER
    if last.kind in _DECLINED:
        return Fate.WITHDRAWN if last.user == request.user else Fate.DECLINED
    return Fate.ACCEPTED if (before.kind, last.kind) == _AGREED.get(request.kind) else Fate.LAPSED
