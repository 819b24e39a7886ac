"""A referee's decisions. The caller checks who is a referee, because Discord's permissions are known there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bot.core.clock import HOUR
from bot.core.deadlines import Actor, seconds_used
from bot.core.events import Event, EventKind, body_with_reason, format_fields, is_former
from bot.core.fold import replay_states
from bot.core.leaving import format_seating
from bot.core.match import Happening, Match, Phase, without_winner
from bot.core.problems import Problem
from rules import Cause, Game, Seat
from rules.game import END_QUIET, END_REPETITION

MAX_REASON_LENGTH = 300
MAX_TITLE_LENGTH = 60

_AGREED_CAUSES = frozenset({Cause.AGREEMENT, Cause.ABANDONED})
"""Causes of an end that the players, a referee or the tick decided, not the board."""


class Ruling(NamedTuple):
    """A referee's act, with the match just before it and the match after all its events."""

    event: Event
    match_before: Match
    match: Match


def find_ruling(match_id: int, events: Iterable[Event], seq: int) -> Ruling:
    """The referee's act with that number. `events` must be all events of the match."""
    states = [*replay_states(match_id, events)]
    return Ruling(states[seq - 1][0], states[seq - 2][1], states[-1][1])


def set_clock(match: Match, referee: Actor, seat: Seat, seconds: int, reason: str) -> tuple[Event, ...]:
    """Sets the clock of that seat to so many seconds, up to the cap."""
    match.require_live()
    terms = match.terms.pace.clock_terms
    if not terms:
        raise match.refusal_for(Problem.NO_CLOCK)
    match.refuse_if(not 0 < seconds <= terms.cap, Problem.BAD_BANK, most=terms.cap // HOUR)
    words = format_fields(seat=seat, bank=seconds, used=seconds_used(match, referee.now, referee.people))
    return _rule(match, referee, EventKind.CLOCK_SET, reason, words)


def replace_player(match: Match, referee: Actor, user: int, substitute: int, reason: str) -> tuple[Event, ...]:
    """The other person plays the user's seat from now on, including a vacant seat."""
    game = match.require_live()
    seat = match.seat_of(user)
    if seat is None or seat in game.position.out:
        raise match.refusal_for(Problem.NOT_IN_GAME, user=user)
    match.refuse_if(substitute in match.players, Problem.ALREADY_PLAYING, user=substitute)
    words = format_seating(match, seat, referee.now, referee.people, by=substitute)
    return _rule(match, referee, EventKind.REPLACED, reason, words)


def rewind_match(match: Match, referee: Actor, ply: int, reason: str) -> tuple[Event, ...]:
    """The game continues from the position after that many moves. A leaving is undone only if it ended the game.

    A finished game can also continue at its last move, unless the rules ended it there.
    """
    over = match.phase is Phase.OVER and not match.annulled
    game = match.started_game if over else match.require_live()
    if match.vacancy:  # a game that was voted to its end keeps its vacancy
        raise match.refusal_for(Problem.SEAT_VACANT if match.is_live else Problem.TAKEBACK_BARRED)
    back = _ended_by_leaving(match) if over else None
    match.refuse_if(not 0 <= ply <= match.ply or (ply == match.ply and not over), Problem.NO_SUCH_PLY, last=match.ply)
    match.refuse_if(ply == match.ply and back is None and _ended_by_rules(game), Problem.GAME_OVER)
    leavings = game.leavers if back is None else game.leavers[:-1]
    out = {seat for _, seat in leavings}
    forgotten = any(is_former(user) and seat not in out for seat, user in enumerate(match.players))
    if any(moves > ply for moves, _ in leavings) or _revives_leaver(match, ply) or (over and forgotten):
        raise match.refusal_for(Problem.TAKEBACK_BARRED)
    return _rule(match, referee, EventKind.REWOUND, reason, format_fields(ply=ply, back=back))


def abort_match(match: Match, referee: Actor, reason: str) -> tuple[Event, ...]:
    """The game ends without any result."""
    match.require_live()
    return _rule(match, referee, EventKind.ABORTED, reason, "", without_winner(Cause.ABANDONED))


def annul_match(match: Match, referee: Actor, reason: str) -> tuple[Event, ...]:
    """The result of a finished game no longer counts."""
    match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
    match.refuse_if(match.annulled, Problem.ANNULLED_ALREADY)
    return _rule(match, referee, EventKind.ANNULLED, reason, "")


def _ended_by_leaving(match: Match) -> int | None:
    """The user whose leaving ended the game; None if something else ended it."""
    outcome, last = match.started_game.outcome, match.changes[-1] if match.changes else None
    if last is None or last.move or outcome is None or outcome.cause in _AGREED_CAUSES or outcome.cause is Cause.QUIET:
        return None  # a claim or an agreement ended it, even right after a player left
    return match.players[last.seat]


def _ended_by_rules(game: Game) -> bool:
    """Whether the rules ended the game, so that it cannot continue from there: neither an agreement nor a claim did."""
    cause = game.outcome.cause if game.outcome else None
    if cause is Cause.REPETITION:
        return game.repetitions >= END_REPETITION
    return game.quiet_moves >= END_QUIET if cause is Cause.QUIET else cause not in _AGREED_CAUSES


def _revives_leaver(match: Match, ply: int) -> bool:
    """Whether a user who left would have pieces again, with nobody to play them."""
    out = match.started_game.position.out
    return ply < match.takeback_floor and any(match.seat_of(user) not in out for user in match.resigned_users)


def _rule(
    match: Match, referee: Actor, kind: EventKind, reason: str, words: str, *then: Happening
) -> tuple[Event, ...]:
    """Returns the event of a referee's act with its reason, and what follows. Raises if there is no good reason."""
    tidy = " ".join(reason.split())
    match.refuse_if(not tidy, Problem.NO_REASON)
    match.refuse_if(len(tidy) > MAX_REASON_LENGTH, Problem.TEXT_TOO_LONG, most=MAX_REASON_LENGTH)
    return match.next_events(referee.now, (kind, referee.user, body_with_reason(words, tidy)), *then)
