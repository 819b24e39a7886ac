"""The conditions for taking part in a ladder, and the reasons for refusals. Never sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum

from bot.ladder.state import ASLEEP_AFTER_S, Climber, Ladder


class LadderProblem(Enum):
    """Why a request is refused. The values are catalogue keys; the comments name the values of each problem.

    `until` is the time from which the request is allowed again; None if that cannot be known.
    """

    ALREADY_ON_LADDER = "already-on-ladder"
    NOT_ON_LADDER = "not-on-ladder"
    AWAY = "away"  # until: on vacation
    FROZEN = "frozen"  # until: after running out of time
    STILL_PLAYING = "still-playing"  # match: a ladder game in progress, so the user cannot leave

    YOURSELF = "yourself"
    QUEUE_ONLY = "queue-only"  # a variant for three has no challenges
    OTHER_NOT_ON_LADDER = "other-not-on-ladder"  # other
    OTHER_AWAY = "other-away"  # other, until
    OTHER_FROZEN = "other-frozen"  # other, until
    OTHER_ASLEEP = "other-asleep"  # other: wakes up with a move
    OTHER_BELOW = "other-below"  # other, step (the other's), own
    OTHER_TOO_HIGH = "other-too-high"  # other, step (the other's), most: the highest rung that may be challenged
    CHALLENGING_ALREADY = "challenging-already"  # other; until: when the challenge lapses, None during its game
    OTHER_CHALLENGED = "other-challenged"  # other, until: as above
    CHALLENGED_BY = "challenged-by"  # other, until: when the other's challenge lapses, which waits for an answer
    REMATCH = "rematch"  # other, until: the two have played each other lately; None during the game
    TURNED_DOWN = "turned-down"  # other, until: the other has turned a challenge down lately

    NO_CHALLENGE = "no-challenge"  # no such challenge waits for an answer
    LAPSED = "lapsed"  # the challenge has run out

    QUEUED_ALREADY = "queued-already"
    QUEUE_GAME_ON = "queue-game-on"  # match: the user's game from the queue, which is still running
    NOT_QUEUED = "not-queued"


class LadderError(Exception):
    """A request that a ladder refuses. Nothing has changed."""

    def __init__(self, problem: LadderProblem, **values: object) -> None:
        self.problem = problem
        self.values: dict[str, object] = values
        super().__init__(" ".join([problem.value, *(f"{name}={value}" for name, value in values.items())]))


def refuse_if(wrong: object, problem: LadderProblem, **values: object) -> None:
    """Raises that LadderError if `wrong` is true."""
    if wrong:
        raise LadderError(problem, **values)


@dataclass(frozen=True, slots=True)
class MemberActivity:
    """A person's moves and vacation, as far as ladders need them."""

    moved_at: int = 0
    """When they last moved, in any game of the server."""
    away_until: int | None = None
    """The end of their current vacation; None if they are not on vacation."""


@dataclass(frozen=True, slots=True)
class LadderView:
    """A ladder together with the time and the activity of the people concerned."""

    ladder: Ladder
    now: int
    people: Mapping[int, MemberActivity] = field(default_factory=dict)

    def activity_of(self, user: int) -> MemberActivity:
        """Returns the activity of that user."""
        return self.people.get(user, MemberActivity())

    def is_asleep(self, climber: Climber) -> bool:
        """Whether the climber has not moved for ASLEEP_AFTER_S, so that the standings leave them out."""
        return self.now >= max(climber.joined_at, self.activity_of(climber.user).moved_at) + ASLEEP_AFTER_S

    def require_fit(self, user: int) -> Climber:
        """Returns the climber. Raises if they may not play at the moment."""
        climber = self.ladder.active_climber(user)
        if climber is None:
            raise LadderError(LadderProblem.NOT_ON_LADDER)
        away = self.activity_of(user).away_until
        if away is not None and self.now < away:
            raise LadderError(LadderProblem.AWAY, until=away)
        refuse_if(self.now < climber.frozen_until, LadderProblem.FROZEN, until=climber.frozen_until)
        return climber

    def fit_climbers(self, users: Iterable[int]) -> list[Climber]:
        """Returns the climbers among the users who may play now."""
        climbers: list[Climber] = []
        for user in users:
            with suppress(LadderError):
                climbers.append(self.require_fit(user))
        return climbers
