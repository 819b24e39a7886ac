"""The words of leagues: whatever their size, they fit where Discord shows them."""

from __future__ import annotations

import pytest

from bot.core.listings import MatchSummary, MessageRef
from bot.core.match_state import Phase
from bot.discordkit.reply import MAX_LAYOUT_TEXT, MAX_MESSAGE_LENGTH
from bot.leagues.groups import Movement, make_schedule, shared_points
from bot.leagues.league import MAX_PEOPLE, LeagueTerms, open_league
from bot.leagues.season import Group, LeagueGame, LeagueSeat, SeatState, make_groups
from bot.leagues.words import end_text, progress_text, rules_lines, rules_title, standings_text, table_text, week_text
from bot.texts.i18n import LANGUAGES, Language, join_list, text
from rules import VARIANTS

P = 10**18
"""The first of the people."""


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
    content = end_text(locale, league, 1, make_groups(seats, [], LeagueTerms("camette")), 10**6)
    assert len(content) <= MAX_MESSAGE_LENGTH
    assert "#1000000" in content
    assert "`/league table`" in content.splitlines()[-1]


def three_of_four(*out: int) -> Group:
    """A group of four for three, in which the game of the first three is over and so many people were taken out."""
    seats = [LeagueSeat(0, entry, P + entry, SeatState.OUT if entry in out else SeatState.IN) for entry in range(4)]
    games = [
        LeagueGame(0, number, fixture.round, fixture.seats, 10 + number, (4, 4, 4) if 3 not in fixture.seats else None)
        for number, fixture in enumerate(make_schedule(4, 3))
    ]
    (group,) = make_groups(seats, games, LeagueTerms("tri-camelot"))
    return group


def test_finished_games_are_those_that_count() -> None:
    assert "finished games 1/4" in progress_text("en", three_of_four())
    assert "finished games 1/1" in progress_text("en", three_of_four(3))
    assert "finished games 0/1" in progress_text("en", three_of_four(0)), "the game that was over counts no more"


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_table_says_what_a_credit_is_and_who_attacks_whom(locale: Language) -> None:
    seats = [LeagueSeat(0, entry, P + entry) for entry in range(5)]
    games = [LeagueGame(0, number, 0, fixture.seats) for number, fixture in enumerate(make_schedule(5, 3))]
    (group,) = make_groups(seats, games, LeagueTerms("tri-camelot"))
    league = open_league(1, 1, 1, LeagueTerms("tri-camelot"), 0)
    credit = text(locale, "league.credit", points="⅓", players=join_list(locale, [f"<@{P + 3}>", f"<@{P + 4}>"]))
    assert credit in table_text(locale, league, [group])
    assert credit in standings_text(locale, group)
    assert text(locale, "league.attacks") in table_text(locale, league, [group])
    assert {row.place for row in group.standings} == {None}, "nobody leads by a credit before the first move"


def test_a_table_says_how_ties_were_broken() -> None:
    results = {(0, 1): 0, (2, 0): 0, (0, 3): 0, (1, 2): 0, (1, 3): 0, (2, 3): 1}  # the seat that won
    seats = [LeagueSeat(0, entry, P + entry) for entry in range(4)]
    games = [LeagueGame(0, n, 0, pair, None, shared_points(2, [won])) for n, (pair, won) in enumerate(results.items())]
    (group,) = make_groups(seats, games, LeagueTerms("camette"))
    notes = "Equal points: A before B by direct encounter; D before C by direct encounter"
    league = open_league(1, 1, 1, LeagueTerms("camette"), 0)
    for shown in (
        table_text("en", league, [group]),
        standings_text("en", group),
        end_text("en", league, 1, [group], 1),
    ):
        for entry, name in enumerate("ABCD"):
            shown = shown.replace(f"<@{P + entry}>", name)
        assert notes in shown
        assert text("en", "league.attacks") not in shown


def test_a_week_names_who_ran_out_of_time_with_a_link() -> None:
    group, league = three_of_four(), open_league(1, 1, 1, LeagueTerms("tri-camelot"), 0)
    late = {
        number: MatchSummary(
            *(number, 5, VARIANTS["tri-camelot"], Phase.LIVE, 6, None, (P, P + 1, P + 2), ()),
            *(P + 1, 9, 0, MessageRef(6, 7), 100 if number < 12 else 300),
        )
        for number in range(10, 14)
    }
    shown = week_text("en", league, [group], late, 200)
    over = next(game.match for game in group.games if game.points)
    expected = [
        f"[#{number}](https://discord.com/channels/5/6/7) · <@{P + 1}>" for number in (10, 11) if number != over
    ]
    assert [line for line in shown.splitlines() if "·" in line and "#" in line] == expected
