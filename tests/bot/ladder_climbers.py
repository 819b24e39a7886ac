"""Helpers for the tests of ladders: a ladder that records its entries, with people on its rungs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

import pytest

from bot.core.match import Leaver
from bot.core.results import FinishedGame
from bot.ladder import acts as ladder_acts
from bot.ladder import state as results
from bot.ladder.acts import LadderError, LadderProblem, LadderView, MemberActivity
from bot.ladder.state import Climber, EntryKind, Ladder, LadderEntry, apply_entry, replay_history
from tests.bot.playing import ADA, BO, CY, NOW, unshuffled


@contextmanager
def barred(refusal: LadderProblem, **values: object) -> Iterator[None]:
    """Expects exactly that refusal with exactly these values."""
    with pytest.raises(LadderError) as raised:
        yield
    assert (raised.value.problem, raised.value.values) == (refusal, values)


def seq_of_challenge(ladder: Ladder, user: int) -> int:
    """Returns the number of the challenge that waits for the user's answer; 0 if there is none."""
    return next((waiting.seq for waiting in ladder.challenges.values() if waiting.challenged == user), 0)


def challengeable_users(view: LadderView, user: int) -> list[int]:
    """Returns whom the user may challenge, in the order in which they joined."""
    users = list[int]()
    for other in view.ladder.climbers:
        with suppress(LadderError):
            ladder_acts.challenge_climber(view, user, other)
            users.append(other)
    return users


def rebuilt(seats: int, entries: Iterable[LadderEntry]) -> Ladder:
    """Returns the ladder rebuilt from all of its entries."""
    ladder = Ladder(seats)
    deque(replay_history(ladder, entries), maxlen=0)
    return ladder


@dataclass
class Story:
    """A ladder with all of its entries so far and its own clock `now`, which only the test moves."""

    seats: int = 2
    now: int = NOW
    people: dict[int, MemberActivity] = field(default_factory=dict)
    entries: list[LadderEntry] = field(default_factory=list)
    matches: int = 0

    def __post_init__(self) -> None:
        self.ladder = Ladder(self.seats)

    @property
    def view(self) -> LadderView:
        return LadderView(self.ladder, self.now, self.people)

    def add(self, *entries: LadderEntry | None) -> None:
        for entry in entries:
            if entry is not None:
                self.entries.append(entry)
                apply_entry(self.ladder, entry)

    def undo(self, kind: EntryKind, match: int, *users: int) -> None:
        """Annuls or reopens a game of those users, and rebuilds the ladder."""
        self.entries.append(self.ladder.next_entry(self.now, kind, users, (match,)))
        self.ladder = rebuilt(self.seats, self.entries)

    def later(self, seconds: int) -> None:
        """Moves the clock ahead; everybody has moved in some game in the meantime."""
        self.now += seconds
        for user in self.ladder.climbers:
            self.people[user] = replace(self.people.get(user, MemberActivity()), moved_at=self.now)

    def join(self, *users: int, rung: int = 0) -> None:
        """Has the users join, and puts them on that rung without entries if it is not 0."""
        for user in users:
            self.add(ladder_acts.join_ladder(self.view, user))
            if rung:
                self.ladder.climbers[user] = replace(self.ladder.climbers[user], rung=rung)

    def challenge(self, challenger: int, other: int) -> None:
        self.add(ladder_acts.challenge_climber(self.view, challenger, other))

    def accept(self, user: int) -> int:
        """Accepts the challenge and returns the number of the match that begins."""
        self.matches += 1
        self.add(ladder_acts.accept_challenge(self.view, user, seq_of_challenge(self.ladder, user), self.matches))
        return self.matches

    def refuse(self, user: int) -> None:
        self.add(ladder_acts.refuse_challenge(self.view, user, seq_of_challenge(self.ladder, user)))

    def played(self, challenger: int, other: int) -> int:
        """Begins a match between the two and returns its number."""
        self.challenge(challenger, other)
        return self.accept(other)

    def queued(self, *users: int) -> tuple[int, ...]:
        """Queues the users in order and returns the numbers of the matches that begin."""
        for user in users:
            self.add(ladder_acts.switch_queue(self.view, user))
        before = self.matches
        for group in ladder_acts.pair_waiting(self.view, {}, unshuffled):
            self.matches += 1
            self.add(self.ladder.next_entry(self.now, EntryKind.PAIRED, group, (self.matches,)))
        return tuple(range(before + 1, self.matches + 1))

    def begin_triad(self, *users: int) -> tuple[int, ...]:
        """Begins the three games of a triad, as an older version did."""
        numbers = tuple(range(self.matches + 1, self.matches + 4))
        self.matches += 3
        self.add(self.ladder.next_entry(self.now, EntryKind.PAIRED, users, numbers))
        return numbers

    def finish(self, match: int, *won: int, late: tuple[int, ...] = (), result: bool = True) -> None:
        """Ends the match, won by `won`, or drawn if nobody is named; `late` timed out."""
        users = self.ladder.games[match].users
        leavers = tuple(Leaver(user, users.index(user), self.now, "timeout") for user in late)
        ended = FinishedGame(match, 1, "", self.now, users, won, 40, leavers, has_result=result)
        self.add(results.finish_game(self.ladder, ended, self.now))

    def rungs(self, *users: int) -> tuple[int, ...]:
        return tuple(self.ladder.climbers[user].rung for user in users)

    def __getitem__(self, user: int) -> Climber:
        return self.ladder.climbers[user]


def story(*users: int, seats: int = 2) -> Story:
    """Returns a ladder with those users on rung 0; Ada, Bo and Cy if none are named."""
    lived = Story(seats)
    lived.join(*(users or (ADA, BO, CY)))
    return lived


def spearman(one: list[float], two: list[float]) -> float:
    """Returns Spearman's rank correlation, -1 to 1, of two lists of the same values without ties."""
    ranks = [{value: rank for rank, value in enumerate(sorted(values))} for values in (one, two)]
    apart = sum((ranks[0][a] - ranks[1][b]) ** 2 for a, b in zip(one, two, strict=True))
    return 1 - 6 * apart / (len(one) * (len(one) ** 2 - 1))
