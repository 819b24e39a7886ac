"""How often one person may make the bot post. Kept in memory only; time is passed in."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from bot.kit.reply import Interaction, now
from bot.people.problems import MatchError, Problem


class Cooldown:
    """At most `most` acts in `seconds` for each key, such as (user, command)."""

    def __init__(self, most: int, seconds: int) -> None:
        self._most = most
        self._seconds = seconds
        self._acts: dict[Hashable, deque[int]] = {}

    def wait(self, key: Hashable, now: int) -> int:
        """How many seconds are left until the next act; 0 where it may happen now, and it is noted then."""
        acts = self._acts.setdefault(key, deque())
        while acts and acts[0] <= now - self._seconds:
            acts.popleft()
        if len(acts) >= self._most:
            return acts[0] + self._seconds - now
        acts.append(now)
        self._forget(now)
        return 0

    def _forget(self, now: int) -> None:
        """Drops the keys that have been quiet, now and then, so that memory does not grow with every passer-by."""
        if len(self._acts) > 1000:
            self._acts = {key: acts for key, acts in self._acts.items() if acts and acts[-1] > now - self._seconds}


MOST, WITHIN = 6, 60
"""Posts of each kind in so many seconds."""
MOST_SEARCHES, SEARCHES_WITHIN = 4, 600
"""Searches of each kind through all that was ever played, in so many seconds: everybody else waits for them."""


def cooldown() -> Cooldown:
    """One of posts for a whole client."""
    return Cooldown(MOST, WITHIN)


def search_cooldown() -> Cooldown:
    """One of searches for a whole client."""
    return Cooldown(MOST_SEARCHES, SEARCHES_WITHIN)


def require_calm(interaction: Interaction, kind: str) -> None:
    """Note a post of that kind. Raises TOO_OFTEN where the person has made too many of them lately."""
    _note(interaction.client.posting, interaction, kind)


def require_few_searches(interaction: Interaction, kind: str) -> None:
    """Note a search of that kind. Raises TOO_OFTEN where the person has asked for too many of them lately."""
    _note(interaction.client.searching, interaction, kind)


def _note(acts: Cooldown, interaction: Interaction, kind: str) -> None:
    wait = acts.wait((interaction.user.id, kind), now())
    if wait:
        raise MatchError(Problem.TOO_OFTEN, again=now() + wait)
