"""The ladder as it stands: who is on which rung, who has challenged whom, which games are on."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.core.clock import DAY, HOUR
from bot.ladder.entries import EntryKind, LadderEntry, Score

CHALLENGE_REACH = 3
"""How many rungs above one's own may be challenged, and how far apart a queue pairs at once."""
ANSWER_TIME_S = 72 * HOUR
"""After that a challenge lapses."""
REMATCH_PAUSE_S = 7 * DAY
FREE_REFUSALS, REFUSAL_SPAN_S = 1, 30 * DAY
FREEZE_S = 7 * DAY
ASLEEP_AFTER_S = 30 * DAY
"""Without a move for so long, one is asleep."""


@dataclass(frozen=True, slots=True)
class Climber:
    """A user on one ladder. The counts are those of the season."""

    user: int
    joined_at: int
    step: int = 0
    on: bool = True
    """False for who has left; what they owe is remembered in case they come back."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    timeouts: int = 0
    frozen_until: int = 0
    refused: tuple[int, ...] = ()
    """When they turned challenges down, or left them without an answer, in the last REFUSAL_SPAN."""
    challenging: int | None = None
    """Whom they have challenged, until the game is over."""
    challenger: int | None = None
    """Who has challenged them, until the game is over."""
    queued_at: int | None = None
    triad: bool = False
    """Whether they queue for three games with the seats rotated."""
    queue_game: int | None = None
    """The (first) match that came from the queue, until it is over."""
    balance: int = 0
    """In games of two from the queue: how many more times they have moved first than second."""
    began_last: bool = False
    """Whether they moved first in the last of them."""

    def refusal_costs(self, now: int) -> bool:
        """Whether turning a challenge down now costs a rung: one in 30 days is free."""
        return sum(at > now - REFUSAL_SPAN_S for at in self.refused) >= FREE_REFUSALS


@dataclass(frozen=True, slots=True)
class Challenge:
    """It waits for an answer until `lapses_at`."""

    challenger: int
    challenged: int
    at: int
    lost: int = 0
    """The seconds since then in which nobody could be reached, and which do not count."""

    @property
    def lapses_at(self) -> int:
        """When it lapses."""
        return self.at + ANSWER_TIME_S + self.lost


@dataclass(frozen=True, slots=True)
class LadderGame:
    """A game that is on, or the three of a triad."""

    users: tuple[int, ...]
    """Those who began it: challenger and challenged, or in the order in which they were paired."""
    matches: tuple[int, ...]
    challenged: bool
    """Whether it came from a challenge: the first of the users is the challenger."""
    scores: tuple[tuple[int, Score], ...] = ()
    """Of the matches that are over."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """What two users have lately had to do with each other."""

    played_at: int = 0
    """When their last game ended."""
    turned_down_at: int = 0
    turned_down_by: int = 0


@dataclass(frozen=True, slots=True)
class Season:
    """It ends at the first tick from `lapses_at` on."""

    number: int
    began_at: int
    until: int


Pair = tuple[int, int]


def ordered_pair(first_user: int, second_user: int) -> Pair:
    """The two users as `Ladder.meetings` knows them."""
    return (first_user, second_user) if first_user < second_user else (second_user, first_user)


@dataclass
class Ladder:
    """The rows of one ladder; they are values, and the fold puts new ones in their place.

    It may hold all rows, or only those that a request or an entry concerns: the climbers named, with the challenge in
    which they stand, their games, and their meetings with each other. An end of a season concerns every climber.
    """

    seats: int
    """Players in a game: 2 or 3."""
    climbers: dict[int, Climber] = field(default_factory=dict)
    challenges: dict[int, Challenge] = field(default_factory=dict)
    """Those that wait for an answer, by challenger."""
    games: dict[int, LadderGame] = field(default_factory=dict)
    """Those that are on, by each of their matches."""
    meetings: dict[Pair, Meeting] = field(default_factory=dict)
    season: Season | None = None
    seasons: int = 0
    """How many have been started."""
    seq: int = 0

    def active_climber(self, user: int) -> Climber | None:
        """Who is on the ladder; None for somebody who has left or never came."""
        climber = self.climbers.get(user)
        return climber if climber and climber.on else None

    def meeting_of(self, first_user: int, second_user: int) -> Meeting:
        """What the two have had to do with each other."""
        return self.meetings.get(ordered_pair(first_user, second_user), Meeting())

    def next_entry(
        self, now: int, kind: EntryKind, users: tuple[int, ...] = (), matches: tuple[int, ...] = (), body: str = ""
    ) -> LadderEntry:
        """That happening as the next entry."""
        return LadderEntry(self.seq + 1, now, kind, users, matches, body)
