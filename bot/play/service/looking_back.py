"""How features contribute to a finished match that is gone through move by move."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.core.match import Match
from bot.store import Reader

LinesToShare = Callable[[Reader, Match, int], Awaitable[Sequence[tuple[int, str]]]]
"""Returns lines that the person has tried alone and named or commented on: the number of the game's moves before each
line, and its words."""

TurningPoints = Callable[[Reader, Match], Awaitable[Sequence[int]]]
"""Returns the numbers of the moves that turned the match, as far as they are known already."""


async def _share_nothing(_reader: Reader, _match: Match, _user: int) -> Sequence[tuple[int, str]]:
    return ()


async def _find_no_turning_points(_reader: Reader, _match: Match) -> Sequence[int]:
    return ()


@dataclass(frozen=True)
class LookingBackHooks:
    """What a feature contributes."""

    lines_to_share: LinesToShare = _share_nothing
    """Called when a person decides what to share of a match that is over."""
    turning_points: TurningPoints = _find_no_turning_points
    """Called each time a move of a match that is over is shown."""
