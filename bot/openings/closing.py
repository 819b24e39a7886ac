"""Tells which positions a running rated game closes to its players. Pure.

Openings, like reviews, are closed at the positions of a player's running game, and within four plies of its current
position, because statistics about the next moves would help the player.
"""

from __future__ import annotations

from collections import Counter

from bot.core.match import Match
from bot.openings.index import index_position, opening_steps
from rules import Position
from rules.symmetry import symmetries

PLIES_AROUND = 4
"""Positions up to this many moves before and after the current position are closed."""


def is_closed_by(match: Match, position: Position) -> bool:
    """True if the running match has had the position after its first move, or if its current position is near."""
    number, present = index_position(position).number, match.started_game.position
    earlier = [index_position(before).number for before, _ in opening_steps(match.variant, match.steps)][1:]
    return number in earlier or is_near(present, position)


def is_near(here: Position, there: Position) -> bool:
    """True if one of the positions, mapped by some symmetry, may follow from the other within `PLIES_AROUND` moves.

    Only counts the cells that each army has newly occupied, so the result may be True for positions that are not near.
    """
    return any(
        _may_follow(here.cells, turned) or _may_follow(turned, here.cells)
        for turned in (symmetry.turn_pieces(there.cells) for symmetry in symmetries(there.variant))
    )


def _may_follow(before: bytes, after: bytes) -> bool:
    newly_occupied = Counter((code - 1) // 2 for was, code in zip(before, after, strict=True) if code and code != was)
    most_by_one = PLIES_AROUND // 2
    return newly_occupied.total() <= PLIES_AROUND and all(count <= most_by_one for count in newly_occupied.values())
