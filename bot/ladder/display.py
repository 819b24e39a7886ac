"""The displayed data of ladders: tables, histories, news. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from bot.core.ratings import Rating
from bot.core.results import StepChanges
from bot.ladder.entries import LadderEntry
from bot.ladder.state import Challenge, Climber, LadderGame, Season

HISTORY_ROWS = 12
"""Rows on a page of a user's history. They are longer than rows of a table, and a page must fit into a message."""


class LadderRow(NamedTuple):
    """A row of a ladder's table."""

    place: int
    climber: Climber
    rating: Rating


@dataclass(frozen=True, slots=True)
class LadderPage:
    """A page of a ladder's table: the climbers who are awake, best first."""

    rows: tuple[LadderRow, ...]
    page: int
    pages: int
    total: int
    season: Season | None
    """None before the first season, and while nobody is on the ladder."""
    own: int | None = None
    """The place of the user who asks; None if they are not in the table."""


class LadderHistoryRow(NamedTuple):
    """An entry that concerned a user, with their rung before it (None if they were new) and after it."""

    entry: LadderEntry
    step_before: int | None
    step: int


@dataclass(frozen=True, slots=True)
class LadderNews:
    """An entry to announce."""

    guild: int
    variant: str
    entry: LadderEntry
    steps: StepChanges
    channel: int
    """The channel for news about single people."""
    announcements: int
    """The channel for news about seasons."""


class PendingChallenge(NamedTuple):
    """A challenge that waits for an answer, and whether declining it costs a rung."""

    challenge: Challenge
    costs: bool


@dataclass(frozen=True, slots=True)
class LadderEffects:
    """The changes of rungs by a game; empty if it is not a ladder game."""

    steps: StepChanges = field(default_factory=dict)
    triad: LadderGame | None = None
    """The triad after that game, with the scores so far; None if the game is not part of one."""

    @property
    def moves_rungs(self) -> bool:
        """Whether the game moved anybody to another rung."""
        return moves_rungs(self.steps)


def moves_rungs(steps: StepChanges) -> bool:
    """Whether the changes move anybody to another rung."""
    return any(before != after for before, after in steps.values())
