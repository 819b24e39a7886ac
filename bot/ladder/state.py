"""A ladder: its entries as they are stored, its state, and what is shown of it. Pure.

The entries are numbered from 1 without a gap per server and variant."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from bot.core.clock import DAY, HOUR
from bot.core.ratings import Rating
from bot.core.results import StepChanges


class LadderId(NamedTuple):
    """The key of a ladder."""

    guild: int
    variant: str


class EntryKind(Enum):
    """What happened. The values are stored and never change."""

    JOINED = 1  # users: one
    LEFT = 2  # users: one
    CHALLENGED = 3  # users: challenger, challenged
    ACCEPTED = 4  # users: as above. matches: one
    REFUSED = 5  # users: as above
    LAPSED = 6  # users: as above. body: "excused" if the challenged user was on vacation or frozen
    QUEUED = 7  # users: one. body: once "triad", for three games with rotated seats
    UNQUEUED = 8  # users: one
    PAIRED = 9  # users: in seat order (of the first game). matches: one; once three, a triad
    FINISHED = 10  # matches: one. body: see `Score`
    ANNULLED = 11  # users: who played. matches: one that was finished; see `bot.ladder.fold.replay_history`
    SEASON_STARTED = 12  # body: "1 1700000000": its number and when it ends
    SEASON_ENDED = 13  # users: the podium, best first. body: its number
    REOPENED = 14  # users, matches: as of ANNULLED; a referee lets the game continue
    DIGEST = 15  # no longer written: a week of the season is over. body: when the week began


NEWSWORTHY_ENTRIES = frozenset(
    {EntryKind.CHALLENGED, EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED, EntryKind.PAIRED}
    | {EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED}
)
"""The kinds of entries that are announced. The end of a game is announced with the game's result."""


@dataclass(frozen=True, slots=True)
class LadderEntry:
    """One entry of a ladder. `at` is in unix seconds."""

    seq: int
    at: int
    kind: EntryKind
    users: tuple[int, ...] = ()
    matches: tuple[int, ...] = ()
    body: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a ladder game for the users who began it. A user in no field has neither won nor lost."""

    won: tuple[int, ...] = ()
    drew: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    """The users who ran out of time. They are in `lost`, too."""


NO_SCORE = Score()
"""The score of a game that ended without a result."""


def format_score(score: Score) -> str:
    """Returns the body of FINISHED: "won:1 lost:2,3 late:3", "drew:1,2", or "" for a game without a result."""
    groups = (("won", score.won), ("drew", score.drew), ("lost", score.lost), ("late", score.late))
    return " ".join(f"{name}:{','.join(map(str, users))}" for name, users in groups if users)


def parse_score(body: str) -> Score:
    """Reads what `format_score` wrote."""
    groups = (word.split(":") for word in body.split())
    return Score(**{name: tuple(map(int, users.split(","))) for name, users in groups})


EXCUSED_BODY, TRIAD_BODY = "excused", "triad"


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
