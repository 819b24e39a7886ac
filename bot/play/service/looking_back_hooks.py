"""The hooks of features into the replay of a finished match, move by move."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.core.match import Match
from bot.store import Reader

LinesToShare = Callable[[Reader, Match, int], Awaitable[Sequence[tuple[int, str]]]]
"""Returns the lines of a person's own analysis that they have named or commented on. Each comes as the number of the
game's moves before it, and its words."""

TurningPoints = Callable[[Reader, Match], Awaitable[Sequence[int]]]
"""Returns the plies of the moves that turned the match; empty while they are not known."""


async def _share_nothing(_reader: Reader, _match: Match, _user: int) -> Sequence[tuple[int, str]]:
    return ()


async def _find_no_turning_points(_reader: Reader, _match: Match) -> Sequence[int]:
    return ()


@dataclass(frozen=True)
class LookingBackHooks:
    """The hooks of one feature."""

    lines_to_share: LinesToShare = _share_nothing
    """Called when a person decides what to share about a finished match."""
    turning_points: TurningPoints = _find_no_turning_points
    """Called each time a move of a finished match is shown."""
