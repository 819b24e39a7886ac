"""What a ladder asks of a person, the rules that hold for everybody, and what it refuses. Never sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum

from bot.core.clock import DAY
from bot.ladder.stairs import ASLEEP_AFTER_S, Climber, Ladder


class LadderProblem(Enum):
    """Why a request is refused. The values are catalogue keys; after each stand the values that come along.

    `until` is the instant from which on it is allowed again, None where nobody can know it.
    """

    ALREADY_ON_LADDER = "already-on-ladder"
    NOT_ON_LADDER = "not-on-ladder"
    TOO_NEW = "too-new"  # days, until: not a member of the server for long enough
    AWAY = "away"  # until: on vacation
    FROZEN = "frozen"  # until: after running out of time
    STILL_PLAYING = "still-playing"  # match: a ladder game, so one cannot leave

    YOURSELF = "yourself"
    QUEUE_ONLY = "queue-only"  # a game of three has no challenges
    OTHER_NOT_ON_LADDER = "other-not-on-ladder"  # other
    OTHER_TOO_NEW = "other-too-new"  # other, days, until
    OTHER_AWAY = "other-away"  # other, until
    OTHER_FROZEN = "other-frozen"  # other, until
    OTHER_ASLEEP = "other-asleep"  # other: wakes up with a move
    OTHER_BELOW = "other-below"  # other, step (the other's), own
    OTHER_TOO_HIGH = "other-too-high"  # other, step (the other's), most: the highest rung that may be challenged
    CHALLENGING_ALREADY = "challenging-already"  # other: whom; until: when the challenge lapses, None once it is played
    OTHER_CHALLENGED = "other-challenged"  # other, until: as above
    CHALLENGED_BY = "challenged-by"  # other, until: when the challenge lapses that waits for an answer
    REMATCH = "rematch"  # other, until: the two have played each other lately; None while they do
    TURNED_DOWN = "turned-down"  # other, until: the other has not wanted to lately

    NO_CHALLENGE = "no-challenge"  # no such challenge waits for an answer
    LAPSED = "lapsed"  # it has run out

    QUEUED_ALREADY = "queued-already"
    QUEUE_GAME_ON = "queue-game-on"  # match: a game from the queue that is still on
    NOT_QUEUED = "not-queued"
    NO_TRIADS = "no-triads"  # in a game of two


class LadderError(Exception):
    """A request that a ladder refuses. Nothing has changed."""

    def __init__(self, problem: LadderProblem, **values: object) -> None:
        self.problem = problem
        self.values: dict[str, object] = values
        super().__init__(" ".join([problem.value, *(f"{name}={value}" for name, value in values.items())]))


def refuse_if(wrong: object, problem: LadderProblem, **values: object) -> None:
    """Raises that LadderError where something is wrong."""
    if wrong:
        raise LadderError(problem, **values)


@dataclass(frozen=True, slots=True)
class MemberActivity:
    """A person as the server and their games know them."""

    member_since: int = 0
    moved_at: int = 0
    """When they last moved, in any game of the server."""
    away_until: int | None = None
    """The end of their vacation; None unless they are on one."""


@dataclass(frozen=True, slots=True)
class LadderTerms:
    """What a server has asked for."""

    membership: int = 0
    """Seconds for which one must have been a member."""
    season: int = 70 * DAY

    @property
    def membership_days(self) -> int:
        """The same in days, as servers ask for it."""
        return self.membership // DAY


@dataclass(frozen=True, slots=True)
class LadderView:
    """The ladder as it is looked at: when, by which terms, and what is known of the people concerned."""

    ladder: Ladder
    now: int
    terms: LadderTerms = LadderTerms()
    people: Mapping[int, MemberActivity] = field(default_factory=dict)

    def activity_of(self, user: int) -> MemberActivity:
        """What is known of that user."""
        return self.people.get(user, MemberActivity())

    def mature_from(self, user: int) -> int:
        """From when on the user has been a member for long enough."""
        return self.activity_of(user).member_since + self.terms.membership

    def is_asleep(self, climber: Climber) -> bool:
        """Whether the climber has not moved for so long as not to be counted."""
        return self.now >= max(climber.joined_at, self.activity_of(climber.user).moved_at) + ASLEEP_AFTER_S

    def require_fit(self, user: int) -> Climber:
        """The climber, if nothing about them keeps them from playing."""
        climber = self.ladder.active_climber(user)
        if climber is None:
            raise LadderError(LadderProblem.NOT_ON_LADDER)
        self.require_mature(user)
        away = self.activity_of(user).away_until
        if away is not None and self.now < away:
            raise LadderError(LadderProblem.AWAY, until=away)
        refuse_if(self.now < climber.frozen_until, LadderProblem.FROZEN, until=climber.frozen_until)
        return climber

    def fit_climbers(self, users: Iterable[int]) -> list[Climber]:
        """Those of them whom nothing keeps from playing."""
        climbers: list[Climber] = []
        for user in users:
            with suppress(LadderError):
                climbers.append(self.require_fit(user))
        return climbers

    def require_mature(self, user: int) -> None:
        """Raises where the user has not been a member for long enough."""
        if self.now < self.mature_from(user):
            raise LadderError(LadderProblem.TOO_NEW, days=self.terms.membership_days, until=self.mature_from(user))
