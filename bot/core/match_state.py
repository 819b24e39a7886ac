"""The fields of a match, the values in them, and what follows from them. `match` adds how it changes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from enum import Enum
from operator import attrgetter
from typing import Any, NamedTuple, Self

from bot.core.clock import FOREVER, Pace, Span, VacationCap
from bot.core.events import Ballot, Seating
from bot.core.house_seats import is_house
from rules import Cause, Game, Move, Outcome, Seat, Variant


class Phase(Enum):
    """The stage of a match."""

    OPEN = "open"
    LIVE = "live"
    OVER = "over"
    CLOSED = "closed"  # cancelled or expired before it began


class HousePromise(NamedTuple):
    """House players take the seats of a table that are still empty at `until`."""

    level: str
    until: int


class BoardChange(NamedTuple):
    """One change of the board, kept so that it can be undone."""

    seat: Seat
    move: Move | None
    """None if the player of the seat left for good."""
    passes: int
    banks: tuple[int, ...]
    """The banks when the turn began."""
    auto: bool = False
    """Whether it was the only legal move and the bot played it."""
    planned: bool = False
    """Whether it was planned and the bot played it."""
    steward: bool = False
    """Whether a steward plays the seat because its player left."""

    @property
    def is_chosen(self) -> bool:
        """Whether the player made the move at that moment: the bot did not play it for them."""
        return not (self.auto or self.planned)

    def game_after(self, game: Game) -> Game:
        """Returns the game after the change. `game` must be the game as it was before the change."""
        if self.move is None:
            return game.apply_recorded_resignation(self.seat, self.passes, steward=self.steward)
        return game.apply_recorded(self.move, self.passes)


class ReplayedChange(NamedTuple):
    """A change of the board, with the game before and after it."""

    before: Game
    change: BoardChange
    after: Game


def replay_changes(variant: Variant, changes: Iterable[BoardChange]) -> Iterator[ReplayedChange]:
    """Yields each of the changes that lead from the start of a game to its current board."""
    game = Game.start(variant)
    for change in changes:
        after = change.game_after(game)
        yield ReplayedChange(game, change, after)
        game = after


class UndoneMoves(NamedTuple):
    """Moves that were taken back together, by agreement or by a referee."""

    ply: int
    """How many moves remained."""
    moves: tuple[Move, ...]


class Leaver(NamedTuple):
    """A person who left a match for good."""

    user: int
    seat: Seat
    at: int
    cause: str
    """ "resignation" or "timeout"."""


class Substitute(NamedTuple):
    """A person who took a seat over."""

    user: int
    seat: Seat
    at: int
    instead: int
    """The user who held the seat before."""
    ply: int
    """How many moves had been made at the takeover."""


@dataclass(frozen=True, slots=True)
class Vacancy:
    """A seat that nobody plays at the moment. All clocks stand still."""

    seat: Seat
    user: int
    """The user who left the seat."""
    until: int
    """The end of the call for a substitute, or of the vote."""
    voting: bool = False
    ballots: tuple[tuple[int, Ballot], ...] = ()
    """The latest vote of each user."""
    seq: int = 0
    """The number of the event that began the current stage: the call, or the vote."""
    since: int = 0
    """When the current stage began, or was last prolonged."""
    steward: bool = False
    """In a vote: whether a steward takes the seat if the players play on. In older votes the seat is skipped."""
    house: int | None = None
    """In a vote: the house player who takes the seat if all agree to that; None where none is offered."""

    @property
    def ballot_choices(self) -> tuple[Ballot, ...]:
        """The choices in the vote."""
        return tuple(ballot for ballot in Ballot if ballot is not Ballot.HOUSE or self.house is not None)


@dataclass(frozen=True, slots=True)
class PlayerRequest:
    """What a player asks of the others: a draw, a takeback, or to hand the seat over. It stands until it is answered.

    A draw offer stands until the next move of the player who offers it, a takeback request until anybody's next
    move.
    """

    user: int
    seq: int
    """The number of the event that made it. A button for the request carries this number, so it never answers a later
    request."""
    ply: int = 0
    """In a takeback: how many moves would remain."""
    to: int = 0
    """In a handover: the user who would play on."""
    accepted: tuple[int, ...] = ()


class Nudge(NamedTuple):
    """An opponent's reminder to the player to move. It is remembered after the turn: one a day is enough."""

    user: int
    to: int
    at: int


@dataclass(frozen=True, slots=True)
class Pings:
    """The notifications that the player to move has received in this turn."""

    reminded_at: int = 0
    """When the last reminder was posted."""
    snoozed_until: int = 0
    """The player wants no reminder before this time."""
    grace_ends_at: int | None = None
    """The end of the grace period; None while the player has time left."""
    grace_began_at: int = 0
    """When the grace period began, or was last prolonged."""
    is_overdue: bool = False
    """True if the opponents have been notified that they may claim."""
    warned_at: int | None = None
    """When the players were warned that the game will be closed."""


