"""The values that a match consists of: requests, pings, leavers, vacancies. `match_state` has the match itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from bot.core.events import Ballot
from rules import Game, Move, Seat, Variant


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
