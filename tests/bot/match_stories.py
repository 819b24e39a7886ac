"""Matches on their way, at least one for each kind of news, built from their events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Self

from bot.core import deadlines, leaving, offers, refereeing, table, time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import NO_PEOPLE
from bot.core.events import TABLE_CLOSING_EVENTS, Ballot, Event, EventKind
from bot.core.fold import replay_match
from bot.core.match import Match
from bot.core.news import News, collect_news
from tests.bot import answers
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, NOW, absent, by, play_typed, started
from tests.e2e.game_checks import moves_of

REFEREE = 1099
NAMES = {ADA: "Ada", BO: "Bo", CY: "Cy", DEE: "Dee", REFEREE: "Rex"}
REASON = "They asked me to, both of them."

UNTOLD = TABLE_CLOSING_EVENTS | {EventKind.ENDED}
"""Events without news: the table's message is edited instead, and an end is part of the news that caused it."""


class Story(NamedTuple):
    """The events of a match so far."""

    events: tuple[Event, ...]

    @property
    def match(self) -> Match:
        return replay_match(1, self.events)

    @property
    def now(self) -> int:
        return self.events[-1].at

    def then(self, decide: Callable[..., Iterable[Event]], *values: object, later: int = 60, **named: object) -> Self:
        """Returns the story after `decide(match, *values, now)`, `later` seconds after the last event."""
        made = tuple(decide(self.match, *values, now=self.now + later, **named))
        assert made, decide
        return self._replace(events=(*self.events, *made))

    def did(self, decide: Callable[..., Iterable[Event]], user: int, *values: object, later: int = 60) -> Self:
        """Returns the story after that act of the user, `decide(match, actor, *values)`."""
        return self.then(lambda match, now: decide(match, by(user, now), *values), later=later)

    def move(self, *moves: str) -> Self:
        story = self
        for move in moves:
            user = story.match.to_move
            assert user is not None
            story = story.then(play_typed, user, move)
        return story

    def ticks(self, times: int = 1) -> Self:
        """Returns the story after so many automatic events, each at its due time."""
        story = self
        for _ in range(times):
            at = deadlines.next_tick_at(story.match)
            assert at is not None
            story = story._replace(events=(*story.events, *time_acts.tick(story.match, NO_PEOPLE, at)))
        return story

    @property
    def last(self) -> News:
        return collect_news(1, self.events, 0)[-1]


def two(pace: Pace = Pace.STANDARD) -> Story:
    return Story(tuple(started("camelot", pace=pace)))


def three(pace: Pace = Pace.STANDARD) -> Story:
    return Story(tuple(started("tri-camelot", pace=pace)))


def overdue(story: Story) -> Story:
    """Ada was reminded twice and used up her time."""
    return story.ticks(3)


def unreached(story: Story, seconds: int) -> Story:
    """Nobody could be reached for so many seconds, so the running deadline is later."""
    spans = absent(story.match, (story.now, story.now + seconds))
    return story.then(time_acts.prolong_chance, later=seconds, people=spans)


def vacant() -> Story:
    return three().did(leaving.resign, BO)


def vote_proposed() -> Story:
    return vacant().did(leaving.propose_vote, ADA)


def voter_replaced() -> Story:
    """Bo left, Ada voted, Dee replaced Ada, and then Cy voted."""
    voted = vacant().ticks().did(leaving.cast_vote, ADA, Ballot.DRAW)
    replaced = voted.did(refereeing.replace_player, REFEREE, ADA, DEE, REASON)
    return replaced.did(leaving.cast_vote, CY, Ballot.PLAY_ON)


def offered() -> Story:
    return three().did(offers.offer_draw, ADA)


def pausing() -> Story:
    return three().did(offers.ask_pause, ADA, NOW + 9 * DAY)


def paused() -> Story:
    return pausing().did(answers.accept_pause, BO).did(answers.accept_pause, CY)


def asked_back() -> Story:
    return three().move("F7-F9").did(offers.ask_takeback, ADA)


def claimable() -> Story:
    story = two()
    for move in moves_of("camelot-repetition"):
        if story.match.started_game.claimable_draw:
            break
        story = story.move(move)
    return story


