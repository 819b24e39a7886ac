"""A match: two or three people at a table, and the game they play. Pure: events in, a match out.

A match is the fold of its events. The decisions, in the modules beside this one, look at a match and return the
resulting events, or raise; `apply` applies them and judges nothing. So the same events always give the same match,
even after the rules have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.core.events import Event, EventKind, parse_opening
from bot.core.fold import FOLD
from bot.core.match_parts import Phase
from bot.core.match_state import TABLE_LIFETIME_S, MatchState
from bot.core.problems import MatchError, Problem
from rules import Game

__all__ = ["TABLE_LIFETIME_S", "Happening", "Match", "Phase", "match_at", "replay_states"]

Happening = tuple[EventKind, int | None, str]
"""An event without its number and time."""


@dataclass(frozen=True, slots=True)
class Match(MatchState):
    """A match after its event number `seq`: replayed from events, and asked by decisions."""

    @classmethod
    def replay(cls, match_id: int, events: Iterable[Event]) -> Match:
        """The match after those events, which must be all of its events so far."""
        _, match = deque(replay_states(match_id, events), maxlen=1).pop()
        return match

    def apply(self, event: Event) -> Match:
        """Returns the match after the next event. Does not check whether the event is allowed."""
        assert event.seq == self.seq + 1, (event, self.seq)
        after = FOLD[event.kind](self, event)
        assert isinstance(after, Match)
        return after.with_fields(seq=event.seq)

    def apply_all(self, events: Iterable[Event]) -> Match:
        """Returns the match after those events."""
        match = self
        for event in events:
            match = match.apply(event)
        return match

    # The building blocks of decisions

    def next_events(self, now: int, *happenings: Happening) -> tuple[Event, ...]:
        """Those happenings as the next events of the match."""
        return tuple(Event(seq, now, *happening) for seq, happening in enumerate(happenings, self.seq + 1))

    def refusal_for(self, problem: Problem, **values: object) -> MatchError:
        """The error to raise, with the number of the match."""
        return MatchError(problem, number=self.id, **values)

    def refuse_if(self, wrong: object, problem: Problem, **values: object) -> None:
        """Raises that refusal if `wrong` is true."""
        if wrong:
            raise self.refusal_for(problem, **values)

    def require_open(self) -> None:
        """Raises unless people may still take seats. Ignores `expires_at`: the tick closes tables."""
        self.refuse_if(self.phase is not Phase.OPEN, Problem.TABLE_CLOSED)

    def require_live(self) -> Game:
        """Returns the game if it is running; raises otherwise."""
        self.refuse_if(self.phase is Phase.CLOSED, Problem.TABLE_CLOSED)
        if self.game is None:
            raise self.refusal_for(Problem.NOT_STARTED)
        self.refuse_if(self.phase is Phase.OVER, Problem.GAME_OVER)
        return self.game

    def require_playing(self, user: int) -> Game:
        """Returns the game if that user plays in it and has not left; raises otherwise."""
        if self.phase is not Phase.CLOSED and user not in (self.players or self.joined):
            raise self.refusal_for(Problem.NOT_A_PLAYER)
        game = self.require_live()
        self.refuse_if(user in self.resigned_users, Problem.ALREADY_LEFT)
        return game

    def require_going_on(self, user: int, board_version: int | None = None) -> Game:
        """Returns the game if the user plays in it and somebody is to move, at the board of `board_version` if given.

        Raises what `require_playing` raises, STALE for another board, and SEAT_VACANT if nobody is to move.
        """
        game = self.require_playing(user)
        self.refuse_if(board_version is not None and board_version != self.board_version, Problem.STALE)
        if self.to_move is None:
            raise self.refusal_for(Problem.SEAT_VACANT)
        return game

    def require_turn(self, user: int, board_version: int | None = None) -> Game:
        """Like `require_going_on`, and raises NOT_YOUR_TURN unless it is that user's turn."""
        game = self.require_going_on(user, board_version)
        self.refuse_if(user != self.to_move, Problem.NOT_YOUR_TURN, next=self.to_move)
        return game


def replay_states(match_id: int, events: Iterable[Event], match: Match | None = None) -> Iterator[tuple[Event, Match]]:
    """Yields each event with the match right after it. `match` is the match before the events, None at the opening."""
    for event in events:
        match = match.apply(event) if match else _match_from_opening(match_id, event)
        yield event, match


def match_at(match_id: int, events: Iterable[Event], ply: int) -> Match:
    """Returns the match right after that many moves, with the end if the game ended there; 0 is the start.

    Moves that were taken back do not count. Raises MatchError if the game has fewer moves.
    """
    match_by_ply: dict[int, Match] = {}
    last = 0
    for event, match in replay_states(match_id, events):
        last = match.ply
        if event.kind in (EventKind.STARTED, EventKind.MOVED, EventKind.ENDED, EventKind.UNDONE, EventKind.REWOUND):
            match_by_ply[last] = match
    if ply not in match_by_ply or ply > last:
        raise MatchError(Problem.NO_SUCH_PLY, number=match_id, last=last)
    return match_by_ply[ply]


def _match_from_opening(match_id: int, event: Event) -> Match:
    assert event.kind is EventKind.OPENED, event
    assert event.user is not None, event
    opening, host = parse_opening(event.body), event.user
    return Match(
        id=match_id,
        guild=opening.guild,
        channel=opening.channel,
        variant=opening.variant,
        host=host,
        seating=opening.seating,
        wants_thread=opening.wants_thread,
        created=event.at,
        moved_at=event.at,
        pace=opening.pace,
        ladder=opening.ladder,
        vacations=opening.vacations,
        vacation_cap=opening.vacation_cap,
        order=opening.order,
        rematch_of=opening.after,
        title=opening.title,
        invited=opening.invited,
        joined=(host,),
        seq=event.seq,
    )
