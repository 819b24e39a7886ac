"""Agreements between players: draws and takebacks. Requests stand for days and survive restarts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeVar

from bot.core.deadlines import Actor
from bot.core.events import NEW_PLAYER_EVENTS, Event, EventKind, format_fields
from bot.core.fold import replay_states
from bot.core.house_seats import is_house, is_person
from bot.core.match import Happening, Match, PlayerRequest, Vacancy, without_winner
from bot.core.problems import Problem
from rules import Cause

RequestT = TypeVar("RequestT", PlayerRequest, Vacancy)

HOUSE_DRAW_QUIET_MOVES = 20
"""A house player agrees to a draw after this many quiet moves of every player."""

DRAW_OFFER_INTERVAL_PLIES = 10
"""A player may offer a draw again after this many moves, counted over all players."""

RequestOf = Callable[[Match], PlayerRequest | None]
"""Reads a player's request from a match. The asker withdraws it with the button that refuses it."""


def offer_draw(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user offers a draw to all who are still in; if another player's offer stands, the user accepts that offer.

    House players answer at once. Raises HOUSE_PLAYS_ON if one of them refuses. If no person has to agree, the game
    is drawn at once.
    """
    user = actor.user
    require_agreeing(match, user)
    if match.requests.draw:
        match.refuse_if(match.requests.draw.user == user, Problem.OFFERED_ALREADY)
        return accept_draw(match, actor)
    last = dict(match.requests.draw_offers).get(user)
    if last is not None and match.ply < last + DRAW_OFFER_INTERVAL_PLIES:
        raise match.refusal_for(Problem.OFFER_TOO_SOON, ply=last + DRAW_OFFER_INTERVAL_PLIES)
    house = [other for other in match.still_in if is_house(other)]
    for other in house:
        match.refuse_if(not wants_draw(match, other), Problem.HOUSE_PLAYS_ON, user=other)
    offered: Happening = (EventKind.DRAW_OFFERED, user, "")
    if match.opponents_of(user):
        return match.next_events(actor.now, offered)
    return match.next_events(
        actor.now, offered, (EventKind.DRAW_ACCEPTED, house[0], ""), without_winner(Cause.AGREEMENT)
    )


def wants_draw(match: Match, house: int) -> bool:
    """Whether a house player agrees to a draw: nothing has happened for long, and some opponent has as many pieces."""
    game, seat = match.started_game, match.players.index(house)
    if game.quiet_moves < HOUSE_DRAW_QUIET_MOVES and not game.claimable_draw:
        return False
    counts = {
        other: game.position.count_pieces(other) for other in match.variant.seats if game.position.is_playing(other)
    }
    return counts[seat] <= max((count for other, count in counts.items() if other != seat), default=0)


def accept_draw(match: Match, actor: Actor, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user agrees to the draw that is offered; the game is drawn when all have agreed.

    Here and below, `request_seq` is the event that the user answers, if known. It protects a later offer from the
    answer.
    """
    require_agreeing(match, actor.user)
    require_standing(match, match.requests.draw, request_seq, Problem.NO_OFFER)
    drawn = without_winner(Cause.AGREEMENT)
    return agree_to_request(match, actor, EventKind.DRAW_ACCEPTED, awaited_for_draw(match), drawn)


def decline_draw(match: Match, actor: Actor, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user refuses the draw, or withdraws their own offer."""
    require_agreeing(match, actor.user)
    require_standing(match, match.requests.draw, request_seq, Problem.NO_OFFER)
    return match.next_events(actor.now, (EventKind.DRAW_DECLINED, actor.user, ""))


def claim_draw(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user, who is to move, claims a draw by the third occurrence or fifty quiet moves."""
    game = match.require_turn(actor.user)
    cause = game.claimable_draw
    if cause is None:
        raise match.refusal_for(Problem.NOT_CLAIMABLE)
    return match.next_events(actor.now, (EventKind.DRAW_CLAIMED, actor.user, ""), without_winner(cause))


def awaited_for_draw(match: Match) -> tuple[int, ...]:
    """The users who have yet to agree to the draw."""
    offer = match.requests.draw
    if offer is None:
        return ()
    return tuple(user for user in match.opponents_of(offer.user) if user not in offer.accepted)


def ask_takeback(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user asks to take back their last move, together with all moves made since.

    The moves are taken back at once if no person has to agree.
    """
    user = actor.user
    require_agreeing(match, user)
    match.refuse_if(match.terms.ladder, Problem.TAKEBACK_LADDER)
    if match.requests.takeback:
        raise match.refusal_for(Problem.TAKEBACK_PENDING, user=match.requests.takeback.user)
    ply = last_own_ply(match, user)
    if ply is None:
        raise match.refusal_for(Problem.NOTHING_TO_TAKE_BACK)
    match.refuse_if(ply < match.takeback_floor, Problem.TAKEBACK_BARRED)
    if not _concerned_by_takeback(match, user, ply):  # house players always agree
        return match.next_events(actor.now, (EventKind.UNDONE, user, format_fields(ply=ply)))
    return match.next_events(actor.now, (EventKind.TAKEBACK_ASKED, user, format_fields(ply=ply)))


def accept_takeback(match: Match, actor: Actor, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user agrees; the moves are undone when all opponents who are still in have agreed."""
    request = _require_takeback(match, actor.user, request_seq)
    undone = (EventKind.UNDONE, request.user, format_fields(ply=request.ply))
    return agree_to_request(match, actor, EventKind.TAKEBACK_ACCEPTED, awaited_for_takeback(match), undone)


def decline_takeback(match: Match, actor: Actor, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user refuses, or withdraws their own request: the moves stay."""
    _require_takeback(match, actor.user, request_seq)
    return match.next_events(actor.now, (EventKind.TAKEBACK_DECLINED, actor.user, ""))


def awaited_for_takeback(match: Match) -> tuple[int, ...]:
    """The users who have yet to agree that the moves are undone."""
    request = match.requests.takeback
    if request is None:
        return ()
    return tuple(
        user for user in _concerned_by_takeback(match, request.user, request.ply) if user not in request.accepted
    )


def _concerned_by_takeback(match: Match, asker: int, ply: int) -> tuple[int, ...]:
    """The people who must agree: the opponents, and players who lost their last piece since, as their moves go back."""
    stewards = match.started_game.position.stewards
    since = [step.seat for step in match.changes if step.move][ply:]
    movers = {match.players[seat] for seat in since if seat not in stewards}
    concerned = movers.union(match.opponents_of(asker)) - {asker}
    return tuple(user for user in match.players if user in concerned and is_person(user))


def last_own_ply(match: Match, user: int) -> int | None:
    """How many moves had been made before the user's last one; None if they have made none."""
    movers = [step.seat for step in match.changes if step.move]
    seat = match.seat_of(user)
    return max((ply for ply, mover in enumerate(movers) if mover == seat), default=None)


def _require_takeback(match: Match, user: int, request_seq: int | None) -> PlayerRequest:
    match.require_playing(user)
    request = require_standing(match, match.requests.takeback, request_seq, Problem.NO_TAKEBACK)
    match.refuse_if(
        user != request.user and user not in _concerned_by_takeback(match, request.user, request.ply), Problem.NO_PIECES
    )
    return request


def require_standing(match: Match, request: RequestT | None, request_seq: int | None, problem: Problem) -> RequestT:
    """Returns the standing request. Raises LAPSED if `request_seq` names another one, and `problem` if none stands."""
    if request_seq is not None and (request is None or request.seq != request_seq):
        raise match.refusal_for(Problem.LAPSED)
    if request is None:
        raise match.refusal_for(problem)
    return request


def agree_to_request(
    match: Match, actor: Actor, kind: EventKind, awaited: tuple[int, ...], outcome: Happening
) -> tuple[Event, ...]:
    """One of the awaited users agrees; if nobody else is awaited, the outcome follows."""
    match.refuse_if(actor.user not in awaited, Problem.NOT_ASKED)
    accepted: Happening = (kind, actor.user, "")
    return match.next_events(actor.now, accepted, *([outcome] if awaited == (actor.user,) else []))


def require_agreeing(match: Match, user: int) -> None:
    """Raises unless the user has a say in agreements: they are still in the game, and no seat is vacant."""
    match.require_playing(user)
    match.refuse_if(match.vacancy, Problem.SEAT_VACANT)
    match.refuse_if(user not in match.still_in, Problem.NO_PIECES)


class RequestEnd(Enum):
    """How a request to the others ended. The values are catalogue keys."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    LAPSED = "lapsed"
    TAKEN = "taken"  # the vacant seat
    CALL_OVER = "call-over"
    VOTE_OVER = "vote-over"


_DECLINED_EVENTS = frozenset(
    {
        EventKind.DRAW_DECLINED,
        EventKind.TAKEBACK_DECLINED,
        EventKind.HANDOVER_DECLINED,
        EventKind.VOTE_PROPOSAL_DROPPED,
    }
)

_LAST_ACCEPTANCES = {
    EventKind.DRAW_OFFERED: (EventKind.DRAW_ACCEPTED, EventKind.ENDED),
    EventKind.TAKEBACK_ASKED: (EventKind.TAKEBACK_ACCEPTED, EventKind.UNDONE),
    EventKind.HANDOVER_ASKED: (EventKind.HANDOVER_ACCEPTED, EventKind.TAKEN_OVER),
}
"""The last acceptance and its consequence, which are decided together."""


def is_pending(match: Match, request_seq: int) -> bool:
    """Whether the request made by that event still waits for an answer."""
    asked = match.requests
    requests = (asked.draw, asked.takeback, asked.handover, asked.vote_proposal, match.vacancy)
    return match.is_live and any(request is not None and request.seq == request_seq for request in requests)


def request_end(match_id: int, events: Sequence[Event], request_seq: int) -> RequestEnd | None:
    """Returns how the request made by event `request_seq` ended; None while it waits for an answer.

    `events` are all events of the match.
    """
    last_event = request = events[request_seq - 1]
    for event, match in replay_states(match_id, events):
        if event.seq > request_seq and not is_pending(match, request_seq):
            return _end_of_request(request, last_event, event)
        last_event = event
    return None


def _end_of_request(request: Event, previous: Event, last: Event) -> RequestEnd:
    if request.kind is EventKind.VACATED:
        return RequestEnd.TAKEN if last.kind in NEW_PLAYER_EVENTS else RequestEnd.CALL_OVER
    if request.kind is EventKind.VOTE:
        return RequestEnd.TAKEN if last.kind in NEW_PLAYER_EVENTS else RequestEnd.VOTE_OVER
    if last.kind in _DECLINED_EVENTS:
        return RequestEnd.WITHDRAWN if last.user == request.user else RequestEnd.DECLINED
    if request.kind is EventKind.VOTE_PROPOSED and last.kind is EventKind.VOTE and last.user is not None:
        return RequestEnd.ACCEPTED
    return (
        RequestEnd.ACCEPTED if (previous.kind, last.kind) == _LAST_ACCEPTANCES.get(request.kind) else RequestEnd.LAPSED
    )
