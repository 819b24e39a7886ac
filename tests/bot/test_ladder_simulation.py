"""Random seasons: the ladder keeps its promises for any behaviour of its climbers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.core.clock import DAY, HOUR
from bot.core.match_state import Leaver
from bot.core.ratings import NEW_RATING, RatingBook, rate_all_games
from bot.core.results import FinishedGame
from bot.ladder import acts as ladder_acts
from bot.ladder import fold as results
from bot.ladder.acts import LadderError, MemberActivity
from bot.ladder.fold import apply_entry
from bot.ladder.state import (
    ANSWER_TIME_S,
    REMATCH_PAUSE_S,
    Climber,
    EntryKind,
    Ladder,
    LadderEntry,
    LadderGame,
    parse_score,
)
from tests.bot.climbing import Story, rebuilt, spearman

PEOPLE = 30
DAYS = 80


class Life:
    """Thirty people of known strengths on one ladder, and their random acts."""

    def __init__(self, seats: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.story = Story(seats)
        self.strength = {user: -2 + 4 * user / PEOPLE for user in range(1, PEOPLE + 1)}
        self.due: dict[int, int] = {}
        self.games: list[FinishedGame] = []
        self.book = RatingBook()
        self.answer: dict[int, float] = {}
        for user in self.strength:
            self.story.join(user)

    def day(self) -> None:
        story, chance = self.story, self.chance
        mus = {user: rating.mu for user, rating in self.book.ratings.items()}
        story.add(*ladder_acts.turn_season(story.view, mus))
        story.add(*ladder_acts.lapse_challenges(story.view))
        for match in sorted(match for match, at in self.due.items() if at <= story.now):
            del self.due[match]
            self.end(match)
        for user in chance.sample(sorted(self.strength), PEOPLE):
            self.act(user)
        numbers = {user: rating.shown_number for user, rating in self.book.ratings.items()}
        for group in ladder_acts.pair_waiting(story.view, numbers, chance.shuffle):
            if story.seats == 3 and chance.random() < 0.2:  # a triad of an older version, which goes on
                matches = story.begin_triad(*group)
            else:
                story.matches += 1
                matches = (story.matches,)
                story.add(ladder_acts.record_pairing(story.view, group, story.matches))
            self.due |= {match: story.now + chance.randint(2, 6) * DAY for match in matches}
        story.later(DAY)

    def act(self, user: int) -> None:
        story, chance = self.story, self.chance
        presence = story.people.get(user, MemberActivity())
        if chance.random() < 0.01:
            story.people[user] = replace(presence, away_until=story.now + chance.randint(1, 6) * DAY)
        try:
            climber = story[user]
            if not climber.is_active:
                story.join(user)
            elif chance.random() < 0.004:
                story.add(ladder_acts.leave_ladder(story.view, user))
            elif climber.challenger in story.ladder.challenges and (mood := chance.random()) < 0.8:
                if mood < 0.12:
                    story.add(ladder_acts.refuse_challenge(story.view, user))
                else:
                    self.due[story.accept(user)] = story.now + chance.randint(2, 6) * DAY
            elif (
                story.seats == 2
                and (targets := ladder_acts.challengeable_users(story.view, user))
                and chance.random() < 0.7
            ):
                story.challenge(user, chance.choice(targets))
            elif chance.random() < 0.8:
                story.add(ladder_acts.join_queue(story.view, user))
        except LadderError:
            pass  # a refused act changes nothing

    def end(self, match: int) -> None:
        story, chance = self.story, self.chance
        users = story.ladder.games[match].users
        weights = [math.exp(2.5 * self.strength[user]) for user in users]
        won = () if chance.random() < 0.05 else tuple(chance.choices(users, weights))
        lost = [user for user in users if user not in won]
        leavers: tuple[Leaver, ...] = ()
        if won and chance.random() < 0.06:
            late = chance.choice(lost)
            leavers = (Leaver(late, users.index(late), story.now, "timeout"),)
        over = FinishedGame(
            match, 1, "any", story.now, users, won, 60, leavers, has_result=chance.random() < 0.98, ladder=True
        )
        story.add(results.finish_game(story.ladder, over, story.now))
        self.games.append(over)
        self.book.rate_next(over)


@pytest.fixture(scope="module", params=[2, 3])
def life(request: pytest.FixtureRequest) -> Life:
    lived = Life(request.param, seed=4)
    for _ in range(DAYS):
        lived.day()
    return lived


def states(life: Life) -> Iterator[tuple[LadderEntry, dict[int, Climber], dict[int, LadderGame], Ladder]]:
    """Each entry with the climbers and games before it, and the ladder after it."""
    ladder = Ladder(life.story.seats)
    for entry in life.story.entries:
        before, games = dict(ladder.climbers), dict(ladder.games)
        changes = apply_entry(ladder, entry)
        untold = ladder.climbers.keys() - changes.keys()
        assert all(ladder.climbers[user] is before[user] for user in untold), "what is told is all that changes"
        assert all((before.get(user), ladder.climbers[user]) == pair for user, pair in changes.items())
        yield entry, before, games, ladder


def test_a_good_deal_has_happened(life: Life) -> None:
    kinds = {entry.kind for entry in life.story.entries}
    expected = set(EntryKind) - {EntryKind.ANNULLED, EntryKind.REOPENED, EntryKind.DIGEST}
    if life.story.seats == 3:
        expected -= {EntryKind.CHALLENGED, EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED}
    assert kinds >= expected - {EntryKind.UNQUEUED}
    assert len(life.games) > 10 * PEOPLE / life.story.seats
    assert any(climber.timeouts or climber.frozen_until for climber in life.story.ladder.climbers.values())
    assert max(climber.step for climber in life.story.ladder.climbers.values()) > 3


def test_steps_never_go_below_0_and_challenges_never_double(life: Life) -> None:
    for _, _, _, ladder in states(life):
        assert all(climber.step >= 0 for climber in ladder.climbers.values())
        between = [game.users for game in ladder.games.values() if game.challenged]
        between += [(waiting.challenger, waiting.challenged) for waiting in ladder.challenges.values()]
        assert dict(between) == {one.user: one.challenging for one in ladder.climbers.values() if one.challenging}
        assert {two: one for one, two in between} == {
            two.user: two.challenger for two in ladder.climbers.values() if two.challenger
        }
        assert len(dict(between)) == len({two for _, two in between}) == len(between)


def test_every_result_moves_the_players_as_the_rules_say(life: Life) -> None:
    for entry, before, games, ladder in states(life):
        if entry.kind is not EntryKind.FINISHED:
            continue
        game, score = games[entry.matches[0]], parse_score(entry.body)
        if len(game.matches) > 1:
            continue
        for user in game.users:
            old, step = before[user], before[user].step
            up = 2 if len(game.users) == 3 else 1
            if game.challenged and user == game.users[0]:
                up = max(1, before[game.users[1]].step - step)
            expected = step + up if user in score.won else step
            expected = max(expected - 1, 0) if user in score.lost else expected
            expected = max(expected - 1, 0) if user in score.late and old.timeouts else expected
            assert ladder.climbers[user].step == expected


def test_nobody_is_challenged_again_or_paired_within_seven_days(life: Life) -> None:
    if life.story.seats == 3:
        return
    met: dict[frozenset[int], list[tuple[int, EntryKind]]] = {}
    for entry, _, games, _ in states(life):
        users = games[entry.matches[0]].users if entry.kind is EntryKind.FINISHED else entry.users
        if entry.kind in (EntryKind.CHALLENGED, EntryKind.PAIRED, EntryKind.FINISHED):
            met.setdefault(frozenset(users), []).append((entry.at, entry.kind))
    for story in met.values():
        for (earlier, kind), (later, what) in pairwise(story):
            if kind is EntryKind.FINISHED and what is not EntryKind.FINISHED:
                assert later - earlier >= REMATCH_PAUSE_S


def test_no_challenge_waits_for_longer_than_a_tick_over_72_hours(life: Life) -> None:
    waiting: dict[int, int] = {}
    for entry in life.story.entries:
        if entry.kind is EntryKind.CHALLENGED:
            waiting[entry.users[0]] = entry.at
        elif entry.kind in (EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED):
            spent = entry.at - waiting.pop(entry.users[0])
            assert (
                spent < ANSWER_TIME_S
                if entry.kind is not EntryKind.LAPSED
                else ANSWER_TIME_S <= spent <= ANSWER_TIME_S + DAY + HOUR
            )


def test_every_season_begins_and_ends_once(life: Life) -> None:
    turns = [entry for entry in life.story.entries if entry.kind in (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED)]
    assert [(entry.kind, entry.body.split()[0]) for entry in turns] == [
        (EntryKind.SEASON_STARTED, "1"),
        (EntryKind.SEASON_ENDED, "1"),
        (EntryKind.SEASON_STARTED, "2"),
    ]


def test_those_who_move_first_are_as_often_second(life: Life) -> None:
    if life.story.seats == 2:
        assert all(abs(climber.balance) <= 2 for climber in life.story.ladder.climbers.values())


def test_the_rebuild_agrees_to_the_last_digit_also_without_annulled_games(life: Life) -> None:
    story = life.story
    assert rebuilt(story.seats, story.entries) == story.ladder
    shuffled = random.Random(1).sample(life.games, len(life.games))
    again = {user: change.after for _, changes in rate_all_games(shuffled) for user, change in changes.items()}
    assert again == life.book.ratings
    ended = [entry for entry in story.entries if entry.kind is EntryKind.FINISHED]
    annulled = ended[::40]
    kept = [replace(entry, body="") if entry in annulled else entry for entry in story.entries]
    without = list(story.entries)
    for entry in annulled:
        behind = Ladder(story.seats, seq=len(without))
        without.append(results.annul_game(behind, entry.matches[0], (), story.now))
    expected = rebuilt(story.seats, kept)
    assert replace(rebuilt(story.seats, without), seq=expected.seq) == expected
    assert expected != story.ladder


def test_the_order_by_rating_follows_the_strengths(life: Life) -> None:
    ratings = life.book.ratings
    often = [user for user in life.strength if ratings.get(user, NEW_RATING).games >= 15]
    assert len(often) >= PEOPLE // 2
    assert spearman([life.strength[user] for user in often], [ratings[user].mu for user in often]) > 0.85
