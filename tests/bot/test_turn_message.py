"""The message of a turn, apart from Discord."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.cogs._reply import LONGEST
from bot.cogs._turn import turn_text
from bot.i18n import LANGUAGES, Language
from bot.match import Match
from bot.news import news
from bot.problems import Problem
from rules import Game, parse_position
from tests.bot.playing import ADA, BO, NOW, live, refused, short_game


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


def test_a_player_without_pieces_has_nothing_to_give_up() -> None:
    # He could have told the channel again and again that he had given up, and pinged the player to move each time.
    position = parse_position("tri-camelot Blue Blue:F5 Red:- Green:J13")
    match: Match = replace(live("tri-camelot"), game=Game.from_position(position))
    assert match.to_move == ADA
    with refused(Problem.ELIMINATED):
        match.resign(BO, NOW)
