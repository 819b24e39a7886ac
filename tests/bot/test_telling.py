"""Every kind of news is told, in every language, by a real match that has come to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from bot.kit.components import ACTIONS
from bot.kit.reply import LONGEST
from bot.match import offers, refereeing, table, timing, turns, vacancy
from bot.match.events import CLOSING, NEWSWORTHY, Ballot, Event, EventKind
from bot.match.fold import FOLD
from bot.match.match import Match
from bot.match.news import News, news
from bot.match.turns import NO_PEOPLE
from bot.people.clock import DAY, HOUR, Pace
from bot.people.settings import Person, UserSettings
from bot.posting.telling import TELLERS, Notice, notice
from bot.posting.turn import has_board, turn_text
from bot.texts.i18n import LANGUAGES, Language, text
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, NOW, started
from tests.e2e.judging import moves_of

REFEREE = 1099
NAMES = {ADA: "Ada", BO: "Bo", CY: "Cy", DEE: "Dee", REFEREE: "Rex"}
REASON = "They asked me to, both of them."

UNTOLD = CLOSING | {EventKind.ENDED}
"""The table's message itself is changed; and the end goes with the news that brought it about."""


class Story(NamedTuple):
    """A match on its way, with the time of its last event."""

    events: tuple[Event, ...]

    @property
    def match(self) -> Match:
        return Match.replay(1, self.events)

    @property
    def now(self) -> int:
        return self.events[-1].at

    def then(self, decide: Callable[..., Iterable[Event]], *values: object, later: int = 60, **named: object) -> Self:
        """The story after a decision that takes the match, those values, and the time."""
        made = tuple(decide(self.match, *values, now=self.now + later, **named))
        assert made, decide
        return self._replace(events=(*self.events, *made))

    def move(self, *moves: str) -> Self:
        story = self
        for move in moves:
            user = story.match.to_move
            assert user is not None
            story = story.then(turns.move, user, move)
        return story

    def ticks(self, times: int = 1) -> Self:
        """After so many things that happen by themselves, each in time."""
        story = self
        for _ in range(times):
            at = timing.wake(story.match)
            assert at is not None
            story = story._replace(events=(*story.events, *timing.tick(story.match, NO_PEOPLE, at)))
        return story

    @property
    def last(self) -> News:
        return news(1, self.events, 0)[-1]


def two(pace: Pace = Pace.STANDARD) -> Story:
    return Story(tuple(started("camelot", pace=pace)))


def three(pace: Pace = Pace.STANDARD) -> Story:
    return Story(tuple(started("tri-camelot", pace=pace)))


def overdue(story: Story) -> Story:
    """Ada has been reminded twice, and used up her time."""
    return story.ticks(3)


def vacant() -> Story:
    return three().then(turns.resign, BO)


def voter_replaced() -> Story:
    """Bo has left. Ada has voted, and Dee plays for her now; Cy has voted since."""
    voted = vacant().ticks().then(vacancy.vote, ADA, Ballot.DRAW)
    replaced = voted.then(refereeing.replace_player, REFEREE, ADA, DEE, REASON)
    return replaced.then(vacancy.vote, CY, Ballot.PLAY_ON)


def offered() -> Story:
    return three().then(offers.offer_draw, ADA)


def asked_back() -> Story:
    return three().move("F7-F9").then(offers.ask_takeback, ADA)


def claimable() -> Story:
    story = two()
    for move in moves_of("camelot-repetition"):
        if story.match.started_game.claimable:
            break
        story = story.move(move)
    return story