STORIES: dict[str, tuple[EventKind, Callable[[], Story]]] = {
    "a game begins": (EventKind.STARTED, two),
    "a game of three begins": (EventKind.STARTED, three),
    "a move": (EventKind.MOVED, lambda: two().move("F7-F8")),
    "one of two gives up": (EventKind.RESIGNED, lambda: two().did(leaving.resign, BO)),
    "one of three gives up": (EventKind.VACATED, vacant),
    "half of the bank is used": (EventKind.REMINDED, lambda: two().ticks()),
    "a reminder without a clock": (EventKind.REMINDED, lambda: two(Pace.NONE).ticks()),
    "an opponent nudges": (EventKind.NUDGED, lambda: two().did(time_acts.nudge_player, BO, later=DAY)),
    "the time is up": (EventKind.GRACE, lambda: overdue(two())),
    "the grace is over": (EventKind.OVERDUE, lambda: overdue(two()).ticks()),
    "the grace of one of three is over": (EventKind.OVERDUE, lambda: overdue(three()).ticks()),
    "the time of one of three is up": (EventKind.GRACE, lambda: overdue(three())),
    "the bot was away in a grace": (EventKind.PROLONGED, lambda: unreached(overdue(two()), 13 * HOUR)),
    "the bot was away in a call": (EventKind.PROLONGED, lambda: unreached(vacant(), 3 * DAY)),
    "the bot was away in a vote": (EventKind.PROLONGED, lambda: unreached(vacant().ticks(), 3 * DAY)),
    "nobody could be reached for a month": (EventKind.UNREACHED, lambda: two().then(table.note_channel_lost).ticks()),
    "an opponent gives time": (EventKind.GIVEN, lambda: two().did(time_acts.give_time, BO)),
    "an opponent gives time in the grace": (EventKind.GIVEN, lambda: overdue(two()).did(time_acts.give_time, BO)),
    "time is claimed of one of two": (
        EventKind.TIMED_OUT,
        lambda: overdue(two()).did(time_acts.claim_timeout, BO, later=time_acts.CLAIM_GRACE_S),
    ),
    "time is claimed of one of three": (
        EventKind.VACATED,
        lambda: overdue(three()).did(time_acts.claim_timeout, CY, later=time_acts.CLAIM_GRACE_S),
    ),
    "nobody has moved for thirty days": (EventKind.STILL, lambda: two(Pace.NONE).ticks(2)),
    "nobody has claimed for thirty days": (EventKind.STILL, lambda: overdue(two()).ticks(2)),
    "nobody has moved for sixty days": (EventKind.CLOSED_STILL, lambda: two(Pace.NONE).ticks(3)),
    "a seat is taken over": (EventKind.TAKEN_OVER, lambda: vacant().did(leaving.take_over, DEE)),
    "nobody has come": (EventKind.VOTE, lambda: vacant().ticks()),
    "one would rather vote at once": (EventKind.VOTE_PROPOSED, vote_proposed),
    "the other agrees to vote at once": (EventKind.VOTE, lambda: vote_proposed().did(leaving.propose_vote, CY)),
    "the other would rather wait": (
        EventKind.VOTE_PROPOSAL_DROPPED,
        lambda: vote_proposed().did(answers.drop_vote_proposal, CY),
    ),
    "one waits for a substitute after all": (
        EventKind.VOTE_PROPOSAL_DROPPED,
        lambda: vote_proposed().did(answers.drop_vote_proposal, ADA),
    ),
    "one has voted": (EventKind.VOTED, lambda: vacant().ticks().did(leaving.cast_vote, ADA, Ballot.DRAW)),
    "both vote for a draw": (
        EventKind.VOTED,
        lambda: vacant().ticks().did(leaving.cast_vote, ADA, Ballot.DRAW).did(leaving.cast_vote, CY, Ballot.DRAW),
    ),
    "both vote to abandon": (
        EventKind.VOTED,
        lambda: vacant().ticks().did(leaving.cast_vote, ADA, Ballot.ABANDON).did(leaving.cast_vote, CY, Ballot.ABANDON),
    ),
    "both vote to play on": (
        EventKind.PASSIVE,
        lambda: vacant().ticks().did(leaving.cast_vote, ADA, Ballot.PLAY_ON).did(leaving.cast_vote, CY, Ballot.PLAY_ON),
    ),
    "the vote runs out": (EventKind.PASSIVE, lambda: vacant().ticks(2)),
    "who takes the place of a voter agrees with the other": (
        EventKind.PASSIVE,
        lambda: voter_replaced().did(leaving.cast_vote, DEE, Ballot.PLAY_ON),
    ),
    "who takes the place of a voter does not agree with the other": (
        EventKind.VOTED,
        lambda: voter_replaced().did(leaving.cast_vote, DEE, Ballot.DRAW),
    ),
    "a seat is to be handed over": (
        EventKind.HANDOVER_ASKED,
        lambda: three().did(leaving.propose_substitute, ADA, DEE),
    ),
    "one agrees to a substitute": (
        EventKind.HANDOVER_ACCEPTED,
        lambda: three().did(leaving.propose_substitute, ADA, DEE).did(answers.accept_substitute, BO),
    ),
    "all agree to a substitute": (
        EventKind.TAKEN_OVER,
        lambda: (
            two()
            .did(leaving.propose_substitute, ADA, DEE)
            .did(answers.accept_substitute, DEE)
            .did(answers.accept_substitute, BO)
        ),
    ),
    "one refuses a substitute": (
        EventKind.HANDOVER_DECLINED,
        lambda: three().did(leaving.propose_substitute, ADA, DEE).did(answers.decline_substitute, BO),
    ),
    "a draw is offered": (EventKind.DRAW_OFFERED, offered),
    "one of two accepts a draw": (EventKind.DRAW_ACCEPTED, lambda: offered().did(answers.accept_draw, CY)),
    "all accept a draw": (
        EventKind.DRAW_ACCEPTED,
        lambda: offered().did(answers.accept_draw, CY).did(answers.accept_draw, BO),
    ),
    "a draw is declined": (EventKind.DRAW_DECLINED, lambda: offered().did(answers.decline_draw, BO)),
    "a draw is claimed": (
        EventKind.DRAW_CLAIMED,
        lambda: (story := claimable()).did(offers.offer_draw, story.match.to_move or 0),
    ),
    "a move is to be taken back": (EventKind.TAKEBACK_ASKED, asked_back),
    "one agrees that it is taken back": (
        EventKind.TAKEBACK_ACCEPTED,
        lambda: asked_back().did(answers.accept_takeback, CY),
    ),
    "one refuses that it is taken back": (
        EventKind.TAKEBACK_DECLINED,
        lambda: asked_back().did(answers.decline_takeback, CY),
    ),
    "the move is taken back": (
        EventKind.UNDONE,
        lambda: asked_back().did(answers.accept_takeback, CY).did(answers.accept_takeback, BO),
    ),
    "a pause is asked for": (EventKind.PAUSE_ASKED, lambda: three().did(offers.ask_pause, ADA, NOW + 9 * DAY)),
    "one agrees to a pause": (EventKind.PAUSE_ACCEPTED, lambda: pausing().did(answers.accept_pause, BO)),
    "one refuses a pause": (EventKind.PAUSE_DECLINED, lambda: pausing().did(answers.decline_pause, BO)),
    "all agree to a pause": (EventKind.PAUSED, paused),
    "a pause is over": (EventKind.RESUMED, lambda: paused().ticks()),
    "a referee sets a clock": (
        EventKind.CLOCK_SET,
        lambda: two().did(refereeing.set_clock, REFEREE, 0, 100 * HOUR, REASON),
    ),
    "a referee replaces a player": (
        EventKind.REPLACED,
        lambda: two().did(refereeing.replace_player, REFEREE, BO, DEE, REASON),
    ),
    "a referee undoes moves": (
        EventKind.REWOUND,
        lambda: two().move("F7-F8", "F10-F9").did(refereeing.rewind_match, REFEREE, 0, REASON),
    ),
    "a referee reopens a game": (
        EventKind.REWOUND,
        lambda: two().move("F7-F8").did(leaving.resign, BO).did(refereeing.rewind_match, REFEREE, 1, REASON),
    ),
    "a player aborts as the referee": (EventKind.ABORTED, lambda: two().did(refereeing.abort_match, ADA, REASON)),
    "a referee aborts": (EventKind.ABORTED, lambda: two().did(refereeing.abort_match, REFEREE, REASON)),
    "a referee annuls": (
        EventKind.ANNULLED,
        lambda: two().did(leaving.resign, BO).did(refereeing.annul_match, REFEREE, REASON),
    ),
    "a game moves": (EventKind.REHOMED, lambda: two().did(table.move_to_channel, ADA, CHANNEL + 1)),
    "a vacation begins": (EventKind.AWAY, lambda: two().then(time_acts.announce_vacation, BO, NOW + 9 * DAY)),
    "a vacation ends early": (EventKind.BACK, lambda: two().then(time_acts.announce_return, BO)),
}
