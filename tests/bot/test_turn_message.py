"""The message of a turn, apart from Discord."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.cogs._reply import LONGEST
from bot.cogs._turn import has_board, notice, turn_text
from bot.i18n import LANGUAGES, Language, text
from bot.match import Match, Phase
from bot.matches import timing, turns
from bot.matches.turns import NOBODY
from bot.news import Topic, news
from bot.problems import Problem
from rules import Game, parse_position
from tests.bot.playing import ADA, BO, CY, NOW, followed, live, refused, short_game, started


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("size", [10, 1500, 5000])
def test_the_end_is_told_within_discords_limit_however_long_the_record_is(locale: Language, size: int) -> None:
    last = news(1, short_game(), 0)[-1]
    told = turn_text(locale, last, "Bo", "x" * size)
    assert len(told) <= LONGEST
    assert ("x" * size in told) == (size < 1600)


def test_names_neither_ping_nor_break_the_line() -> None:
    told = turn_text("en", news(1, short_game(), 0)[1], "@everyone\n# **<@1>**", None)
    assert "@everyone" not in told
    assert "<@1>" not in told
    assert told.count("\n") == 2


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_game_in_which_nobody_moves_is_reminded_of_warned_of_and_closed(locale: Language) -> None:
    events = started("tri-camelot")
    told, texts = events[-1].seq, []
    for _ in range(3):
        match = Match.replay(1, events)
        due = timing.wake(match)
        assert due is not None
        events += timing.tick(match, NOBODY, due)
        (item,) = news(1, events, told)
        told = item.seq
        texts.append(turn_text(locale, item, "", "x") if has_board(item) else notice(locale, item))
    reminder, warning, end = texts
    assert Match.replay(1, events).phase is Phase.OVER
    assert reminder is not None
    assert (reminder.count("<@"), f"<@{ADA}>" in reminder) == (1, True)
    assert warning is not None
    assert all(f"<@{user}>" in warning for user in (ADA, BO, CY))
    assert f"<t:{due}:R>" in warning
    assert end is not None
    assert text(locale, "end.no-result") in end
    assert text(locale, "end.draw") not in end


def test_what_no_command_brings_about_yet_is_passed_over_and_no_news_is_too_much_for_the_message() -> None:
    match = live("tri-camelot")
    first = news(1, started("tri-camelot"), 0)[0]
    for topic in Topic:
        item = replace(first, kind=topic, match=match, was=match)
        if has_board(item):
            assert turn_text("en", item, "Ada", None)
        elif topic not in (Topic.REMINDED, Topic.STILL):
            assert notice("en", item) is None
    vacant = followed(match, turns.resign(match, ADA, NOW))
    assert vacant.to_move is None
    assert turn_text("en", replace(first, kind=Topic.TAKEN_OVER, match=vacant), "Ada", None)


def test_a_player_without_pieces_has_nothing_to_give_up() -> None:
    # He could have told the channel again and again that he had given up, and pinged the player to move each time.
    position = parse_position("tri-camelot Blue Blue:F5 Red:- Green:J13")
    match: Match = replace(live("tri-camelot"), game=Game.from_position(position))
    assert match.to_move == ADA
    with refused(Problem.ELIMINATED):
        turns.resign(match, BO, NOW)
