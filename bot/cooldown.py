"""How often one person may make the bot post. Kept in memory only; time is passed in."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable


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
