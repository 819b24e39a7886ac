"""The week's highlights on a ladder, for its digest: who climbed, the greatest upset, the longest charge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bot.core.match_parts import BoardChange
from bot.core.ratings import RatingChange
from bot.core.results import FinishedGame
from bot.ladder.entries import EntryKind, LadderEntry
from bot.ladder.fold import Changes
from rules import Move


class Climb(NamedTuple):
    """A climber who won more rungs than they lost."""

    user: int
    gained: int
    step: int
    """Their rung at the end."""


class Upset(NamedTuple):
    """A win over a player with a higher rating."""

    match: int
    winner: int
    beaten: int
    """The strongest of the losers."""
    points: int
    """The rating points, as displayed, by which the loser was ahead."""


class Charge(NamedTuple):
    """A move of a Knight that canters and then jumps."""

    match: int
    ply: int
    """The ply right after the charge."""
    move: Move


def find_climbs(history: Iterable[tuple[LadderEntry, Changes]]) -> tuple[Climb, ...]:
    """Returns the climbers who rose in that part of the output of `replay_history`, the longest climb first.

    Rungs lost at the end of a season, or by joining again, do not count.
    """
    gained: dict[int, int] = defaultdict(int)
    steps: dict[int, int] = {}
    for entry, changes in history:
        for user, (before, after) in changes.items():
            steps[user] = after.step
            if before and entry.kind not in (EntryKind.SEASON_ENDED, EntryKind.JOINED):
                gained[user] += after.step - before.step
    risen = [Climb(user, won, steps[user]) for user, won in gained.items() if won > 0]
    return tuple(sorted(risen, key=lambda climb: (-climb.gained, -climb.step, climb.user)))


def find_upset(games: Iterable[tuple[FinishedGame, Mapping[int, RatingChange]]]) -> Upset | None:
    """Returns the rated win against the greatest odds, the earliest of equals; None if the favourites won every game.

    The first game of a player is never an upset, because their rating means nothing before it.
    """
    upsets: list[Upset] = []
    for game, changes in games:
        ratings = {user: changes[user].before for user in game.players if user in changes}
        shown_ratings = {user: rating.shown_number for user, rating in ratings.items() if rating.games}
        beaten = [user for user in shown_ratings if user not in game.winners]
        for winner in game.winners:
            if winner in shown_ratings and beaten:
                best = max(beaten, key=lambda user: shown_ratings[user])
                upsets.append(Upset(game.match, winner, best, shown_ratings[best] - shown_ratings[winner]))
    greatest = max(upsets, key=lambda candidate: candidate.points, default=None)
    return greatest if greatest and greatest.points > 0 else None


def longest_charge(games: Iterable[tuple[int, Iterable[BoardChange]]]) -> Charge | None:
    """Returns the charge with the most legs; of equals, the one with the most captures. None if there was no charge.

    `games` pairs match numbers with their board changes.
    """
    charges = (
        Charge(match, ply, move)
        for match, steps in games
        for ply, move in enumerate((step.move for step in steps if step.move), 1)
        if 0 < len(move.captures) < len(move.path) - 1
    )
    return max(charges, key=lambda charge: (len(charge.move.path), len(charge.move.captures)), default=None)
