"""What a ladder asks about a person that it does not know itself, and the rules that hold for everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import DAY
from bot.ladder.refusals import LadderError, Refusal
from bot.ladder.stairs import SLEEP, Climber, Ladder


@dataclass(frozen=True, slots=True)
class Presence:
    """A person as the server and his games know him."""

    member_since: int = 0
    moved_at: int = 0
    """When he last moved, in any game of the server."""
    away_until: int | None = None
    """The end of his vacation; None unless he is on one."""


PRESENT = Presence()
"""Of somebody of whom nothing is known."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a server has asked for."""

    membership: int = 0
    """Seconds for which one must have been a member."""
    season: int = 70 * DAY

    @property
    def membership_days(self) -> int:
        """The same in days, as servers ask for it."""
        return self.membership // DAY


@dataclass(frozen=True, slots=True)
class Scene:
    """The ladder as it is looked at: when, by which terms, and what is known of the people concerned."""

    ladder: Ladder
    now: int
    terms: Terms = Terms()
    people: Mapping[int, Presence] = field(default_factory=dict)

    def presence(self, user: int) -> Presence:
        """What is known of that user."""
        return self.people.get(user, PRESENT)

    def mature(self, user: int) -> int:
        """From when on the user has been a member for long enough."""
        return self.presence(user).member_since + self.terms.membership

    def asleep(self, climber: Climber) -> bool:
        """Whether he has not moved for so long that he is not counted."""
        return self.now >= max(climber.joined_at, self.presence(climber.user).moved_at) + SLEEP

    def require_fit(self, user: int) -> Climber:
        """The climber, if nothing about him keeps him from playing."""
        climber = self.ladder.climber(user)
        if climber is None:
            raise LadderError(Refusal.NOT_ON_LADDER)
        self.require_mature(user)
        away = self.presence(user).away_until
        if away is not None and self.now < away:
            raise LadderError(Refusal.AWAY, until=away)
        if self.now < climber.frozen_until:
            raise LadderError(Refusal.FROZEN, until=climber.frozen_until)
        return climber

    def require_mature(self, user: int) -> None:
        """Raises where the user has not been a member for long enough."""
        if self.now < self.mature(user):
            raise LadderError(Refusal.TOO_NEW, days=self.terms.membership_days, until=self.mature(user))
