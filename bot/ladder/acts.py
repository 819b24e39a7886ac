"""What people and the tick may do on a ladder: each act returns the next entries, or raises LadderError. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import combinations

from bot.core.clock import ALWAYS_RUNNING, DAY, HOUR, Habits, deadline_after
from bot.core.problems import Refusal
from bot.ladder.state import (
    ANSWER_TIME_S,
    ASLEEP_AFTER_S,
    CHALLENGE_REACH,
    EXCUSED_BODY,
    REMATCH_PAUSE_S,
    SEASON_S,
    Challenge,
    Climber,
    EntryKind,
    Ladder,
    LadderEntry,
)


class LadderProblem(Enum):
    """Why a request is refused. The values are catalogue keys; the comments name the values of each problem.

    `until` is the time from which the request is allowed again; None if that cannot be known.
    """

    ALREADY_ON_LADDER = "already-on-ladder"
    NOT_ON_LADDER = "not-on-ladder"
    AWAY = "away"  # until: on vacation
    FROZEN = "frozen"  # until: after running out of time
    STILL_PLAYING = "still-playing"  # match: a ladder game in progress, so the user cannot leave

    YOURSELF = "yourself"
    QUEUE_ONLY = "queue-only"  # a variant for three has no challenges
    OTHER_NOT_ON_LADDER = "other-not-on-ladder"  # other
    OTHER_AWAY = "other-away"  # other, until
    OTHER_FROZEN = "other-frozen"  # other, until
    OTHER_ASLEEP = "other-asleep"  # other: wakes up with a move
    OTHER_BELOW = "other-below"  # other, rung (the other's), own
    OTHER_TOO_HIGH = "other-too-high"  # other, rung (the other's), most: the highest rung that may be challenged
    CHALLENGING_ALREADY = "challenging-already"  # other; until: when the challenge lapses, None during its game
    OTHER_CHALLENGED = "other-challenged"  # other, until: as above
    CHALLENGED_BY = "challenged-by"  # other, until: when the other's challenge lapses, which waits for an answer
    REMATCH = "rematch"  # other, until: the two have played each other lately; None during the game
    TURNED_DOWN = "turned-down"  # other, until: the other has turned a challenge down lately

    NO_CHALLENGE = "no-challenge"  # no such challenge waits for an answer
    LAPSED = "lapsed"  # the challenge has run out

    QUEUE_GAME_ON = "queue-game-on"  # match: the user's game from the queue, which is still running


class LadderError(Refusal[LadderProblem]):
    """What a ladder refuses."""


refuse_if = LadderError.raise_if


@dataclass(frozen=True, slots=True)
class MemberActivity:
    """A person's moves and vacation, as far as ladders need them."""

    moved_at: int = 0
    """When they last moved, in any game of the server."""
    away_until: int | None = None
    """The end of their current vacation; None if they are not on vacation."""


@dataclass(frozen=True, slots=True)
class LadderView:
    """A ladder together with the time and the activity of the people concerned."""

    ladder: Ladder
    now: int
    people: Mapping[int, MemberActivity] = field(default_factory=dict)
    habits: Habits = ALWAYS_RUNNING
    """The absences in which the time to answer a challenge does not run."""
    apart: frozenset[frozenset[int]] = frozenset()
    """The pairs of climbers of whom one has blocked the other."""

    def are_apart(self, *users: int) -> bool:
        """Returns whether two of these users are not to play together."""
        return any(frozenset(pair) in self.apart for pair in combinations(users, 2))

    def lapses_at(self, challenge: Challenge) -> int:
        """When that challenge lapses."""
        return deadline_after(self.habits, challenge.at, ANSWER_TIME_S)

    def activity_of(self, user: int) -> MemberActivity:
        """Returns the activity of that user."""
        return self.people.get(user, MemberActivity())

    def is_asleep(self, climber: Climber) -> bool:
        """Whether the climber has not moved for ASLEEP_AFTER_S, so that the standings leave them out."""
        return self.now >= max(climber.joined_at, self.activity_of(climber.user).moved_at) + ASLEEP_AFTER_S

    def require_fit(self, user: int) -> Climber:
        """Returns the climber. Raises if they may not play at the moment."""
        climber = self.ladder.active_climber(user)
        if climber is None:
            raise LadderError(LadderProblem.NOT_ON_LADDER)
        away = self.activity_of(user).away_until
        refuse_if(away is not None and self.now < away, LadderProblem.AWAY, until=away)
        refuse_if(self.now < climber.frozen_until, LadderProblem.FROZEN, until=climber.frozen_until)
        return climber

    def is_fit(self, user: int) -> bool:
        """Whether the user may play at the moment."""
        try:
            self.require_fit(user)
        except LadderError:
            return False
        return True


