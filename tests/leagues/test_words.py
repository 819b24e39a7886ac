"""The words of leagues: whatever their size, they fit where Discord shows them."""

from __future__ import annotations

import pytest

from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.discordkit.row_lists import MAX_LAYOUT_TEXT
from bot.leagues.groups import Movement
from bot.leagues.league import MAX_PEOPLE, LeagueTerms, open_league
from bot.leagues.season import LeagueSeat, make_groups
from bot.leagues.words import end_text, rules_lines, rules_title
from bot.texts.i18n import LANGUAGES, Language
from rules import VARIANTS


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_rules_are_shown_whole(locale: Language, variant: str) -> None:
    league = open_league(10**6, 1, 1, LeagueTerms(variant, double=True), 0)
    lines = [rules_title(locale, league), *rules_lines(locale, league)]
    assert sum(map(len, lines)) < MAX_LAYOUT_TEXT


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize("size", [3, 10])
def test_the_end_of_the_largest_season_names_as_many_groups_as_fit(locale: Language, size: int) -> None:
    league = open_league(1, 1, 1, LeagueTerms("camette"), 0)
    seats = [
        LeagueSeat(division, entry, 10**18 + entry, place=entry + 1, movement=Movement.UP)
        for division in range(MAX_PEOPLE // size)
        for entry in range(size)
    ]
    content = end_text(locale, league, 1, make_groups(seats, [], 2), 10**6)
    assert len(content) <= MAX_MESSAGE_LENGTH
    assert "#1000000" in content
    assert "`/league table`" in content.splitlines()[-1]
