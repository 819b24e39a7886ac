"""The results of matches as data: each player's part, lines of lists, and exports. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from bot.core.events import Event, EventKind, RecordedTurn, parse_turn
from bot.core.fold import replay_states
from bot.core.house_seats import is_house
from bot.core.match import Leaver, Match, Phase
from rules import Cause, Seat

RungChanges = Mapping[int, tuple[int | None, int]]
"""By user, the rung before an event (None for a new climber) and the rung after it."""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """The result of a finished game. Users are Discord's ids, `ended_at` is in unix seconds."""

    match: int
    guild: int
    variant: str
    ended_at: int
    players: tuple[int, ...]
    """Per seat, the user who held it at the end."""
    winners: tuple[int, ...] = ()
    """Some of the players; empty after a draw and in a game without a result."""
    moves: int = 0
    """The moves of all players together."""
    leavers: tuple[Leaver, ...] = ()
    """The users who resigned or ran out of time, in that order, including those whose seat somebody took over later."""
    substitutes: tuple[int, ...] = ()
    """The users who joined later, for a player who left or handed a seat over; including those who have left again."""
    has_result: bool = True
    """Whether the game was won or drawn: not abandoned, aborted or annulled."""
    ladder: bool = False
    never_rated: bool = False
    """Whether it is rated for nobody: a house player had a seat from the start, or the position was set."""

    @property
    def is_draw(self) -> bool:
        return self.has_result and not self.winners

    @property
    def timed_out_users(self) -> tuple[int, ...]:
        """The users who ran out of time."""
        return tuple(leaver.user for leaver in self.leavers if leaver.cause == Cause.TIMEOUT.value)

    @property
    def users_concerned(self) -> tuple[int, ...]:
        """The users that the result concerns: first those with a seat at the end, then those who left a seat to others.

        Excludes players who handed a seat over by consent, substitutes who left again, and house players.
        """
        departed = (leaver.user for leaver in self.leavers if leaver.user not in (*self.players, *self.substitutes))
        return tuple(user for user in dict.fromkeys((*self.players, *departed)) if not is_house(user))


def finished_game(match: Match) -> FinishedGame:
    """Returns the result of a match that is over."""
    assert match.ended_at is not None, match.id
    roster = match.roster
    return FinishedGame(
        match=match.id,
        guild=match.guild,
        variant=match.variant.key,
        ended_at=match.ended_at,
        players=match.players,
        winners=match.winners,
        moves=match.ply,
        leavers=roster.leavers,
        # A player who was replaced and came back is no substitute.
        substitutes=tuple(
            user for user in dict.fromkeys(one.user for one in roster.substitutes) if user not in roster.first_players
        ),
        has_result=match.has_result,
        ladder=match.terms.ladder,
        never_rated=roster.began_with_house or match.set_position is not None,
    )


class PlayerOutcome(Enum):
    """How a game ended for one user. The values are stored and never change."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"
    NONE = "none"  # without a result


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """One user's part in a game."""

    user: int
    outcome: PlayerOutcome
    late: bool = False
    """Whether they ran out of time."""
    first_move: str | None = None
    """The first move of their seat, in canonical notation; None if another user made it, or nobody."""
    moves: int = 0
    """How many moves they made themselves, including those that were taken back."""
    thought: int = 0
    """The seconds that they spent on these moves: with a clock, the seconds that counted."""
    planned: int = 0
    """How many of the moves were planned and took no time."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The stored data of a match that is over."""

    finished: FinishedGame
    began_at: int
    cause: Cause
    shares: tuple[PlayerResult, ...]
    """The parts of all users that the result concerns."""


@dataclass(frozen=True, slots=True)
class Derived:
    """The data derived from the events of a match."""

    result: MatchResult | None
    """None unless the match is over."""
    moved: Mapping[int, int]
    """When each user last made a move, including moves that were taken back."""


@dataclass
class _MoveCounts:
    """What people have done in a match so far."""

    moves: Counter[int] = field(default_factory=Counter)
    thought: Counter[int] = field(default_factory=Counter)
    planned: Counter[int] = field(default_factory=Counter)
    moved: dict[int, int] = field(default_factory=dict)
    first_moves: dict[Seat, tuple[int, str]] = field(default_factory=dict)
    """The first move of each seat, and the user who made it."""

    def count_move(self, event: Event, before: Match) -> None:
        """Counts a move; `before` is the match without it."""
        user, turn = before.to_move, parse_turn(event.body)
        if user is None or turn.auto or is_house(user):
            return
        self.moves[user] += 1
        if turn.planned:
            self.planned[user] += 1
        else:
            self.thought[user] += seconds_spent(event, turn, before)
        self.moved[user] = event.at
        if not any(change.move and change.seat == before.turn for change in before.changes):
            self.first_moves[before.turn] = user, turn.text


def derive_results(match_id: int, events: Iterable[Event]) -> Derived:
    """Derives the results from all events of a match."""
    counts, before = _MoveCounts(), None
    for event, match in replay_states(match_id, events):
        if event.kind is EventKind.MOVED and before:
            counts.count_move(event, before)
        before = match
    assert before is not None, match_id
    return Derived(_match_result(before, counts) if before.phase is Phase.OVER else None, counts.moved)


def _match_result(match: Match, counts: _MoveCounts) -> MatchResult:
    game = finished_game(match)
    assert match.outcome is not None, match.id
    first_moves = dict(counts.first_moves.values())
    shares = tuple(
        PlayerResult(
            user,
            outcome_for(game, user),
            late=user in game.timed_out_users,
            first_move=first_moves.get(user),
            moves=counts.moves[user],
            thought=counts.thought[user],
            planned=counts.planned[user],
        )
        for user in game.users_concerned
    )
    return MatchResult(game, match.began_at, match.outcome.cause, shares)


def outcome_for(over: FinishedGame, user: int) -> PlayerOutcome:
    """How the game ended for one of its users."""
    if not over.has_result:
        return PlayerOutcome.NONE
    if user not in over.players or any(leaver.user == user for leaver in over.leavers):
        return PlayerOutcome.LOST  # a player who leaves has lost, whatever happens to the game afterwards
    if over.is_draw:
        return PlayerOutcome.DRAWN
    return PlayerOutcome.WON if user in over.winners else PlayerOutcome.LOST


def seconds_spent(event: Event, turn: RecordedTurn, before: Match) -> int:
    """Returns the seconds that a move took: on the clock, or since the move before it in a game without one."""
    used = before.clock.seconds_running(event.at) if turn.used is None else turn.used
    if not before.clock.banks:
        return max(event.at - before.clock.turn_began_at, 0)
    return (used or 0) + before.clock.seconds_thought  # nobody's time counts while a seat is vacant


# Finished games in lists


PAGE_ROWS = 20
"""Rows of a page of a list."""


@dataclass(frozen=True, slots=True)
class HistoryGame:
    """A finished game in a user's history."""

    match: int
    variant: str
    ended_at: int
    players: tuple[int, ...]
    outcome: PlayerOutcome
    ladder: bool
    points: int | None
    """The change of their shown rating; None if the game was not rated."""


def pages_of(total: int, size: int = PAGE_ROWS) -> int:
    """How many pages that many rows take; at least one."""
    return max(-(-total // size), 1)
