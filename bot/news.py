"""What the players of a match are to be told: one piece of news for each turn, made from the events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from bot.events import Event, Kind, parse_turn
from bot.match import Match, states
from rules import Move, Position, Seat


class Topic(Enum):
    """What a piece of news is about."""

    STARTED = "started"
    MOVED = "moved"
    RESIGNED = "resigned"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class News:
    """What the players are to be told of one turn. `seq` is that of the last event that it covers."""

    seq: int
    kind: Topic
    match: Match
    """As of then, with the end that followed from it; its thread is today's, so that it is told where they are."""
    before: Position | None
    """The position before the move, or before somebody resigned."""
    move: Move | None
    user: int | None
    """Who moved, resigned or cancelled."""
    passed: tuple[Seat, ...]
    """Whose turns passed behind it, because they could not move."""


def news(match_id: int, events: Iterable[Event], after_seq: int) -> tuple[News, ...]:
    """The news in those events, which must be all of the match's, that was made after event number `after_seq`."""
    found: list[News] = []
    before: Match | None = None
    for event, match in states(match_id, events):
        if event.kind is Kind.ENDED and found:
            found[-1] = replace(found[-1], seq=event.seq, match=match)
        elif event.seq >= after_seq and before and (item := _item(event, before, match)):
            found.append(item)
        before = match
    assert before is not None
    return tuple(
        replace(item, match=replace(item.match, thread=before.thread)) for item in found if item.seq > after_seq
    )


def _item(event: Event, before: Match, match: Match) -> News | None:
    match event.kind:
        case Kind.STARTED:
            return News(event.seq, Topic.STARTED, match, None, None, None, ())
        case Kind.CANCELLED | Kind.EXPIRED:
            return News(event.seq, Topic.CLOSED, match, None, None, event.user, ())
        case Kind.MOVED:
            assert before.game is not None
            assert match.game is not None
            position, move = before.game.position, match.game.moves[-1]
            passed = _passed(position.after(move), event)
            return News(event.seq, Topic.MOVED, match, position, move, before.to_move, passed)
        case Kind.RESIGNED:
            assert before.game is not None
            assert event.user is not None
            position = before.game.position
            passed = _passed(position.without(before.players.index(event.user)), event)
            return News(event.seq, Topic.RESIGNED, match, position, None, event.user, passed)
    return None


def _passed(position: Position, event: Event) -> tuple[Seat, ...]:
    """The seats whose turns passed, beginning with the one to move in that position."""
    seats: list[Seat] = []
    for _ in range(parse_turn(event.body)[1]):
        seats.append(position.turn)
        position = position.passed()
    return tuple(seats)