STORIES: dict[str, tuple[EventKind, Callable[[], Story]]] = {
    "a game begins": (EventKind.STARTED, two),
    "a game of three begins": (EventKind.STARTED, three),
    "a move": (EventKind.MOVED, lambda: two().move("F7-F8")),
    "one of two gives up": (EventKind.RESIGNED, lambda: two().then(turns.resign, BO)),
    "one of three gives up": (EventKind.VACATED, vacant),
    "half of the bank is used": (EventKind.REMINDED, lambda: two().ticks()),
    "a reminder without a clock": (EventKind.REMINDED, lambda: two(Pace.NONE).ticks()),
    "an opponent nudges": (EventKind.NUDGED, lambda: two().then(timing.nudge, BO, later=DAY)),
    "the time is up": (EventKind.GRACE, lambda: overdue(two())),
    "the grace is over": (EventKind.OVERDUE, lambda: overdue(two()).ticks()),
    "the grace of one of three is over": (EventKind.OVERDUE, lambda: overdue(three()).ticks()),
    "the time of one of three is up": (EventKind.GRACE, lambda: overdue(three())),
    "the bot was away in a grace": (
        EventKind.PROLONGED,
        lambda: (story := overdue(two())).then(timing.prolong, story.now, later=13 * HOUR),
    ),
    "the bot was away in a call": (
        EventKind.PROLONGED,
        lambda: (story := vacant()).then(timing.prolong, story.now, later=3 * DAY),
    ),
    "the bot was away in a vote": (
        EventKind.PROLONGED,
        lambda: (story := vacant().ticks()).then(timing.prolong, story.now, later=3 * DAY),
    ),
    "an opponent gives time": (EventKind.GIVEN, lambda: two().then(timing.give_time, BO, 24 * HOUR)),
    "an opponent gives time in the grace": (EventKind.GIVEN, lambda: overdue(two()).then(timing.give_time, BO, DAY)),
    "time is claimed of one of two": (
        EventKind.TIMED_OUT,
        lambda: overdue(two()).then(timing.claim, BO, later=timing.GRACE),
    ),
    "time is claimed of one of three": (
        EventKind.VACATED,
        lambda: overdue(three()).then(timing.claim, CY, later=timing.GRACE),
    ),
    "nobody has moved for thirty days": (EventKind.STILL, lambda: two(Pace.NONE).ticks(2)),
    "nobody has moved for sixty days": (EventKind.CLOSED_STILL, lambda: two(Pace.NONE).ticks(3)),
    "a seat is taken over": (EventKind.TAKEN_OVER, lambda: vacant().then(vacancy.take_over, DEE)),
    "nobody has come": (EventKind.VOTE, lambda: vacant().ticks()),
    "one has voted": (EventKind.VOTED, lambda: vacant().ticks().then(vacancy.vote, ADA, Ballot.DRAW)),
    "both vote for a draw": (
        EventKind.VOTED,
        lambda: vacant().ticks().then(vacancy.vote, ADA, Ballot.DRAW).then(vacancy.vote, CY, Ballot.DRAW),
    ),
    "both vote to abandon": (
        EventKind.VOTED,
        lambda: vacant().ticks().then(vacancy.vote, ADA, Ballot.ABANDON).then(vacancy.vote, CY, Ballot.ABANDON),
    ),
    "both vote to play on": (
        EventKind.PASSIVE,
        lambda: vacant().ticks().then(vacancy.vote, ADA, Ballot.PLAY_ON).then(vacancy.vote, CY, Ballot.PLAY_ON),
    ),
    "the vote runs out": (EventKind.PASSIVE, lambda: vacant().ticks(2)),
    "who takes the place of a voter agrees with the other": (
        EventKind.PASSIVE,
        lambda: voter_replaced().then(vacancy.vote, DEE, Ballot.PLAY_ON),
    ),
    "who takes the place of a voter does not agree with the other": (
        EventKind.VOTED,
        lambda: voter_replaced().then(vacancy.vote, DEE, Ballot.DRAW),
    ),
    "a seat is to be handed over": (
        EventKind.HANDOVER_ASKED,
        lambda: three().then(vacancy.propose_substitute, ADA, DEE),
    ),
    "one agrees to a substitute": (
        EventKind.HANDOVER_ACCEPTED,
        lambda: three().then(vacancy.propose_substitute, ADA, DEE).then(vacancy.accept_substitute, BO),
    ),
    "all agree to a substitute": (
        EventKind.TAKEN_OVER,
        lambda: (
            two()
            .then(vacancy.propose_substitute, ADA, DEE)
            .then(vacancy.accept_substitute, DEE)
            .then(vacancy.accept_substitute, BO)
        ),
    ),
    "one refuses a substitute": (
        EventKind.HANDOVER_DECLINED,
        lambda: three().then(vacancy.propose_substitute, ADA, DEE).then(vacancy.decline_substitute, BO),
    ),
    "a draw is offered": (EventKind.DRAW_OFFERED, offered),
    "one of two accepts a draw": (EventKind.DRAW_ACCEPTED, lambda: offered().then(offers.accept_draw, CY)),
    "all accept a draw": (
        EventKind.DRAW_ACCEPTED,
        lambda: offered().then(offers.accept_draw, CY).then(offers.accept_draw, BO),
    ),
    "a draw is declined": (EventKind.DRAW_DECLINED, lambda: offered().then(offers.decline_draw, BO)),
    "a draw is claimed": (
        EventKind.DRAW_CLAIMED,
        lambda: (story := claimable()).then(offers.claim_draw, story.match.to_move),
    ),
    "a move is to be taken back": (EventKind.TAKEBACK_ASKED, asked_back),
    "one agrees that it is taken back": (
        EventKind.TAKEBACK_ACCEPTED,
        lambda: asked_back().then(offers.accept_takeback, CY),
    ),
    "one refuses that it is taken back": (
        EventKind.TAKEBACK_DECLINED,
        lambda: asked_back().then(offers.decline_takeback, CY),
    ),
    "a move is taken back": (
        EventKind.UNDONE,
        lambda: asked_back().then(offers.accept_takeback, CY).then(offers.accept_takeback, BO),
    ),
    "a referee sets a clock": (
        EventKind.CLOCK_SET,
        lambda: two().then(refereeing.set_clock, REFEREE, 0, 100 * HOUR, REASON),
    ),
    "a referee replaces a player": (
        EventKind.REPLACED,
        lambda: two().then(refereeing.replace_player, REFEREE, BO, DEE, REASON),
    ),
    "a referee undoes moves": (
        EventKind.REWOUND,
        lambda: two().move("F7-F8", "F10-F9").then(refereeing.rewind, REFEREE, 0, REASON),
    ),
    "a referee reopens a game": (
        EventKind.REWOUND,
        lambda: two().move("F7-F8").then(turns.resign, BO).then(refereeing.rewind, REFEREE, 1, REASON),
    ),
    "a player aborts as the referee": (EventKind.ABORTED, lambda: two().then(refereeing.abort, ADA, REASON)),
    "a referee aborts": (EventKind.ABORTED, lambda: two().then(refereeing.abort, REFEREE, REASON)),
    "a referee annuls": (
        EventKind.ANNULLED,
        lambda: two().then(turns.resign, BO).then(refereeing.annul, REFEREE, REASON),
    ),
    "a referee gives a title": (
        EventKind.RENAMED,
        lambda: two().then(refereeing.rename, REFEREE, "The **final** @everyone", REASON),
    ),
    "a referee takes the title away": (
        EventKind.RENAMED,
        lambda: two().then(refereeing.rename, REFEREE, "Final", REASON).then(refereeing.rename, REFEREE, "", REASON),
    ),
    "a referee names a table that waits for players": (
        EventKind.RENAMED,
        lambda: Story(tuple(started()[:1])).then(refereeing.rename, REFEREE, "Final", REASON),
    ),
    "a game moves": (EventKind.REHOMED, lambda: two().then(table.move_here, ADA, CHANNEL + 1)),
    "a vacation begins": (EventKind.AWAY, lambda: two().then(timing.away, BO, NOW + 9 * DAY)),
    "a vacation ends early": (EventKind.BACK, lambda: two().then(timing.back, BO)),
}

