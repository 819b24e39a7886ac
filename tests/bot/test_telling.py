"""Every kind of news in every language, announced by a real match in that state."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.core import deadlines, leaving, refereeing, table, time_acts, turns
from bot.core.clock import DAY
from bot.core.events import ACCEPTING_EVENTS, DECLINING_EVENTS, NEWSWORTHY_EVENTS, Ballot, EventKind
from bot.core.fold import FOLD
from bot.core.news import News, collect_news
from bot.core.settings import StoredPerson, UserSettings
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.play.announcing.telling import TELLERS, Notice, make_notice
from bot.play.announcing.turn import has_board, turn_text
from bot.play.context import ACTIONS
from bot.texts.i18n import LANGUAGES, Language, text
from bot.texts.sentences import alt_text, text_board
from render import View
from rules import VARIANTS
from tests.bot.match_stories import (
    NAMES,
    REASON,
    REFEREE,
    STORIES,
    UNTOLD,
    Story,
    overdue,
    paused,
    three,
    two,
    unreached,
    vacant,
    voter_replaced,
)
from tests.bot.playing import ADA, BO, CY, DEE, NOW, existing, started
from tests.e2e.game_checks import moves_of
from tests.sentences import part

REFEREED = {EventKind.CLOCK_SET, EventKind.REPLACED, EventKind.REWOUND, EventKind.ABORTED, EventKind.ANNULLED}

BUTTONS: dict[EventKind, tuple[str, ...]] = {
    EventKind.VACATED: ("take-over", "vote-now"),
    EventKind.VOTE_PROPOSED: ("vote-now", "vote-later"),
    EventKind.VOTE: ("vote-play-on", "vote-house", "vote-draw", "vote-abandon"),
    EventKind.DRAW_OFFERED: ("draw-accept", "draw-decline"),
    EventKind.TAKEBACK_ASKED: ("takeback-accept", "takeback-decline"),
    EventKind.PAUSE_ASKED: ("pause-accept", "pause-decline"),
    EventKind.HANDOVER_ASKED: ("substitute-accept", "substitute-decline"),
    EventKind.GRACE: ("claim", "give-time"),
    EventKind.OVERDUE: ("claim", "give-time"),
    EventKind.REMINDED: ("snooze",),
}


def told(locale: Language, item: News) -> tuple[str, Notice]:
    """Returns the whole message, and the teller's output."""
    name = NAMES.get(item.user or 0, "")
    said = existing(make_notice(locale, item, name))
    return (turn_text(locale, item, said.text) if has_board(item) else said.text), said


DECISIONS = {
    path.name: path.read_text("utf-8")
    for path in (Path(__file__).parents[2] / "bot" / "core").glob("*.py")
    if path.name not in ("events.py", "fold.py", "news.py")
}


def lacking(kind: EventKind) -> list[str]:
    """Returns what a kind of event needs but lacks."""
    told_of = kind in NEWSWORTHY_EVENTS - UNTOLD
    needs = {
        "bot/core/fold.py: a fold in FOLD": kind in FOLD or kind is EventKind.OPENED,
        "bot/core: a decision that makes it": kind is EventKind.RENAMED  # until November 2026
        or kind in {**ACCEPTING_EVENTS, **DECLINING_EVENTS}  # by an answer in `offers`
        or any(re.search(rf"EventKind\.{kind.name}\b", source) for source in DECISIONS.values()),
        "bot/play/announcing/telling.py: a teller in TELLERS, or QUIET in bot/core/events.py": (kind in TELLERS)
        == told_of,
        "tests/bot/test_telling.py: a story in STORIES": any(kind is other for other, _ in STORIES.values()) == told_of,
    }
    return [what for what, there in needs.items() if not there]


