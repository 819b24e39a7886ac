"""How entries change a ladder: the fold, and the result of a game as an entry. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from bot.core.ratings import long_enough
from bot.core.results import FinishedGame
from bot.ladder.state import (
    EXCUSED_BODY,
    FREEZE_S,
    NO_SCORE,
    REFUSAL_SPAN_S,
    Challenge,
    Climber,
    EntryKind,
    Ladder,
    LadderEntry,
    LadderGame,
    Score,
    Season,
    format_score,
    ordered_pair,
    parse_score,
)

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


Changes = dict[int, tuple[Climber | None, Climber]]
"""The climbers that an entry changes, before it (None for a new one) and after it."""


def replay_history(ladder: Ladder, entries: Iterable[LadderEntry]) -> Iterator[tuple[LadderEntry, Changes]]:
    """Applies all entries to an empty ladder, and yields each entry with the climbers that it changed.

    A match that was annulled, however late, has no score, and a reopened match counts as not ended. `apply_entry` can
    do neither, so after such an entry the ladder must be rebuilt.
    """
    entries = tuple(entries)
    annulled = {match for entry in entries if entry.kind is EntryKind.ANNULLED for match in entry.matches}
    reopened = {match: entry.seq for entry in entries if entry.kind is EntryKind.REOPENED for match in entry.matches}
    for entry in entries:
        match = entry.matches[0] if entry.kind is EntryKind.FINISHED else None
        if match is not None and entry.seq < reopened.get(match, 0):
            ladder.seq = entry.seq
            yield entry, {}
        else:
            yield entry, apply_entry(ladder, replace(entry, body="") if match in annulled else entry)


def apply_entry(ladder: Ladder, entry: LadderEntry) -> Changes:
    """Applies the next entry. Does not check whether it is allowed.

    Besides the returned climbers, it changes only the challenges and meetings between them, the games of the
    entry's matches and, for some kinds, the season.
    """
    assert entry.seq == ladder.seq + 1, (entry, ladder.seq)
    before = {user: ladder.climbers.get(user) for user in _users_changed_by(ladder, entry)}
    _FOLD[entry.kind](ladder, entry)
    ladder.seq = entry.seq
    return {user: (old, ladder.climbers[user]) for user, old in before.items()}


def _users_changed_by(ladder: Ladder, entry: LadderEntry) -> Iterable[int]:
    """Returns the users whose rows the entry may change."""
    if entry.kind is EntryKind.SEASON_ENDED:
        return tuple(ladder.climbers)
    if entry.kind in (EntryKind.ANNULLED, EntryKind.REOPENED):
        return [user for user in entry.users if user in ladder.climbers]
    if entry.kind is EntryKind.FINISHED:
        return ladder.games[entry.matches[0]].users
    if entry.kind is EntryKind.LEFT:
        climber = ladder.climbers[entry.users[0]]
        return [user for user in (climber.user, climber.challenging, climber.challenger) if user is not None]
    return entry.users


def _fold_joined(ladder: Ladder, entry: LadderEntry) -> None:
    (user,) = entry.users
    if user in ladder.climbers:  # a returning climber begins on rung 0, but keeps refusals and the freeze
        _change_climber(ladder, user, is_active=True, step=0, joined_at=entry.at)
    else:
        ladder.climbers[user] = Climber(user, entry.at)


def _fold_left(ladder: Ladder, entry: LadderEntry) -> None:
    (user,) = entry.users
    climber = ladder.climbers[user]
    if climber.challenging is not None:
        _drop_challenge(ladder, user, climber.challenging)
    if climber.challenger is not None:
        _drop_challenge(ladder, climber.challenger, user)
    _change_climber(ladder, user, is_active=False, queued_at=None)


def _fold_challenged(ladder: Ladder, entry: LadderEntry) -> None:
    challenger, challenged = entry.users
    ladder.challenges[challenger] = Challenge(challenger, challenged, entry.at)
    _change_climber(ladder, challenger, challenging=challenged)
    _change_climber(ladder, challenged, challenger=challenger)


def _fold_accepted(ladder: Ladder, entry: LadderEntry) -> None:
    del ladder.challenges[entry.users[0]]
    _store_running_game(ladder, LadderGame(entry.users, entry.matches, challenged=True))


def _fold_turned_down(ladder: Ladder, entry: LadderEntry) -> None:
    challenger, challenged = entry.users
    _drop_challenge(ladder, challenger, challenged)
    if entry.body == EXCUSED_BODY:  # the challenged user has turned nobody down
        return
    meeting = ladder.meeting_of(challenger, challenged)
    ladder.meetings[ordered_pair(challenger, challenged)] = replace(
        meeting, turned_down_at=entry.at, turned_down_by=challenged
    )
    climber = ladder.climbers[challenged]
    recent = tuple(at for at in climber.refused if at > entry.at - REFUSAL_SPAN_S)
    step = step_down(climber.step) if climber.refusal_costs(entry.at) else climber.step
    _change_climber(ladder, challenged, step=step, refused=(*recent, entry.at))


def _fold_queued(ladder: Ladder, entry: LadderEntry) -> None:
    _change_climber(ladder, entry.users[0], queued_at=entry.at)


def _fold_paired(ladder: Ladder, entry: LadderEntry) -> None:
    for place, user in enumerate(entry.users):
        order: dict[str, int] = {}
        if len(entry.users) == 2:
            order = {"balance": ladder.climbers[user].balance + (-1 if place else 1), "began_last": not place}
        _change_climber(ladder, user, queued_at=None, queue_game=entry.matches[0], **order)
    _store_running_game(ladder, LadderGame(entry.users, entry.matches, challenged=False))


def _fold_finished(ladder: Ladder, entry: LadderEntry) -> None:
    (match,) = entry.matches
    score, game = parse_score(entry.body), ladder.games[match]
    game = replace(game, scores=(*game.scores, (match, score)))
    if len(game.scores) < len(game.matches):
        _store_running_game(ladder, game)
    else:
        _finish_game(ladder, game, entry.at)
    for user in score.late:  # after the loss, so that a late player loses another rung
        late = ladder.climbers[user]
        step = step_down(late.step) if late.timeouts else late.step
        _change_climber(ladder, user, step=step, timeouts=late.timeouts + 1, frozen_until=entry.at + FREEZE_S)


def _finish_game(ladder: Ladder, game: LadderGame, at: int) -> None:
    for match in game.matches:
        del ladder.games[match]
    result = total_score(game.users, (score for _, score in game.scores))
    after = steps_after(game, result, {user: ladder.climbers[user].step for user in game.users})
    for user in game.users:
        _count_result(ladder, user, result, after[user], game.matches[0])
    if game.challenged:
        _drop_challenge(ladder, *game.users)
    for first_user, second_user in combinations(game.users, 2):
        ladder.meetings[ordered_pair(first_user, second_user)] = replace(
            ladder.meeting_of(first_user, second_user), played_at=at
        )


def _count_result(ladder: Ladder, user: int, result: Score, step: int, match: int) -> None:
    """Applies a result to a climber in a single change, because a rebuild makes very many of them."""
    old = ladder.climbers[user]
    _change_climber(
        ladder,
        user,
        queue_game=None if old.queue_game == match else old.queue_game,
        step=step,
        wins=old.wins + (user in result.won),
        draws=old.draws + (user in result.drew),
        losses=old.losses + (user in result.lost),
    )


def _fold_unchanged(ladder: Ladder, entry: LadderEntry) -> None:
    """Changes nothing. After ANNULLED and REOPENED, `replay_history` reads the end of the game differently."""


def _fold_season_started(ladder: Ladder, entry: LadderEntry) -> None:
    number, until = map(int, entry.body.split())
    ladder.season, ladder.seasons = Season(number, entry.at, until), number


def _fold_season_ended(ladder: Ladder, entry: LadderEntry) -> None:
    ladder.season = None
    for user, climber in ladder.climbers.items():
        _change_climber(ladder, user, step=climber.step // 2, wins=0, draws=0, losses=0, timeouts=0)


def _store_running_game(ladder: Ladder, game: LadderGame) -> None:
    ladder.games |= dict.fromkeys(game.matches, game)


def _drop_challenge(ladder: Ladder, challenger: int, challenged: int) -> None:
    """Removes the challenge between the two users. Their later challenges with others stay."""
    if ladder.climbers[challenger].challenging == challenged:
        ladder.challenges.pop(challenger, None)
        _change_climber(ladder, challenger, challenging=None)
    if ladder.climbers[challenged].challenger == challenger:
        _change_climber(ladder, challenged, challenger=None)


def _change_climber(ladder: Ladder, user: int, **changes: Any) -> None:
    ladder.climbers[user] = replace(ladder.climbers[user], **changes)


_FOLD: dict[EntryKind, Callable[[Ladder, LadderEntry], None]] = {
    EntryKind.JOINED: _fold_joined,
    EntryKind.LEFT: _fold_left,
    EntryKind.CHALLENGED: _fold_challenged,
    EntryKind.ACCEPTED: _fold_accepted,
    EntryKind.REFUSED: _fold_turned_down,
    EntryKind.LAPSED: _fold_turned_down,
    EntryKind.QUEUED: _fold_queued,
    EntryKind.UNQUEUED: lambda ladder, entry: _change_climber(ladder, entry.users[0], queued_at=None),
    EntryKind.PAIRED: _fold_paired,
    EntryKind.FINISHED: _fold_finished,
    EntryKind.ANNULLED: _fold_unchanged,
    EntryKind.REOPENED: _fold_unchanged,
    EntryKind.SEASON_STARTED: _fold_season_started,
    EntryKind.SEASON_ENDED: _fold_season_ended,
    EntryKind.DIGEST: _fold_unchanged,
}