REFEREED = {
    EventKind.CLOCK_SET,
    EventKind.REPLACED,
    EventKind.REWOUND,
    EventKind.ABORTED,
    EventKind.ANNULLED,
    EventKind.RENAMED,
}

BUTTONS: dict[EventKind, tuple[str, ...]] = {
    EventKind.VACATED: ("take-over",),
    EventKind.VOTE: ("vote-play-on", "vote-draw", "vote-abandon"),
    EventKind.DRAW_OFFERED: ("draw-accept", "draw-decline"),
    EventKind.TAKEBACK_ASKED: ("takeback-accept", "takeback-decline"),
    EventKind.HANDOVER_ASKED: ("substitute-accept", "substitute-decline"),
    EventKind.GRACE: ("claim", "give-time"),
    EventKind.OVERDUE: ("claim", "give-time"),
    EventKind.REMINDED: ("snooze",),
}


def told(locale: Language, item: News) -> tuple[str, Notice]:
    """The whole message, and what the teller made of it."""
    name = NAMES.get(item.user or 0, "")
    said = notice(locale, item, name)
    assert said is not None
    return (turn_text(locale, item, said.text, "the record") if has_board(item) else said.text), said


DECISIONS = {
    path.name: path.read_text("utf-8")
    for path in (Path(__file__).parents[2] / "bot" / "match").glob("*.py")
    if path.name not in ("events.py", "fold.py", "news.py")
}