def test_every_kind_of_event_has_all_that_it_needs() -> None:
    by_store = {EventKind.FORGOTTEN}  # an event that the store writes, not a decision
    found = {kind.name: [what for what in lacking(kind) if kind not in by_store] for kind in EventKind}
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize("story", STORIES)
def test_each_piece_of_news_calls_the_right_people_with_the_right_words(story: str, locale: Language) -> None:
    topic, begin = STORIES[story]
    told_of = begin()
    item, match = told_of.last, told_of.match
    assert item.kind is topic
    words, said = told(locale, item)
    assert 0 < len(words) <= MAX_MESSAGE_LENGTH
    assert "{" not in words
    mentioned = {int(user) for user in re.findall(r"<@(\d+)>", words)}
    assert set(item.calls) <= mentioned  # only people named in the text are pinged
    assert mentioned or topic not in REFEREED  # a referee's act always pings somebody
    assert mentioned <= NAMES.keys()
    assert "@everyone" not in words
    assert "**final**" not in words
    for fact in facts(item):
        assert fact in words, fact
    expected = BUTTONS.get(topic, ()) if match.is_live else ()
    carried = [read for one in said.buttons if (read := ACTIONS.parse_id(str(one.custom_id)))]
    assert tuple(name for name, _ in carried)[: len(expected)] == expected
    assert {action.match for _, action in carried} <= {1}
    assert len(carried) == len(said.buttons)


def test_time_given_in_a_now_placeless_game_is_told_without_deadlines(locale: Language) -> None:
    given = two().did(time_acts.give_time, BO).then(table.note_channel_lost)
    assert given.last.kind is EventKind.GIVEN
    words, _ = told(locale, given.last)
    assert part("time.given", locale, id=1) in words
    assert "<t:" not in words


def facts(item: News) -> list[str]:
    """Returns the parts of the news that are the same in every language."""
    match, found = item.match, []
    if item.kind in REFEREED:
        found.append(REASON)
    if item.kind is EventKind.GRACE:
        found.append(f"<t:{match.clock.grace_ends_at}:R>")
    if match.is_live and item.kind is EventKind.GIVEN:
        found.append(f"<t:{deadlines.time_runs_out_at(match)}:R>")
    if item.kind is EventKind.PROLONGED and match.clock.grace_ends_at:
        found.append(f"<t:{match.clock.grace_ends_at}:R>")
    if item.kind in (EventKind.VACATED, EventKind.VOTE) or (item.kind is EventKind.PROLONGED and match.vacancy):
        found.append(f"<t:{existing(match.vacancy).until}:R>")
    if item.kind in (EventKind.AWAY, EventKind.PAUSE_ASKED, EventKind.PAUSED):
        found.append(f"<t:{NOW + 9 * DAY}:")
    if item.kind is EventKind.STILL:
        found.append(f"<t:{item.event.at + deadlines.STILL_CLOSING_S}:R>")
    if item.kind is EventKind.MOVED:
        found.append("`F7-F8`")
    if item.kind in (EventKind.TAKEBACK_ASKED, EventKind.UNDONE):
        found.append("F7-F9")
    return found


def test_the_last_warning_says_the_game_is_claimable_and_has_the_button(locale: Language) -> None:
    words, said = told(locale, STORIES["nobody has claimed for thirty days"][1]().last)
    claimable = part("time.still-claim", locale, claim=text(locale, "button.claim"))
    assert claimable in words
    assert [one.label for one in said.buttons] == [text(locale, "button.claim"), text(locale, "button.give-time")]
    words, said = told(locale, STORIES["nobody has moved for thirty days"][1]().last)
    assert claimable not in words
    assert not said.buttons
    assert text(locale, "button.claim-seat") in told(locale, overdue(three()).last)[0]


@pytest.mark.parametrize("ballot", Ballot)
def test_nothing_of_a_vote_stays_untold_where_a_voter_has_been_replaced(locale: Language, ballot: Ballot) -> None:
    """A notice that cannot be made would stop the game's announcements permanently."""
    ended = voter_replaced().did(leaving.cast_vote, DEE, ballot)
    if ballot is not Ballot.PLAY_ON:
        ended = ended.did(leaving.cast_vote, CY, ballot)
    for item in collect_news(1, ended.events, 0):
        make_notice(locale, item, NAMES.get(item.user or 0, ""))
    assert ended.match.vacancy is None or not ended.match.is_live


@pytest.mark.parametrize("story", STORIES)
def test_no_language_is_left_in_anothers_words(story: str) -> None:
    item = STORIES[story][1]().last
    texts = [told(locale, item)[0] for locale in LANGUAGES]
    assert len(set(texts)) == len(LANGUAGES)


def test_a_vacation_of_the_player_to_move_says_when_time_is_up(locale: Language) -> None:
    for user in (ADA, BO):
        away, back = time_acts.announce_vacation, time_acts.announce_return
        for story in (two().then(away, user, NOW + 9 * DAY), two().then(back, user)):
            due = f"<t:{deadlines.time_runs_out_at(story.match)}:R>"
            assert re.findall("<t:[0-9]+:R>", told(locale, story.last)[0]) == ([due] if user == ADA else [])


