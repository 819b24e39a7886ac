"""Decisions about moves: typed ones, and those that follow by themselves, in the transaction of their cause. Pure."""

from __future__ import annotations

from itertools import islice

from bot.core.deadlines import NO_PEOPLE, Actor, PeopleById, seconds_used
from bot.core.events import Event, EventKind, RecordedTurn, format_fields, format_turn
from bot.core.match import Match, ending_happenings
from bot.core.problems import Problem
from bot.core.settings import StoredPerson
from rules import Game, Move, format_move, iter_moves, parse_move, steward_move


def read_move(match: Match, user: int, text: str) -> Move:
    """Returns the move that the user typed. Raises MatchError, or what `rules.parse_move` raises."""
    return parse_move(match.require_turn(user).position, text)


def play_move(match: Match, actor: Actor, move: Move, board_version: int) -> tuple[Event, ...]:
    """The person makes a move that is legal on the board of `board_version`. Raises MatchError."""
    game = match.require_turn(actor.user, board_version)
    return _move_events(match, game.apply(move), actor.now, actor.people)


def take_hint(match: Match, actor: Actor, move: Move, board_version: int) -> tuple[Event, ...]:
    """The person is given the move as a hint on the board of `board_version`; nothing if they have one. Raises
    MatchError.
    """
    match.require_turn(actor.user, board_version)
    if match.hint:
        return ()
    match.refuse_if(not match.hints_left, Problem.NO_HINT)
    body = f"{format_move(move, match.variant.board)} {format_fields(board=board_version)}"
    return match.next_events(actor.now, (EventKind.HINTED, actor.user, body))


def play_only_move(match: Match, now: int, people: PeopleById = NO_PEOPLE) -> tuple[Event, ...]:
    """Plays the only legal outcome for the player to move if they want that; nothing otherwise."""
    user = match.to_move
    if user is None or not people.get(user, StoredPerson()).settings.automove:
        return ()
    game = match.started_game
    moves = list(islice(iter_moves(game.position), 2))
    return _move_events(match, game.apply(moves[0]), now, people, auto=True) if len(moves) == 1 else ()


def play_planned_move(match: Match, legal: Move, now: int, people: PeopleById = NO_PEOPLE) -> tuple[Event, ...]:
    """Plays that move, already judged, for the player to move, who planned it. It costs the time for which a request
    held it back: none, if it answers a move at once.
    """
    return _move_events(match, match.started_game.apply(legal), now, people, planned=True)


def play_steward_move(match: Match, now: int) -> tuple[Event, ...]:
    """The move of the steward to move; nothing if no steward is. A steward who cannot move passes like any player."""
    if not match.is_stewards_turn:
        return ()
    game = match.started_game
    only_move = steward_move(game.position)
    assert only_move is not None
    return _move_events(match, game.apply(only_move), now, NO_PEOPLE, auto=True)


def _move_events(
    match: Match, played: Game, now: int, people: PeopleById, *, auto: bool = False, planned: bool = False
) -> tuple[Event, ...]:
    last = played.moves[-1]
    spent = seconds_used(match, now, people)
    # Left out if the fold can compute it: it would be every sixth byte of the database.
    counts = None if spent == match.clock.seconds_running(now) else spent
    turn = RecordedTurn(format_move(last, match.variant.board), played.passes, counts, auto, planned)
    return match.next_events(now, (EventKind.MOVED, None, format_turn(turn)), *ending_happenings(played))
