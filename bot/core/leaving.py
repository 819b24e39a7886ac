"""How a player leaves a seat: by resigning, by running out of time, or by a referee's decision. Pure."""

from __future__ import annotations

from bot.core.clock import HOUR
from bot.core.deadlines import NO_PEOPLE, PeopleById, seconds_used
from bot.core.events import Event, EventKind, format_fields, format_outcome
from bot.core.match import Happening, Match
from bot.core.problems import Problem
from rules import Cause, Game, Outcome, Seat

SUBSTITUTE_CALL_S = 48 * HOUR
"""Seconds for which a substitute is sought."""


def resign(
    match: Match, user: int, now: int, people: PeopleById = NO_PEOPLE, *, call: bool = True
) -> tuple[Event, ...]:
    """The user leaves the game, at any player's turn.

    If two others are still in, at least one of them a person, the seat becomes vacant and a substitute is called
    for; without `call`, a steward takes the seat at once. House players do not play on among themselves.
    """
    game = match.require_playing(user)
    seat = match.players.index(user)
    match.refuse_if(not game.position.is_playing(seat), Problem.ELIMINATED)
    return leave_seat(match, seat, Cause.RESIGNATION, now, people, call=call)


def leave_seat(
    match: Match,
    seat: Seat,
    cause: Cause,
    now: int,
    people: PeopleById,
    *,
    call: bool = True,
    claimant: int | None = None,
) -> tuple[Event, ...]:
    """The events that follow when the player of that seat, who is still in, leaves: a vacancy, a steward, or the end.

    `claimant` is the opponent who claimed that the time is up.
    """
    user = match.players[seat]
    if call and match.opponents_of(user) and len(match.still_in) > 2:
        body = format_fields(
            seat=seat,
            cause=cause.value,
            until=now + SUBSTITUTE_CALL_S,
            used=seconds_used(match, now, people),
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
    game_after, words = _game_after_leaving(game, seat, steward=bool(match.opponents_of(user)))
    kind = EventKind.TIMED_OUT if cause is Cause.TIMEOUT else EventKind.RESIGNED
    happenings.append((kind, user, format_fields(**words, by=claimant)))
    if game_after.outcome:
        ended = (
            Outcome(cause, game_after.outcome.winners)
            if game_after.outcome.cause is Cause.RESIGNATION
            else game_after.outcome
        )
        happenings.append((EventKind.ENDED, None, format_outcome(ended)))
    elif not match.opponents_of(user):
        winners = tuple(seat for seat in match.variant.seats if game_after.position.is_playing(seat))
        happenings.append((EventKind.ENDED, None, format_outcome(Outcome(cause, winners))))
    return match.next_events(now, *happenings)


def format_seating(match: Match, seat: Seat, now: int, people: PeopleById = NO_PEOPLE, **words: object) -> str:
    """The body of an event that seats a substitute. Their bank is at least the bank at the start of the game.

    "turn:on" says that the seat was vacant during another player's turn, and that this turn continues.
    """
    spent, terms = seconds_used(match, now, people), match.pace.clock_terms
    bank_left = match.banks[seat] - (spent or 0 if seat == match.turn else 0) if terms else 0
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
    game_after, words = _game_after_leaving(game, seat, steward=steward)
    goes_on = (
        game_after.position.turn == game.position.turn
        and not game_after.outcome
        and not game_after.position.steward_to_move
    )
    body = format_fields(seat=seat, **words, turn="on" if goes_on else None)
    return game_after, ((EventKind.PASSIVE, None, body), *ending_happenings(game_after))


def _game_after_leaving(game: Game, seat: Seat, *, steward: bool) -> tuple[Game, dict[str, int | None]]:
    """The game after the player of that seat left, and the body's fields; no steward sits down in a finished game."""
    game_after = game.resign(seat, steward=steward)
    steward_sits = seat in game_after.position.stewards
    return game_after, {"pass": game_after.passes or None, "steward": 1 if steward_sits else None}


def without_winner(cause: Cause) -> Happening:
    """The end of the match, drawn or without a result."""
    return EventKind.ENDED, None, format_outcome(Outcome(cause, ()))


def ending_happenings(game: Game) -> tuple[Happening, ...]:
    """The end of the match if the game has ended; empty otherwise."""
    return ((EventKind.ENDED, None, format_outcome(game.outcome)),) if game.outcome else ()
