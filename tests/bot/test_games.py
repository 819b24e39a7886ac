"""The list of a person's games: what it says of a deadline, before and after."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.listings import MatchSummary
from bot.core.match import Phase
from bot.play.game_list import game_line, sort_by_deadline
from bot.texts.i18n import LANGUAGES, Language, text
from rules import VARIANTS
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW

GAME = MatchSummary(
    7,
    GUILD,
    VARIANTS["camelot"],
    Phase.LIVE,
    CHANNEL,
    None,
    (ADA, BO),
    (),
    ADA,
    3,
    NOW,
    None,
    time_runs_out_at=NOW + 60,
)


def listed(locale: Language, viewer: int, now: int) -> str:
    return game_line(locale, viewer, GAME, now)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_deadline_is_shown_until_it_has_passed(locale: Language) -> None:
    for viewer in (ADA, BO, CY):
        assert f"<t:{NOW + 60}:R>" in listed(locale, viewer, NOW)
        assert "<t:" not in listed(locale, viewer, NOW + 60)


@pytest.mark.parametrize("locale", LANGUAGES)
def test_after_it_only_an_opponent_is_told_to_claim(locale: Language) -> None:
    more = f"**{text(locale, 'button.more')}**"
    assert [viewer for viewer in (ADA, BO, CY) if more in listed(locale, viewer, NOW + 60)] == [BO]


def test_games_are_sorted_by_turn_and_then_by_the_earliest_deadline() -> None:
    games = [
        replace(GAME, id=number, to_move=mover, time_runs_out_at=clock)
        for number, mover, clock in [(1, BO, NOW), (2, ADA, None), (3, ADA, None), (4, ADA, NOW + 60), (5, BO, None)]
    ]
    assert [game.id for game in sort_by_deadline(games, ADA, {3: NOW + 30})] == [3, 4, 2, 1, 5]
    assert [game.id for game in sort_by_deadline(games, ADA, {3: NOW + 90})] == [4, 3, 2, 1, 5]


@pytest.mark.parametrize("locale", LANGUAGES)
def test_the_end_of_a_season_is_shown(locale: Language) -> None:
    assert f"<t:{NOW + 90}:R>" in game_line(locale, ADA, GAME, NOW, NOW + 90)
