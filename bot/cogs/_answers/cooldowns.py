"""How often one person may make the bot post, or search everything. Moves are not counted: turns limit them."""

from __future__ import annotations

from bot.cogs._answers.reply import Press, now
from bot.cooldown import Cooldown
from bot.problems import MatchError, Problem

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


def require_calm(press: Press, kind: str) -> None:
    """Note a post of that kind. Raises TOO_OFTEN where the person has made too many of them lately."""
    _note(press.client.posting, press, kind)


def require_few_searches(press: Press, kind: str) -> None:
    """Note a search of that kind. Raises TOO_OFTEN where the person has asked for too many of them lately."""
    _note(press.client.searching, press, kind)


def _note(acts: Cooldown, press: Press, kind: str) -> None:
    wait = acts.wait((press.user.id, kind), now())
    if wait:
        raise MatchError(Problem.TOO_OFTEN, again=now() + wait)
