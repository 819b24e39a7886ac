"""Decisions about moves: typed ones, and those that follow by themselves, in the transaction of their cause. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from bot.core.deadlines import NO_PEOPLE, Actor, PeopleById, seconds_used
from bot.core.events import (
    NEW_PLAYER_EVENTS,
    SEAT_ABANDONED_EVENTS,
    Event,
    EventKind,
    RecordedTurn,
    format_fields,
    format_turn,
)
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


# What follows by itself: a steward's move, a planned move, or the only legal move


TURN_BEGINNING_EVENTS = SEAT_ABANDONED_EVENTS | NEW_PLAYER_EVENTS | {EventKind.MOVED}
"""After these events, a player with a single legal move can be to move. Takebacks are excluded: their purpose is to
choose another move, and the only legal one would be played again at once."""


ProposeEvents = Callable[[Match, int, PeopleById, int], tuple[Event, ...]]
"""Returns the events that follow at that time for that user, who is to move: a planned move, and the end of the game if
the move ends it. Empty if no move is planned for this turn, or if it has to wait."""


def decide_follow_up(
    match: Match, last: EventKind | None, proposals: Iterable[ProposeEvents], people: PeopleById, now: int
) -> tuple[Event, ...]:
    """Decides what follows in the match; `last` is the kind of the latest event, None if nothing has happened.

    A steward always moves. For a player to move, a planned move comes first, then the only legal move, if they want
    that played. The move of a house player does not follow here, because the engine thinks outside of the transaction:
    see `Match.house_to_move`.
    """
    user = match.to_move
    if user is None:
        return play_steward_move(match, now)
    for propose in proposals:
        if events := propose(match, user, people, now):
            return events
    return play_only_move(match, now, people) if last in TURN_BEGINNING_EVENTS else ()