NO_PINGS = Pings()
"""The state at the beginning of a turn."""


TABLE_LIFETIME_S = 7 * 24 * 3600
"""Seconds that a table waits for its players."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match after its event number `seq`. Users, channels and servers are Discord ids."""

    id: int
    guild: int
    channel: int
    variant: Variant
    host: int
    seating: Seating
    wants_thread: bool
    created: int
    moved_at: int
    """When the current turn began."""
    pace: Pace = Pace.NONE
    ladder: bool = False
    """Whether the match counts for a ladder: there are no takebacks, and a player out of time loses without a claim."""
    vacations: bool = True
    """Whether clocks stand still while a player is on vacation."""
    vacation_cap: VacationCap | None = None
    """How much vacation of a player stops their clock; None: all of it."""
    order: tuple[int, ...] = ()
    """The intended user of each seat, where seats are rotated or chosen; 0 leaves a seat to anyone."""
    rematch_of: int | None = None
    """The match of which this one is the rematch."""
    title: str | None = None
    thread: int | None = None
    outages: tuple[Span, ...] = ()
    """The spans in which the match's place took no post, each from the first refused one; while that lasts, the last
    span ends at FOREVER."""
    casual: bool = False
    """Whether a house player had a seat when the match began: it is then rated for nobody."""
    phase: Phase = Phase.OPEN
    expired: bool = False
    """Whether the table closed because it was not full in time."""
    annulled: bool = False
    invited: tuple[int, ...] = ()
    """The users for whom a seat is still reserved."""
    declined: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()
    """In the order of joining, the host first."""
    players: tuple[int, ...] = ()
    """The user of each seat; empty until the match has started. A player who left a vacant seat stays here until
    replaced."""
    game: Game | None = None
    steps: tuple[BoardChange, ...] = ()
    """The changes that led to the current game."""
    banks: tuple[int, ...] = ()
    """The seconds that each seat had left at `running_since`; empty without a clock."""
    running_since: int | None = None
    """The time since which the clock of the player to move has been running; None while it stands still."""
    seconds_charged: int = 0
    """The seconds of this turn already taken off the bank; a takeback returns them."""
    seconds_thought: int = 0
    """The seconds of this turn that had counted when the clock was last started."""
    pings: Pings = NO_PINGS
    nudges: tuple[Nudge, ...] = ()
    """The latest nudge of each player to each other player."""
    vacancy: Vacancy | None = None
    draw: PlayerRequest | None = None
    offered: tuple[tuple[int, int], ...] = ()
    """Each user who has offered a draw, with the ply of their latest offer."""
    takeback: PlayerRequest | None = None
    handover: PlayerRequest | None = None
    vote_proposal: PlayerRequest | None = None
    """The wish of a player to vote at once on the vacant seat, instead of waiting for a substitute."""
    leavers: tuple[Leaver, ...] = ()
    substitutes: tuple[Substitute, ...] = ()
    undone: tuple[UndoneMoves, ...] = ()
    """The moves taken back, the earliest takeback first."""
    takeback_floor: int = 0
    """The ply at which a seat last changed hands; moves before it cannot be taken back."""
    house_promise: HousePromise | None = None
    """When house players take the empty seats of an open table, if the host has asked for that."""
    prolonged_span: Span | None = None
    """When an open table was given more time, and until when."""
    seq: int = 1

    @property
    def expires_at(self) -> int:
        """When an open table closes by itself."""
        return self.prolonged_span[1] if self.prolonged_span else self.created + TABLE_LIFETIME_S

    @property
    def has_lost_channel(self) -> bool:
        """True if the bot can no longer post in the match's place."""
        return self.channel_lost_at is not None

    @property
    def channel_lost_at(self) -> int | None:
        """The time since which the match's place takes no post; None while it does."""
        return self.outages[-1][0] if self.outages and self.outages[-1][1] == FOREVER else None

    def outages_until(self, now: int) -> tuple[Span, ...]:
        """The outages of the match's place if a post is taken at `now`."""
        since = self.channel_lost_at
        return self.outages if since is None else (*self.outages[:-1], (since, now))

    @property
    def ply(self) -> int:
        """How many moves have been made."""
        return len(self.game.moves) if self.game else 0

    @property
    def board_version(self) -> int:
        """Moves ever made plus moves ever taken back. Unlike the ply it only grows, so each board has its own."""
        return self.ply + 2 * sum(len(undone.moves) for undone in self.undone)

    def ply_at(self, board_version: int) -> int | None:
        """The ply of the board of that version; None if moves were taken back since."""
        ply = self.ply - (self.board_version - board_version)
        return ply if ply >= (self.undone[-1].ply if self.undone else 0) else None

    @property
    def is_live(self) -> bool:
        return self.phase is Phase.LIVE

    @property
    def turn(self) -> Seat:
        """The seat whose turn it is. Raises AssertionError before the match has started."""
        return self.started_game.position.turn

    @property
    def to_move(self) -> int | None:
        """The user whose turn it is; None unless the game is running, and at the turn of a vacant seat or a steward."""
        if not self.is_live or (self.vacancy and self.vacancy.seat == self.turn) or self.is_stewards_turn:
            return None
        return self.players[self.turn]

    @property
    def house_to_move(self) -> bool:
        """Whether the match waits for a house player's move."""
        return is_house(self.to_move)

    @property
    def is_stewards_turn(self) -> bool:
        """Whether it is the turn of a steward. Stewards move at once, so this is never true after a decision."""
        return self.is_live and self.started_game.position.steward_to_move

    @property
    def thread_or_channel(self) -> int:
        """The thread or channel in which the match is played."""
        return self.thread or self.channel

    @property
    def free_seats(self) -> int:
        """How many seats are neither taken nor reserved."""
        return len(self.variant.seats) - len(self.joined) - len(self.invited)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None before that."""
        return self.game.outcome if self.game else None

    @property
    def winners(self) -> tuple[int, ...]:
        """The users who won; empty after a draw and before the end."""
        won = self.outcome.winners if self.outcome and not self.annulled else ()
        return tuple(self.players[seat] for seat in won)

    @property
    def has_result(self) -> bool:
        """Whether the match ended with a winner or a draw: not abandoned, aborted or annulled."""
        return self.outcome is not None and self.outcome.cause is not Cause.ABANDONED and not self.annulled

    @property
    def resigned_users(self) -> tuple[int, ...]:
        """The users who left the game and whose seats nobody has taken over, in seat order."""
        return tuple(self.players[seat] for seat in self.variant.seats if self._has_left(seat)) if self.game else ()

    @property
    def still_in(self) -> tuple[int, ...]:
        """The users who have pieces and have not left, in seat order, including house players."""
        if not self.game or not self.is_live:
            return ()
        position = self.game.position
        return tuple(
            self.players[seat] for seat in self.variant.seats if position.is_playing(seat) and not self._has_left(seat)
        )

    @property
    def people_in(self) -> tuple[int, ...]:
        """The people among `still_in`: house players agree to nothing, vote on nothing and are never notified."""
        return tuple(user for user in self.still_in if not is_house(user))

    def opponents_of(self, user: int) -> tuple[int, ...]:
        """The other people who still play."""
        return tuple(other for other in self.people_in if other != user)

    @property
    def needs_no_claim(self) -> bool:
        """Whether a player out of time is out without a claim: in ladder games, and if no opponent can claim."""
        return self.ladder or not self.opponents_of(self.players[self.turn])

    def seat_of(self, user: int) -> Seat | None:
        """The seat of that user; None if they have none, or the match has not started."""
        return self.players.index(user) if user in self.players else None

    @property
    def started_game(self) -> Game:
        """The game of a match that has started."""
        assert self.game is not None, self.id
        return self.game

    def seconds_running(self, at: int) -> int | None:
        """The seconds since the clock was started, as if all of them counted; None while it stands still."""
        return None if self.running_since is None else max(at - self.running_since, 0)

    def _has_left(self, seat: Seat) -> bool:
        """Whether its player has left: the seat is vacant or passive, or lost its last piece while it was vacant."""
        position = self.started_game.position
        if seat in position.out or position.is_playing(seat):
            return seat in position.out or (self.vacancy is not None and self.vacancy.seat == seat)
        user = self.players[seat]
        left_at = max(
            (leaver.at for leaver in self.leavers if (leaver.user, leaver.seat) == (user, seat)), default=None
        )
        came_at = max(
            (substitute.at for substitute in self.substitutes if (substitute.user, substitute.seat) == (user, seat)),
            default=-1,
        )
        return left_at is not None and left_at >= came_at

    def with_fields(self, **values: Any) -> Self:
        """Returns the match with those fields replaced: `dataclasses.replace`, three times as fast, for replaying."""
        present = list(_values_of(self))
        for name, value in values.items():
            present[_FIELD_INDEX[name]] = value
        return type(self)(*present)


_values_of = attrgetter(*(field.name for field in fields(MatchState)))
_FIELD_INDEX = {field.name: place for place, field in enumerate(fields(MatchState))}
