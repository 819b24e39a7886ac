"""Agreements between players: draws, takebacks, pauses, and answers to all requests. They stand over restarts."""

from __future__ import annotations

from bot.core.clock import DAY
from bot.core.deadlines import Actor, seconds_used
from bot.core.events import ACCEPTING_EVENTS, DECLINING_EVENTS, Event, EventKind, RequestKind, format_fields
from bot.core.house_seats import is_house, is_person
from bot.core.leaving import format_seating, require_call
from bot.core.match import Happening, Match, PlayerRequest, without_winner
from bot.core.problems import Problem
from rules import Cause

HOUSE_DRAW_QUIET_MOVES = 20
"""A house player agrees to a draw after this many quiet moves of every player."""

MAX_PAUSE_S = 30 * DAY
"""A pause ends at most so long after it is asked for."""

DRAW_OFFER_INTERVAL_PLIES = 10
"""A player may offer a draw again after this many moves, counted over all players."""


def offer_draw(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user claims a draw if they may, accepts the offer that stands, or offers a draw to all who are still in.

    House players answer at once. Raises HOUSE_PLAYS_ON if one of them refuses. If no person has to agree, the game
    is drawn at once.
    """
    user = actor.user
    if cause := claimable_by(match, user):
        return match.next_events(actor.now, (EventKind.DRAW_CLAIMED, user, ""), without_winner(cause))
    match.refuse_if(is_house(user), Problem.NOT_A_PLAYER)  # a house player only claims
    match.require_agreeing(user)
    if draw := match.requests.of_kind(RequestKind.DRAW):
        match.refuse_if(draw.user == user, Problem.OFFERED_ALREADY)
        return accept_request(match, actor, RequestKind.DRAW)
    last = dict(match.requests.draw_offers).get(user)
    if last is not None and match.ply < last + DRAW_OFFER_INTERVAL_PLIES:
        raise match.refusal_for(Problem.OFFER_TOO_SOON, moves=last + DRAW_OFFER_INTERVAL_PLIES - match.ply)
    house_players = [other for other in match.still_in if is_house(other)]
    for other in house_players:
        match.refuse_if(not wants_draw(match, other), Problem.HOUSE_PLAYS_ON, user=other)
    offered: Happening = (EventKind.DRAW_OFFERED, user, "")
    if match.opponents_of(user):
        return match.next_events(actor.now, offered)
    return match.next_events(
        actor.now, offered, (EventKind.DRAW_ACCEPTED, house_players[0], ""), without_winner(Cause.AGREEMENT)
    )


def claimable_by(match: Match, user: int) -> Cause | None:
    """The reason for which the user may claim a draw now: the third occurrence or fifty quiet moves. None if there is
    none, or they are not to move.
    """
    return match.started_game.claimable_draw if match.to_move == user else None


def wants_draw(match: Match, user: int) -> bool:
    """Whether a house player agrees to a draw: nothing has happened for long, and some opponent has as many pieces."""
    game, seat = match.started_game, match.players.index(user)
    if game.quiet_moves < HOUSE_DRAW_QUIET_MOVES and not game.claimable_draw:
        return False
    counts = {
        other: game.position.count_pieces(other) for other in match.variant.seats if game.position.is_playing(other)
    }
    return counts[seat] <= max((count for other, count in counts.items() if other != seat), default=0)


def accept_request(match: Match, actor: Actor, kind: RequestKind, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user agrees. When nobody else is asked any more, what was asked for happens.

    Here and below, `request_seq` is the event that the user answers, if known. It protects a later request from the
    answer.
    """
    request, user = _require_request(match, actor, kind, request_seq), actor.user
    awaited = users_awaited(match, kind)
    match.refuse_if(user not in awaited, Problem.NOT_ASKED)
    match.refuse_if(kind is RequestKind.PAUSE and request.until <= actor.now, Problem.LAPSED)
    happenings: list[Happening] = [(_kind_of(ACCEPTING_EVENTS, kind), user, "")]
    if awaited == (user,):
        happenings.append(_consequence(match, actor, request))
    return match.next_events(actor.now, *happenings)


def decline_request(match: Match, actor: Actor, kind: RequestKind, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user refuses what was asked, or withdraws their own request."""
    _require_request(match, actor, kind, request_seq)
    return match.next_events(actor.now, (_kind_of(DECLINING_EVENTS, kind), actor.user, ""))


def users_awaited(match: Match, kind: RequestKind) -> tuple[int, ...]:
    """The users who have yet to agree to the request of that kind; empty if none stands."""
    request = match.requests.of_kind(kind)
    return tuple(user for user in _users_asked(match, request) if user not in request.accepted) if request else ()


def _users_asked(match: Match, request: PlayerRequest) -> tuple[int, ...]:
    """The users who must agree to the request, including those who have agreed."""
    if request.kind is RequestKind.TAKEBACK:
        return _concerned_by_takeback(match, request.user, request.ply)
    substitutes = (request.to,) if request.kind is RequestKind.HANDOVER else ()
    return (*substitutes, *match.opponents_of(request.user))


def _consequence(match: Match, actor: Actor, request: PlayerRequest) -> Happening:
    """What happens when all have agreed to the request."""
    if request.kind is RequestKind.DRAW:
        return without_winner(Cause.AGREEMENT)
    if request.kind is RequestKind.TAKEBACK:
        return EventKind.UNDONE, request.user, format_fields(ply=request.ply)
    if request.kind is RequestKind.PAUSE:
        return _pause_happening(match, actor, request.until)
    seat = match.players.index(request.user)
    return EventKind.TAKEN_OVER, request.to, format_seating(match, seat, actor.now, actor.people)


def _require_request(match: Match, actor: Actor, kind: RequestKind, request_seq: int | None) -> PlayerRequest:
    """Returns the standing request of that kind. Raises unless the user made it or is asked."""
    user = actor.user
    match kind:
        case RequestKind.DRAW | RequestKind.PAUSE:
            match.require_agreeing(user)
        case RequestKind.TAKEBACK:
            match.require_playing(user)
        case RequestKind.HANDOVER:
            match.require_live()
        case RequestKind.VOTE:
            require_call(match, user)
    request = match.requests.of_kind(kind)
    if request is None or request_seq not in (None, request.seq):
        raise match.refusal_for(Problem.LAPSED)
    is_concerned = user == request.user or user in _users_asked(match, request)
    match.refuse_if(not is_concerned, Problem.NO_PIECES if kind is RequestKind.TAKEBACK else Problem.NOT_ASKED)
    return request


def _kind_of(events: dict[EventKind, RequestKind], kind: RequestKind) -> EventKind:
    """The event of that request among those events."""
    return next(event for event, of in events.items() if of is kind)


def ask_takeback(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user asks to take back their last move, together with all moves made since.

    The moves are taken back at once if no person has to agree.
    """
    user = actor.user
    match.require_agreeing(user)
    match.refuse_if(match.terms.ladder, Problem.TAKEBACK_LADDER)
    if pending := match.requests.of_kind(RequestKind.TAKEBACK):
        raise match.refusal_for(Problem.TAKEBACK_PENDING, user=pending.user)
    ply = last_own_ply(match, user)
    if ply is None:
        raise match.refusal_for(Problem.NOTHING_TO_TAKE_BACK)
    match.refuse_if(ply < match.takeback_floor, Problem.TAKEBACK_BARRED)
    if not _concerned_by_takeback(match, user, ply):  # house players always agree
        return match.next_events(actor.now, (EventKind.UNDONE, user, format_fields(ply=ply)))
    return match.next_events(actor.now, (EventKind.TAKEBACK_ASKED, user, format_fields(ply=ply)))


def ask_pause(match: Match, actor: Actor, until: int) -> tuple[Event, ...]:
    """The user asks that the clock stands until then. It does at once if no person has to agree.

    Raises PAUSED during a pause, and BAD_TIME unless `until` lies within the next `MAX_PAUSE_S`.
    """
    user = actor.user
    match.require_agreeing(user)
    if pending := match.requests.of_kind(RequestKind.PAUSE):
        match.refuse_if(pending.until > actor.now, Problem.PAUSE_PENDING, user=pending.user)
    match.refuse_if(match.paused_until, Problem.PAUSED, until=match.paused_until)
    match.refuse_if(not actor.now < until <= actor.now + MAX_PAUSE_S, Problem.BAD_TIME)
    if not match.opponents_of(user):  # house players always agree
        return match.next_events(actor.now, _pause_happening(match, actor, until))
    return match.next_events(actor.now, (EventKind.PAUSE_ASKED, user, format_fields(until=until)))


def _pause_happening(match: Match, actor: Actor, until: int) -> Happening:
    return EventKind.PAUSED, None, format_fields(until=until, used=seconds_used(match, actor.now, actor.people))


def _concerned_by_takeback(match: Match, asker: int, ply: int) -> tuple[int, ...]:
    """The people who must agree: the opponents, and players who lost their last piece since, as their moves go back."""
    stewards = match.started_game.position.stewards
    since = [change.seat for change in match.changes if change.move][ply:]
    have_moved = {match.players[seat] for seat in since if seat not in stewards}
    concerned = have_moved.union(match.opponents_of(asker)) - {asker}
    return tuple(user for user in match.players if user in concerned and is_person(user))


def last_own_ply(match: Match, user: int) -> int | None:
    """How many moves had been made before the user's last one; None if they have made none."""
    seats = [change.seat for change in match.changes if change.move]
    seat = match.seat_of(user)
    return max((ply for ply, mover in enumerate(seats) if mover == seat), default=None)


def is_pending(match: Match, request_seq: int) -> bool:
    """Whether the request made by that event still waits for an answer."""
    requests = (*match.requests.standing, match.vacancy)
    return match.is_live and any(request is not None and request.seq == request_seq for request in requests)