_PROBLEM_OF_OTHER = {
    LadderProblem.NOT_ON_LADDER: LadderProblem.OTHER_NOT_ON_LADDER,
    LadderProblem.AWAY: LadderProblem.OTHER_AWAY,
    LadderProblem.FROZEN: LadderProblem.OTHER_FROZEN,
}
"""The problem to report to a challenger, by the problem of the challenged climber."""


def join_ladder(view: LadderView, user: int) -> LadderEntry:
    """Puts the user on the ladder, on rung 0."""
    refuse_if(view.ladder.active_climber(user), LadderProblem.ALREADY_ON_LADDER)
    return view.ladder.next_entry(view.now, EntryKind.JOINED, (user,))


def leave_ladder(view: LadderView, user: int) -> LadderEntry:
    """Takes the user off the ladder, and drops their open challenges. Raises during a ladder game."""
    ladder = view.ladder
    refuse_if(not ladder.active_climber(user), LadderProblem.NOT_ON_LADDER)
    playing = [match_id for match_id, game in ladder.games.items() if user in game.users]
    refuse_if(playing, LadderProblem.STILL_PLAYING, match=min(playing, default=None))
    return ladder.next_entry(view.now, EntryKind.LEFT, (user,))


def challenge_climber(view: LadderView, challenger: int, other: int) -> LadderEntry:
    """Makes a challenge, which can be answered for 72 hours. Problems of the challenger come before those of the
    other."""
    refuse_if(view.ladder.seats > 2, LadderProblem.QUEUE_ONLY)
    own = view.require_fit(challenger)
    until = _waits_until(view, challenger)
    refuse_if(own.challenging is not None, LadderProblem.CHALLENGING_ALREADY, other=own.challenging, until=until)
    refuse_if(other == challenger, LadderProblem.YOURSELF)
    climber = _require_fit_other(view, other)
    refuse_if(climber.rung < own.rung, LadderProblem.OTHER_BELOW, other=other, rung=climber.rung, own=own.rung)
    most = own.rung + CHALLENGE_REACH
    refuse_if(climber.rung > most, LadderProblem.OTHER_TOO_HIGH, other=other, rung=climber.rung, most=most)
    if climber.challenger is not None:
        raise LadderError(LadderProblem.OTHER_CHALLENGED, other=other, until=_waits_until(view, climber.challenger))
    # The blocked one reads what a climber with another game says.
    refuse_if(view.are_apart(challenger, other), LadderProblem.OTHER_CHALLENGED, other=other, until=None)
    _require_no_rematch(view, challenger, other)
    return view.ladder.next_entry(view.now, EntryKind.CHALLENGED, (challenger, other))


def require_open_challenge(view: LadderView, user: int, seq: int) -> Challenge:
    """Returns the challenge made by the entry `seq`. Raises if it does not wait for that user's answer."""
    waiting = view.ladder.challenge_made_by(seq)
    if waiting is None or waiting.challenged != user:
        raise LadderError(LadderProblem.NO_CHALLENGE)
    refuse_if(view.now >= view.lapses_at(waiting), LadderProblem.LAPSED)
    return waiting


def accept_challenge(view: LadderView, user: int, seq: int, match_id: int) -> LadderEntry:
    """Accepts the challenge made by the entry `seq`; `match_id` is its game.

    Both players may have changed rungs since the challenge. Raises while the user is frozen or on vacation.
    """
    waiting = require_open_challenge(view, user, seq)
    view.require_fit(user)
    return view.ladder.next_entry(view.now, EntryKind.ACCEPTED, (waiting.challenger, user), (match_id,))


def refuse_challenge(view: LadderView, user: int, seq: int) -> LadderEntry:
    """Declines the challenge made by the entry `seq`. `Climber.refusal_costs` says whether that costs a rung."""
    waiting = require_open_challenge(view, user, seq)
    return view.ladder.next_entry(view.now, EntryKind.REFUSED, (waiting.challenger, user))


