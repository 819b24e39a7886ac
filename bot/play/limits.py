"""How often one person may do what posts something or takes long: the one table, and the one place that counts.

Counts are in memory: a restart forgives.
"""

from __future__ import annotations

from typing import NamedTuple

from cachetools import LRUCache
from discord.ext.commands import Cooldown

from bot.core import timings
from bot.core.clock import DAY, HOUR
from bot.texts.sentences import MINUTE

MAX_COUNTS = 50_000
"""The counts kept in memory, about 10 MB; those that have not been used for longest are dropped."""


class ActLimit(NamedTuple):
    """How often one person may do these acts, all of them together."""

    times: int
    seconds: int
    acts: tuple[str, ...] = ()
    """Commands as they are typed, and other components by the beginning of their custom ids. Without any, the code that
    does the act counts it by the name of the limit.
    """


TABLE_ACTS = ("/play", "rt-table", "rt:rematch", "rt:first-game", "rt-line:level")

ANYTHING_ELSE = "anything else"

LIMITS = {
    # Tables and moves
    "tables": ActLimit(12, MINUTE, TABLE_ACTS),
    "tables by the day": ActLimit(200, DAY, TABLE_ACTS),
    "games against bots": ActLimit(50, DAY, ("rt-house:sit", "rt-house:later")),  # and tables opened with bots
    "seats": ActLimit(
        60, HOUR, ("rt:join", "rt:sit", "rt:leave", "rt:decline", "rt:cancel", "rt-house:sit", "rt-house:later")
    ),
    "moves": ActLimit(
        60,
        MINUTE,
        (
            *("/move", "rt-press:commit", "rt-press:sure", "rt:resign", "rt:claim", "rt:draw-accept"),
            *("rt:takeback-accept", "rt:pause-accept", "rt:substitute-accept", "rt:take-over"),
        ),
    ),
    # What calls others
    "requests": ActLimit(
        10,
        MINUTE,
        (
            *("/game draw", "rt:draw-offer", "rt:takeback-ask", "rt-pause", "rt:pause-decline", "rt:draw-decline"),
            *("rt:takeback-decline", "rt:give-time", "rt:nudge", "/game move-here"),
            *("/game substitute", "rt-substitute", "rt:substitute-decline", "rt:vote-now", "rt:vote-later"),
            *("rt:vote-play-on", "rt:vote-house", "rt:vote-draw", "rt:vote-abandon"),
        ),
    ),
    "boards for all": ActLimit(6, MINUTE),
    "a button pressed twice": ActLimit(1, 10),
    "ladders and leagues": ActLimit(
        60,
        HOUR,
        (
            *("/ladder join", "rt:ladder-leave", "/ladder challenge", "/ladder queue", "rt:ladder-accept"),
            *("rt:ladder-refuse", "/league join", "rt-league:join", "rt-league:leave-sure", "rt-league:sign-off"),
            *("rt-league-new:open", "rt-league-new:named", "rt-league-name", "rt-league:close-sure"),
            *("rt-league:start-sure", "rt-league-honours:week-more", "rt-league-people:sure"),
            *("rt-league-people:move", "rt-league-people:put-in"),
        ),
    ),
    # Searches through all games, for which everybody else waits
    "hints": ActLimit(60, HOUR, ("rt-press:hint",)),
    "reviews": ActLimit(4, 10 * MINUTE),
    "records with comments": ActLimit(10, MINUTE, ("rt-annotated:record",)),
    "own data": ActLimit(8, 10 * MINUTE, ("rt:data-export", "rt:data-delete", "rt-typed:forget-me")),
    "shared reviews": ActLimit(20, HOUR, ("rt:share-review",)),
    # What nobody else sees or waits for
    ANYTHING_ELSE: ActLimit(3_000, HOUR),
}
"""The limits by name. An act may have several."""


class ActCounts:
    """The acts of people lately."""

    def __init__(self) -> None:
        self._counts: LRUCache[tuple[int, str], Cooldown] = LRUCache(MAX_COUNTS)

    def count_act(self, user: int, *names: str, of: str = "") -> float:
        """Counts an act against those limits. Returns the seconds to wait if one of them is reached, and then counts
        nothing. `of` distinguishes things that are counted apart.
        """
        at, counts = timings.steady_seconds(), [self._count_of(user, name, of) for name in names]
        wait = max(count.get_retry_after(at) for count in counts)
        if not wait:
            for count in counts:
                count.update_rate_limit(at)
        return wait

    def _count_of(self, user: int, name: str, of: str) -> Cooldown:
        fresh = Cooldown(LIMITS[name].times, LIMITS[name].seconds)
        return self._counts.setdefault((user, f"{name} {of}"), fresh)


def limits_of(act: str) -> list[str]:
    """Returns the names of the limits of that act."""
    return [name for name, limit in LIMITS.items() if act in limit.acts] or [ANYTHING_ELSE]