def test_no_vacation_is_said_to_stop_the_last_hours_of_overdue_players(locale: Language) -> None:
    stands, late = text(locale, "time.away-stands"), overdue(two())
    grace = late.match.clock.grace_ends_at
    last = text(locale, "clock.grace", until=f"<t:{existing(grace)}:R>", claim=text(locale, "button.claim"))
    theirs = told(locale, late.then(time_acts.announce_vacation, ADA, late.now + 9 * DAY).last)[0]
    assert stands not in theirs
    assert last in theirs
    assert last in told(locale, late.then(time_acts.announce_return, ADA).last)[0]
    assert stands in told(locale, late.then(time_acts.announce_vacation, BO, late.now + 9 * DAY).last)[0]
    assert stands in told(locale, two().then(time_acts.announce_vacation, ADA, NOW + 9 * DAY).last)[0]


def test_a_referee_who_plays_is_called_a_player_of_the_game(locale: Language) -> None:
    said = [told(locale, two().did(refereeing.abort_match, judge, REASON).last)[0] for judge in (ADA, REFEREE)]
    assert [part("referee.told-player", locale) in one for one in said] == [True, False]


def test_a_move_that_played_itself_is_told_as_such(locale: Language) -> None:
    *moves, only = moves_of("camelot-few-pieces")[:7]
    story = two().move(*moves)
    wished = {story.match.to_move or 0: StoredPerson(UserSettings(automove=True))}
    alone, moved = story.then(turns.play_only_move, people=wished).last, story.move(only).last
    assert (alone.auto, moved.auto) == (True, False)
    assert f"`{only}`" in told(locale, alone)[0]
    assert text(locale, "time.auto") in told(locale, alone)[0]
    assert text(locale, "time.auto") not in told(locale, moved)[0]


@pytest.mark.parametrize(
    "begun", [lambda: overdue(two()), vacant, lambda: vacant().ticks()], ids=["grace", "call", "vote"]
)
@pytest.mark.parametrize(
    ("seconds", "is_told"), [(26, False), (time_acts.LONG_ABSENCE - 1, False), (time_acts.LONG_ABSENCE, True)]
)
def test_a_deadline_moves_silently_after_less_than_a_quarter_of_an_hour(
    locale: Language, begun: Callable[[], Story], seconds: int, is_told: bool
) -> None:
    moved = unreached(begun(), seconds).last
    assert moved.kind is EventKind.PROLONGED
    assert (make_notice(locale, moved, "Ada") is not None) == is_told


def test_no_clock_runs_again_at_a_takeover_in_a_pause(locale: Language) -> None:
    story = paused().did(leaving.resign, BO).did(leaving.take_over, DEE)
    assert text(locale, "leaver.clocks-run") not in told(locale, story.last)[0]
    assert text(locale, "leaver.clocks-run") in told(locale, vacant().did(leaving.take_over, DEE).last)[0]


@pytest.mark.parametrize("key", VARIANTS)
def test_the_first_post_says_which_castle_each_attacks(key: str, locale: Language) -> None:
    (news,) = collect_news(1, started(key), 0)
    lines = existing(make_notice(locale, news, "Ada")).text.split("\n")
    variant = news.match.variant
    for army, user, line in zip(variant.armies, news.match.players, lines[1:], strict=True):
        (owner,) = [other for other in variant.armies if other.castle == army.goal]
        assert f"<@{user}>" in line
        assert {variant.board.names[cell] for cell in army.goal} <= {*re.findall(r"\w+", line)}
        assert text(locale, f"colour.{owner.colour}") in line


def test_alt_texts_and_text_boards_say_which_castle_each_attacks() -> None:
    start = VARIANTS["tri-camelot"].start_position
    said = "Blue attacks A16, Red's castle. Red attacks K16, Green's castle. Green attacks F1, Blue's castle."
    assert said in alt_text("en", 1, "", start)
    assert said in text_board("en", View(start))
    yours = "-# You attack K16, Green's castle.\nBlue attacks A16, Red's castle. Green attacks F1"
    assert yours in text_board("en", View(start, reader=1))  # the bug: who attacks theirs was said twice
