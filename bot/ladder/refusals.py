"""What the ladder refuses: which rule, and what its sentence needs. Never sentences."""

from __future__ import annotations

from enum import Enum


class Refusal(Enum):
    """Why a request is refused. The values are catalogue keys; behind each stand the values that come along.

    `until` is the instant from which on it is allowed again, None where nobody can know it.
    """

    ALREADY_ON_LADDER = "already-on-ladder"
    NOT_ON_LADDER = "not-on-ladder"
    TOO_NEW = "too-new"  # days, until: he has not been a member of the server for so long
    AWAY = "away"  # until: on vacation
    FROZEN = "frozen"  # until: after running out of time
    STILL_PLAYING = "still-playing"  # match: a ladder game, so he cannot leave

    YOURSELF = "yourself"
    QUEUE_ONLY = "queue-only"  # a game of three has no challenges
    OTHER_NOT_ON_LADDER = "other-not-on-ladder"  # other
    OTHER_TOO_NEW = "other-too-new"  # other, days, until
    OTHER_AWAY = "other-away"  # other, until
    OTHER_FROZEN = "other-frozen"  # other, until
    OTHER_ASLEEP = "other-asleep"  # other: wakes up with a move
    OTHER_BELOW = "other-below"  # other, step (his), own
    OTHER_TOO_HIGH = "other-too-high"  # other, step (his), most: the highest step that may be challenged
    CHALLENGING_ALREADY = "challenging-already"  # other: whom; until: when the challenge lapses, None once it is played
    OTHER_CHALLENGED = "other-challenged"  # other, until: as above
    CHALLENGED_BY = "challenged-by"  # other, until: when the challenge lapses that waits for an answer
    REMATCH = "rematch"  # other, until: the two have played each other lately; None while they do
    TURNED_DOWN = "turned-down"  # other, until: he has not wanted to lately

    NO_CHALLENGE = "no-challenge"  # no such challenge waits for an answer
    LAPSED = "lapsed"  # it has run out

    QUEUED_ALREADY = "queued-already"
    QUEUE_GAME_ON = "queue-game-on"  # match: a game from the queue that he still plays
    NOT_QUEUED = "not-queued"
    NO_TRIADS = "no-triads"  # in a game of two


class LadderError(Exception):
    """A request that a ladder refuses. Nothing has changed."""

    def __init__(self, refusal: Refusal, **values: object) -> None:
        self.refusal = refusal
        self.values: dict[str, object] = values
        super().__init__(" ".join([refusal.value, *(f"{name}={value}" for name, value in values.items())]))
