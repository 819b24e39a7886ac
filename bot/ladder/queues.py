"""Queues: who waits for a game, and who is to play whom."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from bot.core.clock import DAY
from bot.ladder.conditions import LadderError, LadderProblem, LadderView, refuse_if
from bot.ladder.entries import TRIAD_BODY, EntryKind, LadderEntry
from bot.ladder.stairs import CHALLENGE_REACH, REMATCH_PAUSE_S, Climber

MAX_OPPONENTS_COMPARED = 16
"""How many of those who wait are looked at for the company of one; more would only be further away."""

Shuffle = Callable[[list[int]], None]


class Pairing(NamedTuple):
    """Those who are to play each other, in seat order: the first one moves first."""

    users: tuple[int, ...]
    triad: bool = False

    @property
    def seat_orders(self) -> tuple[tuple[int, ...], ...]:
        """The seat order of each game: one, or three in which everybody sits once in every seat."""
        if not self.triad:
            return (self.users,)
        return tuple((*self.users[turn:], *self.users[:turn]) for turn in range(len(self.users)))


def join_queue(view: LadderView, user: int, *, triad: bool = False) -> LadderEntry:
    """The user waits for a game, or for the three of a triad."""
    refuse_if(triad and view.ladder.seats != 3, LadderProblem.NO_TRIADS)
    climber = view.require_fit(user)
    if climber.queued_at is not None:
        raise LadderError(LadderProblem.QUEUED_ALREADY)
    if climber.queue_game is not None:
        raise LadderError(LadderProblem.QUEUE_GAME_ON, match=climber.queue_game)
    return view.ladder.next_entry(view.now, EntryKind.QUEUED, (user,), (), TRIAD_BODY if triad else "")


def leave_queue(view: LadderView, user: int) -> LadderEntry:
    """The user waits no longer."""
    climber = view.ladder.active_climber(user)
    if climber is None or climber.queued_at is None:
        raise LadderError(LadderProblem.NOT_QUEUED)
    return view.ladder.next_entry(view.now, EntryKind.UNQUEUED, (user,))


def record_pairing(view: LadderView, pairing: Pairing, matches: Sequence[int]) -> LadderEntry:
    """Those matches, one for each of the pairing's tables and in that order, have been set up."""
    assert len(matches) == len(pairing.seat_orders), (pairing, matches)
    return view.ladder.next_entry(view.now, EntryKind.PAIRED, pairing.users, tuple(matches))


def pair_waiting(
    view: LadderView,
    numbers: Mapping[int, int],
    shuffle: Shuffle = random.shuffle,
    rated: Collection[tuple[int, ...]] = (),
) -> tuple[Pairing, ...]:
    """Who of those in the queue are to play each other now. `numbers` are their ratings; rungs come before them.

    Whoever has waited longest is served first, with those closest to them. At once they are up to three rungs apart,
    and a rung more for each day of waiting, so that nobody waits for ever on a lonely rung. Two who have played each
    other are kept apart for seven days; of three, those who have met less lately come first. Whoever may not play just
    now keeps their place.

    `rated` are those, in the order of their ids, who have had a rated game together within CAP_SPAN: they begin no
    triad, as not all of its games would be rated.
    """
    queueing = (
        climber.user for climber in view.ladder.climbers.values() if climber.on and climber.queued_at is not None
    )
    waiting = sorted(view.fit_climbers(queueing), key=lambda climber: (climber.queued_at, climber.user))
    pairs: list[Pairing] = []
    while waiting:
        first = waiting.pop(0)
        opponents = _best_opponents(view, first, waiting, numbers, rated)
        if opponents:
            waiting = [climber for climber in waiting if climber not in opponents]
            pairs.append(Pairing(_in_seat_order((first, *opponents), shuffle), first.triad))
    return tuple(pairs)


def _best_opponents(
    view: LadderView,
    first: Climber,
    waiting: list[Climber],
    numbers: Mapping[int, int],
    rated: Collection[tuple[int, ...]],
) -> tuple[Climber, ...]:
    """The best company for that climber; nobody if there is none."""
    assert first.queued_at is not None, first
    reach = CHALLENGE_REACH + (view.now - first.queued_at) // DAY
    is_for_two = view.ladder.seats == 2

    def distance_to(other: Climber) -> tuple[int, int]:
        return abs(other.step - first.step), abs(numbers.get(other.user, 0) - numbers.get(first.user, 0))

    fitting = [
        other
        for other in waiting
        if other.triad == first.triad
        and not (is_for_two and _have_met_lately(view, first, other))
        and distance_to(other)[0] <= reach
    ]
    fitting = sorted(fitting, key=distance_to)[:MAX_OPPONENTS_COMPARED]  # of equals, who has waited longer

    def group_merit(group: tuple[Climber, ...]) -> tuple[int, int, int]:
        """Smaller is better: the rungs between highest and lowest, who have met, the ratings between."""
        people = (first, *group)
        steps, ratings = [other.step for other in people], [numbers.get(other.user, 0) for other in people]
        meetings = sum(_have_met_lately(view, climber, other) for climber, other in combinations(people, 2))
        return max(steps) - min(steps), meetings, max(ratings) - min(ratings)

    def is_ratable(group: tuple[Climber, ...]) -> bool:
        return not first.triad or tuple(sorted(other.user for other in (first, *group))) not in rated

    groups = [
        group
        for group in combinations(fitting, view.ladder.seats - 1)
        if is_ratable(group) and group_merit(group)[0] <= reach
    ]
    return min(groups, key=group_merit, default=())


def _have_met_lately(view: LadderView, climber: Climber, other: Climber) -> bool:
    """Whether the two have played each other within seven days, or play just now."""
    if other.user in (climber.challenging, climber.challenger):
        return True
    played_at = view.ladder.meeting_of(climber.user, other.user).played_at
    return played_at > 0 and view.now < played_at + REMATCH_PAUSE_S


def _in_seat_order(group: tuple[Climber, ...], shuffle: Shuffle) -> tuple[int, ...]:
    """The group in seat order: three by chance.

    Of two, the one who has moved first less often does; then who did not the last time, then who has waited longer.
    """
    if len(group) == 2:
        return tuple(climber.user for climber in sorted(group, key=lambda member: (member.balance, member.began_last)))
    users = [climber.user for climber in group]
    shuffle(users)
    return tuple(users)
