"""What a match is made of, besides its game."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from bot.core.events import Ballot
from rules import Game, Move, Seat


class Phase(Enum):
    """How far a match has come."""

    OPEN = "open"
    LIVE = "live"
    OVER = "over"
    CLOSED = "closed"  # cancelled, or expired, before it began


class HousePromise(NamedTuple):
    """That house players take the seats of a table which are empty by then."""

    level: str
    until: int


class BoardChange(NamedTuple):
    """One thing that happened on the board, kept so that it can be undone."""

    seat: Seat
    move: Move | None
    """None where the seat's player left for good."""
    passes: int
    banks: tuple[int, ...]
    """As they stood when the turn began."""
    auto: bool = False
    """Whether it was the only move, and played by itself."""
    planned: bool = False
    """Whether it was planned, and played by itself."""
    steward: bool = False
    """Whether a steward sits there since the player has left."""

    @property
    def is_chosen(self) -> bool:
        """Whether its player has made it at that moment: it was not played by itself."""
        return not (self.auto or self.planned)

    def game_after(self, game: Game) -> Game:
        """The game after it, which must be as it was when it happened."""
        if self.move is None:
            return game.apply_recorded_resignation(self.seat, self.passes, steward=self.steward)
        return game.apply_recorded(self.move, self.passes)


class UndoneMoves(NamedTuple):
    """Moves that were taken back at once, by agreement or by a referee."""

    ply: int
    """How many moves stayed."""
    moves: tuple[Move, ...]


class Leaver(NamedTuple):
    """Somebody who has left a match for good."""

    user: int
    seat: Seat
    at: int
    cause: str
    """ "resignation" or "timeout"."""


class Substitute(NamedTuple):
    """Somebody who has taken a seat over."""

    user: int
    seat: Seat
    at: int
    instead: int
    """Whose seat it was."""
    ply: int
    """How many moves had been made by then."""


@dataclass(frozen=True, slots=True)
class Vacancy:
    """A seat that nobody plays for the time being. All clocks stand."""

    seat: Seat
    user: int
    """Who has left it."""
    until: int
    """The end of the call for a substitute, or of the vote."""
    voting: bool = False
    ballots: tuple[tuple[int, Ballot], ...] = ()
    """The last vote of each user."""
    seq: int = 0
    """The event that made the present stage: the call, or the vote."""
    since: int = 0
    """When that began, or was last prolonged."""
    steward: bool = False
    """Of a vote: whether to play on means that a steward sits there. In older votes the seat is skipped."""
    house: int | None = None
    """Of a vote: the house player who takes the seat if all want that; None where none is offered."""

    @property
    def ballot_choices(self) -> tuple[Ballot, ...]:
        """What may be voted for."""
        return tuple(ballot for ballot in Ballot if ballot is not Ballot.HOUSE or self.house is not None)


@dataclass(frozen=True, slots=True)
class PlayerRequest:
    """What a player asks of the others: a draw, a takeback, or to hand the seat over. It stands until it is answered.

    A draw is offered until the next move of whoever offers it, and a takeback until the next move of anybody.
    """

    user: int
    seq: int
    """The event that made it. A button made for it carries that number, so that it answers no later one."""
    ply: int = 0
    """Of a takeback: how many moves would stay."""
    to: int = 0
    """Of a handover: who would play on."""
    accepted: tuple[int, ...] = ()


class Nudge(NamedTuple):
    """An opponent's word to whoever was to move. It is remembered beyond the turn: one a day is enough."""

    user: int
    to: int
    at: int


@dataclass(frozen=True, slots=True)
class Pings:
    """What whoever is to move has been told in this turn."""

    reminded: int = 0
    """When the last reminder was posted."""
    snoozed: int = 0
    """Until then they want none."""
    grace: int | None = None
    """Their time is up, and this is the end of the grace period."""
    since: int = 0
    """When that began, or was last prolonged."""
    overdue: bool = False
    """The opponents have been told that they may claim."""
    warned: int | None = None
    """When the warning came that the game will be closed."""


NO_PINGS = Pings()
"""As a turn begins."""
