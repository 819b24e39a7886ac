"""How often one person may make the bot post. Moves are not counted: whose turn it is limits them."""

from __future__ import annotations

from bot.cogs._answers.reply import Press, now
from bot.cooldown import Cooldown
from bot.problems import MatchError, Problem

MOST, WITHIN = 6, 60
"""Posts of each kind in so many seconds."""


def cooldown() -> Cooldown:
    """One for a whole client."""
    return Cooldown(MOST, WITHIN)


def require_calm(press: Press, kind: str) -> None:
    """Note a post of that kind. Raises TOO_OFTEN where the person has made too many of them lately."""
    wait = press.client.posting.wait((press.user.id, kind), now())
    if wait:
        raise MatchError(Problem.TOO_OFTEN, again=now() + wait)