def lacking(kind: EventKind) -> list[str]:
    """What a kind of event has not got, that it needs."""
    told_of = kind in NEWSWORTHY - UNTOLD
    needs = {
        "bot/match/fold.py: a fold in FOLD": kind in FOLD or kind is EventKind.OPENED,
        "bot/match: a decision that makes it": any(
            re.search(rf"EventKind\.{kind.name}\b", source) for source in DECISIONS.values()
        ),
        "bot/posting/telling: a teller in TELLERS, or QUIET in bot/match/events.py": (kind in TELLERS) == told_of,
        "tests/bot/test_telling.py: a story in STORIES": any(kind is other for other, _ in STORIES.values()) == told_of,
    }
    return [what for what, there in needs.items() if not there]


def test_every_kind_of_event_has_all_that_it_needs() -> None:
    by_store = {EventKind.FORGOTTEN}  # which is no decision of anybody in the match
    found = {kind.name: [what for what in lacking(kind) if kind not in by_store] for kind in EventKind}
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("story", STORIES)
def test_each_piece_of_news_calls_whom_it_must_and_says_what_must_be_said(story: str, locale: Language) -> None:
    topic, begin = STORIES[story]
    told_of = begin()
    item, match = told_of.last, told_of.match
    assert item.kind is topic
    words, said = told(locale, item)
    assert 0 < len(words) <= LONGEST
    assert "{" not in words
    mentioned = {int(user) for user in re.findall(r"<@(\d+)>", words)}
    assert set(item.ping) <= mentioned  # nobody is pinged whom the text does not name
    assert mentioned or topic not in REFEREED  # a referee's act is told to somebody
    assert mentioned <= NAMES.keys()
    assert "@everyone" not in words
    assert "**final**" not in words
    for fact in facts(item):
        assert fact in words, fact
    expected = BUTTONS.get(topic, ()) if match.is_live else ()
    carried = [read for one in said.buttons if (read := ACTIONS.read(str(one.custom_id)))]
    assert tuple(name for name, _ in carried)[: len(expected)] == expected
    assert {action.match for _, action in carried} <= {1}
    assert len(carried) == len(said.buttons)


