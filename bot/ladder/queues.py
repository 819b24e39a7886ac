"""Queues: who waits for a game, and who plays whom."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations

from bot.core.clock import DAY
from bot.ladder.conditions import LadderError, LadderProblem, LadderView
from bot.ladder.entries import EntryKind, LadderEntry
from bot.ladder.state import CHALLENGE_REACH, REMATCH_PAUSE_S, Climber

MAX_OPPONENTS_COMPARED = 16
"""The most waiting climbers that are compared as opponents of one climber. The others would match worse anyway."""

Shuffle = Callable[[list[int]], None]


def join_queue(view: LadderView, user: int) -> LadderEntry:
    """Adds the user to the queue for a game."""
    climber = view.require_fit(user)
    if climber.queued_at is not None:
        raise LadderError(LadderProblem.QUEUED_ALREADY)
    if climber.queue_game is not None:
        raise LadderError(LadderProblem.QUEUE_GAME_ON, match=climber.queue_game)
    return view.ladder.next_entry(view.now, EntryKind.QUEUED, (user,))


def leave_queue(view: LadderView, user: int) -> LadderEntry:
    """Takes the user out of the queue."""
    climber = view.ladder.active_climber(user)
    if climber is None or climber.queued_at is None:
        raise LadderError(LadderProblem.NOT_QUEUED)
    return view.ladder.next_entry(view.now, EntryKind.UNQUEUED, (user,))


def record_pairing(view: LadderView, users: tuple[int, ...], match_id: int) -> LadderEntry:
    """Records the match of users who were paired, in seat order."""
    return view.ladder.next_entry(view.now, EntryKind.PAIRED, users, (match_id,))


def pair_waiting(
    view: LadderView,
    shown_ratings: Mapping[int, int],
    shuffle: Shuffle = random.shuffle,
) -> tuple[tuple[int, ...], ...]:
    """Returns groups of waiting climbers who are to play each other now, in seat order: the first moves first.

    The climber who has waited longest comes first, and gets the opponents closest in rungs, then in `shown_ratings`.
    They may be three rungs apart, and one more for each day of waiting, so that nobody on a lonely rung waits without
    end. In two-player games, opponents of the last seven days are kept apart. In three-player games, groups with fewer
    recent meetings come first. Climbers who may not play at the moment keep their place in the queue.
    """
    queueing = (
        climber.user for climber in view.ladder.climbers.values() if climber.is_active and climber.queued_at is not None
    )
    waiting = sorted(view.fit_climbers(queueing), key=lambda climber: (climber.queued_at, climber.user))
    pairs: list[tuple[int, ...]] = []
    while waiting:
        first = waiting.pop(0)
        opponents = _best_opponents(view, first, waiting, shown_ratings)
        if opponents:
            waiting = [climber for climber in waiting if climber not in opponents]
            pairs.append(_in_seat_order((first, *opponents), shuffle))
    return tuple(pairs)


def _best_opponents(
    view: LadderView,
    first: Climber,
    waiting: list[Climber],
    shown_ratings: Mapping[int, int],
) -> tuple[Climber, ...]:
    """Returns the best opponents for the climber `first`; empty if there are none."""
    assert first.queued_at is not None, first
    reach = CHALLENGE_REACH + (view.now - first.queued_at) // DAY
    is_for_two = view.ladder.seats == 2

    def distance_to(other: Climber) -> tuple[int, int]:
        return abs(other.step - first.step), abs(shown_ratings.get(other.user, 0) - shown_ratings.get(first.user, 0))

    fitting = [
        other
        for other in waiting
        if not (is_for_two and _have_met_lately(view, first, other)) and distance_to(other)[0] <= reach
    ]
    fitting = sorted(fitting, key=distance_to)[:MAX_OPPONENTS_COMPARED]  # equals stay in the order of waiting

    def group_merit(group: tuple[Climber, ...]) -> tuple[int, int, int]:
        """Returns the range of rungs, the number of recent meetings, the range of ratings. Smaller is better."""
        people = (first, *group)
        steps, ratings = [other.step for other in people], [shown_ratings.get(other.user, 0) for other in people]
        meetings = sum(_have_met_lately(view, climber, other) for climber, other in combinations(people, 2))
        return max(steps) - min(steps), meetings, max(ratings) - min(ratings)

    groups = [group for group in combinations(fitting, view.ladder.seats - 1) if group_merit(group)[0] <= reach]
    return min(groups, key=group_merit, default=())


def _have_met_lately(view: LadderView, climber: Climber, other: Climber) -> bool:
    """Whether the two have played each other within seven days, or have a challenge or its game now."""
    if other.user in (climber.challenging, climber.challenger):
        return True
    played_at = view.ladder.meeting_of(climber.user, other.user).played_at
    return played_at > 0 and view.now < played_at + REMATCH_PAUSE_S


def _in_seat_order(group: tuple[Climber, ...], shuffle: Shuffle) -> tuple[int, ...]:
    """Returns the users of the group in seat order. Three are shuffled.

    Of two, the one who has moved first less often begins. If that is equal, the one who did not begin last time; and
    then the one who has waited longer.
    """
    if len(group) == 2:
        return tuple(climber.user for climber in sorted(group, key=lambda member: (member.balance, member.began_last)))
    users = [climber.user for climber in group]
    shuffle(users)
    return tuple(users)
