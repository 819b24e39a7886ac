"""The games in lists, pages of lists, and where a game is posted. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from bot.core.match import Match, Phase, Place
from bot.core.results import PlayerOutcome
from rules import Cause, Variant

PAGE_ROWS = 20
"""Rows of a page of a list."""


class MessageRef(NamedTuple):
    """The address of a message."""

    channel: int
    message: int


@dataclass(frozen=True, slots=True)
class MatchSummary:
    """A started match in a list."""

    id: int
    place: Place
    variant: Variant
    phase: Phase
    players: tuple[int, ...]
    """The user of each seat."""
    resigned: tuple[int, ...]
    to_move: int | None
    ply: int
    moved_at: int
    turn: MessageRef | None
    """The message that shows the latest turn."""
    time_runs_out_at: int | None = None
    """When the player to move runs out of time, or of grace; None if no clock runs."""
    title: str | None = None

    @property
    def guild(self) -> int:
        return self.place.guild


class GamePlace(NamedTuple):
    """Where a live game is played."""

    id: int
    place: Place

    @property
    def guild(self) -> int:
        return self.place.guild


class ExportedMatch(NamedTuple):
    """A match that has begun, with the times that its record states."""

    match: Match
    began_at: int
    ended_at: int | None
    """None while the match is running."""


@dataclass(frozen=True, slots=True)
class HistoryGame:
    """A finished game in a user's history."""

    match: int
    variant: str
    ended_at: int
    players: tuple[int, ...]
    winners: tuple[int, ...]
    outcome: PlayerOutcome
    cause: Cause
    ladder: bool
    points: int | None
    """The change of their shown rating; None if the game was not rated."""


def pages_of(total: int, size: int = PAGE_ROWS) -> int:
    """How many pages that many rows take; at least one."""
    return max(-(-total // size), 1)