def lapse_challenges(view: LadderView) -> tuple[LadderEntry, ...]:
    """Ends all challenges that were not answered in time. The tick calls this.

    No answer counts as a refusal, because otherwise silence would be cheaper than an honest no. Users who are on
    vacation or frozen are excused.
    """
    ladder, entries = view.ladder, list[LadderEntry]()
    due = [waiting for waiting in ladder.challenges.values() if view.now >= view.lapses_at(waiting)]
    for waiting in sorted(due, key=lambda waiting: (view.lapses_at(waiting), waiting.challenger)):
        body = "" if view.is_fit(waiting.challenged) else EXCUSED_BODY
        entry = ladder.next_entry(view.now, EntryKind.LAPSED, (waiting.challenger, waiting.challenged), (), body)
        entries.append(replace(entry, seq=entry.seq + len(entries)))
    return tuple(entries)


def _require_fit_other(view: LadderView, other: int) -> Climber:
    try:
        climber = view.require_fit(other)
    except LadderError as unfit:
        raise LadderError(_PROBLEM_OF_OTHER[unfit.problem], other=other, **unfit.values) from None
    refuse_if(view.is_asleep(climber), LadderProblem.OTHER_ASLEEP, other=other)
    return climber


def _require_no_rematch(view: LadderView, challenger: int, other: int) -> None:
    ladder = view.ladder
    are_playing = any({challenger, other} <= {*game.users} for game in ladder.games.values())
    refuse_if(are_playing, LadderProblem.REMATCH, other=other, until=None)
    waiting = ladder.challenges.get(other)
    if waiting and waiting.challenged == challenger:  # the same two would begin two games
        raise LadderError(LadderProblem.CHALLENGED_BY, other=other, until=view.lapses_at(waiting))
    meeting = ladder.meeting_of(challenger, other)
    again = meeting.played_at + REMATCH_PAUSE_S
    refuse_if(meeting.played_at and view.now < again, LadderProblem.REMATCH, other=other, until=again)
    # Without this pause, one person could challenge another until refusals have cost them all their rungs.
    again = meeting.turned_down_at + REMATCH_PAUSE_S
    refuse_if(meeting.turned_down_by == other and view.now < again, LadderProblem.TURNED_DOWN, other=other, until=again)


def _waits_until(view: LadderView, challenger: int) -> int | None:
    """Returns when that user's challenge lapses; None during its game, because nobody knows when that ends."""
    waiting = view.ladder.challenges.get(challenger)
    return view.lapses_at(waiting) if waiting else None


MAX_OPPONENTS_COMPARED = 16
"""The most waiting climbers that are compared as opponents of one climber. The others would match worse anyway."""

Shuffle = Callable[[list[int]], None]


def switch_queue(view: LadderView, user: int) -> LadderEntry:
    """Adds the user to the queue for a game, or takes them out of it."""
    climber = view.ladder.active_climber(user)
    if climber and climber.queued_at is not None:
        return view.ladder.next_entry(view.now, EntryKind.UNQUEUED, (user,))
    climber = view.require_fit(user)
    refuse_if(climber.queue_game is not None, LadderProblem.QUEUE_GAME_ON, match=climber.queue_game)
    return view.ladder.next_entry(view.now, EntryKind.QUEUED, (user,))


def pair_waiting(view: LadderView, shown_ratings: Mapping[int, int], shuffle: Shuffle) -> tuple[tuple[int, ...], ...]:
    """Returns groups of waiting climbers who are to play each other now, in seat order: the first moves first.

    The climber who has waited longest comes first, and gets the opponents closest in rungs, then in `shown_ratings`.
    They may be three rungs apart, and one more for each day of waiting, so that nobody on a lonely rung waits without
    end. In two-player games, opponents of the last seven days are kept apart. In three-player games, groups with fewer
    recent meetings come first. Climbers who may not play at the moment keep their place in the queue.
    """
    queueing = [climber for climber in view.ladder.climbers.values() if climber.queued_at is not None]
    fit = (climber for climber in queueing if view.is_fit(climber.user))
    waiting = sorted(fit, key=lambda climber: (climber.queued_at, climber.user))
    pairs: list[tuple[int, ...]] = []
    while waiting:
        first = waiting.pop(0)
        opponents = _best_opponents(view, first, waiting, shown_ratings)
        if opponents:
            waiting = [climber for climber in waiting if climber not in opponents]
            pairs.append(_in_seat_order((first, *opponents), shuffle))
    return tuple(pairs)


