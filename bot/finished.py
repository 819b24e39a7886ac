"""A finished game as ratings, ladders and profiles look at it: who won, who left, who came in his stead. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from bot.match import Match
from bot.matches.parts import Leaver
from rules import Cause


@dataclass(frozen=True, slots=True)
class Finished:
    """What a finished game leaves behind. Users are Discord's ids, `ended_at` is in unix seconds."""

    match: int
    guild: int
    variant: str
    ended_at: int
    players: tuple[int, ...]
    """Per seat, those who held it at the end."""
    winners: tuple[int, ...] = ()
    """Of the players; empty after a draw and in a game without a result."""
    moves: int = 0
    """Of all players together."""
    leavers: tuple[Leaver, ...] = ()
    """Who resigned or ran out of time, in that order, also those whose seat somebody else has taken since."""
    substitutes: tuple[int, ...] = ()
    """Who came later, for somebody who left or handed his seat over; also those who have left again."""
    has_result: bool = True
    """Whether it was won or drawn: not abandoned, aborted or annulled."""
    ladder: bool = False

    @property
    def order(self) -> tuple[int, int]:
        """Games are rated in this order, whatever the order in which they are read."""
        return self.ended_at, self.match

    @property
    def is_draw(self) -> bool:
        return self.has_result and not self.winners

    @property
    def timeouts(self) -> tuple[int, ...]:
        """The users who ran out of time."""
        return tuple(leaver.user for leaver in self.leavers if leaver.cause == Cause.TIMEOUT.value)

    @property
    def users(self) -> tuple[int, ...]:
        """Those whom the result concerns: who held a seat at the end, then who left one to somebody else.

        Who handed his seat over with everybody's consent, or helped out and left again, is not among them.
        """
        gone = (leaver.user for leaver in self.leavers if leaver.user not in (*self.players, *self.substitutes))
        return (*self.players, *dict.fromkeys(gone))


def finished(match: Match, ended_at: int) -> Finished:
    """What a match that is over leaves behind. `ended_at` is the time of its last event ENDED."""
    assert match.game is not None, match.id
    assert match.game.outcome is not None, match.id
    return Finished(
        match=match.id,
        guild=match.guild,
        variant=match.variant.key,
        ended_at=ended_at,
        players=match.players,
        winners=match.winners,
        moves=match.ply,
        # A referee can bring back who has left; then he has not.
        leavers=tuple(
            leaver for leaver in match.leavers if leaver.user not in match.players or leaver.user in match.resigned
        ),
        substitutes=tuple(dict.fromkeys(substitute.user for substitute in match.substitutes)),
        has_result=match.has_result,
        ladder=match.ladder,
    )
