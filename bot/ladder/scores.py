"""The result of a ladder game: who won and lost, how many rungs each moves, and the entry for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bot.core.ratings import long_enough
from bot.core.results import FinishedGame
from bot.ladder.entries import NO_SCORE, EntryKind, LadderEntry, Score, format_score
from bot.ladder.state import Ladder, LadderGame

WIN_POINTS, DRAW_POINTS = 3, 1
"""The points for a game of a triad: of its winner, and of each player in a draw."""


def score_of_game(game: LadderGame, result: FinishedGame) -> Score:
    """Returns the score of that match for the users who began it.

    Leavers lose, even if their substitutes win. Substitutes gain nothing here. Players who handed a seat over by
    consent neither win nor lose. Nobody wins a game too short to be rated, because otherwise friends could give each
    other rungs. But its leavers lose, because otherwise players could walk out of every game that begins badly.
    """
    if not result.has_result:
        return NO_SCORE
    leavers = {leaver.user for leaver in result.leavers}
    late = tuple(user for user in game.users if user in result.timed_out_users)
    stayed = tuple(user for user in game.users if user in result.players and user not in leavers)
    losers = tuple(user for user in game.users if user in leavers)
    if not long_enough(result):
        return Score(lost=losers, late=late)
    if result.is_draw:
        return Score(drew=stayed, lost=losers, late=late)
    won = tuple(user for user in stayed if user in result.winners)
    return Score(won=won, lost=(*(user for user in stayed if user not in won), *losers), late=late)


def total_score(users: tuple[int, ...], scores: Iterable[Score]) -> Score:
    """Returns the score of a triad from those of its games. Most points win; a tie for most points is a draw of all.

    A game without a result does not count. If no game has a result, the triad does not count; if one has, its score is
    that of the triad. If nobody has a point, the users who lost a game lose.
    """
    played = [score for score in scores if score.won or score.drew or score.lost]
    if len(played) <= 1:
        return played[0] if played else NO_SCORE
    sums = triad_points(users, played)
    best = max(sums.values())
    first = tuple(user for user in users if sums[user] == best)
    if not best:
        return Score(lost=tuple(user for user in users if any(user in score.lost for score in played)))
    if len(first) > 1:
        return Score(drew=users)
    return Score(won=first, lost=tuple(user for user in users if user not in first))


def triad_points(users: tuple[int, ...], scores: Iterable[Score]) -> dict[int, int]:
    """Returns the points of each user in those games of a triad."""
    sums = Counter(dict.fromkeys(users, 0))
    for score in scores:
        sums.update(dict.fromkeys(score.won, WIN_POINTS))
        sums.update(dict.fromkeys(score.drew, DRAW_POINTS))
    return dict(sums)


def steps_after(game: LadderGame, result: Score, before: dict[int, int]) -> dict[int, int]:
    """Returns the rung of each user after the game; `before` are their rungs at its end.

    A challenger who wins moves one rung up, or to the rung of the other if that is higher. A challenged user who wins
    moves one up. From the queue, the winner of a two-player game moves one up, of a three-player game two. Losers move
    one down, never below 0.
    """
    after = dict(before)
    for user in result.won:
        if len(game.users) > 2:
            after[user] = before[user] + 2
        elif game.challenged and user == game.users[0]:
            after[user] = max(before[user] + 1, before[game.users[1]])
        else:
            after[user] = before[user] + 1
    for user in result.lost:
        after[user] = step_down(before[user])
    return after


def step_down(step: int) -> int:
    """Returns the next lower rung, never below 0."""
    return max(step - 1, 0)


def finish_game(ladder: Ladder, result: FinishedGame, now: int) -> LadderEntry | None:
    """Returns the entry for the end of a match. None if the match is not a running game of this ladder, so a second
    call is harmless."""
    game = ladder.games.get(result.match)
    if game is None or any(match == result.match for match, _ in game.scores):
        return None
    return ladder.next_entry(now, EntryKind.FINISHED, (), (result.match,), format_score(score_of_game(game, result)))


def annul_game(ladder: Ladder, match: int, users: tuple[int, ...], now: int) -> LadderEntry:
    """Annuls the result of a finished match of those users. The ladder must then be rebuilt."""
    return ladder.next_entry(now, EntryKind.ANNULLED, users, (match,))


def reopen_game(ladder: Ladder, match: int, users: tuple[int, ...], now: int) -> LadderEntry:
    """Lets a finished match of those users continue. The ladder must then be rebuilt."""
    return ladder.next_entry(now, EntryKind.REOPENED, users, (match,))