def _best_opponents(
    view: LadderView, first: Climber, waiting: list[Climber], shown_ratings: Mapping[int, int]
) -> tuple[Climber, ...]:
    """Returns the best opponents for the climber `first`; empty if there are none."""
    assert first.queued_at is not None, first
    reach = CHALLENGE_REACH + (view.now - first.queued_at) // DAY

    def merit_of(*opponents: Climber) -> tuple[int, int, int]:
        """Returns the range of rungs, the number of recent meetings, the range of ratings. Smaller is better."""
        people = (first, *opponents)
        rungs, ratings = [one.rung for one in people], [shown_ratings.get(one.user, 0) for one in people]
        meetings = sum(_have_met_lately(view, one, other) for one, other in combinations(people, 2))
        return max(rungs) - min(rungs), meetings, max(ratings) - min(ratings)

    def may_play(*opponents: Climber) -> bool:
        distance, meetings, _ = merit_of(*opponents)
        have_met = view.ladder.seats == 2 and meetings > 0
        return distance <= reach and not have_met and not view.are_apart(first.user, *(one.user for one in opponents))

    # Equals stay in the order of waiting.
    nearest = sorted(filter(may_play, waiting), key=merit_of)[:MAX_OPPONENTS_COMPARED]
    groups = (group for group in combinations(nearest, view.ladder.seats - 1) if may_play(*group))
    return min(groups, key=lambda group: merit_of(*group), default=())


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


PODIUM_SIZE = 3
CHALLENGE_RECHECK_S = 5 * 60
"""Seconds until the next look at a challenge that an absence has prolonged."""


def season_standings(view: LadderView, ratings: Mapping[int, float]) -> tuple[Climber, ...]:
    """Returns the climbers who are awake, best first: by rung, then wins, then rating, then time on the ladder.

    `ratings` are exact ratings, not the shown numbers. Users who are missing there have no rating.
    """
    awake = [climber for climber in view.ladder.climbers.values() if climber.is_active and not view.is_asleep(climber)]

    def standing_key(climber: Climber) -> tuple[int, int, float, int, int]:
        mu = ratings.get(climber.user, float("-inf"))
        return -climber.rung, -climber.wins, -mu, climber.joined_at, climber.user

    return tuple(sorted(awake, key=standing_key))


def turn_season(view: LadderView, ratings: Mapping[int, float]) -> tuple[LadderEntry, ...]:
    """Returns the entries that end a season whose time is over and start the next, or the first; empty during a season.

    A season starts at a tick, so a downtime of the bot neither shortens a season nor makes two of it. Once the entries
    are applied, nothing is due, so this happens exactly once.
    """
    ladder, season = view.ladder, view.ladder.season
    entries: list[LadderEntry] = []
    if season is not None:
        if view.now < season.until:
            return ()
        standings = season_standings(view, ratings)
        played = tuple(climber.user for climber in standings if climber.wins + climber.draws + climber.losses)
        podium = played[:PODIUM_SIZE]
        entries.append(ladder.next_entry(view.now, EntryKind.SEASON_ENDED, podium, (), str(season.number)))
    if not any(climber.is_active for climber in ladder.climbers.values()):
        return tuple(entries)  # the next season waits for a climber
    body = f"{ladder.seasons + 1} {view.now + SEASON_S}"
    start = ladder.next_entry(view.now, EntryKind.SEASON_STARTED, (), (), body)
    return (*entries, replace(start, seq=start.seq + len(entries)))


def next_ladder_tick_at(ladder: Ladder, now: int, *, is_ticked: bool = False) -> int | None:
    """Returns when the tick must next look at a ladder; None if nothing is to come without an act.

    Queues are checked when somebody joins one, and also once an hour, because longer waits allow more pairings. A
    season begins as soon as anybody is on the ladder. A challenge that still waits after its time, because an absence
    has prolonged it, is looked at again at each tick after an act, and some time after one that has found it so
    (`is_ticked`).
    """
    climbing = [climber for climber in ladder.climbers.values() if climber.is_active]
    times: list[int] = []
    if ladder.season is not None:
        times.append(ladder.season.until)
    elif climbing:
        times.append(now)
    if ladder.challenges:
        lapses_at = min(challenge.at for challenge in ladder.challenges.values()) + ANSWER_TIME_S
        times.append(now + CHALLENGE_RECHECK_S if is_ticked and lapses_at <= now else lapses_at)
    if any(climber.queued_at is not None for climber in climbing):
        times.append((now // HOUR + 1) * HOUR)
    return min(times, default=None)
