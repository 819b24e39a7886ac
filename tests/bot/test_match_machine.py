"""After any acts in any order, replaying the events gives the live match."""

from __future__ import annotations

import random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bot.core import acts, deadlines, offers, table, time_acts, turns
from bot.core.clock import DAY, HOUR, Pace
from bot.core.events import Ballot, Event
from bot.core.fold import match_at, replay_match
from bot.core.match import Phase
from bot.core.news import collect_news
from bot.core.problems import MatchError
from rules import RulesError
from tests.bot import answers
from tests.bot.playing import ADA, BO, CY, DEE, NOW, absent, by, existing, followed, play_typed, random_move, started
from tests.examples import examples

users = st.sampled_from([ADA, BO, CY, DEE, 1005, 1006])
JUDGE = 1099
ANSWERS = (ask(kind) for ask in (acts.AcceptRequest, acts.DeclineRequest) for kind in answers.ANSWERED)
REQUESTS = (acts.OfferDraw(), acts.AskTakeback(), *ANSWERS)
EASY_ACTS = (
    *(acts.TakeOver(), acts.ProposeVote(), acts.DeclineRequest(answers.VOTE)),
    *(acts.ClaimTimeout(), acts.NudgePlayer()),
)


class Playing(RuleBasedStateMachine):
    """A match in which anybody tries anything; a refused act changes nothing."""

    @initialize(
        key=st.sampled_from(["camelot", "tri-camelot"]),
        pace=st.sampled_from(list(Pace)),
        ladder=st.booleans(),
        seed=st.integers(0, 2**32),
    )
    def begin(self, key: str, pace: Pace, ladder: bool, seed: int) -> None:
        self.events: list[Event] = started(key, pace=pace, ladder=ladder)
        self.match = replay_match(1, self.events)
        self.now = NOW + 1
        self.random = random.Random(seed)

    def take(self, decide: object) -> None:
        try:
            fresh = decide(self.match, self.now)  # type: ignore[operator]  # each rule passes a function of these two
        except (MatchError, RulesError):
            return
        while fresh:
            self.events += fresh
            self.match = followed(self.match, fresh)
            fresh = turns.play_steward_move(self.match, self.now)

    @rule(seconds=st.sampled_from([1, HOUR, 13 * HOUR, DAY, 3 * DAY]))
    def time_goes_by(self, seconds: int) -> None:
        self.now += seconds
        self.take(lambda match, now: time_acts.tick(match, {}, now))

    @rule(seconds=st.sampled_from([HOUR, 3 * DAY]))
    def the_bot_is_away(self, seconds: int) -> None:
        since = self.now
        self.now += seconds
        self.take(lambda match, now: time_acts.prolong_chance(match, absent(match, (since, now)), now))

    @rule()
    def the_place_is_lost_or_found(self) -> None:
        there = self.match.place.is_lost
        self.take(
            lambda match, now: table.move_to_thread(match, 77, now) if there else table.note_channel_lost(match, now)
        )

    @rule()
    def somebody_moves(self) -> None:
        if self.match.to_move is not None:
            user, text = self.match.to_move, random_move(self.match, self.random)
            self.take(lambda match, now: play_typed(match, user, text, now))

    def act(self, user: int, act: acts.Act) -> None:
        self.take(lambda match, now: acts.decide(match, by(user, now), act))

    @rule(user=users)
    def somebody_resigns(self, user: int) -> None:
        self.act(user, acts.Resign())

    @rule(user=users, act=st.sampled_from(EASY_ACTS))
    def somebody_acts(self, user: int, act: acts.Act) -> None:
        self.act(user, act)

    @rule(user=users, act=st.sampled_from(REQUESTS))
    def a_request_is_discussed(self, user: int, act: acts.Act) -> None:
        self.act(user, act)

    @rule(user=users, seconds=st.integers(1, 31 * DAY))
    def a_pause_is_asked_for(self, user: int, seconds: int) -> None:
        self.act(user, acts.AskPause(self.now + seconds))

    @rule(user=users, other=users)
    def a_substitute_is_proposed(self, user: int, other: int) -> None:
        self.act(user, acts.ProposeSubstitute(other))

    @rule(user=users, ballot=st.sampled_from(Ballot))
    def somebody_votes(self, user: int, ballot: Ballot) -> None:
        self.act(user, acts.CastVote(ballot))

    @rule(user=users, seconds=st.integers(1, 5 * DAY))
    def time_is_given_or_reminders_put_off(self, user: int, seconds: int) -> None:
        self.act(user, acts.GiveTime())
        self.act(user, acts.SnoozeReminder(self.now + seconds))
        self.take(lambda match, now: time_acts.charge_used_time(match, user, now, {}))

    @rule(ply=st.integers(0, 6))
    def the_referee_rewinds(self, ply: int) -> None:
        self.act(JUDGE, acts.RewindMatch(ply, "so be it"))

    @rule(user=users, by=users, seat=st.integers(0, 1))
    def the_referee_interferes(self, user: int, by: int, seat: int) -> None:
        self.act(JUDGE, acts.ReplacePlayer(user, by, "so be it"))
        self.act(JUDGE, acts.SetClock(seat, HOUR, "so be it"))

    @invariant()
    def replaying_gives_the_live_match(self) -> None:
        if not hasattr(self, "match"):
            return
        assert replay_match(1, self.events) == self.match

    @invariant()
    def what_a_match_says_of_itself_fits_together(self) -> None:
        if not hasattr(self, "match"):
            return
        match, terms = self.match, self.match.terms.pace.clock_terms
        assert terms is None or all(0 <= bank <= terms.cap for bank in match.clock.banks)
        assert len(set(match.players)) == len(match.players)
        assert sum(step.move is not None for step in match.changes) == match.ply
        runs = match.is_live and terms is not None and match.vacancy is None and match.paused_until is None
        assert (match.clock.running_since is not None) == runs
        assert (match.game is not None and match.game.outcome is not None) == (match.phase is Phase.OVER)
        due = deadlines.next_tick_at(match)
        assert time_acts.tick(match, {}, self.now) or due is None or due > self.now
        if match.clock.snoozed_until and not match.place.is_lost:
            assert existing(due) <= match.clock.snoozed_until  # a promised reminder comes
        told = collect_news(1, self.events, 0)
        assert [item.seq for item in told] == sorted({item.seq for item in told})
        assert match_at(1, self.events, match.ply).game == match.game or match.resigned_users or match.roster.leavers

    @invariant()
    def somebody_who_can_answer_is_always_waited_for(self) -> None:
        if not hasattr(self, "match") or not self.match.is_live:
            return
        match = self.match
        assert match.vacancy if match.to_move is None else match.to_move in match.still_in
        assert not match.vacancy or match.started_game.position.is_playing(match.vacancy.seat)
        for request in match.requests.standing:
            assert offers.users_awaited(match, request.kind)
        assert not match.requests.of_kind(answers.VOTE) or (match.vacancy and not match.vacancy.voting)
        assert match.takeback_floor <= match.ply
        assert deadlines.next_tick_at(match) is not None or match.clock.grace_ends_at is not None


TestPlaying = Playing.TestCase
TestPlaying.settings = settings(examples(0.6), stateful_step_count=40)
