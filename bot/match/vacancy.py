"""A seat without a player: substitutes, and what the others make of it. And seats handed over."""

from __future__ import annotations

from bot.match.events import Ballot, Event, EventKind, format_fields
from bot.match.match import Happening, Match
from bot.match.offers import agreed, require_agreeing, standing
from bot.match.parts import Vacancy
from bot.match.turns import NO_PEOPLE, People, lasts, passive, seating, without_winner
from bot.people.clock import HOUR
from bot.people.house import house_players
from bot.people.problems import Problem
from rules import Cause

VOTE = 72 * HOUR
"""Seconds in which the players who are left agree; then they play on."""

SUBSTITUTE = "medium"
"""The level of the house player who may take a vacant seat."""


def take_over(
    match: Match, user: int, now: int, asked: int | None = None, people: People = NO_PEOPLE
) -> tuple[Event, ...]:
    """The user plays the vacant seat from now on. `asked` is the event that is answered, if known, here and below."""
    match.require_live()
    vacancy = match.vacancy
    if vacancy is None:
        raise match.refusal(Problem.NOT_VACANT)
    if not vacancy.voting:
        standing(match, vacancy, asked, Problem.NOT_VACANT)
    match.refuse_if(_knows(match, user), Problem.SEAT_NOT_YOURS)
    over = now >= lasts(match, vacancy.since, vacancy.until, people)
    match.refuse_if(vacancy.voting or over, Problem.CALL_OVER)
    return match.next(now, (EventKind.TAKEN_OVER, user, seating(match, vacancy.seat, now)))


def vote(match: Match, user: int, ballot: Ballot, now: int, asked: int | None = None) -> tuple[Event, ...]:
    """The user says what is to become of the game. They may change their mind; agreement decides at once."""
    match.require_playing(user)
    vacancy = match.vacancy
    if vacancy is None or not vacancy.voting:
        raise match.refusal(Problem.NO_VOTE)
    standing(match, vacancy, asked, Problem.NO_VOTE)
    match.refuse_if(ballot not in vacancy.choices, Problem.NO_VOTE)
    match.refuse_if(user not in match.people_in, Problem.NO_PIECES)
    cast = dict(vacancy.ballots)
    if cast.get(user) is ballot:
        return ()
    voted: Happening = (EventKind.VOTED, user, ballot.value)
    cast[user] = ballot
    if any(cast.get(other) is not ballot for other in match.people_in):
        return match.next(now, voted)
    if ballot is Ballot.PLAY_ON:
        return match.next(now, voted, *_played_on(match, vacancy))
    if ballot is Ballot.HOUSE:
        return match.next(now, voted, (EventKind.TAKEN_OVER, vacancy.house, seating(match, vacancy.seat, now)))
    cause = Cause.AGREEMENT if ballot is Ballot.DRAW else Cause.ABANDONED
    return match.next(now, voted, without_winner(cause))


def wait_for_nobody(match: Match, now: int, *, house: bool = True) -> tuple[Event, ...]:
    """The next stage, if the present one has run out: after the call the vote, after the vote the play goes on.

    `house`: whether the vote offers that a house player takes the seat.
    """
    vacancy = match.vacancy
    if vacancy is None or now < vacancy.until:
        return ()
    if vacancy.voting:
        return match.next(now, *_played_on(match, vacancy))
    free = house_players(SUBSTITUTE, 1, match.players) if house else ()
    body = format_fields(until=now + VOTE, steward=1, house=next(iter(free), None))
    return match.next(now, (EventKind.VOTE, None, body))


def _played_on(match: Match, vacancy: Vacancy) -> tuple[Happening, ...]:
    """What happens where the game goes on without a player in the seat, by the rule that the vote has asked about."""
    return passive(match.started_game, vacancy.seat, steward=vacancy.steward)[1]


def propose_substitute(match: Match, user: int, other: int, now: int) -> tuple[Event, ...]:
    """The user wants to hand the seat over; a later wish takes the place of an earlier one."""
    require_agreeing(match, user)
    match.refuse_if(_knows(match, other), Problem.ALREADY_PLAYING, user=other)
    return match.next(now, (EventKind.HANDOVER_ASKED, user, f"to:{other}"))


def accept_substitute(
    match: Match, user: int, now: int, people: People = NO_PEOPLE, asked: int | None = None
) -> tuple[Event, ...]:
    """The user, an opponent or the substitute, agrees; the last one to do so brings it about."""
    match.require_live()
    wish = standing(match, match.handover, asked, Problem.NO_HANDOVER)
    seated = (EventKind.TAKEN_OVER, wish.to, seating(match, match.players.index(wish.user), now, people))
    return agreed(match, user, now, EventKind.HANDOVER_ACCEPTED, awaited_for_handover(match), seated)


def decline_substitute(match: Match, user: int, now: int, asked: int | None = None) -> tuple[Event, ...]:
    """One of those asked refuses, or the asker takes it back: nothing comes of it."""
    match.require_live()
    wish = standing(match, match.handover, asked, Problem.NO_HANDOVER)
    match.refuse_if(user not in (wish.user, wish.to, *match.opponents(wish.user)), Problem.NOT_ASKED)
    return match.next(now, (EventKind.HANDOVER_DECLINED, user, ""))


def awaited_for_handover(match: Match) -> tuple[int, ...]:
    """Who has still to agree to the seat's being handed over."""
    asked = match.handover
    if asked is None:
        return ()
    return tuple(user for user in (asked.to, *match.opponents(asked.user)) if user not in asked.accepted)


def _knows(match: Match, user: int) -> bool:
    """Whether the user plays in the game, or has."""
    return user in match.players or any(user == leaver.user for leaver in match.leavers)
