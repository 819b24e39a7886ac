"""The state of a ladder: who is on which rung, who has challenged whom, and which games are running."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.core.clock import DAY, HOUR
from bot.ladder.entries import EntryKind, LadderEntry, Score

CHALLENGE_REACH = 3
"""How many rungs up a climber may challenge, and how many rungs apart the queue pairs without a wait."""
ANSWER_TIME_S = 72 * HOUR
"""Seconds until a challenge lapses."""
REMATCH_PAUSE_S = 7 * DAY
FREE_REFUSALS, REFUSAL_SPAN_S = 1, 30 * DAY
FREEZE_S = 7 * DAY
ASLEEP_AFTER_S = 30 * DAY
"""Seconds without a move after which a climber is asleep."""
SEASON_S = 70 * DAY


@dataclass(frozen=True, slots=True)
class Climber:
    """A user on one ladder. Wins, draws and losses are those of the season."""

    user: int
    joined_at: int
    step: int = 0
    is_active: bool = True
    """False for a user who has left. Their refusals and freeze are kept in case they come back."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    timeouts: int = 0
    frozen_until: int = 0
    refused: tuple[int, ...] = ()
    """The times in the last REFUSAL_SPAN_S at which they turned a challenge down or let it lapse."""
    challenging: int | None = None
    """The user that they have challenged, until the game is over."""
    challenger: int | None = None
    """The user who has challenged them, until the game is over."""
    queued_at: int | None = None
    queue_game: int | None = None
    """Their match from the queue (of a triad, the first), until the game is over; None if there is none."""
    balance: int = 0
    """How many more times they have moved first than second, in two-player games from the queue."""
    began_last: bool = False
    """Whether they moved first in the last of these games."""

    def refusal_costs(self, now: int) -> bool:
        """Whether turning a challenge down now costs a rung. One refusal in 30 days is free."""
        return sum(at > now - REFUSAL_SPAN_S for at in self.refused) >= FREE_REFUSALS


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge that waits for an answer until `lapses_at`."""

    challenger: int
    challenged: int
    at: int
    lost: int = 0
    """Seconds since `at` in which nobody could be reached. They do not count."""

    @property
    def lapses_at(self) -> int:
        """When the challenge lapses."""
        return self.at + ANSWER_TIME_S + self.lost


@dataclass(frozen=True, slots=True)
class LadderGame:
    """A running game, or the three games of a triad, which the queue no longer begins."""

    users: tuple[int, ...]
    """The users who began it: challenger and challenged, or in the order of the pairing."""
    matches: tuple[int, ...]
    challenged: bool
    """Whether it came from a challenge. If so, the first user is the challenger."""
    scores: tuple[tuple[int, Score], ...] = ()
    """The scores of the matches that are over."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """The recent history between two users."""

    played_at: int = 0
    """When their last game ended."""
    turned_down_at: int = 0
    turned_down_by: int = 0


@dataclass(frozen=True, slots=True)
class Season:
    """A season. It ends at the first tick at or after `until`."""

    number: int
    began_at: int
    until: int


Pair = tuple[int, int]


def ordered_pair(first_user: int, second_user: int) -> Pair:
    """Returns the two users as a key of `Ladder.meetings`."""
    return (first_user, second_user) if first_user < second_user else (second_user, first_user)


@dataclass
class Ladder:
    """The rows of one ladder. The rows are immutable, and the fold replaces them.

    It may contain all rows, or only those that concern a request or an entry: the named climbers, with their
    challenges, their games, and their meetings with each other. The end of a season concerns every climber.
    """

    seats: int
    """Players in a game: 2 or 3."""
    climbers: dict[int, Climber] = field(default_factory=dict)
    challenges: dict[int, Challenge] = field(default_factory=dict)
    """The challenges that wait for an answer, by challenger."""
    games: dict[int, LadderGame] = field(default_factory=dict)
    """The running games, by each of their matches."""
    meetings: dict[Pair, Meeting] = field(default_factory=dict)
    season: Season | None = None
    seasons: int = 0
    """How many seasons have been started."""
    seq: int = 0

    def active_climber(self, user: int) -> Climber | None:
        """Returns the climber; None for a user who has left or never joined."""
        climber = self.climbers.get(user)
        return climber if climber and climber.is_active else None

    def meeting_of(self, first_user: int, second_user: int) -> Meeting:
        """Returns the recent history between the two."""
        return self.meetings.get(ordered_pair(first_user, second_user), Meeting())

    def next_entry(
        self, now: int, kind: EntryKind, users: tuple[int, ...] = (), matches: tuple[int, ...] = (), body: str = ""
    ) -> LadderEntry:
        """Returns the next entry of the ladder, with the next number."""
        return LadderEntry(self.seq + 1, now, kind, users, matches, body)
