"""How a player leaves a seat, and what becomes of it: substitutes, the vote of the others, seats handed over. Pure."""

from __future__ import annotations

from bot.core.clock import HOUR
from bot.core.deadlines import NO_PEOPLE, Actor, PeopleById, deadline_with_outages, seconds_used
from bot.core.events import Ballot, Event, EventKind, RequestKind, format_fields, format_outcome
from bot.core.house_seats import free_house_players
from bot.core.match import Happening, Match, ending_happenings, without_winner
from bot.core.problems import Problem
from rules import Cause, Game, Outcome, Seat

SUBSTITUTE_CALL_S = 48 * HOUR
"""Seconds for which a substitute is sought."""


def resign(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user leaves the game, at any player's turn.

    If two others are still in, at least one of them a person, the seat becomes vacant and a substitute is called
    for. House players do not play on among themselves.
    """
    game = match.require_playing(actor.user)
    seat = match.players.index(actor.user)
    match.refuse_if(not game.position.is_playing(seat), Problem.ELIMINATED)
    return leave_seat(match, actor, seat, Cause.RESIGNATION)


def leave_seat(match: Match, actor: Actor, seat: Seat, cause: Cause) -> tuple[Event, ...]:
    """The events that follow when the player of that seat, who is still in, leaves: a vacancy, or the end.

    The actor is that player, or the opponent who claimed that the time is up.
    """
    user, now = match.players[seat], actor.now
    claimant = None if actor.user == user else actor.user
    if match.opponents_of(user) and len(match.still_in) > 2:
        body = format_fields(
            seat=seat,
            cause=cause.value,
            until=now + SUBSTITUTE_CALL_S,
            used=seconds_used(match, now, actor.people),
            by=claimant,
        )
        return match.next_events(now, (EventKind.VACATED, user, body))
    game = match.started_game
    happenings: list[Happening] = []
    if match.vacancy:  # nobody is left to wait for a substitute
        game, passive_events = make_seat_passive(game, match.vacancy.seat, steward=False)
        happenings += passive_events
        if game.outcome:
            return match.next_events(now, *happenings)
    game_after = game.resign(seat)
    kind = EventKind.TIMED_OUT if cause is Cause.TIMEOUT else EventKind.RESIGNED
    happenings.append((kind, user, format_fields(**{"pass": game_after.passes or None}, by=claimant)))
    outcome = Outcome(cause, tuple(filter(game_after.position.is_playing, match.variant.seats)))
    return match.next_events(now, *happenings, (EventKind.ENDED, None, format_outcome(outcome)))


def format_seating(match: Match, seat: Seat, now: int, people: PeopleById = NO_PEOPLE, **words: object) -> str:
    """The body of an event that seats a substitute. Their bank is at least the bank at the start of the game.

    "turn:on" says that the seat was vacant during another player's turn, and that this turn continues.
    """
    spent, terms = seconds_used(match, now, people), match.terms.pace.clock_terms
    bank_left = match.clock.banks[seat] - (spent or 0 if seat == match.turn else 0) if terms else 0
    goes_on = match.vacancy is not None and match.vacancy.seat == seat != match.turn
    return format_fields(
        seat=seat,
        **words,
        bank=max(bank_left, terms.bank) if terms else None,
        used=spent,
        turn="on" if goes_on else None,
    )


def make_seat_passive(game: Game, seat: Seat, *, steward: bool) -> tuple[Game, tuple[Happening, ...]]:
    """Returns the game with a steward or nobody at that seat, and the happenings, including an end if there is one.

    If it is the steward's turn, its move follows by itself.
    """
    game_after = game.resign(seat, steward=steward)
    goes_on = (
        game_after.position.turn == game.position.turn
        and not game_after.outcome
        and not game_after.position.steward_to_move
    )
    body = format_fields(
        seat=seat,
        **{"pass": game_after.passes or None},
        steward=1 if seat in game_after.position.stewards else None,  # none sits down in a finished game
        turn="on" if goes_on else None,
    )
    return game_after, ((EventKind.PASSIVE, None, body), *ending_happenings(game_after))


# Seats without a player


VOTE_DURATION_S = 72 * HOUR
"""Seconds in which the remaining players can agree; after that they play on."""

SUBSTITUTE_LEVEL = "7"
"""The level of the house player who may take a vacant seat."""


def take_over(match: Match, actor: Actor, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user plays the vacant seat from now on. Here and below, `request_seq` is the answered event, if known."""
    match.require_live()
    vacancy = match.vacancy
    if vacancy is None:
        raise match.refusal_for(Problem.NOT_VACANT)
    match.refuse_if(not vacancy.voting and request_seq not in (None, vacancy.seq), Problem.LAPSED)
    match.refuse_if(_is_barred_from(match, actor.user, vacancy.seat), Problem.SEAT_NOT_YOURS)
    call_is_over = actor.now >= deadline_with_outages(match, vacancy.since, vacancy.until, actor.people)
    match.refuse_if(vacancy.voting or call_is_over, Problem.CALL_OVER)
    seating = format_seating(match, vacancy.seat, actor.now)
    return match.next_events(actor.now, (EventKind.TAKEN_OVER, actor.user, seating))


def cast_vote(match: Match, actor: Actor, ballot: Ballot, request_seq: int | None = None) -> tuple[Event, ...]:
    """The user votes on the future of the game. They may change their vote; agreement decides at once."""
    user, now = actor.user, actor.now
    match.require_playing(user)
    vacancy = match.vacancy
    if vacancy is None or not vacancy.voting:
        raise match.refusal_for(Problem.NO_VOTE)
    match.refuse_if(request_seq not in (None, vacancy.seq), Problem.LAPSED)
    match.refuse_if(ballot not in vacancy.ballot_choices, Problem.NO_VOTE)
    match.refuse_if(user not in match.people_in, Problem.NO_PIECES)
    ballot_by_user = dict(vacancy.ballots)
    if ballot_by_user.get(user) is ballot:
        return ()
    voted: Happening = (EventKind.VOTED, user, ballot.value)
    ballot_by_user[user] = ballot
    if any(ballot_by_user.get(other) is not ballot for other in match.people_in):
        return match.next_events(now, voted)
    if ballot is Ballot.PLAY_ON:
        return match.next_events(now, voted, *_play_on_without(match, vacancy.seat))
    if ballot is Ballot.HOUSE:
        return match.next_events(
            now, voted, (EventKind.TAKEN_OVER, vacancy.house_player, format_seating(match, vacancy.seat, now))
        )
    cause = Cause.AGREEMENT if ballot is Ballot.DRAW else Cause.ABANDONED
    return match.next_events(now, voted, without_winner(cause))


def advance_vacancy(match: Match, now: int, *, has_house: bool = True) -> tuple[Event, ...]:
    """Begins the next stage of a vacancy: the vote after the call, the game without a substitute after the vote.

    `has_house`: whether the vote offers a house player for the seat.
    """
    vacancy = match.vacancy
    assert vacancy is not None, match.id
    if vacancy.voting:
        return match.next_events(now, *_play_on_without(match, vacancy.seat))
    return match.next_events(now, _open_vote(match, None, now, has_house=has_house))


def propose_vote(
    match: Match, actor: Actor, request_seq: int | None = None, *, has_house: bool = True
) -> tuple[Event, ...]:
    """The user wants to vote at once instead of waiting for a substitute. The vote begins when the others agree.

    Agrees to another player's proposal. `has_house`: whether the vote offers a house player for the seat.
    """
    user = actor.user
    require_call(match, user, request_seq)
    proposal = match.requests.of_kind(RequestKind.VOTE)
    match.refuse_if(proposal is not None and proposal.user == user, Problem.PROPOSED_ALREADY)
    if proposal or match.people_in == (user,):
        return match.next_events(actor.now, _open_vote(match, user, actor.now, has_house=has_house))
    return match.next_events(actor.now, (EventKind.VOTE_PROPOSED, user, ""))


def require_call(match: Match, user: int, request_seq: int | None = None) -> None:
    """Raises unless a substitute is sought and the user has a say in it. `request_seq`: the call, or a proposal."""
    match.require_playing(user)
    vacancy, proposal = match.vacancy, match.requests.of_kind(RequestKind.VOTE)
    if vacancy is None:
        raise match.refusal_for(Problem.NOT_VACANT)
    match.refuse_if(vacancy.voting or request_seq not in (None, vacancy.seq, proposal and proposal.seq), Problem.LAPSED)
    match.refuse_if(user not in match.people_in, Problem.NO_PIECES)


def _open_vote(match: Match, user: int | None, now: int, *, has_house: bool) -> Happening:
    free = free_house_players(SUBSTITUTE_LEVEL, 1, match.players) if has_house else ()
    body = format_fields(until=now + VOTE_DURATION_S, steward=1, house=next(iter(free), None))
    return EventKind.VOTE, user, body


def _play_on_without(match: Match, seat: Seat) -> tuple[Happening, ...]:
    """The events if the game continues with a steward in the seat."""
    return make_seat_passive(match.started_game, seat, steward=True)[1]


def propose_substitute(match: Match, actor: Actor, to: int) -> tuple[Event, ...]:
    """The user asks to hand their seat over; a later request replaces an earlier one."""
    match.require_agreeing(actor.user)
    match.refuse_if(_is_barred_from(match, to, match.players.index(actor.user)), Problem.ALREADY_PLAYING, user=to)
    return match.next_events(actor.now, (EventKind.HANDOVER_ASKED, actor.user, f"to:{to}"))


def hand_over_seat(match: Match, actor: Actor, to: int) -> tuple[Event, ...]:
    """Another person plays the user's seat from now on, as both have agreed elsewhere, such as in a league."""
    match.require_playing(actor.user)
    match.refuse_if(actor.user not in match.still_in, Problem.NO_PIECES)  # which would keep the loss from the rating
    seat = match.players.index(actor.user)
    match.refuse_if(_is_barred_from(match, to, seat), Problem.ALREADY_PLAYING, user=to)
    seating = format_seating(match, seat, actor.now, actor.people)
    return match.next_events(actor.now, (EventKind.TAKEN_OVER, to, seating))


def _is_barred_from(match: Match, user: int, seat: Seat) -> bool:
    """Whether the user may not take that seat: they play in the game, have left it, or have had another seat."""
    others = (substitute.instead for substitute in match.roster.substitutes if substitute.seat != seat)
    return user in (*match.players, *(leaver.user for leaver in match.roster.leavers), *others)
