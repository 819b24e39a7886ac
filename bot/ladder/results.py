"""The ends of ladder games, and what a referee makes of them. Each function returns the entry that follows."""

from __future__ import annotations

from bot.finished import Finished
from bot.ladder.entries import Entry, Kind, format_score
from bot.ladder.scores import score
from bot.ladder.stairs import Ladder


def finish(ladder: Ladder, result: Finished, now: int) -> Entry | None:
    """The end of that match; None if it is none of the ladder's that is on, so that it may be told twice."""
    game = ladder.games.get(result.match)
    if game is None or any(match == result.match for match, _ in game.scores):
        return None
    return ladder.entry(now, Kind.FINISHED, (), (result.match,), format_score(score(game, result)))


def annul(ladder: Ladder, match: int, users: tuple[int, ...], now: int) -> Entry:
    """That match of those users, which had finished, brings nothing after all. Takes a rebuild."""
    return ladder.entry(now, Kind.ANNULLED, users, (match,))


def reopen(ladder: Ladder, match: int, users: tuple[int, ...], now: int) -> Entry:
    """That match of those users, which had finished, goes on. Takes a rebuild."""
    return ladder.entry(now, Kind.REOPENED, users, (match,))
