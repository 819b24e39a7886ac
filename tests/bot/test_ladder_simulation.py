"""Random ladders: whatever people do, a ladder keeps its promises, and is what its entries make of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from bot.core.clock import DAY, HOUR
from bot.ladder import acts as ladder_acts
from bot.ladder.acts import LadderError, MemberActivity
from bot.ladder.rows import format_state, parse_state
from bot.ladder.state import EntryKind, Ladder, replay_history
from tests.bot.ladder_climbers import Story, rebuilt

PEOPLE = range(1, 16)


def act_somehow(lived: Story, chance: random.Random) -> None:
    """Has somebody do something, a game end, or some hours pass."""
    one, two = chance.sample(PEOPLE, 2)

    def begin_triad() -> None:  # as an older version did
        free = [user for user, one in lived.ladder.climbers.items() if one.is_active and one.queue_game is None]
        lived.begin_triad(*chance.sample(free, 3))

    def end_game() -> None:
        match, game = chance.choice(sorted(lived.ladder.games.items(), key=lambda running: running[0]))
        winner, loser = chance.sample(game.users, 2)
        won = (winner,) if chance.random() < 0.9 else ()
        late = (loser,) if won and chance.random() < 0.2 else ()
        lived.finish(match, *won, late=late, result=chance.random() < 0.95)

    def annul_game() -> None:
        ended, annulled = (
            {entry.matches[0] for entry in lived.entries if entry.kind is kind}
            for kind in (EntryKind.FINISHED, EntryKind.ANNULLED)
        )
        lived.undo(EntryKind.ANNULLED, chance.choice(sorted(ended - annulled - lived.ladder.games.keys())))

    def tick() -> None:
        lived.later(8 * HOUR)
        lived.people[one] = MemberActivity(lived.now, lived.now + DAY)  # a vacation
        lived.add(*ladder_acts.lapse_challenges(lived.view))
        lived.add(*ladder_acts.turn_season(lived.view, {}))
        lived.queued()
        lived.ladder = parse_state(format_state(lived.ladder))  # nothing may live in memory alone

    acts: list[tuple[float, Callable[[], object]]] = [
        (2, lambda: lived.join(one)),
        (0.3, lambda: lived.add(ladder_acts.leave_ladder(lived.view, one))),
        (8, lambda: lived.challenge(one, two)),
        (4, lambda: lived.accept(one)),
        (0.5, lambda: lived.refuse(one)),
        (4, lambda: lived.queued(one)),
        (1 if lived.seats == 3 else 0, begin_triad),
        (4, end_game),
        (0.1, annul_game),
        (1, tick),
    ]
    weights, callables = zip(*acts, strict=True)
    with suppress(LadderError, IndexError, ValueError):  # refused, or nobody is there to do it
        chance.choices(callables, weights)[0]()


@pytest.fixture(scope="module", params=[2, 3])
def lived(request: pytest.FixtureRequest) -> Story:
    chance, lived = random.Random(4), Story(request.param)
    for _ in range(6000):
        act_somehow(lived, chance)
    return lived


def test_a_good_deal_has_happened(lived: Story) -> None:
    expected = set(EntryKind) - {EntryKind.REOPENED, EntryKind.DIGEST}
    if lived.seats == 3:
        expected -= {EntryKind.CHALLENGED, EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED}
    assert {entry.kind for entry in lived.entries} == expected
    assert any(climber.timeouts for climber in lived.ladder.climbers.values())
    assert max(climber.rung for climber in lived.ladder.climbers.values()) > 3


def test_rungs_never_go_below_0_and_challenges_never_double(lived: Story) -> None:
    ladder = Ladder(lived.seats)
    for _, changes in replay_history(ladder, lived.entries):
        assert all(rung >= 0 for _, rung in changes.values())
        between = [game.users for game in ladder.games.values() if game.challenged]
        between += [(waiting.challenger, waiting.challenged) for waiting in ladder.challenges.values()]
        climbers = ladder.climbers.values()
        assert sorted(between) == sorted((one.user, one.challenging) for one in climbers if one.challenging)
        assert sorted(between) == sorted((two.challenger, two.user) for two in climbers if two.challenger)


def test_what_an_entry_tells_is_all_that_it_changes(lived: Story) -> None:
    ladder = Ladder(lived.seats)
    before = dict[int, int]()
    for _, changes in replay_history(ladder, lived.entries):
        rungs = {user: climber.rung for user, climber in ladder.climbers.items()}
        assert {user: rung for user, rung in rungs.items() if before.get(user) != rung} == {
            user: after for user, (earlier, after) in changes.items() if earlier != after
        }
        before = rungs


def test_those_who_move_first_are_as_often_second(lived: Story) -> None:
    if lived.seats == 2:
        assert all(abs(climber.balance) <= 2 for climber in lived.ladder.climbers.values())


def test_a_stored_ladder_is_what_its_entries_make_of_it(lived: Story) -> None:
    assert rebuilt(lived.seats, lived.entries) == lived.ladder
