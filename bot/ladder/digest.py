"""What a week on a ladder was like: who climbed, the upset, the longest charge. What a digest is written from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bot.core.parts import BoardChange
from bot.core.ratings import RatingChange
from bot.core.results import FinishedGame
from bot.ladder.entries import EntryKind, LadderEntry
from bot.ladder.fold import Changes
from rules import Move


class Climb(NamedTuple):
    """Somebody who has won more rungs than they have lost."""

    user: int
    gained: int
    step: int
    """Where that has brought them."""


class Upset(NamedTuple):
    """A win over somebody who was thought to be stronger."""

    match: int
    winner: int
    beaten: int
    """The strongest of the losers."""
    points: int
    """By how much they were ahead, in the numbers that people see."""


class Charge(NamedTuple):
    """A move of a Knight that canters and then jumps."""

    match: int
    ply: int
    """After how many moves; the charge is the last of these."""
    move: Move


def find_climbs(history: Iterable[tuple[LadderEntry, Changes]]) -> tuple[Climb, ...]:
    """Who has risen in that part of what `replayed` tells, the longest climb first.

    Rungs that the end of a season took are no descent.
    """
    gained: dict[int, int] = defaultdict(int)
    steps: dict[int, int] = {}
    for entry, changes in history:
        for user, (before, after) in changes.items():
            steps[user] = after.step
            if before and entry.kind is not EntryKind.SEASON_ENDED:
                gained[user] += after.step - before.step
    risen = [Climb(user, won, steps[user]) for user, won in gained.items() if won > 0]
    return tuple(sorted(risen, key=lambda climb: (-climb.gained, -climb.step, climb.user)))


def find_upset(games: Iterable[tuple[FinishedGame, Mapping[int, RatingChange]]]) -> Upset | None:
    """The win against the greatest odds among rated games, the earliest of equals; None if the favourites won all.

    Somebody's first game upsets nobody: until then their number says nothing.
    """
    upsets: list[Upset] = []
    for game, changes in games:
        ratings = {user: changes[user].before for user in game.players if user in changes}
        numbers = {user: rating.shown_number for user, rating in ratings.items() if rating.games}
        beaten = [user for user in numbers if user not in game.winners]
        for winner in game.winners:
            if winner in numbers and beaten:
                best = max(beaten, key=lambda user: numbers[user])
                upsets.append(Upset(game.match, winner, best, numbers[best] - numbers[winner]))
    greatest = max(upsets, key=lambda candidate: candidate.points, default=None)
    return greatest if greatest and greatest.points > 0 else None


def longest_charge(games: Iterable[tuple[int, Iterable[BoardChange]]]) -> Charge | None:
    """The charge of most legs in those matches, given by number with their steps; then of most captures."""
    charges = (
        Charge(match, ply, move)
        for match, steps in games
        for ply, move in enumerate((step.move for step in steps if step.move), 1)
        if 0 < len(move.captures) < len(move.path) - 1
    )
    return max(charges, key=lambda charge: (len(charge.move.path), len(charge.move.captures)), default=None)