def facts(item: News) -> list[str]:
    """What stands in the news whatever the language."""
    match, found = item.match, []
    if item.kind in REFEREED:
        found.append(REASON)
    if item.kind is EventKind.GRACE:
        found.append(f"<t:{match.pings.grace}:R>")
    if match.is_live and item.kind is EventKind.GIVEN:
        found.append(f"<t:{timing.flag(match)}:R>")
    if item.kind is EventKind.PROLONGED and match.pings.grace:
        found.append(f"<t:{match.pings.grace}:R>")
    if item.kind in (EventKind.VACATED, EventKind.VOTE) or (item.kind is EventKind.PROLONGED and match.vacancy):
        assert match.vacancy is not None
        found.append(f"<t:{match.vacancy.until}:R>")
    if item.kind is EventKind.AWAY:
        found.append(f"<t:{NOW + 9 * DAY}:")
    if item.kind is EventKind.STILL:
        found.append(f"<t:{item.event.at + timing.CLOSED_STILL}:R>")
    if item.kind is EventKind.MOVED:
        found.append("`F7-F8`")
    if item.kind in (EventKind.TAKEBACK_ASKED, EventKind.UNDONE):
        found.append("F7-F9")
    return found


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("ballot", Ballot)
def test_nothing_of_a_vote_stays_untold_where_a_voter_has_been_replaced(locale: Language, ballot: Ballot) -> None:
    """A notice that cannot be made would silence the game for good."""
    ended = voter_replaced().then(vacancy.vote, DEE, ballot)
    if ballot is not Ballot.PLAY_ON:
        ended = ended.then(vacancy.vote, CY, ballot)
    for item in news(1, ended.events, 0):
        notice(locale, item, NAMES.get(item.user or 0, ""))
    assert ended.match.vacancy is None or not ended.match.is_live


@pytest.mark.parametrize("story", STORIES)
def test_no_language_is_left_in_anothers_words(story: str) -> None:
    item = STORIES[story][1]().last
    texts = [told(locale, item)[0] for locale in LANGUAGES]
    assert len(set(texts)) == len(LANGUAGES)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_vacation_says_when_the_time_is_up_now_if_it_is_that_of_the_player_to_move(locale: Language) -> None:
    for begun in (two().then(timing.away, ADA, NOW + 9 * DAY), two().then(timing.back, ADA)):
        assert f"<t:{timing.flag(begun.match)}:R>" in told(locale, begun.last)[0]
    for other in (two().then(timing.away, BO, NOW + 9 * DAY), two().then(timing.back, BO)):
        assert ":R>" not in told(locale, other.last)[0]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_no_vacation_is_said_to_stop_the_last_hours_of_somebody_whose_time_is_up(locale: Language) -> None:
    stands, late = text(locale, "time.away-stands"), overdue(two())
    grace = late.match.pings.grace
    assert grace is not None
    last = text(locale, "clock.grace", until=f"<t:{grace}:R>")
    his = told(locale, late.then(timing.away, ADA, late.now + 9 * DAY).last)[0]
    assert stands not in his
    assert last in his
    assert last in told(locale, late.then(timing.back, ADA).last)[0]
    assert stands in told(locale, late.then(timing.away, BO, late.now + 9 * DAY).last)[0]
    assert stands in told(locale, two().then(timing.away, ADA, NOW + 9 * DAY).last)[0]


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("act", [refereeing.abort, refereeing.rename])
def test_a_referee_who_plays_himself_is_called_a_player_of_the_game(
    act: Callable[..., Iterable[Event]], locale: Language
) -> None:
    named = ("Final",) if act is refereeing.rename else ()
    party = {"en": "a player of this game", "no": "selv er med i partiet"}[locale]
    begun = [two()] if act is refereeing.abort else [two(), Story(tuple(started()[:1]))]  # or still a table
    for story in begun:
        said = [told(locale, story.then(act, judge, *named, REASON).last)[0] for judge in (ADA, REFEREE)]
        assert [party in one for one in said] == [True, False]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_move_that_played_itself_is_told_as_such(locale: Language) -> None:
    *moves, only = moves_of("camelot-few-pieces")[:7]
    story = two().move(*moves)
    wished = {story.match.to_move or 0: Person(UserSettings(automove=True))}
    alone, moved = story.then(turns.automove, people=wished).last, story.move(only).last
    assert (alone.auto, moved.auto) == (True, False)
    assert f"`{only}`" in told(locale, alone)[0]
    assert text(locale, "time.auto") in told(locale, alone)[0]
    assert text(locale, "time.auto") not in told(locale, moved)[0]
